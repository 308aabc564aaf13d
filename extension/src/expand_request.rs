//! The steps of every expanding function: read the hits, read their context, select.

use crate::error::Error;
use crate::settings;
use crate::spi::{self, Connection};
use crate::store::{ChunkColumns, ContextChunks, Hits, Store, StoredHit, StrategyRequest};
use crate::types::{Name, from_sql};
use passage_core::expand::{self, Budget, Hit, Selection, select_context};
use passage_core::hits::{ScoredHit, rank_hits};
use passage_core::search::{HitCost, count_for_passages, select_within_budget};
use passage_core::strategy::Scope;
use passage_core::{Kind, StrategyOverrides};
use pgrx::datum::Uuid;

/// The arguments of an expanding function.
pub struct ExpandRequest {
    pub chunk_ids: Option<Vec<Option<Uuid>>>,
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
    pub scored: &'a [ScoredHit<uuid::Uuid>],
    pub stored_hits: &'a [StoredHit],
    pub hits: &'a [Hit<'a>],
    pub chunks: &'a ContextChunks<'a>,
    pub selected: &'a Selection,
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
            let plan = expand::plan(&hits, imports);
            let chunks = store.context_chunks(connection, &read, &plan, columns);
            let budget = Budget::of(&hits);
            let explain = kind == ResultKind::Explanation;
            let selected =
                select_context(&hits, &plan, &chunks.chunk_rows, &chunks, budget, explain);
            let (stored_hits, hits, chunks, selected) =
                (&read.list[..], &hits[..], &chunks, &selected);
            Ok(then(ExpandedContext { scored: &scored, stored_hits, hits, chunks, selected }))
        })
    }
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
    // A chunk of data is mostly a record itself.
    let is_in_code =
        |hit: &&StoredHit| hit.strategy.scope == Scope::Container && hit.kind != Some(Kind::Data);
    let in_code = read.list.iter().filter(is_in_code);
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
