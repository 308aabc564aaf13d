/*!
The second statement: all probes of a plan.

Each shape of a probe is one branch, answered by one of the indexes on `(document_id, ordinal)`,
`(document_id, section_key, ordinal)` and `(document_id, parent_key, ordinal)`. Behind a key the
section itself is compared. A statement has the branches that its plan needs and no others, since
to start a branch costs more than most probes. Probes that the chunks around a single hit answer
need no branch, and without a branch there is no statement.
*/

mod arms;
mod branch;

use super::Store;
use super::around::Around;
use super::columns::{Chunk, Columns};
use super::hits::Hits;
use super::layout::{Layout, Purpose};
use crate::interrupt::pause;
use crate::spi::{Connection, Rows};
pub use arms::Signature;
use arms::{Arm, arms};
use branch::Branch;
pub(super) use branch::titles;
use passage_core::expand::{ChunkRow, LazyColumns, Plan, Shape};
use passage_core::section::Section;
use std::collections::HashMap;
use std::ops::Range;

/// The hits of a call and what its plan reads.
pub struct Chunks<'c> {
    hits: &'c Hits<'c>,
    /// Probes that were answered by chunks around the hit, each with such a chunk's row.
    around: Vec<(usize, usize)>,
    rows: Option<Rows<'c>>,
    /// For each probe, whether it tells of its rows how far below its section they are.
    inside: Vec<bool>,
    /// What decides about each chunk: the hits in their order, then what the probes found.
    pub outlines: Vec<ChunkRow>,
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
        let (mut around, mut open) = (Vec::new(), Vec::new());
        let near = Around::of(hits);
        for (place, probe) in probes.iter().enumerate() {
            match near.as_ref().and_then(|near| near.answer(probe)) {
                Some(rows) => around.extend(rows.into_iter().map(|row| (place, row))),
                None => open.push(place),
            }
        }
        let rows = (!open.is_empty()).then(|| {
            let (signature, arms) = arms(probes, &open);
            let purpose = Purpose::Chunks { signature, columns };
            let statement = self.0.statement(purpose, || statement(&self.0, &arms, columns));
            let mut sections = HashMap::new();
            let values = arms.iter().flat_map(|arm| arm.values(probes, &mut sections)).collect();
            connection.read(&statement, values)
        });
        let found = around.len() + rows.as_ref().map_or(0, Rows::len);
        let inside = probes.iter().map(|probe| probe.shape == Shape::Inside).collect();
        let mut chunks = Chunks { hits, around, rows, inside, outlines: Vec::new() };
        let outline = |row| {
            pause(row);
            chunks.outline(row)
        };
        chunks.outlines = (0..hits.found.len() + found).map(outline).collect();
        chunks
    }
}

impl Chunks<'_> {
    /// Returns a chunk by its place among the outlines.
    pub fn chunk(&self, row: usize) -> Chunk<'_> {
        self.probed(row).1
    }

    /// Returns a chunk with the probe that found it, if one did.
    fn probed(&self, row: usize) -> (Option<usize>, Chunk<'_>) {
        let Some(row) = row.checked_sub(self.hits.found.len()) else {
            return (None, self.hits.chunk(row));
        };
        if let Some((probe, row)) = self.around.get(row) {
            return (Some(*probe), self.hits.row(*row));
        }
        let rows = self.rows.as_ref().expect("a probe found the chunk");
        let chunk = Chunk { rows, row: row - self.around.len(), first: 1 };
        (chunk.probe(), chunk)
    }

    fn outline(&self, row: usize) -> ChunkRow {
        let (probe, chunk) = self.probed(row);
        let below = probe.filter(|probe| self.inside[*probe]).and_then(|_| chunk.below());
        let (id, ordinal, tokens) = (chunk.id(), chunk.ordinal(), chunk.tokens());
        ChunkRow { probe, chunk: id, ordinal, tokens, depth_below: below }
    }
}

impl LazyColumns for Chunks<'_> {
    fn section(&self, row: usize) -> Option<Section> {
        self.chunk(row).titles()
    }

    fn content(&self, row: usize) -> String {
        self.chunk(row).content()
    }

    fn span(&self, row: usize) -> Option<Range<i32>> {
        self.chunk(row).span()
    }

    fn imports(&self, row: usize) -> Vec<String> {
        self.chunk(row).imports()
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
