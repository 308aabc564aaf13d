/*!
The second statement: all probes of a plan.

Each shape of a probe is one branch, answered by one of the indexes on `(document_id, ordinal)`,
`(document_id, section_key, ordinal)` and `(document_id, parent_key, ordinal)`. Behind a key the
section itself is compared. A statement has the branches that its plan needs and no others, since
to start a branch costs more than most probes; and without a probe there is none.
*/

mod branch;

use super::Store;
use super::columns::{Chunk, Columns};
use super::hits::Hits;
use super::layout::{Layout, Purpose};
use crate::spi::{Connection, Rows, Value};
pub use branch::SHAPES;
use branch::{Branch, PROBES};
use passage_core::expand::{Plan, Probe, Row, Shape, Titles};
use passage_core::section::Section;
use pgrx::datum::Uuid;

/// The hits of a call and what its plan reads.
pub struct Chunks<'c> {
    hits: &'c Hits<'c>,
    rows: Option<Rows<'c>>,
    /// What decides about each chunk: the hits in their order, then what the probes found.
    pub outlines: Vec<Row>,
}

impl Store {
    /// Reads the probes of a plan.
    pub fn chunks<'c>(
        &self,
        connection: &'c Connection,
        hits: &'c Hits<'c>,
        plan: &Plan,
        columns: Columns,
    ) -> Chunks<'c> {
        let is_probed = |shape: &Shape| plan.probes.iter().any(|probe| probe.shape == *shape);
        let shapes: Vec<Shape> = SHAPES.into_iter().filter(is_probed).collect();
        let rows = (!shapes.is_empty()).then(|| {
            let mut values = of_probes(&plan.probes);
            values.extend(shapes.iter().map(|shape| documents(&plan.probes, *shape)));
            let purpose =
                Purpose::Chunks { shapes: SHAPES.map(|shape| is_probed(&shape)), columns };
            let statement = self.0.statement(purpose, || statement(&self.0, &shapes, columns));
            connection.read(&statement, values)
        });
        let mut chunks = Chunks { hits, rows, outlines: Vec::new() };
        let found = chunks.rows.as_ref().map_or(0, Rows::len);
        chunks.outlines = (0..hits.found.len() + found).map(|row| chunks.outline(row)).collect();
        chunks
    }
}

impl Chunks<'_> {
    /// Returns a chunk by its place among the outlines.
    pub fn chunk(&self, row: usize) -> Chunk<'_> {
        match (row.checked_sub(self.hits.found.len()), &self.rows) {
            (Some(row), Some(rows)) => Chunk { rows, row, first: 1 },
            _ => self.hits.chunk(row),
        }
    }

    fn outline(&self, row: usize) -> Row {
        let chunk = self.chunk(row);
        let probe = row.checked_sub(self.hits.found.len()).and_then(|_| chunk.probe());
        Row { probe, chunk: chunk.id(), ordinal: chunk.ordinal(), tokens: chunk.tokens() }
    }
}

impl Titles for Chunks<'_> {
    fn titles(&self, row: usize) -> Section {
        self.chunk(row).titles().unwrap_or_default()
    }
}

fn statement(layout: &Layout, shapes: &[Shape], columns: Columns) -> String {
    let selected = columns.select(layout);
    let columns: Vec<_> = selected.iter().map(|(name, sql)| format!("{sql} AS {name}")).collect();
    let names: Vec<_> = selected.iter().map(|(name, _)| format!("c.{name}")).collect();
    let (chunks, columns) = (&layout.chunks.name, &columns.join(", "));
    let branches: Vec<_> = shapes
        .iter()
        .zip(0..)
        .map(|(shape, place)| format!("({})", Branch { chunks, columns, place }.query(*shape)))
        .collect();
    format!(
        "SELECT p.probe, {names}, c.key FROM {PROBES} CROSS JOIN LATERAL ({branches}) AS c",
        names = names.join(", "),
        branches = branches.join(" UNION ALL ")
    )
}

/// Arguments $1 to $8, one element for each probe, but for the keys of all in $6.
fn of_probes(probes: &[Probe]) -> Vec<Value> {
    let numbers =
        |number: fn(&Probe) -> i32| Value::new(probes.iter().map(number).collect::<Vec<_>>());
    let keys: Vec<i64> = probes.iter().flat_map(|probe| &probe.keys).copied().collect();
    let mut next = 1;
    let first_key = |probe: &Probe| {
        let first = next;
        next += probe.keys.len() as i32;
        first
    };
    let key = |probe: &Probe| probe.keys.first().copied().unwrap_or_default();
    let titles =
        |probe: &Probe| (probe.shape == Shape::Ancestors).then_some(probe.section.len() as i32);
    vec![
        Value::new(probes.iter().map(|probe| literal(&probe.section)).collect::<Vec<_>>()),
        Value::new(probes.iter().map(key).collect::<Vec<_>>()),
        numbers(|probe| probe.first),
        numbers(|probe| probe.last),
        numbers(|probe| probe.limit as i32),
        Value::new(keys),
        Value::new(probes.iter().map(first_key).collect::<Vec<_>>()),
        Value::new(probes.iter().map(titles).collect::<Vec<_>>()),
    ]
}

/// The documents of the probes of one shape, NULL for the others.
fn documents(probes: &[Probe], shape: Shape) -> Value {
    let document = |probe: &Probe| {
        (probe.shape == shape).then(|| Uuid::from_bytes(*probe.document.as_bytes()))
    };
    Value::new(probes.iter().map(document).collect::<Vec<_>>())
}

/// A section as the text of a text array, every title in quotes; SQL has no ragged arrays.
fn literal(section: &Section) -> String {
    let quoted =
        |title: &String| format!("\"{}\"", title.replace('\\', "\\\\").replace('"', "\\\""));
    format!("{{{}}}", section.iter().map(quoted).collect::<Vec<_>>().join(","))
}
