//! The purse: what a budget pays for.

use super::choice::Chosen;
use super::claims::{Claim, Role, window};
use super::excerpt::{self, Excerpt, PartChunk};
use super::hit::Hit;
use super::parts::{self, Part, PartKind};
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
    /// For each hit, whether some of its linked sections were cut.
    pub cut_links: Vec<bool>,
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
            cut_links: vec![false; hits.len()],
            lost: vec![false; hits.len()],
            rules: BTreeSet::new(),
            rows,
        }
    }

    /// Pays for parts. "A part that does not fit leaves room for the next one."
    pub fn spend_parts(&mut self, parts: Vec<Part<'_, 'a>>) {
        let mut parts: Vec<Option<Part>> = parts.into_iter().map(Some).collect();
        let mut open: Vec<(Part, Excerpt)> = Vec::new();
        let mut known: Vec<Option<Excerpt>> = vec![None; parts.len()];
        for index in 0..parts.len() {
            let Some(part) = parts[index].take() else { continue };
            if part.is_joined {
                self.rules.insert("joined units");
            }
            let hit = part.chunks[0].0.hit;
            if part.kind == PartKind::Member {
                for (ends, heads) in std::mem::take(&mut open) {
                    self.spend_rest_of_ends(&ends, &heads);
                }
            }
            // "Each hit gets its own unit and the heads around it before any hit gets an end."
            if is_closed_end(&part) {
                let heads = known[index].take().unwrap_or_else(|| self.spend_heads(&part));
                open.push((part, heads));
                continue;
            }
            if part.pieces.is_empty() || self.can_pay(hit, &part.chunks) {
                self.spend(hit, &part.chunks, part.kind);
                continue;
            }
            // "Pieces of a long unit come after the heads around other hits."
            for end in 0..parts.len() {
                let is_of_other =
                    |other: &&Part| is_closed_end(other) && other.chunks[0].0.hit != hit;
                if let Some(other) = parts[end].as_ref().filter(is_of_other)
                    && known[end].is_none()
                {
                    known[end] = Some(self.spend_heads(other));
                }
            }
            // The ends of containers around the unit that was hit are decided with it.
            let is_around =
                |other: &Part| (other.kind, other.chunks[0].0.hit) == (PartKind::Ends, hit);
            let (around, apart): (Vec<_>, Vec<_>) =
                std::mem::take(&mut open).into_iter().partition(|(other, _)| is_around(other));
            open = apart;
            let mut around: Vec<(Part, Option<Excerpt>)> =
                around.into_iter().map(|(other, heads)| (other, Some(heads))).collect();
            for end in 0..parts.len() {
                if let Some(other) = parts[end].take_if(|other| is_around(other)) {
                    around.push((other, known[end].take()));
                }
            }
            self.spend_excerpt(part, around);
        }
        for (ends, heads) in open {
            self.spend_rest_of_ends(&ends, &heads);
        }
    }

    /// "Kept if total tokens + its tokens <= `max_tokens` and count + 1 <= `max_chunks`", and if the context of each
    /// hit is within the hit's own limit.
    fn fits(&self, chunks: &[(&Claim<'a>, i64)]) -> bool {
        let tokens: i64 = chunks.iter().map(|(claim, _)| claim.chunk.cost()).sum();
        let count = (self.rows.len() + chunks.len()) as i64;
        let has_room = |(hit, own_hit): (usize, &Hit)| {
            let own = chunks.iter().filter(|(claim, _)| claim.hit == hit);
            let own = own.filter(|(claim, distance)| !is_named(own_hit, claim, *distance));
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
        // "A parent is outside of the window, so the siblings of the hit follow even if it does not fit."
        let is_alone = matches!(chunks[0].0.role, Role::Parent | Role::Ancestor);
        self.stopped[payer] |= kind != PartKind::Member && !is_alone && !is_kept;
        if !is_kept {
            return self.cut(chunks);
        }
        self.keep(chunks);
    }

    /// "The heads of the containers around the hit that fit, the nearest first." Returns them.
    fn spend_heads(&mut self, part: &Part<'_, 'a>) -> Excerpt {
        let payer = part.chunks[0].0.hit;
        let mut heads = Excerpt::new();
        for first in parts::heads(&self.hits[payer]) {
            let Some(head) = excerpt::head(&part.pieces, first) else { continue };
            let new = head.difference(&heads).copied().collect();
            let claims = excerpt::claims(&part.pieces, &new);
            if self.can_pay(payer, &claims) {
                self.keep(&claims);
                heads.extend(head);
            }
        }
        heads
    }

    /// "The rest of the ends, or the cheapest excerpt with both ends, or nothing."
    fn spend_rest_of_ends(&mut self, part: &Part<'_, 'a>, heads: &Excerpt) {
        let payer = part.chunks[0].0.hit;
        let is_new = |id| !heads.iter().any(|head| part.pieces[*head].chunk.id == id);
        let chunks = part.chunks.iter().copied();
        let rest: Vec<_> = chunks.filter(|(claim, _)| is_new(claim.chunk.id)).collect();
        if self.can_pay(payer, &rest) {
            return self.keep(&rest);
        }
        if let Some(found) = self.cheapest_that_fits(payer, &part.pieces, heads) {
            self.rules.insert("an excerpt of the ends");
            let added = found.difference(heads).copied().collect();
            self.keep(&excerpt::claims(&part.pieces, &added));
        }
        if !heads.is_empty() {
            self.rules.insert("the head alone");
        }
        self.cut_rest(&rest);
    }

    /// "The cheapest excerpt with the ends and all hits, or else with the ends and the best hit, if it fits."
    fn cheapest_that_fits(
        &self,
        payer: usize,
        pieces: &[PartChunk<'_, 'a>],
        kept: &Excerpt,
    ) -> Option<Excerpt> {
        let best = excerpt::best_hit(pieces, payer);
        for hits in [excerpt::hits(pieces), best.into_iter().collect()] {
            let ends = [0, pieces.len() - 1];
            let needed = hits.into_iter().chain(ends).chain(kept.iter().copied()).collect();
            let found = excerpt::cheapest(pieces, &needed);
            let fits = |found: &Excerpt| {
                let added = found.difference(kept).copied().collect();
                self.can_pay(payer, &excerpt::claims(pieces, &added))
            };
            if let Some(found) = found.filter(fits) {
                return Some(found);
            }
        }
        None
    }

    /// "The cheapest excerpt of the unit comes first. The ends of its containers are next, then the hits that are left
    /// and the nearest pieces, up to the first that does not fit." A run of own text is between the ends of its
    /// container.
    fn spend_excerpt(&mut self, part: Part<'_, 'a>, around: Vec<(Part<'_, 'a>, Option<Excerpt>)>) {
        let payer = part.chunks[0].0.hit;
        let mut chunks = part.chunks.clone();
        let (mut pieces, mut others) = (part.pieces, around);
        let mut kept_ids = Vec::new();
        if part.kind == PartKind::OwnRun && !others.is_empty() {
            let (container, heads) = others.remove(0);
            let heads = heads.iter().flatten();
            kept_ids.extend(heads.map(|head| container.pieces[*head].chunk.id));
            pieces.extend(container.pieces);
            pieces.sort_by_key(|piece| piece.ordinal);
            chunks.extend(container.chunks);
        }
        let is_kept = |index: &usize| kept_ids.contains(&pieces[*index].chunk.id);
        let kept: Excerpt = (0..pieces.len()).filter(is_kept).collect();
        let Some(mut excerpt) = self.cheapest_that_fits(payer, &pieces, &kept) else {
            let best = excerpt::best_hit(&pieces, payer).expect("the part has a hit");
            let near = excerpt::around(&pieces, best);
            self.rules.insert("one piece of a unit");
            for piece in &part.chunks {
                if near.contains(&piece.0.chunk.id) {
                    self.spend(payer, std::slice::from_ref(piece), PartKind::Chunk);
                }
            }
            chunks.extend(others.into_iter().flat_map(|(other, _)| other.chunks));
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
        let added = excerpt.difference(&kept).copied().collect();
        self.keep(&excerpt::claims(&pieces, &added));
        for (other, heads) in &others {
            let heads = match heads {
                Some(heads) => heads.clone(),
                None if is_closed_end(other) => self.spend_heads(other),
                None => Excerpt::new(),
            };
            self.spend_rest_of_ends(other, &heads);
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
        for &(claim, distance) in chunks {
            let Claim { chunk, hit, role, .. } = *claim;
            self.tokens += chunk.cost();
            if !is_named(&self.hits[hit], claim, distance) {
                self.of_hits[hit] += chunk.cost();
            }
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
            let is_linked = claim.role == Role::Linked;
            let cut = if is_linked { &mut self.cut_links } else { &mut self.cut };
            cut[claim.hit] = true;
            self.lost[claim.hit] |= claim.role == Role::Section;
        }
    }
}

/// Returns whether a part is the ends of a container without a hit in them.
fn is_closed_end(part: &Part) -> bool {
    part.kind == PartKind::Ends && excerpt::hits(&part.pieces).is_empty()
}

/// Returns whether a limit that the call or a row names asks for a chunk. "Numbers of chunks that are named count more
/// than the default limit of tokens."
fn is_named(hit: &Hit, claim: &Claim, distance: i64) -> bool {
    let strategy = &hit.strategy;
    let is_default = strategy.max_passage_tokens.or(strategy.max_tokens).is_none();
    // A gap between merged sections may be outside of the window.
    let is_in_window = || {
        let window = hit.chunk.ordinal.map(|ordinal| window::of(hit, ordinal)).unwrap_or_default();
        window.iter().any(|chunk| chunk.id == claim.chunk.id)
    };
    let name = match claim.role {
        Role::Parent | Role::Ancestor => "parents",
        Role::Preceding => "preceding",
        Role::Following => "following",
        Role::Child => "children",
        Role::Adjacent if !is_in_window() => return false,
        Role::Adjacent if distance < 0 => "before",
        Role::Adjacent => "after",
        Role::Hit | Role::Section | Role::Linked => return false,
    };
    is_default && strategy.named.contains(name)
}

/// "Of the hits' strategies the largest (none if any has none)."
fn budget(hits: &[Hit], limit: fn(&Strategy) -> Option<i64>) -> Option<i64> {
    let limits: Option<Vec<i64>> = hits.iter().map(|hit| limit(&hit.strategy)).collect();
    limits?.into_iter().max()
}
