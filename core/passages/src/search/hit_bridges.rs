/*!
Bridges: single chunks between two hits of a passage.

A passage of prose whose hits are the first and the third paragraph jumps over the second one, which is mostly what the
first one leads to. So the chunk between two hits comes before the next hit, and its tokens are reserved when hits are
selected. The chunk is read only with the context, so its size is estimated as the mean of the two hits.

# Source

Measured at equal budgets: the recall of articles, documents and facts is the same within noise; `docs/benchmarks.md` has
the figures.
*/

use std::collections::HashMap;
use std::hash::Hash;

/// For each hit, the hits at the ordinals -2, -1, +1 and +2.
pub(super) struct HitBridges(Vec<[Option<usize>; 4]>);

impl HitBridges {
    /// Finds the neighbors of hits by their documents and ordinals. Hits without a place have no bridges.
    pub(super) fn new<Document: Copy + Eq + Hash>(places: &[Option<(Document, i32)>]) -> Self {
        let numbered = places.iter().enumerate();
        let of_place: HashMap<_, _> =
            numbered.filter_map(|(index, place)| Some(((*place)?, index))).collect();
        let neighbors = |place: &Option<(Document, i32)>| {
            [-2, -1, 1, 2].map(|offset| {
                let (document, ordinal) = (*place)?;
                of_place.get(&(document, ordinal.checked_add(offset)?)).copied()
            })
        };
        Self(places.iter().map(neighbors).collect())
    }

    /// Returns no bridges.
    pub(super) fn none(hits: usize) -> Self {
        Self(vec![[None; 4]; hits])
    }

    /// Returns the tokens of a hit with the bridges to hits that are taken. A hit that is a bridge itself was reserved.
    pub(super) fn cost(&self, hit: usize, tokens: impl Fn(usize) -> u64, taken: &[bool]) -> u64 {
        let [far_before, before, after, far_after] =
            self.0[hit].map(|hit| hit.filter(|hit| taken[*hit]));
        let own = tokens(hit);
        if let (Some(before), Some(after)) = (before, after) {
            return own.saturating_sub(tokens(before).midpoint(tokens(after)));
        }
        let bridge = |far: Option<usize>, near: Option<usize>| {
            far.filter(|_| near.is_none()).map_or(0, |far| own.midpoint(tokens(far)))
        };
        own + bridge(far_before, before) + bridge(far_after, after)
    }
}
