//! Choice: the best claim to each chunk, and the budget.

use super::chunk::Chunk;
use super::claims::{Claim, Role};
use super::hit::Hit;
use super::strategy::{Strategy, WholeOf};
use std::collections::BTreeMap;

/// A chosen chunk.
pub struct Chosen<'a> {
    pub chunk: &'a Chunk,
    pub hit: usize,
    pub role: Role,
    pub distance: i64,
}

/// The chosen chunks in their order.
pub struct Choice<'a> {
    pub rows: Vec<Chosen<'a>>,
    /// For each hit, whether the budget cut some of its context.
    pub cut: Vec<bool>,
    /// For each hit, whether the budget cut a part of its whole unit.
    pub lost: Vec<bool>,
}

/// "worth = (class, stage, |distance|, role order, place of the hit in the ranked list)."
type ClaimRank = (usize, u8, i64, Role, usize);

/// Chooses among claims.
pub fn choose<'a>(hits: &[Hit<'a>], claims: &[Claim<'a>]) -> Choice<'a> {
    // "Hits all come (distance 0, role hit)."
    let hit_row = |(hit, of): (usize, &Hit<'a>)| Chosen {
        chunk: of.chunk,
        hit,
        role: Role::Hit,
        distance: 0,
    };
    let mut rows: Vec<Chosen<'a>> = hits.iter().enumerate().map(hit_row).collect();

    // "Each chunk that is not a hit goes to its best claim: that of a container first, and of the
    // unit in it that was hit, then smallest (class, |distance|, role order, place of the hit in the ranked list)." The stage tells when a
    // chunk has its turn, not whose it is.
    let mut best: BTreeMap<_, (ClaimRank, i64, &Claim<'a>, i64)> = BTreeMap::new();
    for claim in claims {
        if hits.iter().any(|hit| hit.chunk.id == claim.chunk.id) {
            continue;
        }
        let of_hit = hits[claim.hit].chunk.ordinal.expect("a hit without ordinal claims nothing");
        let ordinal = claim.chunk.ordinal.expect("a chunk without ordinal is never context");
        let distance = ordinal - of_hit;
        let class = hits[claim.hit].class;
        let rank = (class, claim.stage, distance.abs(), claim.role, claim.hit);
        let known = best.get(&claim.chunk.id);
        let bid = |(rank, is_own): (ClaimRank, bool)| {
            let (class, _, distance, role, hit) = rank;
            let is_container = hits[hit].strategy.whole == WholeOf::Container;
            let is_part = is_container && role == Role::Section;
            (!is_part, !(is_part && is_own), class, distance, role, hit)
        };
        let is_better = |(known, _, of, _): &(ClaimRank, i64, &Claim, i64)| {
            bid((rank, claim.is_own)) < bid((*known, of.is_own))
        };
        if known.is_none_or(is_better) {
            best.insert(claim.chunk.id, (rank, ordinal, claim, distance));
        }
    }
    let mut context: Vec<_> = best.into_values().collect();
    context.sort_by_key(|(rank, ordinal, ..)| (*rank, *ordinal));

    // "Context in order (worth, ordinal): kept if total tokens + its tokens <= max_tokens and count
    // + 1 <= max_chunks and its hit was not cut before; else its hit is cut."
    let max_tokens = budget(hits, |strategy| strategy.max_tokens);
    let max_chunks = budget(hits, |strategy| strategy.max_chunks);
    let mut tokens: i64 = rows.iter().map(|row| row.chunk.cost()).sum();
    let mut cut = vec![false; hits.len()];
    let mut lost = cut.clone();
    for (_, _, &Claim { chunk, hit, role, .. }, distance) in context {
        let fits = max_tokens.is_none_or(|most| tokens + chunk.cost() <= most)
            && max_chunks.is_none_or(|most| (rows.len() as i64) < most);
        if fits && !cut[hit] {
            tokens += chunk.cost();
            rows.push(Chosen { chunk, hit, role, distance });
        } else {
            cut[hit] = true;
            lost[hit] |= role == Role::Section;
        }
    }

    // "Rows ordered by (best (class, place) of a hit of the document, ordinal with NULLs last, place
    // of hit)."
    let best_of = |document| {
        let of_document = hits.iter().enumerate().filter(|(_, hit)| hit.document.id == document);
        of_document.map(|(position, hit)| (hit.class, position)).min()
    };
    rows.sort_by_key(|row| {
        let ordinal = row.chunk.ordinal;
        (best_of(hits[row.hit].document.id), ordinal.is_none(), ordinal, row.hit)
    });
    Choice { rows, cut, lost }
}

/// "Of the hits' strategies the largest (none if any has none)."
fn budget(hits: &[Hit], limit: fn(&Strategy) -> Option<i64>) -> Option<i64> {
    let limits: Option<Vec<i64>> = hits.iter().map(|hit| limit(&hit.strategy)).collect();
    limits?.into_iter().max()
}
