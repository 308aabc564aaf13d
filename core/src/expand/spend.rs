/*!
Spending the budget on context.

Context is spent in the order of its hit's score, its distance and its role. When a chunk no longer fits, the
rest of its hit's context is cut too. So a budget makes no holes in a window.

Of a container the most important parts come first: the rest of the hit's own unit, such as the other pieces of
a long function, then the head and the closing part, then the other members. A member is kept or cut as a whole,
because a part of it would begin in the middle of a statement. A member that does not fit leaves room for
smaller ones behind it.

If the hit's own unit does not fit, the cheapest excerpt of it with the hit comes first, and then the ends of its
containers and more of the unit. There are no other members. If even that does not fit, the context is the pieces next to the hit, without a gap: no excerpt of the unit would parse.
*/

use super::budget::{Budget, Spending};
use super::excerpt::Excerpts;
use super::members::{Part, PartKind, Piece, parts};
use super::probe::Plan;
use super::probe_rows::ProbeRows;
use super::selection::{BudgetDecision, SelectedChunk, Verdict};
use super::{Hit, LazyColumns, Role, Rule};
use crate::interrupt;
use std::collections::{HashMap, HashSet};

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

    /// Returns the tokens of the context in a piece.
    fn piece_tokens(&self, piece: &Piece) -> u64 {
        piece.selected.map_or(0, |selected| self.tokens(&selected))
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

    /// Decides on the ends of a container that do not fit as a whole: the cheapest excerpt with the first and the
    /// last piece. Members parse without the rest.
    fn take_ends(&mut self, part: &Part) {
        let excerpts = Excerpts::of(&part.pieces);
        let ends = excerpts.cheapest(excerpts.ends(), |piece| self.piece_tokens(piece));
        let ends = ends.map(|ends| chunks(&excerpts, &ends)).unwrap_or_default();
        let verdict =
            if ends.is_empty() { self.verdict(part) } else { self.verdict_on(part.hit(), &ends) };
        let rest = if verdict == Verdict::Kept { self.verdict(part) } else { verdict };
        for chunk in &part.chunks {
            self.decide(*chunk, if ends.contains(chunk) { verdict } else { rest });
        }
    }

    /// Decides on a unit with a hit that does not fit as a whole, and on the ends of the containers around it.
    fn take_excerpt(&mut self, part: &Part, around: &[&Part]) {
        let (hit, too_large) = (part.hit(), self.verdict(part));
        // A run of own text parses between the ends of its container, any other unit between its own.
        let mut around = around.iter();
        let container = if part.kind == PartKind::OwnRun { around.next() } else { None };
        let outer = container.map_or(&[][..], |container| &container.pieces);
        let excerpts = Excerpts::of(part.pieces.iter().chain(outer));
        let indexes = 0..excerpts.pieces.len();
        let is_hit = |index: &usize| excerpts.pieces[*index].selected.is_none();
        let hits: Vec<usize> = indexes.clone().filter(is_hit).collect();
        let best = hits.iter().copied().min_by_key(|index| {
            let of = excerpts.pieces[*index].hit;
            (of != hit, of)
        });
        let best: Vec<usize> = best.into_iter().collect();
        let excerpt = [&hits, &best].into_iter().find_map(|needed| {
            let needed = needed.iter().copied().chain(excerpts.ends());
            let excerpt = excerpts.cheapest(needed, |piece| self.piece_tokens(piece))?;
            let fits = self.verdict_on(hit, &chunks(&excerpts, &excerpt)) == Verdict::Kept;
            fits.then_some(excerpt)
        });
        let mut kept = HashSet::new();
        if let Some(mut excerpt) = excerpt {
            for chunk in chunks(&excerpts, &excerpt) {
                self.decide(chunk, Verdict::Kept);
                kept.insert(chunk.row);
            }
            for end in around.by_ref() {
                if self.verdict(end) == Verdict::Kept {
                    self.take(end);
                } else {
                    self.take_ends(end);
                }
            }
            let index_of: HashMap<_, _> = indexes
                .filter_map(|index| Some((excerpts.pieces[index].selected?.row, index)))
                .collect();
            let nearest = part.chunks.iter().filter_map(|chunk| index_of.get(&chunk.row).copied());
            for next in hits.into_iter().chain(nearest) {
                interrupt::poll();
                if excerpt.contains(&next) {
                    continue;
                }
                let needed = excerpt.iter().copied().chain([next]);
                let tokens = |piece: &Piece| self.piece_tokens(piece);
                let Some(larger) = excerpts.cheapest(needed, tokens) else { continue };
                let mut added = chunks(&excerpts, &larger);
                added.retain(|chunk| !kept.contains(&chunk.row));
                if self.verdict_on(hit, &added) != Verdict::Kept {
                    break;
                }
                for chunk in added {
                    self.decide(chunk, Verdict::Kept);
                    kept.insert(chunk.row);
                }
                excerpt = larger;
            }
            let rest = part.chunks.iter().filter(|chunk| !kept.contains(&chunk.row));
            rest.for_each(|chunk| self.decide(*chunk, too_large));
        } else {
            self.take_window(
                part,
                &best.first().map_or_else(Vec::new, |best| excerpts.around(*best)),
            );
        }
        let others = container.into_iter().flat_map(|container| &container.chunks);
        for chunk in others.filter(|chunk| !kept.contains(&chunk.row)) {
            self.decide(*chunk, too_large);
        }
        self.cut[hit] = true;
        around.for_each(|end| self.take(end));
    }

    /// Decides on the pieces next to a hit, up to the first that does not fit.
    fn take_window(&mut self, part: &Part, near: &[SelectedChunk]) {
        for chunk in &part.chunks {
            if near.contains(chunk) {
                self.take_chunks(part.hit(), &[*chunk]);
            } else {
                self.decide(*chunk, Verdict::NearerChunkCut);
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

/// Returns the context in an excerpt.
fn chunks(excerpts: &Excerpts<'_>, excerpt: &[usize]) -> Vec<SelectedChunk> {
    excerpt.iter().filter_map(|index| excerpts.pieces[*index].selected).collect()
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
