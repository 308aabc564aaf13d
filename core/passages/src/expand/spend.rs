/*!
Spending the budget on context.

Context is spent in the order of its hit's score, its distance and its role. When a chunk no longer fits, the
rest of its hit's context is cut too. So a budget makes no holes in a window.

Of a container the most important parts come first: the rest of the hit's own unit, such as the other pieces of
a long function, then the head and the closing part, then the other members. A member is kept or cut as a whole,
because a part of it would begin in the middle of a statement. A member that does not fit leaves room for
smaller ones behind it.

If the hit's own unit does not fit, the cheapest excerpt of it comes first: its ends, and all hits in it or else the
best one. The ends of its containers are next, then the hits that are left and the nearest pieces, up to the first that
does not fit. There are no other members. If the cheapest excerpt does not fit either, the context is the pieces next to
the hit, without a gap: no excerpt of the unit would parse.

Ends of a container that do not fit are their cheapest excerpt, or nothing. Members parse without them.
*/

use super::budget::Budget;
use super::excerpt::Excerpts;
use super::ledger::Ledger;
use super::members::{Part, PartKind, UnitChunk, parts};
use super::probe::Plan;
use super::probe_rows::ProbeRows;
use super::selection::{BudgetDecision, SelectedChunk, Verdict};
use super::{Hit, LazyColumns};
use passage_split::interrupt;
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
    let mut ledger = Ledger::new(hits, probe_rows, budget);
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
            take_excerpt(&mut ledger, part, &around);
        } else if is_too_large {
            take_ends(&mut ledger, part);
        } else {
            take(&mut ledger, part);
        }
    }
    ledger.decisions
}

/// Decides on a part. All kinds but members stop the context of their hit where they do not fit.
fn take(ledger: &mut Ledger, part: &Part) {
    let verdict = ledger.verdict(part);
    if part.kind != PartKind::Member && verdict != Verdict::Kept {
        ledger.cut_rest(part.hit());
    }
    part.chunks.iter().for_each(|selected| ledger.decide(*selected, verdict));
}

/// Decides on the ends of a container: the whole of them, or their cheapest excerpt if it does not fit.
fn take_ends(ledger: &mut Ledger, part: &Part) {
    let too_large = ledger.verdict(part);
    let excerpts = Excerpts::of([part]);
    let excerpt = cheapest_that_fits(ledger, part.hit(), &excerpts);
    let kept = excerpt.map(|excerpt| excerpts.chunks(&excerpt)).unwrap_or_default();
    for chunk in &part.chunks {
        let is_kept = too_large == Verdict::Kept || kept.contains(chunk);
        ledger.decide(*chunk, if is_kept { Verdict::Kept } else { too_large });
    }
}

/// Decides on a unit with a hit that does not fit as a whole, and on the ends of the containers around it.
fn take_excerpt(ledger: &mut Ledger, part: &Part, around: &[&Part]) {
    let (hit, too_large) = (part.hit(), ledger.verdict(part));
    // A run of own text parses between the ends of its container, any other unit between its own.
    let own = usize::from(part.kind == PartKind::OwnRun).min(around.len());
    let (container, others) = around.split_at(own);
    let excerpts = Excerpts::of(container.iter().copied().chain([part]));
    let Some(mut excerpt) = cheapest_that_fits(ledger, hit, &excerpts) else {
        take_window(ledger, part, &excerpts);
        ledger.cut_rest(hit);
        for end in around {
            take(ledger, end);
        }
        return;
    };
    let mut kept = HashSet::new();
    let mut keep = |ledger: &mut Ledger, chunks: Vec<SelectedChunk>| {
        for chunk in chunks {
            ledger.decide(chunk, Verdict::Kept);
            kept.insert(chunk.row);
        }
    };
    keep(ledger, excerpts.chunks(&excerpt));
    for end in others {
        take_ends(ledger, end);
    }
    for next in excerpts.hits().into_iter().chain(excerpts.indexes(&part.chunks)) {
        interrupt::poll();
        let Some(added) = excerpts.added(&excerpt, next, piece_tokens(ledger)) else { continue };
        let chunks = excerpts.chunks(&added);
        if ledger.verdict_on(hit, &chunks) != Verdict::Kept {
            break;
        }
        keep(ledger, chunks);
        excerpt.extend(added);
        excerpt.sort_unstable();
    }
    let all = container.iter().flat_map(|container| &container.chunks).chain(&part.chunks);
    let rest = all.filter(|chunk| !kept.contains(&chunk.row));
    rest.for_each(|chunk| ledger.decide(*chunk, too_large));
    ledger.cut_rest(hit);
}

/// Returns the cheapest excerpt with the ends and all hits, or else with the ends and the best hit, if it fits.
fn cheapest_that_fits(ledger: &Ledger, payer: usize, excerpts: &Excerpts) -> Option<Vec<usize>> {
    let best = excerpts.best_hit(payer).into_iter().collect();
    [excerpts.hits(), best].into_iter().find_map(|hits| {
        let needed = hits.into_iter().chain(excerpts.ends());
        let excerpt = excerpts.cheapest(needed, piece_tokens(ledger))?;
        let fits = ledger.verdict_on(payer, &excerpts.chunks(&excerpt)) == Verdict::Kept;
        fits.then_some(excerpt)
    })
}

/// Decides on the pieces next to a hit, up to the first that does not fit.
fn take_window(ledger: &mut Ledger, part: &Part, excerpts: &Excerpts) {
    let hit = part.hit();
    let best = excerpts.best_hit(hit);
    let near = best.map(|best| excerpts.around(best)).unwrap_or_default();
    for chunk in &part.chunks {
        let is_near = near.contains(chunk);
        let verdict =
            if is_near { ledger.verdict_on(hit, &[*chunk]) } else { Verdict::NearerChunkCut };
        if is_near && verdict != Verdict::Kept {
            ledger.cut_rest(hit);
        }
        ledger.decide(*chunk, verdict);
    }
}

/// Returns a function for the tokens of the context in a piece.
fn piece_tokens(ledger: &Ledger) -> impl Fn(&UnitChunk) -> u64 {
    |piece| piece.selected.map_or(0, |selected| ledger.tokens(&selected))
}
