//! Choice: the best claim to each chunk, and those that the budget pays for.

use super::chunk::Chunk;
use super::claims::{Claim, Role, Whole};
use super::hit::Hit;
use super::parts::parts;
use super::purse::Purse;
use super::strategy::WholeOf;
use std::collections::{BTreeMap, BTreeSet};

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
    /// For each hit, whether the budget cut some of its linked sections.
    pub cut_links: Vec<bool>,
    /// For each hit, whether the budget cut a part of its whole unit.
    pub lost: Vec<bool>,
    /// The rules of the budget that were applied.
    pub rules: BTreeSet<&'static str>,
}

/// "worth = (class, |distance|, role order, place of the hit in the ranked list)."
type ClaimRank = (usize, i64, Role, usize);

/// Chooses among claims.
pub fn choose<'a>(
    hits: &[Hit<'a>],
    wholes: &[Option<Whole<'a>>],
    claims: &[Claim<'a>],
    has_bridges: bool,
) -> Choice<'a> {
    // "Hits all come (distance 0, role hit)."
    let hit_row = |(hit, own): (usize, &Hit<'a>)| Chosen {
        chunk: own.chunk,
        hit,
        role: Role::Hit,
        distance: 0,
    };
    let rows: Vec<Chosen<'a>> = hits.iter().enumerate().map(hit_row).collect();

    // "Each chunk that is not a hit goes to its best claim: that of a container first, and of the
    // unit in it that was hit, then smallest (class, |distance|, role order, place of the hit in the ranked list)."
    let mut best: BTreeMap<_, (ClaimRank, &Claim<'a>, i64)> = BTreeMap::new();
    for claim in claims {
        if hits.iter().any(|hit| hit.chunk.id == claim.chunk.id) {
            continue;
        }
        let of_hit = hits[claim.hit].chunk.ordinal.expect("a hit without ordinal claims nothing");
        let ordinal = claim.chunk.ordinal.expect("a chunk without ordinal is never context");
        let distance = claim.number.unwrap_or(ordinal - of_hit);
        let class = hits[claim.hit].class;
        let rank = (class, distance.abs(), claim.role, claim.hit);
        let known = best.get(&claim.chunk.id);
        let bid = |(rank, is_own): (ClaimRank, bool)| {
            let (class, distance, role, hit) = rank;
            let is_container = hits[hit].strategy.whole == WholeOf::Container;
            let is_part = is_container && role == Role::Section;
            // "A chunk of a linked section that is context for another reason keeps this reason."
            (role == Role::Linked, !is_part, !(is_part && is_own), class, distance, role, hit)
        };
        let is_better = |(known, other, _): &(ClaimRank, &Claim, i64)| {
            bid((rank, claim.is_own)) < bid((*known, other.is_own))
        };
        if known.is_none_or(is_better) {
            best.insert(claim.chunk.id, (rank, claim, distance));
        }
    }
    let context = best.into_values().map(|(_, claim, distance)| (claim, distance)).collect();
    let mut purse = Purse::new(hits, rows);
    purse.spend_parts(parts(hits, wholes, context, has_bridges));
    let Purse { mut rows, cut, cut_links, lost, rules, .. } = purse;

    // "Rows ordered by (best (class, place) of a hit of the document, ordinal with NULLs last, place
    // of hit)."
    let best_of = |document| {
        let of_document = hits.iter().enumerate().filter(|(_, hit)| hit.document.id == document);
        of_document.map(|(position, hit)| (hit.class, position)).min()
    };
    rows.sort_by_key(|row| {
        let ordinal = row.chunk.ordinal;
        // "Those of linked sections by hit and distance, last."
        if row.role == Role::Linked {
            return (true, Some((row.hit, 0)), false, Some(row.distance), row.hit);
        }
        (false, best_of(hits[row.hit].document.id), ordinal.is_none(), ordinal, row.hit)
    });
    Choice { rows, cut, cut_links, lost, rules }
}
