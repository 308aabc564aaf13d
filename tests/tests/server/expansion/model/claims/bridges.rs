//! Bridges: "the single chunk between two hits of prose", which a passage has before other context.

use crate::expansion::model::chunk::Chunk;
use crate::expansion::model::hit::Hit;
use crate::expansion::model::strategy::WholeOf;

/// Returns the bridges beside a hit.
pub fn of<'a>(hits: &[Hit<'a>], hit: &Hit<'a>) -> Vec<&'a Chunk> {
    let chunks = hit.document.in_order();
    chunks.iter().filter(|(at, _)| is_bridge(hits, hit, *at)).map(|(_, chunk)| *chunk).collect()
}

/// Returns whether a chunk of the document of a hit is between it and another hit.
pub fn is_bridge(hits: &[Hit], hit: &Hit, ordinal: i64) -> bool {
    let is_hit =
        |hit: &&Hit, document, at| hit.document.id == document && hit.chunk.ordinal == Some(at);
    let at = |at| hits.iter().find(|other| is_hit(other, hit.document.id, at));
    let Some(own) = hit.chunk.ordinal else { return false };
    let is_beside = (own - ordinal).abs() == 1 && at(ordinal).is_none();
    is_beside && [at(ordinal - 1), at(ordinal + 1)].iter().all(|side| side.is_some_and(joins))
}

/// "Its text is prose, and its strategy adds context."
fn joins(hit: &Hit) -> bool {
    let strategy = &hit.strategy;
    let kin = &strategy.kin;
    let numbers = [kin.parents, kin.preceding, kin.following, kin.children];
    let windows = strategy.before.iter().chain(&strategy.after);
    !matches!(hit.chunk.kind.as_deref(), Some("code" | "data"))
        && (strategy.whole != WholeOf::Nothing
            || numbers.iter().chain(windows).any(|number| *number > 0))
}
