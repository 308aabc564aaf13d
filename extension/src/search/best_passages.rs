/*!
Choosing passages: as many as the caller asks for, if there are enough hits. A search chooses from its own hits, and
`reassemble` from given ones.

Hits near each other form one passage, so the number of passages is known only after expansion. If there are too few,
more candidates become hits, and the context is read again. If all candidates are hits, the legs are read on once
for more of them. If the caller asks for context, the budget is divided between hits and context in at most three rounds.
So a search executes a fixed number of statements at most.

Its twin in SQL is `sql/edition/choose.sql`.
*/

use super::legs::SearchHit;
use super::request::SearchRequest;
use crate::expansion::{Expansion, ResultKind};
use crate::expansion::{PassageRow, count_of, passage_rows, tokens_of};
use crate::server::error::Error;
use crate::server::settings;
use crate::server::spi::{self, Connection};
use crate::store::{Hits, Store, StrategyRequest};
use passage_core::arguments::Output;
use passage_core::expand::{self, Budget, Hit};
use passage_core::hits::{ScoredHit, rank_hits};
use passage_core::reassemble::PassageOptions;
use passage_core::search::{
    HitAllowance, HitBudget, HitCandidate, HitCost, HitLimits, SelectionEnd, select_hits,
};
use passage_core::strategy::Scope;
use passage_split::Kind;
use std::collections::HashSet;
use uuid::Uuid;

/// How many times as many passages the hits form in the second and the third round, in which the context is read
/// again.
const GROWTH: [usize; 2] = [3, 27];

/// How many times as many candidates the legs are read on for, and their maximum.
const MORE_CANDIDATES: u32 = 10;
const MAX_CANDIDATES: u32 = 1_000;

/// A candidate in a document, whose unit in code is a section of a document by its key.
type Candidate = HitCandidate<Uuid, (Uuid, i64)>;

/// A search for passages.
pub struct BestPassages {
    pub search: SearchRequest,
    pub chooser: PassageChooser,
}

/// Chooses passages: their hits, and the context of the hits.
pub struct PassageChooser {
    pub strategy: StrategyRequest,
    pub joining: PassageOptions,
    pub output: Output,
    /// The number of passages.
    pub count: u32,
}

impl BestPassages {
    /// Returns the passages, best first.
    ///
    /// # Errors
    ///
    /// Returns what is wrong with the arguments or the store.
    pub fn rows(&self, store: &Store) -> Result<Vec<PassageRow>, Error> {
        spi::connect(|connection| {
            let Self { search, chooser } = self;
            let expansion = chooser.expansion(store, connection, &search.skip);
            let limit = search.limit(chooser.count);
            let more = match search.ranking.candidates {
                None => {
                    let max = search.with_skipped(MAX_CANDIDATES);
                    limit.saturating_mul(MORE_CANDIDATES).min(max).max(limit)
                }
                Some(_) => limit,
            };
            let mut legs = search.legs(store, connection, limit, more)?;
            let hits = legs.hits(limit);
            let (rows, end) = chooser.choose(&expansion, &scored(&hits)?)?;
            let can_read_on = limit < more
                && search.with_skipped(hits.len() as u32) >= limit
                && end == SelectionEnd::Candidates;
            if count_of(&rows) >= chooser.count as usize || !can_read_on {
                return Ok(rows);
            }
            legs.read_on(more as usize)?;
            let (more_rows, _) = chooser.choose(&expansion, &scored(&legs.hits(more))?)?;
            Ok(if count_of(&more_rows) > count_of(&rows) { more_rows } else { rows })
        })
    }
}

impl PassageChooser {
    /// Returns how the hits are expanded.
    pub fn expansion<'a>(
        &self,
        store: &'a Store,
        connection: &'a Connection,
        skip: &'a HashSet<Uuid>,
    ) -> Expansion<'a> {
        Expansion {
            store,
            connection,
            kind: ResultKind::passages(&self.output),
            default_budget: settings::search_budget(),
            are_candidates: true,
            skip,
        }
    }

    /// Returns the passages of candidates, and why there are no more.
    ///
    /// # Errors
    ///
    /// Returns what is wrong with the strategy.
    pub fn choose(
        &self,
        expansion: &Expansion,
        ranked: &[ScoredHit<Uuid>],
    ) -> Result<(Vec<PassageRow>, SelectionEnd), Error> {
        let context_share = self.strategy.context_share()?;
        let Some(mut read) = expansion.hits(ranked, &self.strategy)? else {
            return Ok((Vec::new(), SelectionEnd::Candidates));
        };
        let (candidates, budget) = candidates(expansion, &read, context_share);
        let all = std::mem::take(&mut read.list);
        let count = self.count as usize;
        let mut allowance = budget.tokens().map(|tokens| HitAllowance::new(tokens, context_share));
        let max_distance = self.joining.max_distance;
        let mut limits = HitLimits { passages: count, max_distance, budget, for_hits: None };
        // More hits can join passages, so the first round with the most passages counts.
        let (mut best, mut is_refill) = (Vec::new(), false);
        let mut growth = GROWTH.into_iter();
        loop {
            limits.for_hits = allowance.as_ref().map(HitAllowance::for_hits);
            let selected = select_hits(&candidates, limits);
            let is_selected = |index: &usize| selected.is_selected[*index];
            let indexes = || (0..all.len()).filter(is_selected);
            read.list = indexes().map(|index| all[index].clone()).collect();
            let rows = expansion.select(ranked, &read, |expanded| {
                passage_rows(&expanded, &self.joining, &self.output)
            });
            if is_refill || count_of(&rows) > count_of(&best) {
                best = rows;
            }
            let may_grow = count_of(&best) < count && selected.end == SelectionEnd::Passages;
            is_refill = false;
            if may_grow && let Some(times) = growth.next() {
                limits.passages = count.saturating_mul(times);
                continue;
            }
            let hits = indexes().map(|index| candidates[index].cost.tokens).sum();
            let used = best.iter().map(tokens_of).sum();
            is_refill = selected.end == SelectionEnd::Budget
                && allowance.as_mut().is_some_and(|allowance| allowance.refill(hits, used));
            if !is_refill {
                drop_excess(&mut best, budget.tokens());
                return Ok((best, selected.end));
            }
        }
    }
}

/// Drops the worst passages if the headers and repeated lines of all do not fit beside their hits.
fn drop_excess(passages: &mut Vec<PassageRow>, budget: Option<u64>) {
    let mut tokens: u64 = passages.iter().map(tokens_of).sum();
    while passages.len() > 1 && budget.is_some_and(|budget| tokens > budget) {
        let worst = (0..passages.len()).max_by_key(|index| passages[*index].0).expect("several");
        tokens -= tokens_of(&passages.remove(worst));
    }
}

/// Returns the hits with their ranks.
fn scored(hits: &[SearchHit]) -> Result<Vec<ScoredHit<Uuid>>, Error> {
    let ids: Vec<_> = hits.iter().map(|hit| Some(hit.chunk)).collect();
    let scores: Vec<_> = hits.iter().map(|hit| Some(hit.score)).collect();
    Ok(rank_hits(&ids, Some(&scores))?)
}

/// Returns the hits as candidates, and the budget that they share.
///
/// With a share for context, the unit of a hit in code and the line of its class are a part of its context.
fn candidates(
    expansion: &Expansion,
    read: &Hits,
    context_share: f64,
) -> (Vec<Candidate>, HitBudget) {
    let hits = read.hits();
    let budget = hit_budget(&hits, expansion.budget(&hits));
    // A chunk of data is mostly a record itself.
    let is_in_code =
        |hit: &&Hit| hit.strategy.scope == Scope::Container && hit.kind != Some(Kind::Data);
    let in_code: Vec<_> = match budget {
        HitBudget::Unlimited => Vec::new(),
        _ if context_share > 0.0 => Vec::new(),
        _ => hits.iter().filter(is_in_code).map(|hit| hit.chunk).collect(),
    };
    let mut units = expansion.store.unit_sizes(expansion.connection, &in_code);
    let scopes = expand::plan(&hits, false).group_of;
    let candidate = |(index, (hit, scope)): (usize, (&Hit, Option<usize>))| HitCandidate {
        document: hit.document,
        ordinal: hit.ordinal,
        scope,
        cost: HitCost {
            tokens: u64::from(read.chunk(index).tokens()),
            unit: units.remove(&hit.chunk),
            head: head(hit).filter(|_| context_share == 0.0),
        },
    };
    (hits.iter().zip(scopes).enumerate().map(candidate).collect(), budget)
}

/// Returns the head of the nearest container around a hit, with its tokens.
fn head(hit: &Hit) -> Option<((Uuid, i64), u64)> {
    let nearest = hit.containers.iter().find(|container| Some(container.first) != hit.ordinal)?;
    Some(((hit.document, i64::from(nearest.first)), u64::from(nearest.head_tokens)))
}

/// Returns the budget of hits. A limit of the call or of a strategy takes precedence over the default.
fn hit_budget(hits: &[Hit], budget: Budget) -> HitBudget {
    let is_given = hits.iter().any(|hit| hit.strategy.max_tokens.is_some());
    match budget.max_tokens.map(u64::from) {
        None => HitBudget::Unlimited,
        Some(tokens) if is_given => HitBudget::Given(tokens),
        Some(tokens) => HitBudget::Default(tokens),
    }
}
