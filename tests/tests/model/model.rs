/*!
What expansion means, in memory and as plain as it can be said.

It shares nothing with the extension: no probes, no indexes, no plan. Each rule looks at every chunk
of a document. Where a rule is a sentence of the design, that sentence stands beside it.
*/

mod choice;
mod chunk;
mod claims;
mod hit;
mod json;
mod media_type;
pub mod met;
mod passages;
mod strategy;

pub use choice::Choice;
pub use chunk::{Chunk, Document, Section};
pub use hit::{Hit, Hits};
pub use passages::{OrderBy, Reassembly, ScoreBy, reassemble};
pub use strategy::{Limits, Own, PRESETS};

use claims::Whole;

/// What a call of any expanding function comes to.
pub struct Expansion<'a> {
    /// What comes back.
    pub choice: Choice<'a>,
    /// For each hit, what came as a whole with it.
    wholes: Vec<Option<Whole<'a>>>,
}

/// Gives hits their context.
pub fn expand<'a>(hits: &[Hit<'a>]) -> Expansion<'a> {
    // Each round takes their containers from hits whose JSON would be in pieces.
    let mut fallen = vec![false; hits.len()];
    // "What a budget cut before its hits fell back was cut all the same."
    let mut cut_before = vec![false; hits.len()];
    loop {
        let wholes = claims::wholes(hits, &fallen);
        let mut choice = choice::choose(hits, &claims::claims(hits, &wholes));
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
