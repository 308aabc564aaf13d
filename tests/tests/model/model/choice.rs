//! Choice: the best claim to each chunk, and the budget.

use super::chunk::Chunk;
use super::claims::{Claim, Role, Whole};
use super::hit::Hit;
use super::parts::{PartKind, parts};
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

/// "worth = (class, |distance|, role order, place of the hit in the ranked list)."
type ClaimRank = (usize, i64, Role, usize);

/// Chooses among claims.
pub fn choose<'a>(
    hits: &[Hit<'a>],
    wholes: &[Option<Whole<'a>>],
    claims: &[Claim<'a>],
) -> Choice<'a> {
    // "Hits all come (distance 0, role hit)."
    let hit_row = |(hit, of): (usize, &Hit<'a>)| Chosen {
        chunk: of.chunk,
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
        let distance = ordinal - of_hit;
        let class = hits[claim.hit].class;
        let rank = (class, distance.abs(), claim.role, claim.hit);
        let known = best.get(&claim.chunk.id);
        let bid = |(rank, is_own): (ClaimRank, bool)| {
            let (class, distance, role, hit) = rank;
            let is_container = hits[hit].strategy.whole == WholeOf::Container;
            let is_part = is_container && role == Role::Section;
            (!is_part, !(is_part && is_own), class, distance, role, hit)
        };
        let is_better = |(known, of, _): &(ClaimRank, &Claim, i64)| {
            bid((rank, claim.is_own)) < bid((*known, of.is_own))
        };
        if known.is_none_or(is_better) {
            best.insert(claim.chunk.id, (rank, claim, distance));
        }
    }
    // The parts of a container are kept or cut as wholes. "A part that does not fit leaves room for the next one.
    // If the unit that was hit does not fit, the context is the pieces next to the hit."
    let context = best.into_values().map(|(_, claim, distance)| (claim, distance)).collect();
    let parts = parts(hits, wholes, context);
    let mut purse = Purse {
        max_tokens: budget(hits, |strategy| strategy.max_tokens.filter(|most| *most > 0)),
        max_chunks: budget(hits, |strategy| strategy.max_chunks),
        tokens: rows.iter().map(|row| row.chunk.cost()).sum(),
        of_hits: vec![0; hits.len()],
        stopped: vec![false; hits.len()],
        cut: vec![false; hits.len()],
        lost: vec![false; hits.len()],
        hits,
        rows,
    };
    let mut is_spent = vec![false; parts.len()];
    for (index, part) in parts.iter().enumerate() {
        if std::mem::replace(&mut is_spent[index], true) {
            continue;
        }
        let hit = part.chunks[0].0.hit;
        let fits = !purse.stopped[hit] && purse.fits(hit, &part.chunks);
        let has_hit = part.kind == PartKind::OwnUnit || part.near.is_some();
        if fits || !has_hit {
            // A container without its ends may still have members.
            let kind = if part.kind == PartKind::Ends { PartKind::Member } else { part.kind };
            purse.spend(hit, &part.chunks, kind);
            continue;
        }
        for piece in &part.chunks {
            if part.near.as_ref().is_none_or(|near| near.contains(&piece.0.chunk.id)) {
                purse.spend(hit, std::slice::from_ref(piece), PartKind::Chunk);
            } else {
                purse.cut(std::slice::from_ref(piece));
            }
        }
        purse.stopped[hit] = true;
        for (end, other) in parts.iter().enumerate() {
            let is_end = other.kind == PartKind::Ends && other.chunks[0].0.hit == hit;
            if is_end && !std::mem::replace(&mut is_spent[end], true) {
                purse.cut(&other.chunks);
            }
        }
    }
    let Purse { mut rows, cut, lost, .. } = purse;

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

/// The budget and the chunks that it pays for.
struct Purse<'h, 'a> {
    hits: &'h [Hit<'a>],
    max_tokens: Option<i64>,
    max_chunks: Option<i64>,
    tokens: i64,
    /// The tokens of the context of each hit.
    of_hits: Vec<i64>,
    /// For each hit, whether a single chunk of its context did not fit.
    stopped: Vec<bool>,
    cut: Vec<bool>,
    /// For each hit, whether a part of its whole unit was cut.
    lost: Vec<bool>,
    rows: Vec<Chosen<'a>>,
}

impl<'a> Purse<'_, 'a> {
    /// "Kept if total tokens + its tokens <= `max_tokens` and count + 1 <= `max_chunks`", and if the context of its
    /// hit is within the hit's own limit.
    fn fits(&self, hit: usize, chunks: &[(&Claim<'a>, i64)]) -> bool {
        let tokens: i64 = chunks.iter().map(|(claim, _)| claim.chunk.cost()).sum();
        let count = (self.rows.len() + chunks.len()) as i64;
        let strategy = &self.hits[hit].strategy;
        let of_hit = strategy.max_passage_tokens.or(strategy.max_tokens).unwrap_or(DEFAULT);
        self.max_tokens.is_none_or(|most| self.tokens + tokens <= most)
            && (of_hit == 0 || self.of_hits[hit] + tokens <= of_hit)
            && self.max_chunks.is_none_or(|most| count <= most)
    }

    fn spend(&mut self, payer: usize, chunks: &[(&Claim<'a>, i64)], kind: PartKind) {
        let is_kept = !self.stopped[payer] && self.fits(payer, chunks);
        self.stopped[payer] |= kind != PartKind::Member && !is_kept;
        if !is_kept {
            return self.cut(chunks);
        }
        for &(&Claim { chunk, hit, role, .. }, distance) in chunks {
            self.tokens += chunk.cost();
            self.of_hits[hit] += chunk.cost();
            self.rows.push(Chosen { chunk, hit, role, distance });
        }
    }

    fn cut(&mut self, chunks: &[(&Claim<'a>, i64)]) {
        for (claim, _) in chunks {
            self.cut[claim.hit] = true;
            self.lost[claim.hit] |= claim.role == Role::Section;
        }
    }
}

/// The tokens of the context of a hit without a budget.
const DEFAULT: i64 = 2_048;

/// "Of the hits' strategies the largest (none if any has none)."
fn budget(hits: &[Hit], limit: fn(&Strategy) -> Option<i64>) -> Option<i64> {
    let limits: Option<Vec<i64>> = hits.iter().map(|hit| limit(&hit.strategy)).collect();
    limits?.into_iter().max()
}
