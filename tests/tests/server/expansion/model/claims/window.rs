//! Windows: the neighbors of a hit.

use crate::expansion::model::chunk::Chunk;
use crate::expansion::model::hit::Hit;

/// Returns the chunks around a hit "by ORDINAL distance: o - before <= ordinal < o, and after; width by the
/// hit's kind". `within` filters them afterwards.
pub fn of<'a>(hit: &Hit<'a>, ordinal: i64) -> Vec<&'a Chunk> {
    let strategy = &hit.strategy;
    let kind = match hit.chunk.kind.as_deref() {
        Some("code") => 1,
        Some("api-reference") => 2,
        _ => 0,
    };
    let (before, after) = (strategy.before[kind], strategy.after[kind]);
    // "Document = all; parent = chunk must have prefix s[..len-1]; section = prefix s." The root contains
    // every chunk, also one with an unknown section.
    let section = hit.chunk.section.as_deref().unwrap_or_default();
    let bound = match strategy.within {
        "document" => &[],
        "parent" => &section[..section.len().saturating_sub(1)],
        _ => section,
    };
    let chunks = hit.document.in_order().into_iter();
    chunks
        .filter(|(other, _)| *other != ordinal)
        .filter(|(other, _)| (ordinal - before..=ordinal + after).contains(other))
        .filter(|(_, chunk)| bound.is_empty() || chunk.is_below(bound))
        .map(|(_, chunk)| chunk)
        .collect()
}
