/*!
The arms of the statement that answers a plan.

A few probes of a shape have an arm each, with scalar arguments: nothing is cheaper to start. More
of them share one, which joins the shape's query to arrays of its probes. The statement for one hit
took 30 us this way, and 150 us as one join of all shapes to all probes.
*/

use crate::spi::Value;
use crate::store::operators::ADD;
use crate::types::to_sql;
use passage_core::expand::{Probe, Shape};
use passage_core::section::Section;
use std::collections::HashMap;

/// Every shape, in the order of the arms.
const SHAPES: [Shape; 7] = [
    Shape::Range,
    Shape::Inside,
    Shape::SectionBackward,
    Shape::SectionForward,
    Shape::ParentBackward,
    Shape::ParentForward,
    Shape::Ancestors,
];

/// The most probes of a shape that have an arm each.
const FEW: usize = 3;

/// How many probes of each shape have an arm each; one more than [`FEW`] stands for any number.
pub type Signature = [usize; SHAPES.len()];

/// A branch of the statement and the probes that it answers.
pub struct Arm {
    pub shape: Shape,
    /// By their place in the plan.
    probes: Vec<usize>,
    shared: bool,
}

/// What a branch knows of its probe, as SQL.
pub struct Fields {
    pub probe: String,
    pub section: String,
    pub document: String,
    pub first: String,
    pub last: String,
    pub most: String,
    keys: Keys,
}

/// The keys of a probe, as SQL.
enum Keys {
    /// A bigint.
    One(String),
    /// An array of bigint.
    Many(String),
}

impl Fields {
    /// Returns a key of the probe, counted from 1 by an expression.
    pub fn key(&self, place: &str) -> String {
        match &self.keys {
            Keys::One(key) => key.clone(),
            Keys::Many(keys) => format!("({keys})[{place}]"),
        }
    }
}

/// Divides some probes of a plan among arms.
pub fn arms(probes: &[Probe], open: &[usize]) -> (Signature, Vec<Arm>) {
    let mut signature = Signature::default();
    let mut arms = Vec::new();
    for (shape, count) in SHAPES.into_iter().zip(&mut signature) {
        let of_shape: Vec<usize> =
            open.iter().copied().filter(|probe| probes[*probe].shape == shape).collect();
        *count = of_shape.len().min(FEW + 1);
        if of_shape.len() > FEW {
            arms.push(Arm { shape, probes: of_shape, shared: true });
        } else {
            let one = |probe| Arm { shape, probes: vec![probe], shared: false };
            arms.extend(of_shape.into_iter().map(one));
        }
    }
    (signature, arms)
}

impl Arm {
    /// How many arguments an arm has.
    pub const ARGUMENTS: usize = 8;

    /// Writes the arm, whose arguments follow those before `first`, around a branch's query.
    pub fn write(&self, first: usize, query: impl FnOnce(&Fields) -> String) -> String {
        let argument = |i: usize| format!("${}", first + i);
        if !self.shared {
            return query(&Fields {
                probe: argument(0),
                section: argument(1),
                document: argument(2),
                first: argument(3),
                last: argument(4),
                most: argument(5),
                keys: match self.shape {
                    Shape::Ancestors => Keys::Many(argument(6)),
                    _ => Keys::One(argument(6)),
                },
            });
        }
        // Only the sections are unnested; the other arrays have elements of fixed width, which a
        // subscript finds at once.
        let element = |i: usize| format!("({})[t.place]", argument(i));
        let query = query(&Fields {
            probe: "p.probe".to_owned(),
            section: "p.section".to_owned(),
            document: "p.document".to_owned(),
            first: "p.first".to_owned(),
            last: "p.last".to_owned(),
            most: "p.most".to_owned(),
            keys: Keys::Many("p.keys".to_owned()),
        });
        format!(
            "SELECT c.* FROM (SELECT {probe} AS probe, {section} AS section, \
             {document} AS document, {first} AS first, {last} AS last, {most} AS most, \
             ({keys})[{key} : {key} {ADD} pg_catalog.cardinality({section})] AS keys \
             FROM (SELECT u.section, u.place::pg_catalog.int4 AS place \
             FROM pg_catalog.unnest({sections}) WITH ORDINALITY AS u (section, place)) AS t \
             OFFSET 0) AS p CROSS JOIN LATERAL ({query}) AS c",
            section = "t.section::pg_catalog.text[]",
            probe = element(0),
            sections = argument(1),
            document = element(2),
            first = element(3),
            last = element(4),
            most = element(5),
            keys = argument(6),
            key = element(7),
        )
    }

    /// Returns the arguments of the arm; `sections` are those that an earlier arm has made.
    pub fn values<'p>(
        &self,
        probes: &'p [Probe],
        sections: &mut HashMap<&'p Section, Value>,
    ) -> [Value; Self::ARGUMENTS] {
        if let (false, [place]) = (self.shared, &self.probes[..]) {
            let probe = &probes[*place];
            let section =
                sections.entry(&probe.section).or_insert_with(|| Value::new(probe.section.clone()));
            return [
                Value::new(*place as i32),
                *section,
                Value::new(to_sql(probe.document)),
                Value::new(probe.first),
                Value::new(probe.last),
                Value::new(probe.limit as i32),
                match (self.shape, &probe.keys[..]) {
                    (Shape::Ancestors, keys) => Value::new(keys.to_vec()),
                    (_, keys) => Value::new(keys.first().copied().unwrap_or_default()),
                },
                Value::new(0),
            ];
        }
        let own = || self.probes.iter().map(|place| &probes[*place]);
        let mut next = 1;
        let first_key = |probe: &Probe| {
            let first = next;
            next += probe.keys.len() as i32;
            first
        };
        [
            Value::new(self.probes.iter().map(|place| *place as i32).collect::<Vec<_>>()),
            Value::new(own().map(|probe| literal(&probe.section)).collect::<Vec<_>>()),
            Value::new(own().map(|probe| to_sql(probe.document)).collect::<Vec<_>>()),
            Value::new(own().map(|probe| probe.first).collect::<Vec<_>>()),
            Value::new(own().map(|probe| probe.last).collect::<Vec<_>>()),
            Value::new(own().map(|probe| probe.limit as i32).collect::<Vec<_>>()),
            Value::new(own().flat_map(|probe| &probe.keys).copied().collect::<Vec<i64>>()),
            Value::new(own().map(first_key).collect::<Vec<_>>()),
        ]
    }
}

/// A section as the text of a text array, every title in quotes; SQL has no ragged arrays.
fn literal(section: &Section) -> String {
    let quoted =
        |title: &String| format!("\"{}\"", title.replace('\\', "\\\\").replace('"', "\\\""));
    format!("{{{}}}", section.iter().map(quoted).collect::<Vec<_>>().join(","))
}
