//! What every expanding function does: find the hits, read their context, choose.

use crate::error::Error;
use crate::interrupt::pause;
use crate::settings;
use crate::spi::{self, Connection};
use crate::store::{Chunks, Columns, Found, Hits, Store, Wanted};
use crate::types::{Name, from_sql};
use passage_core::StrategyOverrides;
use passage_core::expand::{self, Budget, Hit, Selection, select_context};
use passage_core::hits::{ScoredHit, rank_hits};
use passage_core::search::{HitCost, count_for_passages, select_within_budget};
use passage_core::strategy::Scope;
use pgrx::datum::Uuid;

/// What a call of any expanding function asks for.
pub struct Call {
    pub chunk_ids: Option<Vec<Option<Uuid>>>,
    pub scores: Option<Vec<Option<f64>>>,
    pub strategy: Option<String>,
    pub overrides: StrategyOverrides,
    pub store: Option<Name>,
}

/// Which of the hits are taken.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Taking {
    /// All, for the caller chose them.
    All,
    /// As many as the budget is for, or else as make so many passages.
    Fitting { passages: usize, max_distance: Option<u32> },
}

/// What a caller wants to know of what was found, beside the context itself.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Extent {
    /// Rows of context.
    Context,
    /// Rows of context, and what was left out.
    Explained,
    /// What passages are made of.
    Passage {
        /// Whether what a passage uses of the imports of its document comes, too.
        imports: bool,
    },
}

/// What a call found, while its chunks can still be read.
pub struct Expanded<'a> {
    /// The ids of the call, those that were not found among them.
    pub scored: &'a [ScoredHit<uuid::Uuid>],
    pub found: &'a [Found],
    pub hits: &'a [Hit<'a>],
    pub chunks: &'a Chunks<'a>,
    pub selection: &'a Selection,
}

impl Call {
    /// Finds the hits, reads their context, chooses, and hands all of it to `then`.
    ///
    /// What is told of documents is read for passages alone.
    pub fn expand<R: Default>(
        self,
        extent: Extent,
        taking: Taking,
        then: impl FnOnce(Expanded) -> R,
    ) -> Result<R, Error> {
        let ids = self.chunk_ids.unwrap_or_default();
        let ids: Vec<_> = ids.into_iter().map(|id| id.map(from_sql)).collect();
        let scored = rank_hits(&ids, self.scores.as_deref())?;
        let name = self.strategy.unwrap_or_else(settings::strategy);
        let wanted = Wanted { name, overrides: self.overrides };
        let store = Store::resolve(self.store)?;
        spi::connect(|connection| {
            let columns = match extent {
                Extent::Passage { imports } => Columns::Passage { imports },
                Extent::Context | Extent::Explained => Columns::Context,
            };
            let imports = extent == Extent::Passage { imports: true };
            let Some(mut read) = store.hits(connection, &scored, &wanted, columns)? else {
                return Ok(R::default());
            };
            if let Taking::Fitting { passages, max_distance } = taking {
                fit(&store, connection, &mut read, passages, max_distance);
            }
            let found = read.found.iter().enumerate().inspect(|(place, _)| pause(*place));
            let hits: Vec<_> = found.map(|(_, found)| found.hit()).collect();
            let plan = expand::plan(&hits, imports);
            let chunks = store.chunks(connection, &read, &plan, columns);
            let budget = Budget::of(&hits);
            let explain = extent == Extent::Explained;
            let selection =
                select_context(&hits, &plan, &chunks.outlines, &chunks, budget, explain);
            let (found, hits, chunks, selection) =
                (&read.found[..], &hits[..], &chunks, &selection);
            Ok(then(Expanded { scored: &scored, found, hits, chunks, selection }))
        })
    }
}

/// Leaves the hits that their budget is for, or else those that make so many passages.
fn fit(
    store: &Store,
    connection: &Connection,
    read: &mut Hits,
    passages: usize,
    max_distance: Option<u32>,
) {
    let hits: Vec<_> = read.found.iter().map(Found::hit).collect();
    let Some(budget) = Budget::of(&hits).max_tokens else {
        let places: Vec<_> = hits.iter().map(|hit| (hit.document, hit.ordinal)).collect();
        read.found.truncate(count_for_passages(&places, passages, max_distance));
        return;
    };
    let in_code = read.found.iter().filter(|hit| hit.strategy.scope == Scope::Container);
    let in_code: Vec<_> = in_code.map(|hit| hit.scored.chunk).collect();
    let mut units = store.units(connection, &in_code);
    let offer = |place: usize| HitCost {
        tokens: u64::from(read.chunk(place).tokens()),
        unit: units.remove(&read.found[place].scored.chunk),
    };
    let offers: Vec<_> = (0..read.found.len()).map(offer).collect();
    let mut taken = select_within_budget(&offers, u64::from(budget)).into_iter();
    read.found.retain(|_| taken.next().expect("there is an answer for each"));
}

impl Found {
    /// The hit as expansion needs it.
    fn hit(&self) -> Hit<'_> {
        Hit {
            chunk: self.scored.chunk,
            document: self.document.id,
            ordinal: self.ordinal,
            section: self.section.clone(),
            kind: self.kind,
            unit: self.unit,
            containers: self.containers.clone(),
            is_json: self.strategy.scope == Scope::Container && self.document.is_json(),
            score_rank: self.scored.score_rank,
            strategy: &self.strategy,
        }
    }
}
