/*!
What the budget leaves.

Budgets never touch hits. Context is spent in the order of its hit's score, its distance and its
role; where a chunk no longer fits, the rest of its hit's context is cut with it, so that what
remains of a window has no hole that only a budget made.

Of a container what matters most comes first: the rest of the unit that was hit, such as the other
pieces of a long function, then the head and the closing part, then the other members.
*/

use super::claim::{ProbeRows, is_own};
use super::{Hit, LazyColumns, Plan, Role, Rule, SelectedChunk};
use crate::{Strategy, interrupt};
use std::collections::HashMap;

/// How much may come back at the most; `None` is no bound.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Budget {
    /// Tokens of hits and context together.
    pub max_tokens: Option<u32>,
    /// Hits and context together.
    pub max_chunks: Option<u32>,
}

/// A chunk that could come back, and what became of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BudgetDecision {
    /// The chunk.
    pub chunk: SelectedChunk,
    /// What became of it.
    pub verdict: Verdict,
    /// Tokens that were spent when it was its turn, its own not among them.
    pub tokens_before: u64,
}

/// What became of a chunk that could come back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It comes back.
    Kept,
    /// It would have taken the tokens above `max_tokens`.
    MaxTokens,
    /// It would have taken the chunks above `max_chunks`.
    MaxChunks,
    /// A nearer chunk of the same hit was cut.
    NearerChunkCut,
}

impl Budget {
    /// Returns the budget of a call: where its hits have several strategies, that of the most
    /// generous.
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

    /// Tells what becomes of a chunk when so much was spent.
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

/// Spends a budget: returns the hits and their context in the order in which it is spent.
///
/// The order of context that fits as a whole is of no interest to anyone but who asks why.
pub(super) fn spend(
    hits: &[Hit],
    plan: &Plan,
    found: &ProbeRows,
    mut context: Vec<SelectedChunk>,
    columns: &impl LazyColumns,
    budget: Budget,
    explain: bool,
) -> Vec<BudgetDecision> {
    let tokens = |pick: &SelectedChunk| u64::from(found.rows[pick.row].tokens);
    let mut considered: Vec<_> = found.hits(hits);
    let sum = considered.iter().map(|hit| tokens(&hit.chunk)).sum::<u64>();
    let all = context.iter().map(tokens).sum::<u64>() + sum;
    if explain || budget.verdict(all, considered.len() + context.len()) != Verdict::Kept {
        let worth = |pick: &SelectedChunk| {
            let stage = stage(&hits[pick.hit], plan, found, columns, pick);
            let (score_rank, distance) = (hits[pick.hit].score_rank, pick.distance.unsigned_abs());
            (score_rank, stage, distance, pick.role, pick.hit, found.rows[pick.row].ordinal)
        };
        context = sorted(context, worth);
    }
    let mut spent = sum;
    let mut chunks = considered.len();
    let mut cut = vec![false; hits.len()];
    for (i, pick) in context.into_iter().enumerate() {
        interrupt::poll_periodically(i);
        let verdict = if cut[pick.hit] {
            Verdict::NearerChunkCut
        } else {
            budget.verdict(spent + tokens(&pick), chunks + 1)
        };
        considered.push(BudgetDecision { chunk: pick, verdict, tokens_before: spent });
        if verdict == Verdict::Kept {
            spent += tokens(&pick);
            chunks += 1;
        } else {
            cut[pick.hit] = true;
        }
    }
    considered
}

/// How soon a chunk of a container has its turn among those of its hit, from 0.
fn stage(
    hit: &Hit,
    plan: &Plan,
    found: &ProbeRows,
    columns: &impl LazyColumns,
    pick: &SelectedChunk,
) -> u32 {
    if pick.rule != Rule::Container
        || plan.container(pick.hit).is_none()
        || is_own(plan, pick.hit, hit, pick.row, columns)
    {
        return 0;
    }
    // A row without depth is an end that was read by itself.
    u32::from(found.rows[pick.row].depth_below.unwrap_or(0) > 0) + 1
}

/// Sorts picks by keys that are made once. They come in runs, which a stable sort makes use of.
pub(super) fn sorted<K: Ord>(
    chunks: Vec<SelectedChunk>,
    key: impl Fn(&SelectedChunk) -> K,
) -> Vec<SelectedChunk> {
    let mut count = 0_usize;
    let mut pause = || {
        count += 1;
        interrupt::poll_periodically(count);
    };
    let keyed = chunks.into_iter().map(|pick| {
        pause();
        (key(&pick), pick)
    });
    let mut keyed: Vec<_> = keyed.collect();
    keyed.sort_by(|(a, _), (b, _)| {
        pause();
        a.cmp(b)
    });
    keyed.into_iter().map(|(_, pick)| pick).collect()
}

impl ProbeRows<'_> {
    /// The hits that were read, as the first of what is considered.
    fn hits(&self, hits: &[Hit]) -> Vec<BudgetDecision> {
        let read = self.rows.iter().enumerate().filter(|(_, row)| row.probe.is_none());
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
                let pick =
                    SelectedChunk { row, hit, role: Role::Hit, rule: Rule::Hit, distance: 0 };
                let considered =
                    BudgetDecision { chunk: pick, verdict: Verdict::Kept, tokens_before: spent };
                spent += u64::from(self.rows[row].tokens);
                Some(considered)
            })
            .collect()
    }
}
