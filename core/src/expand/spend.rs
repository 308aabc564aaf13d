/*!
Spending the budget on context.

Context is spent in the order of its hit's score, its distance and its role. When a chunk no longer fits, the
rest of its hit's context is cut too. So a budget makes no holes in a window.

Of a container the most important parts come first: the rest of the hit's own unit, such as the other pieces of
a long function, then the head and the closing part, then the other members. A member is kept or cut as a whole,
because a part of it would begin in the middle of a statement. A member that does not fit leaves room for
smaller ones behind it. If the hit's own unit does not fit, the head and the closing part come before its pieces,
and there are no other members.
*/

use super::budget::{Budget, Spending};
use super::members::{Part, PartKind, parts};
use super::probe::Plan;
use super::probe_rows::ProbeRows;
use super::selection::{BudgetDecision, SelectedChunk, Verdict};
use super::{Hit, LazyColumns, Role, Rule};
use crate::interrupt;
use std::collections::HashMap;

/// Spends a budget, and returns the decisions on hits and context in spending order.
///
/// If all context fits, the order matters only with `explain`.
pub(super) fn spend(
    hits: &[Hit],
    plan: &Plan,
    probe_rows: &ProbeRows,
    context: Vec<SelectedChunk>,
    columns: &impl LazyColumns,
    budget: Budget,
    explain: bool,
) -> Vec<BudgetDecision> {
    let (decisions, spending) = hit_decisions(probe_rows, hits);
    let cut = vec![false; hits.len()];
    let mut ledger = Ledger { hits, probe_rows, budget, spending, cut, decisions };
    if !explain && ledger.has_room_for(&context) {
        for (i, selected) in context.into_iter().enumerate() {
            interrupt::poll_periodically(i);
            ledger.decide(selected, Verdict::Kept);
        }
        return ledger.decisions;
    }
    let parts = parts(hits, plan, probe_rows, columns, context);
    // The ends of containers, by the hit whose unit may have to wait for them.
    let mut ends: HashMap<usize, Vec<usize>> = HashMap::new();
    for (index, part) in parts.iter().enumerate() {
        if part.kind == PartKind::Ends {
            ends.entry(part.hit()).or_default().push(index);
        }
    }
    let mut is_decided = vec![false; parts.len()];
    for (index, part) in parts.iter().enumerate() {
        interrupt::poll_periodically(index);
        if is_decided[index] {
            continue;
        }
        if part.kind == PartKind::OwnUnit && ledger.verdict(part) != Verdict::Kept {
            for end in ends.get(&part.hit()).into_iter().flatten() {
                if !std::mem::replace(&mut is_decided[*end], true) {
                    ledger.take(&parts[*end], PartKind::Member);
                }
            }
            for piece in &part.chunks {
                let piece = Part { kind: PartKind::Chunk, chunks: vec![*piece] };
                ledger.take(&piece, piece.kind);
            }
        } else {
            ledger.take(part, part.kind);
        }
    }
    ledger.decisions
}

/// The decisions so far, and the tokens that they spent.
struct Ledger<'a> {
    hits: &'a [Hit<'a>],
    probe_rows: &'a ProbeRows<'a>,
    budget: Budget,
    spending: Spending,
    /// For each hit, whether the rest of its context is cut.
    cut: Vec<bool>,
    decisions: Vec<BudgetDecision>,
}

impl Ledger<'_> {
    fn tokens(&self, selected: &SelectedChunk) -> u64 {
        u64::from(self.probe_rows.rows[selected.row].tokens)
    }

    /// Returns whether all context fits.
    fn has_room_for(&self, context: &[SelectedChunk]) -> bool {
        let mut all = self.spending.clone();
        context.iter().enumerate().all(|(i, selected)| {
            interrupt::poll_periodically(i);
            let tokens = self.tokens(selected);
            let hit = (&self.hits[selected.hit], selected.hit);
            let fits = self.budget.verdict(&all, hit, tokens, 1) == Verdict::Kept;
            all.add_context(selected.hit, tokens);
            fits
        })
    }

    /// Returns the verdict on a part as a whole.
    fn verdict(&self, part: &Part) -> Verdict {
        let tokens = part.chunks.iter().map(|selected| self.tokens(selected)).sum();
        let hit = (&self.hits[part.hit()], part.hit());
        self.budget.verdict(&self.spending, hit, tokens, part.chunks.len())
    }

    /// Decides on a part. All kinds but members stop the context of their hit where they do not fit.
    fn take(&mut self, part: &Part, kind: PartKind) {
        let verdict =
            if self.cut[part.hit()] { Verdict::NearerChunkCut } else { self.verdict(part) };
        self.cut[part.hit()] |= kind != PartKind::Member && verdict != Verdict::Kept;
        part.chunks.iter().for_each(|selected| self.decide(*selected, verdict));
    }

    fn decide(&mut self, chunk: SelectedChunk, verdict: Verdict) {
        let tokens_before = self.spending.tokens;
        self.decisions.push(BudgetDecision { chunk, verdict, tokens_before });
        if verdict == Verdict::Kept {
            self.spending.add_context(chunk.hit, self.tokens(&chunk));
        }
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
        .filter_map(|(hit, of)| {
            interrupt::poll_periodically(hit);
            let row = *row_of.get(&of.chunk)?;
            let chunk = SelectedChunk { row, hit, role: Role::Hit, rule: Rule::Hit, distance: 0 };
            let tokens_before = spending.tokens;
            spending.add_hit(u64::from(probe_rows.rows[row].tokens));
            Some(BudgetDecision { chunk, verdict: Verdict::Kept, tokens_before })
        })
        .collect();
    (decisions, spending)
}
