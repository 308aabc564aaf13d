//! Whole sections around a hit.

use super::Whole;
use crate::expansion::model::chunk::Chunk;
use crate::expansion::model::hit::Hit;

/// Returns the section of a hit with everything below it.
pub fn whole<'a>(hit: &Hit<'a>) -> Option<Whole<'a>> {
    let (ordinal, section) = (hit.chunk.ordinal?, hit.chunk.section.as_ref()?);
    let chunks = run(hit, ordinal, section);
    Some(Whole::unit(section.clone(), None, chunks))
}

/// "run(X) around o: going from o to each side over existing chunks in ordinal order as long as
/// prefix(X, chunk.section)."
pub fn run<'a>(hit: &Hit<'a>, ordinal: i64, section: &[String]) -> Vec<&'a Chunk> {
    let chunks = within_reach(hit, ordinal);
    let go_on = |(_, chunk): &&(i64, &'a Chunk)| chunk.is_below(section);
    let before = chunks.iter().rev().filter(|(other, _)| *other <= ordinal).take_while(go_on);
    let after = chunks.iter().filter(|(other, _)| *other > ordinal).take_while(go_on);
    before.chain(after).map(|(_, chunk)| *chunk).collect()
}

/// Returns the chunks of the document with `|distance| <= R`.
pub fn within_reach<'a>(hit: &Hit<'a>, ordinal: i64) -> Vec<(i64, &'a Chunk)> {
    let reach = hit.strategy.reach();
    let near = |(other, _): &(i64, &Chunk)| (other - ordinal).abs() <= reach;
    hit.document.in_order().into_iter().filter(near).collect()
}
