/*!
The subqueries of the statement that answers a plan.

Up to [`FEW`] probes of a shape have a subquery each, with scalar arguments, which is the cheapest to
start. More probes share one subquery, which joins the shape's query to arrays of its probes. The
statement for one hit took 30 us this way, and 150 us as one join of all shapes to all probes.
*/

use crate::server::spi::Value;
use crate::server::sql_text::{ADD, section_literal};
use crate::server::types::to_sql;
use passage_core::expand::{Probe, Shape};
use passage_split::section::Section;
use std::collections::HashMap;

/// Every shape, in the order of the subqueries.
const SHAPES: [Shape; 7] = [
    Shape::Range,
    Shape::Inside,
    Shape::SectionBackward,
    Shape::SectionForward,
    Shape::ParentBackward,
    Shape::ParentForward,
    Shape::Ancestors,
];

/// The maximum number of probes of a shape that have a subquery each.
const FEW: usize = 3;

/// The number of subqueries of each shape. One more than [`FEW`] means one shared subquery.
pub type Signature = [usize; SHAPES.len()];

/// A subquery of the statement and the probes that it answers.
pub struct ProbeSubquery {
    pub shape: Shape,
    /// The indexes of the probes in the plan.
    probes: Vec<usize>,
    is_shared: bool,
}

/// The fields of a probe, as SQL.
pub struct ProbeFields {
    pub probe: String,
    pub section: String,
    pub document: String,
    pub first: String,
    pub last: String,
    pub limit: String,
    keys: Keys,
}

/// The keys of a probe, as SQL.
enum Keys {
    /// A bigint.
    One(String),
    /// An array of bigint.
    Many(String),
}

impl ProbeFields {
    /// Returns a key of the probe. `position` is an expression, counted from 1.
    pub fn key(&self, position: &str) -> String {
        match &self.keys {
            Keys::One(key) => key.clone(),
            Keys::Many(keys) => format!("({keys})[{position}]"),
        }
    }
}

/// Distributes the open probes of a plan over subqueries.
///
/// With several neighborhoods, each shape of the plan has one shared subquery, whether or not probes of it are open.
/// Otherwise each number of open probes would be another statement to plan, and the calls of a session have dozens of them.
pub fn subqueries(
    probes: &[Probe],
    open: &[usize],
    has_neighborhoods: bool,
) -> (Signature, Vec<ProbeSubquery>) {
    let mut signature = Signature::default();
    let mut subqueries = Vec::new();
    for (shape, count) in SHAPES.into_iter().zip(&mut signature) {
        let of_shape: Vec<usize> =
            open.iter().copied().filter(|probe| probes[*probe].shape == shape).collect();
        let is_in_plan = || probes.iter().any(|probe| probe.shape == shape);
        let is_shared = of_shape.len() > FEW || has_neighborhoods && is_in_plan();
        *count = if is_shared { FEW + 1 } else { of_shape.len() };
        if is_shared {
            subqueries.push(ProbeSubquery { shape, probes: of_shape, is_shared });
        } else {
            let one = |probe| ProbeSubquery { shape, probes: vec![probe], is_shared: false };
            subqueries.extend(of_shape.into_iter().map(one));
        }
    }
    (signature, subqueries)
}

impl ProbeSubquery {
    /// The number of arguments of a subquery.
    pub const ARGUMENTS: usize = 8;

    /// Returns the text of the subquery. `first` is the number of its first parameter, and `query`
    /// returns the query of its shape.
    pub fn text(&self, first: usize, query: impl FnOnce(&ProbeFields) -> String) -> String {
        let argument = |i: usize| format!("${}", first + i);
        if !self.is_shared {
            return query(&ProbeFields {
                probe: argument(0),
                section: argument(1),
                document: argument(2),
                first: argument(3),
                last: argument(4),
                limit: argument(5),
                keys: match self.shape {
                    Shape::Ancestors => Keys::Many(argument(6)),
                    _ => Keys::One(argument(6)),
                },
            });
        }
        // Only the sections are unnested. The other arrays have elements of fixed width, for which a
        // subscript takes constant time.
        let element = |i: usize| format!("({})[t.place]", argument(i));
        let query = query(&ProbeFields {
            probe: "p.probe".to_owned(),
            section: "p.section".to_owned(),
            document: "p.document".to_owned(),
            first: "p.first".to_owned(),
            last: "p.last".to_owned(),
            limit: "p.max_rows".to_owned(),
            keys: Keys::Many("p.keys".to_owned()),
        });
        format!(
            "SELECT c.* FROM (SELECT {probe} AS probe, {section} AS section, \
             {document} AS document, {first} AS first, {last} AS last, {limit} AS max_rows, \
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
            limit = element(5),
            keys = argument(6),
            key = element(7),
        )
    }

    /// Returns the arguments of the subquery. `sections` are the values that earlier subqueries created.
    pub fn values<'p>(
        &self,
        probes: &'p [Probe],
        sections: &mut HashMap<&'p Section, Value>,
    ) -> [Value; Self::ARGUMENTS] {
        if let (false, [index]) = (self.is_shared, &self.probes[..]) {
            let probe = &probes[*index];
            let section =
                sections.entry(&probe.section).or_insert_with(|| Value::new(probe.section.clone()));
            return [
                Value::new(*index as i32),
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
        let own = || self.probes.iter().map(|index| &probes[*index]);
        let mut next = 1;
        let first_key = |probe: &Probe| {
            let first = next;
            next += probe.keys.len() as i32;
            first
        };
        [
            Value::new(self.probes.iter().map(|index| *index as i32).collect::<Vec<_>>()),
            Value::new(own().map(|probe| section_literal(&probe.section)).collect::<Vec<_>>()),
            Value::new(own().map(|probe| to_sql(probe.document)).collect::<Vec<_>>()),
            Value::new(own().map(|probe| probe.first).collect::<Vec<_>>()),
            Value::new(own().map(|probe| probe.last).collect::<Vec<_>>()),
            Value::new(own().map(|probe| probe.limit as i32).collect::<Vec<_>>()),
            Value::new(own().flat_map(|probe| &probe.keys).copied().collect::<Vec<i64>>()),
            Value::new(own().map(first_key).collect::<Vec<_>>()),
        ]
    }
}
