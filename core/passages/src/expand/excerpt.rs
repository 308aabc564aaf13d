/*!
Excerpts: the pieces of a unit that parse together.

Text can be left out between two items of one body, such as two statements of a function, or two members of a
class. A splitter also cuts inside of items, where the text on both sides is needed. So the cheapest excerpt with
certain pieces may need others: the head and the closing part of a nested class around a piece.

Its twin in SQL is `sql/edition/excerpts.sql`.
*/

use super::members::{Part, UnitChunk};
use super::scope_chunks::Edge;
use super::selection::SelectedChunk;
use passage_split::interrupt;
use std::collections::{HashMap, HashSet};

/// The pieces of one or two parts, in document order.
pub(super) struct Excerpts<'a> {
    pub(super) pieces: Vec<&'a UnitChunk>,
}

/// The tokens and the number of chunks of an excerpt, without hits.
type Cost = (u64, usize);

impl<'a> Excerpts<'a> {
    pub(super) fn of(parts: impl IntoIterator<Item = &'a Part>) -> Self {
        let mut pieces: Vec<&UnitChunk> = parts.into_iter().flat_map(|part| &part.pieces).collect();
        pieces.sort_by_key(|piece| piece.ordinal);
        Self { pieces }
    }

    /// Returns the first and the last piece.
    pub(super) fn ends(&self) -> [usize; 2] {
        [0, self.pieces.len() - 1]
    }

    /// Returns the pieces of the head of a container: from its first chunk up to the first one behind which an item of
    /// a body follows.
    pub(super) fn head(&self, first: i32) -> Option<Vec<usize>> {
        let from = self.pieces.iter().position(|piece| piece.ordinal == first)?;
        let ends = |at: &usize| matches!(self.pieces[*at].after, Edge::Item(_));
        let last = (from..self.pieces.len()).find(ends)?;
        let has_no_gap = (from..last).all(|at| self.pieces[at].is_followed_by(self.pieces[at + 1]));
        has_no_gap.then(|| (from..=last).collect())
    }

    /// Returns the hits among the pieces.
    pub(super) fn hits(&self) -> Vec<usize> {
        (0..self.pieces.len()).filter(|index| self.pieces[*index].selected.is_none()).collect()
    }

    /// Returns the hit that pays, if it is among the pieces, else the best one.
    pub(super) fn best_hit(&self, payer: usize) -> Option<usize> {
        let hit_of = |index: &usize| self.pieces[*index].hit;
        self.hits().into_iter().min_by_key(|index| (hit_of(index) != payer, hit_of(index)))
    }

    /// Returns the pieces of context, in the order of the context.
    pub(super) fn indexes(&self, context: &[SelectedChunk]) -> Vec<usize> {
        let of_row = |(index, piece): (usize, &&UnitChunk)| Some((piece.selected?.row, index));
        let of_row: HashMap<_, _> = self.pieces.iter().enumerate().filter_map(of_row).collect();
        context.iter().filter_map(|chunk| of_row.get(&chunk.row).copied()).collect()
    }

    /// Returns the pieces whose rows are in a set.
    pub(super) fn indexes_of(&self, rows: &HashSet<usize>) -> Vec<usize> {
        let is_in =
            |piece: &UnitChunk| piece.selected.is_some_and(|selected| rows.contains(&selected.row));
        (0..self.pieces.len()).filter(|index| is_in(self.pieces[*index])).collect()
    }

    /// Returns the context in an excerpt.
    pub(super) fn chunks(&self, excerpt: &[usize]) -> Vec<SelectedChunk> {
        excerpt.iter().filter_map(|index| self.pieces[*index].selected).collect()
    }

    /// Returns the context around a piece without a gap.
    pub(super) fn around(&self, index: usize) -> Vec<SelectedChunk> {
        let follows = |after: &usize| self.pieces[*after - 1].is_followed_by(self.pieces[*after]);
        let before = (1..=index).rev().take_while(follows).count();
        let after = (index + 1..self.pieces.len()).take_while(follows).count();
        self.chunks(&(index - before..=index + after).collect::<Vec<_>>())
    }

    /// Returns the pieces that the cheapest larger excerpt with a piece adds to an excerpt, if there is one.
    ///
    /// The excerpt has both ends.
    pub(super) fn added(
        &self,
        excerpt: &[usize],
        next: usize,
        tokens: impl Fn(&UnitChunk) -> u64,
    ) -> Option<Vec<usize>> {
        let Err(at) = excerpt.binary_search(&next) else { return Some(Vec::new()) };
        let mut added = self.cheapest([excerpt[at - 1], next, excerpt[at]], tokens)?;
        added.retain(|index| *index != excerpt[at - 1] && *index != excerpt[at]);
        Some(added)
    }

    /// Returns the excerpt with the fewest tokens that has all needed pieces and parses between the first and the
    /// last of them, if there is one.
    ///
    /// Of several it has the fewest chunks; then it is the one whose pieces, from the last one back, are the
    /// earliest.
    pub(super) fn cheapest(
        &self,
        needed: impl IntoIterator<Item = usize>,
        tokens: impl Fn(&UnitChunk) -> u64,
    ) -> Option<Vec<usize>> {
        let mut needed: Vec<usize> = needed.into_iter().collect();
        needed.sort_unstable();
        needed.dedup();
        let (first, last) = (*needed.first()?, *needed.last()?);
        // For each piece from the first, the cost of the best excerpt up to it, and the piece before it there.
        let mut best: Vec<Option<(Cost, usize)>> = Vec::with_capacity(last - first + 1);
        // For each body, the best excerpt after which an item of the body follows.
        let mut open: HashMap<usize, (Cost, usize)> = HashMap::new();
        let mut required = needed.iter().peekable();
        for at in first..=last {
            interrupt::poll_periodically(at);
            let piece = self.pieces[at];
            let adjacent = at
                .checked_sub(1)
                .filter(|before| *before >= first && self.pieces[*before].is_followed_by(piece));
            let adjacent = adjacent.and_then(|before| Some((best[before - first]?.0, before)));
            let behind_gap = match piece.before {
                Edge::Item(body) => open.get(&body).copied(),
                Edge::Inside => None,
            };
            let start = (at == first).then_some(((0, 0), at));
            let reached = behind_gap.into_iter().chain(adjacent).chain(start).min();
            let chunks = usize::from(piece.selected.is_some());
            let reached = reached
                .map(|((cost, count), before)| ((cost + tokens(piece), count + chunks), before));
            best.push(reached);
            if required.next_if_eq(&&at).is_some() {
                reached?;
                open.clear();
            }
            if let (Some((cost, _)), Edge::Item(body)) = (reached, piece.after) {
                let entry = open.entry(body).or_insert((cost, at));
                *entry = (*entry).min((cost, at));
            }
        }
        let mut excerpt = vec![last];
        let mut at = last;
        while at != first {
            at = best[at - first]?.1;
            excerpt.push(at);
        }
        excerpt.reverse();
        Some(excerpt)
    }
}
