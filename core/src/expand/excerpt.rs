/*!
Excerpts: the pieces of a unit that parse together.

Text can be left out between two items of one body, such as two statements of a function, or two members of a
class. A splitter also cuts inside of items, where the text on both sides is needed. So the cheapest excerpt with
certain pieces may need others: the head and the closing part of a nested class around a piece.
*/

use super::members::Piece;
use super::scope_chunks::Edge;
use super::selection::SelectedChunk;
use crate::interrupt;
use std::collections::HashMap;

/// The pieces of one or two parts, in document order.
pub(super) struct Excerpts<'a> {
    pub(super) pieces: Vec<&'a Piece>,
}

impl<'a> Excerpts<'a> {
    pub(super) fn of(pieces: impl IntoIterator<Item = &'a Piece>) -> Self {
        let mut pieces: Vec<&Piece> = pieces.into_iter().collect();
        pieces.sort_by_key(|piece| piece.index);
        Self { pieces }
    }

    /// Returns the first and the last piece.
    pub(super) fn ends(&self) -> [usize; 2] {
        [0, self.pieces.len() - 1]
    }

    /// Returns the context around a piece without a gap.
    pub(super) fn around(&self, index: usize) -> Vec<SelectedChunk> {
        let follows = |after: &usize| self.pieces[*after - 1].is_followed_by(self.pieces[*after]);
        let before = (1..=index).rev().take_while(follows).count();
        let after = (index + 1..self.pieces.len()).take_while(follows).count();
        let near = &self.pieces[index - before..=index + after];
        near.iter().filter_map(|piece| piece.selected).collect()
    }

    /// Returns the excerpt with the fewest tokens that has all needed pieces and parses between the first and the
    /// last of them, if there is one.
    pub(super) fn cheapest(
        &self,
        needed: impl IntoIterator<Item = usize>,
        tokens: impl Fn(&Piece) -> u64,
    ) -> Option<Vec<usize>> {
        let mut needed: Vec<usize> = needed.into_iter().collect();
        needed.sort_unstable();
        needed.dedup();
        let (first, last) = (*needed.first()?, *needed.last()?);
        // For each piece, the tokens of the best excerpt up to it, and the piece before it there.
        let mut best: Vec<Option<(u64, usize)>> = vec![None; last + 1];
        // For each body, the best excerpt after which an item of the body follows.
        let mut open: HashMap<Edge, (u64, usize)> = HashMap::new();
        let mut required = needed.iter().peekable();
        for at in first..=last {
            interrupt::poll_periodically(at);
            let piece = self.pieces[at];
            let adjacent = at
                .checked_sub(1)
                .filter(|before| *before >= first && self.pieces[*before].is_followed_by(piece));
            let adjacent = adjacent.and_then(|before| Some((best[before]?.0, before)));
            let is_item = matches!(piece.before, Edge::Item(_));
            let gaps = [piece.before, Edge::Unread].map(|edge| open.get(&edge).copied());
            let gaps = gaps.into_iter().flatten().filter(|_| is_item);
            let start = (at == first).then_some((0, at));
            let reached = gaps.chain(adjacent).chain(start).min();
            best[at] = reached.map(|(cost, before)| (cost + tokens(piece), before));
            if required.next_if_eq(&&at).is_some() {
                best[at]?;
                open.clear();
            }
            if let Some((cost, _)) = best[at] {
                let entry = open.entry(piece.after).or_insert((cost, at));
                *entry = (*entry).min((cost, at));
            }
        }
        let mut excerpt = vec![last];
        let mut at = last;
        while at != first {
            at = best[at]?.1;
            excerpt.push(at);
        }
        excerpt.reverse();
        Some(excerpt)
    }
}
