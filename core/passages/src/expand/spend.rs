/*!
Spending the budget on context.

Context is spent in the order of its hit's score, its role and its distance. When a chunk no longer fits, the
rest of its hit's context is cut too, so a budget makes no holes in a window. A parent is outside of the window, so the
siblings of the hit follow even if it does not fit.

Of a container the most important parts come first: the rest of the hit's own unit, such as the other pieces of
a long function, then the head, then the closing part, then the other members. A member is kept or cut as a whole,
because a part of it would begin in the middle of a statement. A member that does not fit leaves room for
smaller ones behind it.

If the hit's own unit does not fit, the heads around other hits come first, then the cheapest excerpt of the unit: its
ends, and all hits in it or else the best one. The ends of its containers are next, then the hits that are left and the nearest pieces, up to the first that
does not fit. There are no other members. If the cheapest excerpt does not fit either, the context is the pieces next to
the hit, without a gap: no excerpt of the unit would parse.

The head of a class comes before its end, because the end often belongs to the last method, which is long. Each hit gets
its own unit and the heads around it before any hit gets an end, and ends come before members. Of an end that does not fit
the cheapest excerpt is kept, or nothing. A passage with the head alone ends with the closing line of the container
(`open_containers`).

Its twin in SQL is `sql/edition/spend.sql`.
*/

use super::budget::Budget;
use super::excerpt::Excerpts;
use super::ledger::Ledger;
use super::members::{Part, PartKind, UnitChunk, parts};
use super::probe::Plan;
use super::probe_rows::ProbeRows;
use super::selection::{BudgetDecision, SelectedChunk, Verdict};
use super::{Hit, LazyColumns, Role};
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
    // The rows of heads that are kept, by their ends.
    let mut heads: HashMap<usize, HashSet<usize>> = HashMap::new();
    let mut has_all_heads = false;
    // Ends whose heads are decided; the rest of them comes before members.
    let mut open: Vec<usize> = Vec::new();
    for (index, part) in parts.iter().enumerate() {
        interrupt::poll_periodically(index);
        if is_decided[index] {
            continue;
        }
        if part.kind == PartKind::Member {
            for end in open.drain(..) {
                take_rest_of_ends(&mut ledger, &parts[end], &heads[&end]);
            }
        }
        let is_too_large = !part.pieces.is_empty() && ledger.verdict(part) != Verdict::Kept;
        if is_too_large && part.has_hit() {
            // Pieces of a long unit would take the room of the class lines of all hits behind it. The first long unit
            // leaves none of them for later ones.
            let others = if std::mem::replace(&mut has_all_heads, true) { &[] } else { &parts[..] };
            for (end, other) in others.iter().enumerate() {
                interrupt::poll_periodically(end);
                let is_of_other = is_closed_end(other) && other.hit() != part.hit();
                if is_of_other && !is_decided[end] && !heads.contains_key(&end) {
                    heads.insert(end, take_heads(&mut ledger, other));
                }
            }
            let mut around = Vec::new();
            for end in ends.get(&part.hit()).into_iter().flatten().filter(|end| **end != index) {
                if !std::mem::replace(&mut is_decided[*end], true) {
                    around.push((&parts[*end], heads.remove(end)));
                }
            }
            open.retain(|end| !is_decided[*end]);
            take_excerpt(&mut ledger, part, &around);
        } else if is_closed_end(part) {
            heads.entry(index).or_insert_with(|| take_heads(&mut ledger, part));
            open.push(index);
        } else {
            take(&mut ledger, part);
        }
    }
    for end in open {
        take_rest_of_ends(&mut ledger, &parts[end], &heads[&end]);
    }
    ledger.decisions
}

/// Returns whether a part is the ends of a container without a hit in them. A hit there needs the statement around it.
fn is_closed_end(part: &Part) -> bool {
    part.kind == PartKind::Ends && !part.has_hit()
}

/// Decides on a part. All kinds but members and parents stop the context of their hit where they do not fit.
fn take(ledger: &mut Ledger, part: &Part) {
    let verdict = ledger.verdict(part);
    let is_alone = matches!(part.chunks[0].role, Role::Parent | Role::Ancestor);
    if part.kind != PartKind::Member && !is_alone && verdict != Verdict::Kept {
        ledger.cut_rest(part.hit());
    }
    part.chunks.iter().for_each(|selected| ledger.decide(*selected, verdict));
}

/// Keeps the heads of the containers around a hit that fit, the nearest first, and returns their rows.
fn take_heads(ledger: &mut Ledger, part: &Part) -> HashSet<usize> {
    let excerpts = Excerpts::of([part]);
    let mut kept = HashSet::new();
    for first in ledger.heads(part.hit()) {
        let Some(head) = excerpts.head(first) else { continue };
        // The head of a class can begin within the head of the one around it.
        let mut chunks = excerpts.chunks(&head);
        chunks.retain(|chunk| !kept.contains(&chunk.row));
        if ledger.verdict_on(part.hit(), &chunks) == Verdict::Kept {
            keep(ledger, &mut kept, chunks);
        }
    }
    kept
}

/// Decides on the ends of containers without the heads that are kept: the whole of them, or the cheapest excerpt with
/// both ends, or nothing.
fn take_rest_of_ends(ledger: &mut Ledger, part: &Part, heads: &HashSet<usize>) {
    let mut kept = heads.clone();
    let is_new = |chunk: &SelectedChunk| !heads.contains(&chunk.row);
    let rest: Vec<_> = part.chunks.iter().copied().filter(is_new).collect();
    let verdict = ledger.verdict_on(part.hit(), &rest);
    if verdict == Verdict::Kept {
        for chunk in rest {
            ledger.decide(chunk, Verdict::Kept);
        }
        return;
    }
    let excerpts = Excerpts::of([part]);
    if let Some(excerpt) = cheapest_that_fits(ledger, part.hit(), &excerpts, heads) {
        keep(ledger, &mut kept, excerpts.chunks(&excerpt).into_iter().filter(is_new).collect());
    }
    let left = rest.iter().filter(|chunk| !kept.contains(&chunk.row));
    left.for_each(|chunk| ledger.decide(*chunk, verdict));
}

/// Keeps chunks, and adds their rows to those that are kept.
fn keep(ledger: &mut Ledger, kept: &mut HashSet<usize>, chunks: Vec<SelectedChunk>) {
    for chunk in chunks {
        ledger.decide(chunk, Verdict::Kept);
        kept.insert(chunk.row);
    }
}

/// Decides on a unit with a hit that does not fit as a whole, and on the ends of the containers around it, each with the
/// rows of its heads if they are decided.
fn take_excerpt(ledger: &mut Ledger, part: &Part, around: &[(&Part, Option<HashSet<usize>>)]) {
    let (hit, too_large) = (part.hit(), ledger.verdict(part));
    // A run of own text parses between the ends of its container, any other unit between its own.
    let own = usize::from(part.kind == PartKind::OwnRun).min(around.len());
    let (container, others) = around.split_at(own);
    let excerpts = Excerpts::of(container.iter().map(|(end, _)| *end).chain([part]));
    let mut kept: HashSet<usize> =
        container.iter().filter_map(|(_, heads)| heads.as_ref()).flatten().copied().collect();
    let Some(mut excerpt) = cheapest_that_fits(ledger, hit, &excerpts, &kept) else {
        take_window(ledger, part, &excerpts);
        ledger.cut_rest(hit);
        for (end, heads) in around {
            let is_head = |row| heads.as_ref().is_some_and(|heads| heads.contains(&row));
            let rest = end.chunks.iter().filter(|chunk| !is_head(chunk.row));
            rest.for_each(|chunk| ledger.decide(*chunk, Verdict::NearerChunkCut));
        }
        return;
    };
    let mut added = excerpts.chunks(&excerpt);
    added.retain(|chunk| !kept.contains(&chunk.row));
    keep(ledger, &mut kept, added);
    for (end, heads) in others {
        let heads = heads.clone().unwrap_or_else(|| {
            if is_closed_end(end) { take_heads(ledger, end) } else { HashSet::new() }
        });
        take_rest_of_ends(ledger, end, &heads);
    }
    for next in excerpts.hits().into_iter().chain(excerpts.indexes(&part.chunks)) {
        interrupt::poll();
        let Some(added) = excerpts.added(&excerpt, next, piece_tokens(ledger)) else { continue };
        let chunks = excerpts.chunks(&added);
        if ledger.verdict_on(hit, &chunks) != Verdict::Kept {
            break;
        }
        keep(ledger, &mut kept, chunks);
        excerpt.extend(added);
        excerpt.sort_unstable();
    }
    let all = container.iter().flat_map(|(end, _)| &end.chunks).chain(&part.chunks);
    let rest = all.filter(|chunk| !kept.contains(&chunk.row));
    rest.for_each(|chunk| ledger.decide(*chunk, too_large));
    ledger.cut_rest(hit);
}

/// Returns the cheapest excerpt with the ends and all hits, or else with the ends and the best hit, if it fits.
///
/// It has the rows that are kept already.
fn cheapest_that_fits(
    ledger: &Ledger,
    payer: usize,
    excerpts: &Excerpts,
    kept: &HashSet<usize>,
) -> Option<Vec<usize>> {
    let best = excerpts.best_hit(payer).into_iter().collect();
    [excerpts.hits(), best].into_iter().find_map(|hits| {
        let needed = hits.into_iter().chain(excerpts.ends()).chain(excerpts.indexes_of(kept));
        let excerpt = excerpts.cheapest(needed, piece_tokens(ledger))?;
        let mut added = excerpts.chunks(&excerpt);
        added.retain(|chunk| !kept.contains(&chunk.row));
        (ledger.verdict_on(payer, &added) == Verdict::Kept).then_some(excerpt)
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
