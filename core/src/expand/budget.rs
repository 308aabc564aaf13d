/*!
The budget of context.

Budgets never drop hits. Context is spent in the order of its hit's score, its distance and its role. When a
chunk no longer fits, the rest of its hit's context is cut too. So a budget makes no holes in a window.

Within a container the most important chunks come first: the rest of the hit's own unit, such as the other
pieces of a long function, then the head and the closing part, then the other members.
*/

use super::claim::is_own;
use super::probe::Plan;
use super::probe_rows::ProbeRows;
use super::selection::{BudgetDecision, SelectedChunk, Verdict};
use super::{Hit, LazyColumns, Role, Rule};
use crate::{Strategy, interrupt};
use std::collections::HashMap;

/// The maximum size of a result; `None` means unlimited.
///
/// ```
/// use passage_core::expand::Budget;
///
/// let budget = Budget { max_tokens: Some(2_048), max_chunks: None };
/// assert_ne!(budget, Budget::default());
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Budget {
    /// The tokens of hits and context together.
    pub max_tokens: Option<u32>,
    /// The number of hits and context chunks together.
    pub max_chunks: Option<u32>,
}

impl Budget {
    /// Returns the budget of a call. If its hits have several strategies, the largest limits apply.
    pub fn of(hits: &[Hit]) -> Self {
        let most = |limit: fn(&Strategy) -> Option<u32>| {
            let limits = hits.iter().map(|hit| limit(hit.strategy)).collect::<Option<Vec<_>>>();
            limits.and_then(|limits| limits.into_iter().max())
        };
        Self {
            max_tokens: most(|strategy| strategy.max_tokens),
            max_chunks: most(|strategy| strategy.max_chunks),
        }
    }

    /// Returns the budget without some tokens.
    #[must_use]
    pub fn without(self, tokens: u32) -> Self {
        Self { max_tokens: self.max_tokens.map(|most| most.saturating_sub(tokens)), ..self }
    }

    /// Returns the verdict on a chunk that would bring the totals to `tokens` and `chunks`.
    pub(super) fn verdict(self, tokens: u64, chunks: usize) -> Verdict {
        if self.max_tokens.is_some_and(|most| tokens > u64::from(most)) {
            Verdict::MaxTokens
        } else if self.max_chunks.is_some_and(|most| chunks > most as usize) {
            Verdict::MaxChunks
        } else {
            Verdict::Kept
        }
    }
}

/// Spends a budget, and returns the decisions on hits and context in spending order.
///
/// If all context fits, the order matters only with `explain`.
pub(super) fn spend(
    hits: &[Hit],
    plan: &Plan,
    probe_rows: &ProbeRows,
    mut context: Vec<SelectedChunk>,
    columns: &impl LazyColumns,
    budget: Budget,
    explain: bool,
) -> Vec<BudgetDecision> {
    let tokens = |selected: &SelectedChunk| u64::from(probe_rows.rows[selected.row].tokens);
    let mut considered: Vec<_> = hit_decisions(probe_rows, hits);
    let sum = considered.iter().map(|hit| tokens(&hit.chunk)).sum::<u64>();
    let all = context.iter().map(tokens).sum::<u64>() + sum;
    if explain || budget.verdict(all, considered.len() + context.len()) != Verdict::Kept {
        let priority = |selected: &SelectedChunk| {
            let stage = stage(&hits[selected.hit], plan, probe_rows, columns, selected);
            let (score_rank, distance) =
                (hits[selected.hit].score_rank, selected.distance.unsigned_abs());
            (
                score_rank,
                stage,
                distance,
                selected.role,
                selected.hit,
                probe_rows.rows[selected.row].ordinal,
            )
        };
        context = sorted(context, priority);
    }
    let mut spent = sum;
    let mut chunks = considered.len();
    let mut cut = vec![false; hits.len()];
    for (i, selected) in context.into_iter().enumerate() {
        interrupt::poll_periodically(i);
        let verdict = if cut[selected.hit] {
            Verdict::NearerChunkCut
        } else {
            budget.verdict(spent + tokens(&selected), chunks + 1)
        };
        considered.push(BudgetDecision { chunk: selected, verdict, tokens_before: spent });
        if verdict == Verdict::Kept {
            spent += tokens(&selected);
            chunks += 1;
        } else {
            cut[selected.hit] = true;
        }
    }
    considered
}

/// Returns the stage in which a chunk of a container is spent among those of its hit, from 0.
fn stage(
    hit: &Hit,
    plan: &Plan,
    probe_rows: &ProbeRows,
    columns: &impl LazyColumns,
    selected: &SelectedChunk,
) -> u32 {
    if selected.rule != Rule::Container
        || plan.container(selected.hit).is_none()
        || is_own(plan, selected.hit, hit, selected.row, columns)
    {
        return 0;
    }
    // A row without a depth is an end of the container, read by a probe of its own.
    u32::from(probe_rows.rows[selected.row].depth_below.unwrap_or(0) > 0) + 1
}

/// Sorts chunks by keys that are computed once. The input has sorted runs, so the sort is stable.
pub(super) fn sorted<K: Ord>(
    chunks: Vec<SelectedChunk>,
    key: impl Fn(&SelectedChunk) -> K,
) -> Vec<SelectedChunk> {
    let mut count = 0_usize;
    let mut pause = || {
        count += 1;
        interrupt::poll_periodically(count);
    };
    let keyed = chunks.into_iter().map(|selected| {
        pause();
        (key(&selected), selected)
    });
    let mut keyed: Vec<_> = keyed.collect();
    keyed.sort_by(|(a, _), (b, _)| {
        pause();
        a.cmp(b)
    });
    keyed.into_iter().map(|(_, selected)| selected).collect()
}

/// Returns the hits that were read, as the first decisions.
fn hit_decisions(probe_rows: &ProbeRows, hits: &[Hit]) -> Vec<BudgetDecision> {
    let read = probe_rows.rows.iter().enumerate().filter(|(_, row)| row.probe.is_none());
    let mut row_of = HashMap::with_capacity(hits.len());
    for (row, chunk) in read {
        interrupt::poll_periodically(row);
        row_of.entry(chunk.chunk).or_insert(row);
    }
    let mut spent = 0;
    hits.iter()
        .enumerate()
        .filter_map(|(hit, of)| {
            interrupt::poll_periodically(hit);
            let row = *row_of.get(&of.chunk)?;
            let selected =
                SelectedChunk { row, hit, role: Role::Hit, rule: Rule::Hit, distance: 0 };
            let considered =
                BudgetDecision { chunk: selected, verdict: Verdict::Kept, tokens_before: spent };
            spent += u64::from(probe_rows.rows[row].tokens);
            Some(considered)
        })
        .collect()
}
