/*!
A model of expansion in memory, written as simply as possible.

It shares nothing with the extension: no probes, no indexes, no plan. Each rule reads every chunk of a
document. A rule that is a sentence of the design quotes that sentence.
*/

mod choice;
mod chunk;
mod claims;
pub mod coverage;
mod hit;
mod json;
mod media_type;
mod parts;
mod passages;
mod strategy;

pub use choice::Choice;
pub use chunk::{Chunk, Document, Section};
pub use hit::{Hit, Hits};
pub use passages::{OrderBy, Reassembly, ScoreBy, reassemble};
pub use strategy::{Limits, PRESETS, UserStrategy};

use claims::Whole;

/// The result of an expansion.
pub struct Expansion<'a> {
    /// The chosen chunks.
    pub choice: Choice<'a>,
    /// For each hit, the whole unit that it was widened to.
    wholes: Vec<Option<Whole<'a>>>,
}

/// Expands hits by their context.
pub fn expand<'a>(hits: &[Hit<'a>]) -> Expansion<'a> {
    // Each round removes the containers of hits whose JSON would be incomplete.
    let mut fallen = vec![false; hits.len()];
    // "A budget cuts the context of a hit permanently, even if the hit falls back later."
    let mut cut_before = vec![false; hits.len()];
    loop {
        let wholes = claims::wholes(hits, &fallen);
        let mut choice = choice::choose(hits, &wholes, &claims::claims(hits, &wholes));
        let broken = json::broken(hits, &wholes, &choice);
        if broken.is_empty() {
            choice.cut.iter_mut().zip(cut_before).for_each(|(cut, before)| *cut |= before);
            return Expansion { choice, wholes };
        }
        for hit in broken {
            fallen[hit] = true;
            cut_before[hit] |= choice.cut[hit];
        }
    }
}
