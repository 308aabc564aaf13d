//! Inputs of the property tests: limits of chunks, and documents with an edit.

use passage_split::ChunkLimits;
use proptest::prelude::*;

/// Returns limits with a maximum in a range, or the default ones.
pub fn limits(max: std::ops::Range<usize>) -> impl Strategy<Value = ChunkLimits> {
    let own = max.prop_flat_map(|max| {
        (Just(max), 1..=max).prop_flat_map(|(max, preferred)| {
            let min = 0..=preferred;
            min.prop_map(move |min| ChunkLimits { min, preferred, max, window: max + 40 })
        })
    });
    prop_oneof![own, Just(ChunkLimits::CHARACTERS)]
}

/// Replaces some bytes of a text by a piece.
pub fn edited(text: &str, at: prop::sample::Index, length: usize, piece: &str) -> String {
    let start = text.floor_char_boundary(at.index(text.len() + 1));
    let end = text.floor_char_boundary((start + length).min(text.len()));
    [&text[..start], piece, &text[end..]].concat()
}
