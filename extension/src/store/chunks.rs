/*!
The second statement: the hits themselves and all probes of a plan.

Each shape of a probe is one branch, answered by one of the indexes on (document_id, ordinal),
(document_id, section_key, ordinal) and (document_id, parent_key, ordinal). Behind a key the
section itself is compared. A statement has the branches that its plan needs, and a branch whose
shape is not the probe's costs nothing but its test.
*/

mod branch;

use super::Store;
use super::hits::uuid;
use super::layout::{Layout, Purpose};
use crate::spi::{Connection, Rows, Value};
use crate::types::Ltree;
use branch::{NUMBERED, PROBES, Source, number};
use passage_core::assemble::Part;
use passage_core::expand::{Hit, Plan, Probe, Row, Shape};
use passage_core::section::Section;
use pgrx::datum::Uuid;

/// The chunks that a plan reads; contents are looked up only for those that come back.
pub struct Chunks<'c> {
    rows: Rows<'c>,
    /// What decides about each, in the order of the rows.
    pub outlines: Vec<Row>,
}

/// What a caller needs of a chunk beside its outline and content.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub enum Columns {
    /// Its level and path.
    Context,
    /// Its bytes and lines in the source.
    Passage,
}

impl Store {
    /// Reads hits and probes.
    pub fn chunks<'c>(
        &self,
        connection: &'c Connection,
        hits: &[Hit],
        plan: &Plan,
        columns: Columns,
    ) -> Chunks<'c> {
        let shapes: Vec<Shape> = NUMBERED
            .into_iter()
            .filter(|shape| plan.probes.iter().any(|probe| probe.shape == *shape))
            .collect();
        let mut values = of_hits(hits);
        if !shapes.is_empty() {
            values.extend(of_probes(&plan.probes));
        }
        let set = shapes.iter().map(|shape| 1 << number(*shape)).sum();
        let purpose = Purpose::Chunks { shapes: set, columns };
        let statement = self.0.statement(purpose, || statement(&self.0, &shapes, columns));
        let rows = connection.read(&statement, values);
        let outlines = (0..rows.len()).map(|row| outline(&rows, row)).collect();
        Chunks { rows, outlines }
    }
}

fn statement(layout: &Layout, shapes: &[Shape], columns: Columns) -> String {
    let chunks = &layout.chunks.name;
    let selected = selected(layout, columns);
    let columns: Vec<_> = selected.iter().map(|(name, sql)| format!("{sql} AS {name}")).collect();
    let columns = columns.join(", ");
    let hits = format!(
        "SELECT NULL::integer AS probe, {columns} FROM {chunks} AS c \
         WHERE c.id = ANY ($1::uuid[]) AND c.document_id = ANY ($2::uuid[])"
    );
    if shapes.is_empty() {
        return hits;
    }
    let names: Vec<_> = selected.iter().map(|(name, _)| format!("c.{name}")).collect();
    let source = Source { chunks, columns: &columns, names: &names.join(", ") };
    let branches: Vec<_> =
        shapes.iter().map(|shape| format!("({})", source.branch(*shape))).collect();
    format!(
        "{hits} UNION ALL SELECT p.probe, c.* FROM {PROBES} CROSS JOIN LATERAL ({}) AS c",
        branches.join(" UNION ALL ")
    )
}

/// The columns of a chunk by name, behind its probe; NULL for those that the store lacks.
fn selected(layout: &Layout, columns: Columns) -> Vec<(&'static str, String)> {
    let chunks = &layout.chunks;
    let integer = |column| (column, chunks.column("c", column, "integer"));
    let mut selected = vec![
        ("id", chunks.column("c", "id", "uuid")),
        integer("ordinal"),
        ("section", layout.section("c")),
        ("tokens", layout.tokens("c")),
        ("content", chunks.column("c", "content", "text")),
    ];
    selected.extend(match columns {
        Columns::Context => vec![integer("level"), ("path", layout.path("c"))],
        Columns::Passage => {
            ["start_byte", "end_byte", "first_line", "last_line"].map(integer).to_vec()
        }
    });
    selected
}

/// Arguments $1 and $2.
fn of_hits(hits: &[Hit]) -> Vec<Value> {
    let mut documents: Vec<_> = hits.iter().map(|hit| hit.document).collect();
    documents.sort_unstable();
    documents.dedup();
    vec![uuids(hits.iter().map(|hit| hit.chunk)), uuids(documents.into_iter())]
}

/// Arguments $3 to $11, one element for each probe, but for the keys of all in $10.
fn of_probes(probes: &[Probe]) -> [Value; 9] {
    let numbers =
        |number: fn(&Probe) -> i32| Value::new(probes.iter().map(number).collect::<Vec<_>>());
    let keys: Vec<i64> = probes.iter().flat_map(|probe| &probe.keys).copied().collect();
    let mut next = 1;
    let first_keys: Vec<i32> = probes
        .iter()
        .map(|probe| {
            let first = next;
            next += probe.keys.len() as i32;
            first
        })
        .collect();
    let key = |probe: &Probe| probe.keys.first().copied().unwrap_or_default();
    [
        Value::new(probes.iter().map(|probe| literal(&probe.section)).collect::<Vec<_>>()),
        uuids(probes.iter().map(|probe| probe.document)),
        numbers(|probe| number(probe.shape) as i32),
        Value::new(probes.iter().map(key).collect::<Vec<_>>()),
        numbers(|probe| probe.first),
        numbers(|probe| probe.last),
        numbers(|probe| probe.limit as i32),
        Value::new(keys),
        Value::new(first_keys),
    ]
}

fn uuids(ids: impl Iterator<Item = uuid::Uuid>) -> Value {
    Value::new(ids.map(|id| Uuid::from_bytes(*id.as_bytes())).collect::<Vec<_>>())
}

/// A section as the text of a text array, every title in quotes; SQL has no ragged arrays.
fn literal(section: &Section) -> String {
    let quoted =
        |title: &String| format!("\"{}\"", title.replace('\\', "\\\\").replace('"', "\\\""));
    format!("{{{}}}", section.iter().map(quoted).collect::<Vec<_>>().join(","))
}

/// Reads what decides about a chunk.
fn outline(rows: &Rows, row: usize) -> Row {
    let titles = rows.get::<Vec<Option<String>>>(row, 3).unwrap_or_default();
    Row {
        probe: rows.get::<i32>(row, 0).map(|probe| probe as usize - 1),
        chunk: uuid(rows.get(row, 1)),
        ordinal: rows.get(row, 2),
        section: titles.into_iter().map(Option::unwrap_or_default).collect(),
        tokens: rows.get::<i32>(row, 4).map_or(0, |tokens| tokens.max(0).unsigned_abs()),
    }
}

impl Chunks<'_> {
    /// Returns the content of a row; a NULL is empty.
    pub fn content(&self, row: usize) -> String {
        self.rows.get(row, 5).unwrap_or_default()
    }

    /// Returns the level of a row that was read as context.
    pub fn level(&self, row: usize) -> Option<i32> {
        self.rows.get(row, 6)
    }

    /// Returns the path of a row that was read as context.
    pub fn path(&self, row: usize) -> Option<Ltree> {
        self.rows.get(row, 7)
    }

    /// Returns a row that was read for a passage as a part of it.
    pub fn part(&self, row: usize) -> Part<'static> {
        let span = self.rows.get::<i32>(row, 6).zip(self.rows.get(row, 7));
        Part { content: self.content(row).into(), span: span.map(|(start, end)| start..end) }
    }

    /// Returns the first and the last line of the source of a row that was read for a passage.
    pub fn lines(&self, row: usize) -> (Option<i32>, Option<i32>) {
        (self.rows.get(row, 8), self.rows.get(row, 9))
    }
}
