/*!
The last statement: all probes of a plan.

Each shape of a probe is one subquery, answered by one of the indexes on `(document_id, ordinal)`,
`(document_id, section_key, ordinal)` and `(document_id, parent_key, ordinal)`. After the key the section
itself is compared, since keys are hashes. A statement has only the subqueries that its plan needs: to
start a subquery costs more than most probes. Probes that the neighborhoods of hits answer need
no subquery, and without subqueries no statement is executed.
*/

use super::chunk_columns::{ChunkColumns, StoredChunk};
use super::hits::Hits;
use super::neighborhood::Neighborhoods;
use super::probe_query::ProbeQuery;
use super::probe_subqueries::{ProbeSubquery, Signature, subqueries};
use crate::server::spi::{Connection, Rows};
use crate::store::Store;
use crate::store::layout::{Layout, StatementKey};
use crate::store::shards::Route;
use passage_core::expand::{ChunkRow, LazyColumns, Plan, Shape};
use passage_split::Unit;
use passage_split::interrupt::poll_periodically as pause;
use passage_split::section::Section;
use std::collections::{BTreeSet, HashMap};
use std::ops::Range;

/// Identifies the statement.
#[derive(Clone, PartialEq)]
struct ContextStatement {
    signature: Signature,
    columns: ChunkColumns,
}

impl StatementKey for ContextStatement {}

/// The chunks that a call read: its hits and the answers of the probes.
pub struct ContextChunks<'c> {
    hits: &'c Hits<'c>,
    /// The answers that are in the neighborhoods of the hits: the probe, and the row of the chunk.
    neighbors: Vec<(usize, usize)>,
    rows: Option<Rows<'c>>,
    /// For each probe, whether its rows have their depth below its section.
    has_depth: Vec<bool>,
    /// The columns by which core selects context: the hits in their order, then the answers of the
    /// probes.
    pub chunk_rows: Vec<ChunkRow>,
}

impl Store {
    /// Reads the probes of a plan.
    pub fn context_chunks<'c>(
        &self,
        connection: &'c Connection,
        hits: &'c Hits<'c>,
        plan: &Plan,
        columns: ChunkColumns,
    ) -> ContextChunks<'c> {
        let probes = &plan.probes;
        let (mut neighbors, mut open) = (Vec::new(), Vec::new());
        let neighborhoods = Neighborhoods::new(hits);
        for (index, probe) in probes.iter().enumerate() {
            match neighborhoods.answer(probe) {
                Some(rows) => neighbors.extend(rows.into_iter().map(|row| (index, row))),
                None => open.push(index),
            }
        }
        let rows = (!open.is_empty()).then(|| {
            let has_neighborhoods = hits.lookup.has_neighbors && hits.list.len() > 1;
            let (signature, subqueries) = subqueries(probes, &open, has_neighborhoods);
            let key = ContextStatement { signature, columns };
            let statement = self.0.statement(key, || statement(&self.0, &subqueries, columns));
            let mut sections = HashMap::new();
            let values = subqueries.iter().flat_map(|one| one.values(probes, &mut sections));
            // Only the shards of a distributed store are chosen by their documents.
            let routed = open.iter().filter(|_| self.is_distributed(connection));
            let documents: BTreeSet<_> = routed.map(|open| probes[*open].document).collect();
            let documents: Vec<_> = documents.into_iter().collect();
            let route = Route::Documents(&documents);
            self.read(connection, &statement, values.collect(), route, None)
        });
        let chunk_count = neighbors.len() + rows.as_ref().map_or(0, Rows::len);
        let has_depth = probes.iter().map(|probe| probe.shape == Shape::Inside).collect();
        let mut chunks = ContextChunks { hits, neighbors, rows, has_depth, chunk_rows: Vec::new() };
        let chunk_row = |row| {
            pause(row);
            chunks.chunk_row(row)
        };
        chunks.chunk_rows = (0..hits.list.len() + chunk_count).map(chunk_row).collect();
        chunks
    }
}

impl ContextChunks<'_> {
    /// Returns a chunk by its index in [`Self::chunk_rows`].
    pub fn chunk(&self, row: usize) -> StoredChunk<'_> {
        self.probed(row).1
    }

    /// Returns a chunk with the probe that found it, if one did.
    fn probed(&self, row: usize) -> (Option<usize>, StoredChunk<'_>) {
        let Some(row) = row.checked_sub(self.hits.list.len()) else {
            return (None, self.hits.chunk(row));
        };
        if let Some((probe, row)) = self.neighbors.get(row) {
            return (Some(*probe), self.hits.row(*row));
        }
        let rows = self.rows.as_ref().expect("a probe found the chunk");
        let chunk = StoredChunk { rows, row: row - self.neighbors.len(), first: 1 };
        (chunk.probe(), chunk)
    }

    fn chunk_row(&self, row: usize) -> ChunkRow {
        let (probe, chunk) = self.probed(row);
        let below = probe.filter(|probe| self.has_depth[*probe]).and_then(|_| chunk.depth_below());
        let (id, ordinal, tokens) = (chunk.id(), chunk.ordinal(), chunk.tokens());
        ChunkRow { probe, chunk: id, ordinal, tokens, depth_below: below }
    }
}

impl LazyColumns for ContextChunks<'_> {
    fn section(&self, row: usize) -> Option<Section> {
        self.chunk(row).section()
    }

    fn unit(&self, row: usize) -> Option<Unit> {
        self.chunk(row).unit()
    }

    fn level(&self, row: usize) -> Option<i32> {
        self.chunk(row).level()
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

fn statement(layout: &Layout, subqueries: &[ProbeSubquery], columns: ChunkColumns) -> String {
    let columns: Vec<_> =
        columns.select(layout).iter().map(|(name, sql)| format!("{sql} AS {name}")).collect();
    let columns = columns.join(", ");
    let texts: Vec<_> = subqueries
        .iter()
        .enumerate()
        .map(|(index, subquery)| {
            let text = subquery.text(1 + index * ProbeSubquery::ARGUMENTS, |probe| {
                let columns = &format!("{} AS probe, {columns}", probe.probe);
                ProbeQuery { chunks: &layout.chunks.name, columns, probe }.text(subquery.shape)
            });
            format!("({text})")
        })
        .collect();
    texts.join(" UNION ALL ")
}
