//! The purse: what a budget pays for.

use super::choice::Chosen;
use super::claims::{Claim, Role};
use super::excerpt::{self, Excerpt, PartChunk};
use super::hit::Hit;
use super::parts::{Part, PartKind};
use super::strategy::Strategy;
use std::collections::BTreeSet;

/// The budget and the chunks that it pays for.
pub struct Purse<'h, 'a> {
    hits: &'h [Hit<'a>],
    max_tokens: Option<i64>,
    max_chunks: Option<i64>,
    tokens: i64,
    /// The tokens of the context of each hit.
    of_hits: Vec<i64>,
    /// For each hit, whether a single chunk of its context did not fit.
    stopped: Vec<bool>,
    pub cut: Vec<bool>,
    /// For each hit, whether a part of its whole unit was cut.
    pub lost: Vec<bool>,
    pub rules: BTreeSet<&'static str>,
    pub rows: Vec<Chosen<'a>>,
}

/// The tokens of the context of a hit without a budget.
const DEFAULT: i64 = 2_048;

impl<'h, 'a> Purse<'h, 'a> {
    /// Returns a purse that has paid for the rows of the hits.
    pub fn new(hits: &'h [Hit<'a>], rows: Vec<Chosen<'a>>) -> Self {
        Self {
            hits,
            max_tokens: budget(hits, |strategy| strategy.max_tokens.filter(|max| *max > 0)),
            max_chunks: budget(hits, |strategy| strategy.max_chunks),
            tokens: rows.iter().map(|row| row.chunk.cost()).sum(),
            of_hits: vec![0; hits.len()],
            stopped: vec![false; hits.len()],
            cut: vec![false; hits.len()],
            lost: vec![false; hits.len()],
            rules: BTreeSet::new(),
            rows,
        }
    }

    /// Pays for parts. "A part that does not fit leaves room for the next one."
    pub fn spend_parts(&mut self, parts: Vec<Part<'_, 'a>>) {
        let mut parts: Vec<Option<Part>> = parts.into_iter().map(Some).collect();
        for index in 0..parts.len() {
            let Some(part) = parts[index].take() else { continue };
            if part.is_joined {
                self.rules.insert("joined units");
            }
            let hit = part.chunks[0].0.hit;
            if part.pieces.is_empty() || self.can_pay(hit, &part.chunks) {
                self.spend(hit, &part.chunks, part.kind);
                continue;
            }
            if excerpt::hits(&part.pieces).is_empty() {
                self.spend_ends(&part);
                continue;
            }
            // The ends of containers around the unit that was hit are decided with it.
            let mut around: Vec<Part> = Vec::new();
            for end in (0..parts.len()).filter(|end| *end != index) {
                let other = parts[end].as_ref().map(|other| (other.kind, other.chunks[0].0.hit));
                if other == Some((PartKind::Ends, hit)) {
                    around.extend(parts[end].take());
                }
            }
            self.spend_excerpt(part, around);
        }
    }

    /// "Kept if total tokens + its tokens <= `max_tokens` and count + 1 <= `max_chunks`", and if the context of each
    /// hit is within the hit's own limit.
    fn fits(&self, chunks: &[(&Claim<'a>, i64)]) -> bool {
        let tokens: i64 = chunks.iter().map(|(claim, _)| claim.chunk.cost()).sum();
        let count = (self.rows.len() + chunks.len()) as i64;
        let has_room = |(hit, own_hit): (usize, &Hit)| {
            let own = chunks.iter().filter(|(claim, _)| claim.hit == hit);
            let own: i64 = own.map(|(claim, _)| claim.chunk.cost()).sum();
            let strategy = &own_hit.strategy;
            let max = strategy.max_passage_tokens.or(strategy.max_tokens).unwrap_or(DEFAULT);
            own == 0 || max == 0 || self.of_hits[hit] + own <= max
        };
        self.max_tokens.is_none_or(|max| self.tokens + tokens <= max)
            && self.hits.iter().enumerate().all(has_room)
            && self.max_chunks.is_none_or(|max| count <= max)
    }

    /// Returns whether the context of a hit goes on and has room for chunks.
    fn can_pay(&self, payer: usize, chunks: &[(&Claim<'a>, i64)]) -> bool {
        !self.stopped[payer] && self.fits(chunks)
    }

    fn spend(&mut self, payer: usize, chunks: &[(&Claim<'a>, i64)], kind: PartKind) {
        // "A member with the last chunk that was read for its hit may have more chunks."
        let is_last = |(claim, distance): &(&Claim, i64)| {
            distance.abs() >= self.hits[claim.hit].strategy.reach()
        };
        let is_whole = kind != PartKind::Member || !chunks.iter().any(is_last);
        let is_kept = is_whole && self.can_pay(payer, chunks);
        self.stopped[payer] |= kind != PartKind::Member && !is_kept;
        if !is_kept {
            return self.cut(chunks);
        }
        self.keep(chunks);
    }

    /// "The ends of a container, or their cheapest excerpt, or nothing. Members parse without them."
    fn spend_ends(&mut self, part: &Part<'_, 'a>) {
        let payer = part.chunks[0].0.hit;
        if self.can_pay(payer, &part.chunks) {
            return self.keep(&part.chunks);
        }
        let excerpt = self.cheapest_that_fits(payer, &part.pieces).unwrap_or_default();
        if !excerpt.is_empty() {
            self.rules.insert("an excerpt of the ends");
        }
        self.keep(&excerpt::claims(&part.pieces, &excerpt));
        self.cut_rest(&part.chunks);
    }

    /// "The cheapest excerpt with the ends and all hits, or else with the ends and the best hit, if it fits."
    fn cheapest_that_fits(&self, payer: usize, pieces: &[PartChunk<'_, 'a>]) -> Option<Excerpt> {
        let best = excerpt::best_hit(pieces, payer);
        for hits in [excerpt::hits(pieces), best.into_iter().collect()] {
            let needed = hits.into_iter().chain([0, pieces.len() - 1]).collect();
            let found = excerpt::cheapest(pieces, &needed);
            let fits = |found: &Excerpt| self.can_pay(payer, &excerpt::claims(pieces, found));
            if let Some(found) = found.filter(fits) {
                return Some(found);
            }
        }
        None
    }

    /// "The cheapest excerpt of the unit comes first. The ends of its containers are next, then the hits that are left
    /// and the nearest pieces, up to the first that does not fit." A run of own text is between the ends of its
    /// container.
    fn spend_excerpt(&mut self, part: Part<'_, 'a>, around: Vec<Part<'_, 'a>>) {
        let payer = part.chunks[0].0.hit;
        let mut chunks = part.chunks.clone();
        let (mut pieces, mut others) = (part.pieces, around);
        if part.kind == PartKind::OwnRun && !others.is_empty() {
            let container = others.remove(0);
            pieces.extend(container.pieces);
            pieces.sort_by_key(|piece| piece.ordinal);
            chunks.extend(container.chunks);
        }
        let Some(mut excerpt) = self.cheapest_that_fits(payer, &pieces) else {
            let best = excerpt::best_hit(&pieces, payer).expect("the part has a hit");
            let near = excerpt::around(&pieces, best);
            self.rules.insert("one piece of a unit");
            for piece in &part.chunks {
                if near.contains(&piece.0.chunk.id) {
                    self.spend(payer, std::slice::from_ref(piece), PartKind::Chunk);
                }
            }
            chunks.extend(others.into_iter().flat_map(|other| other.chunks));
            self.cut_rest(&chunks);
            self.stopped[payer] = true;
            return;
        };
        let size = excerpt.len();
        self.rules.insert("an excerpt");
        if excerpt::hits(&pieces).len() > 1 {
            let has_all = excerpt::hits(&pieces).iter().all(|hit| excerpt.contains(hit));
            self.rules.insert(if has_all {
                "an excerpt with hits"
            } else {
                "an excerpt with the best hit"
            });
        }
        self.keep(&excerpt::claims(&pieces, &excerpt));
        for other in &others {
            self.spend_ends(other);
        }
        let is_of = |piece: &PartChunk, id| piece.chunk.id == id;
        let nearest = part
            .chunks
            .iter()
            .filter_map(|(claim, _)| pieces.iter().position(|piece| is_of(piece, claim.chunk.id)));
        for next in excerpt::hits(&pieces).into_iter().chain(nearest) {
            let needed = excerpt.iter().copied().chain([next]).collect();
            let Some(larger) = excerpt::cheapest(&pieces, &needed) else { continue };
            let added: Excerpt = larger.difference(&excerpt).copied().collect();
            let added = excerpt::claims(&pieces, &added);
            if !self.can_pay(payer, &added) {
                break;
            }
            self.keep(&added);
            excerpt = larger;
        }
        if excerpt.len() > size {
            self.rules.insert("a larger excerpt");
        }
        self.cut_rest(&chunks);
        self.stopped[payer] = true;
    }

    fn keep(&mut self, chunks: &[(&Claim<'a>, i64)]) {
        for &(&Claim { chunk, hit, role, .. }, distance) in chunks {
            self.tokens += chunk.cost();
            self.of_hits[hit] += chunk.cost();
            self.rows.push(Chosen { chunk, hit, role, distance });
        }
    }

    /// Cuts the chunks that are not kept.
    fn cut_rest(&mut self, chunks: &[(&Claim<'a>, i64)]) {
        for piece in chunks {
            if !self.rows.iter().any(|row| row.chunk.id == piece.0.chunk.id) {
                self.cut(std::slice::from_ref(piece));
            }
        }
    }

    fn cut(&mut self, chunks: &[(&Claim<'a>, i64)]) {
        for (claim, _) in chunks {
            self.cut[claim.hit] = true;
            self.lost[claim.hit] |= claim.role == Role::Section;
        }
    }
}

/// "Of the hits' strategies the largest (none if any has none)."
fn budget(hits: &[Hit], limit: fn(&Strategy) -> Option<i64>) -> Option<i64> {
    let limits: Option<Vec<i64>> = hits.iter().map(|hit| limit(&hit.strategy)).collect();
    limits?.into_iter().max()
}
