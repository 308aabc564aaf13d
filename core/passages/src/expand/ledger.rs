//! The ledger: the decisions on hits and context so far, and the tokens that they spent.
//!
//! Its twin in SQL is `sql/edition/ledger.sql`.

use super::budget::{Budget, Spending};
use super::members::{Part, PartKind};
use super::probe_rows::ProbeRows;
use super::selection::{BudgetDecision, SelectedChunk, Verdict};
use super::{Hit, Role, Rule};
use passage_split::interrupt;
use std::collections::HashMap;

/// The decisions so far, in spending order.
pub(super) struct Ledger<'a> {
    hits: &'a [Hit<'a>],
    probe_rows: &'a ProbeRows<'a>,
    budget: Budget,
    spending: Spending,
    /// For each hit, whether the rest of its context is cut.
    is_cut: Vec<bool>,
    pub(super) decisions: Vec<BudgetDecision>,
}

impl<'a> Ledger<'a> {
    /// Creates a ledger with the hits that were read as its first decisions. A budget never drops a hit.
    pub(super) fn new(hits: &'a [Hit<'a>], probe_rows: &'a ProbeRows<'a>, budget: Budget) -> Self {
        let (decisions, spending) = hit_decisions(probe_rows, hits);
        Self { hits, probe_rows, budget, spending, is_cut: vec![false; hits.len()], decisions }
    }

    pub(super) fn tokens(&self, selected: &SelectedChunk) -> u64 {
        u64::from(self.probe_rows.rows[selected.row].tokens)
    }

    /// Returns the ordinals at which the containers around a hit begin, the nearest first.
    pub(super) fn heads(&self, hit: usize) -> impl Iterator<Item = i32> + use<'a> {
        let containers = &self.hits[hit].containers;
        containers.iter().map(|container| container.first)
    }

    /// Returns whether all context fits.
    pub(super) fn has_room_for(&self, context: &[SelectedChunk]) -> bool {
        let mut all = self.spending.clone();
        context.iter().enumerate().all(|(i, selected)| {
            interrupt::poll_periodically(i);
            let tokens = self.tokens(selected);
            let verdict = self.budget.verdict(&all, self.hits, &[(*selected, tokens)]);
            all.add_context(self.hits, selected, tokens);
            verdict == Verdict::Kept && !self.is_last_read(selected)
        })
    }

    /// Returns the verdict on a part as a whole.
    ///
    /// A member with the last chunk that was read for its hit may have more chunks, so it is not kept.
    pub(super) fn verdict(&self, part: &Part) -> Verdict {
        let is_member = part.kind == PartKind::Member;
        match self.verdict_on(part.hit(), &part.chunks) {
            Verdict::Kept
                if is_member && part.chunks.iter().any(|chunk| self.is_last_read(chunk)) =>
            {
                Verdict::MaxChunks
            }
            verdict => verdict,
        }
    }

    /// Returns whether a chunk of a scope is as far from its hit as chunks are read.
    fn is_last_read(&self, chunk: &SelectedChunk) -> bool {
        chunk.distance.unsigned_abs() >= self.hits[chunk.hit].strategy.reach()
    }

    /// Returns the verdict on context that is cut if the rest of the context of a hit is. Each chunk counts against the
    /// limit of its own hit.
    pub(super) fn verdict_on(&self, hit: usize, chunks: &[SelectedChunk]) -> Verdict {
        if self.is_cut[hit] {
            return Verdict::NearerChunkCut;
        }
        let chunks: Vec<_> =
            chunks.iter().map(|selected| (*selected, self.tokens(selected))).collect();
        self.budget.verdict(&self.spending, self.hits, &chunks)
    }

    pub(super) fn decide(&mut self, chunk: SelectedChunk, verdict: Verdict) {
        let tokens_before = self.spending.tokens;
        self.decisions.push(BudgetDecision { chunk, verdict, tokens_before });
        if verdict == Verdict::Kept {
            self.spending.add_context(self.hits, &chunk, self.tokens(&chunk));
        }
    }

    /// Cuts the rest of the context of a hit.
    pub(super) fn cut_rest(&mut self, hit: usize) {
        self.is_cut[hit] = true;
    }
}

/// Returns the hits that were read, as the first decisions, and what is spent on them.
fn hit_decisions(probe_rows: &ProbeRows, hits: &[Hit]) -> (Vec<BudgetDecision>, Spending) {
    let read = probe_rows.rows.iter().enumerate().filter(|(_, row)| row.probe.is_none());
    let mut row_of = HashMap::with_capacity(hits.len());
    for (row, chunk) in read {
        interrupt::poll_periodically(row);
        row_of.entry(chunk.chunk).or_insert(row);
    }
    let mut spending = Spending::new(hits.len());
    let decisions = hits
        .iter()
        .enumerate()
        .filter_map(|(hit, claim)| {
            interrupt::poll_periodically(hit);
            let row = *row_of.get(&claim.chunk)?;
            let chunk = SelectedChunk { row, hit, role: Role::Hit, rule: Rule::Hit, distance: 0 };
            let tokens_before = spending.tokens;
            spending.add_hit(u64::from(probe_rows.rows[row].tokens));
            Some(BudgetDecision { chunk, verdict: Verdict::Kept, tokens_before })
        })
        .collect();
    (decisions, spending)
}
