/*!
Excerpts: the pieces of a part that parse together.

Text between two pieces may be left out if it begins and ends between items of the same body: "two statements of a
function, or two members of a class". The search is exhaustive: it tries every piece before another.
*/

use super::chunk::{Chunk, Section};
use super::claims::Claim;
use std::collections::{BTreeMap, BTreeSet};

/// The body that an edge is in: a section, and the first ordinal of a run that is a body of its own.
pub type Body = (Section, Option<i64>);

/// A chunk of a part.
pub struct PartChunk<'c, 'a> {
    pub chunk: &'a Chunk,
    pub ordinal: i64,
    /// The hit that claims it, or itself.
    pub hit: usize,
    /// Its claim with its distance; `None` for a hit.
    pub claim: Option<(&'c Claim<'a>, i64)>,
    /// The bodies of the edges on both sides; `None` inside of an item.
    pub before: Option<Body>,
    pub after: Option<Body>,
}

/// An excerpt: indexes of pieces.
pub type Excerpt = BTreeSet<usize>;

/// The tokens, the number of chunks, and the pieces from the last one back.
type Rank = (i64, usize, Vec<usize>);

impl PartChunk<'_, '_> {
    /// Returns whether a passage may have both pieces, and nothing between them.
    fn may_precede(&self, next: &Self) -> bool {
        next.ordinal == self.ordinal + 1 || self.after.is_some() && self.after == next.before
    }
}

/// "The excerpt with the fewest tokens that has all needed pieces" from the first to the last of them. "Of several it
/// has the fewest chunks; then it is the one whose pieces, from the last one back, are the earliest."
pub fn cheapest(pieces: &[PartChunk], needed: &Excerpt) -> Option<Excerpt> {
    let (_, _, found) = up_to(*needed.last()?, pieces, needed, &mut BTreeMap::new())?;
    Some(found.into_iter().collect())
}

/// Returns the best excerpt from the first needed piece to another.
fn up_to(
    last: usize,
    pieces: &[PartChunk],
    needed: &Excerpt,
    known: &mut BTreeMap<usize, Option<Rank>>,
) -> Option<Rank> {
    if let Some(known) = known.get(&last) {
        return known.clone();
    }
    let own = pieces[last].claim.map_or(0, |(claim, _)| claim.chunk.cost());
    let count = usize::from(pieces[last].claim.is_some());
    let best = if needed.first() == Some(&last) {
        Some((own, count, vec![last]))
    } else {
        let mut ranks = BTreeSet::new();
        for before in 0..last {
            let leaves_out = needed.range(before + 1..last).next().is_some();
            if leaves_out || !pieces[before].may_precede(&pieces[last]) {
                continue;
            }
            if let Some((tokens, chunks, path)) = up_to(before, pieces, needed, known) {
                let path = [vec![last], path].concat();
                ranks.insert((tokens + own, chunks + count, path));
            }
        }
        ranks.pop_first()
    };
    known.insert(last, best.clone());
    best
}

/// Returns the pieces of a head: from an ordinal up to the first behind which an item of a body follows.
pub fn head(pieces: &[PartChunk], first: i64) -> Option<Excerpt> {
    let from = pieces.iter().position(|piece| piece.ordinal == first)?;
    let last = (from..pieces.len()).find(|at| pieces[*at].after.is_some())?;
    let is_run = |at: usize| pieces[at].ordinal + 1 == pieces[at + 1].ordinal;
    (from..last).all(is_run).then(|| (from..=last).collect())
}

/// Returns the claims in an excerpt.
pub fn claims<'c, 'a>(
    pieces: &[PartChunk<'c, 'a>],
    excerpt: &Excerpt,
) -> Vec<(&'c Claim<'a>, i64)> {
    excerpt.iter().filter_map(|index| pieces[*index].claim).collect()
}

/// Returns the hits among pieces.
pub fn hits(pieces: &[PartChunk]) -> Vec<usize> {
    (0..pieces.len()).filter(|index| pieces[*index].claim.is_none()).collect()
}

/// Returns the hit that pays, or else the best of the hits among pieces.
pub fn best_hit(pieces: &[PartChunk], payer: usize) -> Option<usize> {
    let hits = hits(pieces);
    let own = hits.iter().copied().find(|index| pieces[*index].hit == payer);
    own.or_else(|| hits.into_iter().min_by_key(|index| pieces[*index].hit))
}

/// Returns the chunks that follow each other around a piece.
pub fn around(pieces: &[PartChunk], index: usize) -> Vec<uuid::Uuid> {
    let offset = |other: usize| pieces[other].ordinal - other as i64;
    let near = (0..pieces.len()).filter(|other| offset(*other) == offset(index));
    near.map(|other| pieces[other].chunk.id).collect()
}
