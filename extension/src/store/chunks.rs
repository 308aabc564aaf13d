/*!
The second statement: all probes of a plan.

Each shape of a probe is one branch, answered by one of the indexes on `(document_id, ordinal)`,
`(document_id, section_key, ordinal)` and `(document_id, parent_key, ordinal)`. Behind a key the
section itself is compared. A statement has the branches that its plan needs and no others, since
to start a branch costs more than most probes; and without a probe there is none.
*/

mod arms;
mod branch;

use super::Store;
use super::columns::{Chunk, Columns};
use super::hits::Hits;
use super::layout::{Layout, Purpose};
use crate::spi::{Connection, Rows};
pub use arms::Signature;
use arms::{Arm, arms};
use branch::Branch;
use passage_core::expand::{Plan, Row, Titles};
use passage_core::section::Section;
use std::collections::HashMap;

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
        let probes = &plan.probes;
        let rows = (!probes.is_empty()).then(|| {
            let (signature, arms) = arms(probes);
            let purpose = Purpose::Chunks { signature, columns };
            let statement = self.0.statement(purpose, || statement(&self.0, &arms, columns));
            let mut sections = HashMap::new();
            let values = arms.iter().flat_map(|arm| arm.values(probes, &mut sections)).collect();
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

fn statement(layout: &Layout, arms: &[Arm], columns: Columns) -> String {
    let columns: Vec<_> =
        columns.select(layout).iter().map(|(name, sql)| format!("{sql} AS {name}")).collect();
    let columns = columns.join(", ");
    let written: Vec<_> = arms
        .iter()
        .enumerate()
        .map(|(place, arm)| {
            let query = arm.write(1 + place * Arm::ARGUMENTS, |probe| {
                let columns = &format!("{} AS probe, {columns}", probe.probe);
                Branch { chunks: &layout.chunks.name, columns, probe }.query(arm.shape)
            });
            format!("({query})")
        })
        .collect();
    written.join(" UNION ALL ")
}
