/*!
Spending the budget on context.

Context is spent in the order of its hit's score, its distance and its role. When a chunk no longer fits, the
rest of its hit's context is cut too. So a budget makes no holes in a window.

Of a container the most important parts come first: the rest of the hit's own unit, such as the other pieces of
a long function, then the head and the closing part, then the other members. A member is kept or cut as a whole,
because a part of it would begin in the middle of a statement. A member that does not fit leaves room for
smaller ones behind it.

If the hit's own unit does not fit, its segment with the hit comes first, with the first and the
last segment of the unit, and then the ends of its containers and more segments. There are no other members. If even
that does not fit, the context is the pieces next to the hit, without a gap: no excerpt of the unit would parse.
*/

use super::budget::{Budget, Spending};
use super::members::{Part, PartKind, parts};
use super::probe::Plan;
use super::probe_rows::ProbeRows;
use super::segments::Segments;
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
        let is_too_large = !part.pieces.is_empty() && ledger.verdict(part) != Verdict::Kept;
        if is_too_large && part.has_hit() {
            let mut around = Vec::new();
            for end in ends.get(&part.hit()).into_iter().flatten().filter(|end| **end != index) {
                if !std::mem::replace(&mut is_decided[*end], true) {
                    around.push(&parts[*end]);
                }
            }
            ledger.take_excerpt(part, &around);
        } else if is_too_large {
            ledger.take_ends(part);
        } else {
            ledger.take(part);
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
        self.verdict_on(part.hit(), &part.chunks)
    }

    /// Returns the verdict on context that a hit pays for.
    fn verdict_on(&self, hit: usize, chunks: &[SelectedChunk]) -> Verdict {
        if self.cut[hit] {
            return Verdict::NearerChunkCut;
        }
        let tokens = chunks.iter().map(|selected| self.tokens(selected)).sum();
        self.budget.verdict(&self.spending, (&self.hits[hit], hit), tokens, chunks.len())
    }

    /// Decides on a part. All kinds but members stop the context of their hit where they do not fit.
    fn take(&mut self, part: &Part) {
        let verdict = self.verdict(part);
        self.cut[part.hit()] |= part.kind != PartKind::Member && verdict != Verdict::Kept;
        part.chunks.iter().for_each(|selected| self.decide(*selected, verdict));
    }

    /// Decides on the ends of a container that do not fit as a whole: their first and last segment. Members
    /// parse without them.
    fn take_ends(&mut self, part: &Part) {
        let segments = Segments::of(part);
        let ends = segments.chunks(segments.ends());
        let verdict = self.verdict_on(part.hit(), &ends);
        let rest = if verdict == Verdict::Kept { self.verdict(part) } else { verdict };
        for chunk in &part.chunks {
            self.decide(*chunk, if ends.contains(chunk) { verdict } else { rest });
        }
    }

    /// Decides on a unit with a hit that does not fit as a whole, and on the ends of the containers around it.
    fn take_excerpt(&mut self, part: &Part, around: &[&Part]) {
        let (hit, too_large) = (part.hit(), self.verdict(part));
        let segments = Segments::of(part);
        let with_hits = segments.with_hits();
        // A run of own text parses between the ends of its container, any other unit between its own.
        let (mut around, mut needed) = (around.iter(), vec![with_hits[0]]);
        let mut excerpt = Vec::new();
        if part.kind != PartKind::OwnRun {
            needed.extend(segments.ends());
        } else if let Some(container) = around.next() {
            let ends = Segments::of(container);
            excerpt = ends.chunks(ends.ends());
            let others = container.chunks.iter().filter(|chunk| !excerpt.contains(chunk));
            others.for_each(|chunk| self.decide(*chunk, too_large));
        }
        let of_container = excerpt.len();
        excerpt.extend(segments.chunks(needed.iter().copied()));
        let verdict = self.verdict_on(hit, &excerpt);
        if verdict == Verdict::Kept {
            for chunk in &excerpt {
                self.decide(*chunk, verdict);
            }
            for end in around.by_ref() {
                if self.verdict(end) == Verdict::Kept {
                    self.take(end);
                } else {
                    self.take_ends(end);
                }
            }
            let nearest = segments.by_distance();
            let mut is_decided = vec![false; segments.count()];
            for segment in &needed {
                is_decided[*segment] = true;
            }
            for segment in with_hits.iter().chain(&nearest) {
                if !std::mem::replace(&mut is_decided[*segment], true) {
                    self.take_chunks(hit, &segments.chunks([*segment]));
                }
            }
        } else {
            for chunk in &excerpt[..of_container] {
                self.decide(*chunk, verdict);
            }
            self.take_window(part, segments.run(with_hits[0]));
        }
        self.cut[hit] = true;
        around.for_each(|end| self.take(end));
    }

    /// Decides on the pieces next to a hit, up to the first that does not fit.
    fn take_window(&mut self, part: &Part, run: usize) {
        let outside: Vec<_> = part.pieces.iter().filter(|piece| piece.run != run).collect();
        for chunk in &part.chunks {
            let is_apart = part.kind == PartKind::Ends
                && outside.iter().any(|piece| piece.selected == Some(*chunk));
            if is_apart {
                self.decide(*chunk, Verdict::NearerChunkCut);
            } else {
                self.take_chunks(part.hit(), &[*chunk]);
            }
        }
    }

    /// Decides on context that a hit pays for, and stops its context if it does not fit.
    fn take_chunks(&mut self, hit: usize, chunks: &[SelectedChunk]) {
        let verdict = self.verdict_on(hit, chunks);
        self.cut[hit] |= verdict != Verdict::Kept;
        for chunk in chunks {
            self.decide(*chunk, verdict);
        }
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
