//! The steps of every expanding function: read the hits, read their context, select.

use crate::error::Error;
use crate::interrupt::pause;
use crate::settings;
use crate::spi::{self, Connection};
use crate::store::{ChunkColumns, ContextChunks, Hits, Store, StoredHit, StrategyRequest};
use crate::types::{Name, from_sql};
use passage_core::expand::{self, Budget, Hit, Plan, Selection, select_context};
use passage_core::hits::{ScoredHit, rank_hits};
use passage_core::search::{HitCost, count_for_passages, select_within_budget};
use passage_core::strategy::Scope;
use passage_core::{MediaType, StrategyOverrides, TableHeader};
use pgrx::datum::Uuid as SqlUuid;
use std::collections::HashMap;
use uuid::Uuid;

/// The arguments of an expanding function.
pub struct ExpandRequest {
    pub chunk_ids: Option<Vec<Option<SqlUuid>>>,
    pub scores: Option<Vec<Option<f64>>>,
    pub strategy: Option<String>,
    pub overrides: StrategyOverrides,
    pub store: Option<Name>,
}

/// The choice of hits to expand.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum HitSelection {
    /// All hits, since the caller chose them.
    All,
    /// As many hits as fit the budget or, without a budget, as make so many passages.
    WithinBudget { passages: usize, max_distance: Option<u32> },
}

/// The kind of a function's result.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum ResultKind {
    /// Rows of context.
    Context,
    /// Rows of context, and the chunks that were left out.
    Explanation,
    /// Passages.
    Passages {
        /// Whether a passage includes the imports that it uses.
        imports: bool,
    },
}

/// The selected context of a request, while its chunks can be read.
pub struct ExpandedContext<'a> {
    /// The ids of the request, also those that were not found.
    pub scored: &'a [ScoredHit<Uuid>],
    pub stored_hits: &'a [StoredHit],
    pub hits: &'a [Hit<'a>],
    pub chunks: &'a ContextChunks<'a>,
    pub selected: &'a Selection,
    /// The headers of the documents that are tables.
    pub headers: &'a HashMap<Uuid, TableHeader>,
}

impl ExpandRequest {
    /// Reads the hits and their context, selects chunks, and passes the selection to `then`.
    ///
    /// The columns of documents are read for passages alone.
    ///
    /// # Errors
    ///
    /// Returns what is wrong with the arguments or the store.
    pub fn expand<R: Default>(
        self,
        kind: ResultKind,
        selection: HitSelection,
        then: impl FnOnce(ExpandedContext) -> R,
    ) -> Result<R, Error> {
        let ids = self.chunk_ids.unwrap_or_default();
        let ids: Vec<_> = ids.into_iter().map(|id| id.map(from_sql)).collect();
        let scored = rank_hits(&ids, self.scores.as_deref())?;
        let name = self.strategy.unwrap_or_else(settings::strategy);
        let strategy = StrategyRequest { name, overrides: self.overrides };
        let store = Store::resolve(self.store)?;
        spi::connect(|connection| {
            let columns = match kind {
                ResultKind::Passages { imports } => ChunkColumns::Passage { imports },
                ResultKind::Context | ResultKind::Explanation => ChunkColumns::Context,
            };
            let imports = kind == ResultKind::Passages { imports: true };
            let Some(mut read) = store.hits(connection, &scored, &strategy, columns)? else {
                return Ok(R::default());
            };
            if let HitSelection::WithinBudget { passages, max_distance } = selection {
                limit_hits(&store, connection, &mut read, passages, max_distance);
            }
            let hits = read.hits();
            let mut plan = expand::plan(&hits, imports);
            if matches!(kind, ResultKind::Passages { .. }) {
                read_table_headers(&read, &mut plan);
            }
            let chunks = store.context_chunks(connection, &read, &plan, columns);
            let headers = table_headers(&read, &plan, &chunks);
            // Each hit may be in a passage of its own, which begins with the header.
            let headers_of =
                |hit: &Hit| headers.get(&hit.document).map_or(0, |header| header.tokens);
            let reserved = hits.iter().map(headers_of).fold(0, u32::saturating_add);
            let budget = Budget::of(&hits).without(reserved);
            let explain = kind == ResultKind::Explanation;
            let selected =
                select_context(&hits, &plan, &chunks.chunk_rows, &chunks, budget, explain);
            let (stored_hits, hits, chunks, selected) =
                (&read.list[..], &hits[..], &chunks, &selected);
            let (scored, headers) = (&scored[..], &headers);
            Ok(then(ExpandedContext { scored, stored_hits, hits, chunks, selected, headers }))
        })
    }
}

/// Adds the first chunks of tables to a plan, because a header is a part of them.
fn read_table_headers(read: &Hits, plan: &mut Plan) {
    for (index, hit) in read.list.iter().enumerate() {
        pause(index);
        if hit.ordinal != Some(0) && TableHeader::is_possible(&hit.document.media_type()) {
            plan.read_first_chunk(hit.document.id);
        }
    }
}

/// Returns the header of each table whose first chunk was read.
fn table_headers(read: &Hits, plan: &Plan, chunks: &ContextChunks) -> HashMap<Uuid, TableHeader> {
    if plan.first_chunks.is_empty() {
        return HashMap::new();
    }
    let media_types: HashMap<Uuid, MediaType> =
        read.list.iter().map(|hit| (hit.document.id, hit.document.media_type())).collect();
    let documents: HashMap<usize, Uuid> =
        plan.first_chunks.iter().map(|(document, probe)| (*probe, *document)).collect();
    let mut headers = HashMap::new();
    for (index, row) in chunks.chunk_rows.iter().enumerate() {
        pause(index);
        let Some(document) = row.probe.and_then(|probe| documents.get(&probe)) else { continue };
        let chunk = chunks.chunk(index);
        let start = chunk.span().map(|span| span.start);
        let header = TableHeader::of(&media_types[document], &chunk.content(), start, row.tokens);
        headers.extend(header.map(|header| (*document, header)));
    }
    headers
}

/// Removes the hits that do not fit their budget or, without a budget, that do not belong to the first
/// so many passages.
fn limit_hits(
    store: &Store,
    connection: &Connection,
    read: &mut Hits,
    passages: usize,
    max_distance: Option<u32>,
) {
    let hits = read.hits();
    let budget = Budget::of(&hits).max_tokens;
    let positions: Vec<_> = hits.iter().map(|hit| (hit.document, hit.ordinal)).collect();
    drop(hits);
    let Some(budget) = budget else {
        read.list.truncate(count_for_passages(&positions, passages, max_distance));
        return;
    };
    let in_code = read.list.iter().filter(|hit| hit.strategy.scope == Scope::Container);
    let in_code: Vec<_> = in_code.map(|hit| hit.scored.chunk).collect();
    let mut units = store.unit_sizes(connection, &in_code);
    let cost = |index: usize| HitCost {
        tokens: u64::from(read.chunk(index).tokens()),
        unit: units.remove(&read.list[index].scored.chunk),
    };
    let costs: Vec<_> = (0..read.list.len()).map(cost).collect();
    let mut is_selected = select_within_budget(&costs, u64::from(budget)).into_iter();
    read.list.retain(|_| is_selected.next().expect("there is an answer for each hit"));
}
