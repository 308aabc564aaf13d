/*!
A model of expansion in memory, written as simply as possible.

It shares nothing with the extension: no probes, no indexes, no plan. Each rule reads every chunk of a
document. A rule that is a sentence of the design quotes that sentence.
*/

mod choice;
mod chunk;
mod claims;
pub mod coverage;
mod excerpt;
mod hit;
mod json;
mod links;
mod media_type;
mod parts;
mod passages;
mod purse;
mod strategy;

pub use choice::Choice;
pub use chunk::{Chunk, Document, Link, Section};
pub use hit::{Hit, Hits};
pub use passages::{OrderBy, Reassembly, ScoreBy, reassemble};
pub use strategy::{Limits, PRESETS, UserStrategy};

use claims::{State, Whole, record};

/// The result of an expansion.
pub struct Expansion<'a> {
    /// The chosen chunks.
    pub choice: Choice<'a>,
    /// For each hit, the whole unit that it was widened to.
    wholes: Vec<Option<Whole<'a>>>,
}

/// Expands hits by their context. Passages have bridges, if hits on both sides of a chunk may share one.
pub fn expand<'a>(hits: &[Hit<'a>], function: Option<&Reassembly>) -> Expansion<'a> {
    let has_bridges = function
        .is_some_and(|function| function.max_distance.is_none_or(|max_distance| max_distance >= 2));
    // Each round removes the whole units of hits that would be incomplete.
    let mut states = vec![State::default(); hits.len()];
    // "A budget cuts the context of a hit permanently, even if the hit falls back later."
    let mut cut_before = vec![false; hits.len()];
    loop {
        let wholes = claims::wholes(hits, &states);
        let mut choice =
            choice::choose(hits, &wholes, &claims::claims(hits, &wholes, has_bridges), has_bridges);
        let broken = json::broken(hits, &wholes, &choice);
        let rejected = json::rejected(hits, &wholes, &choice);
        if broken.is_empty() && rejected.is_empty() {
            for (i, hit) in hits.iter().enumerate() {
                let has_too_large = record::applies(hit) && record::candidates(hit).is_cut;
                choice.cut[i] |= cut_before[i] || states[i].is_cut || has_too_large;
            }
            return Expansion { choice, wholes };
        }
        for hit in broken {
            states[hit].has_fallen = true;
            cut_before[hit] |= choice.cut[hit];
        }
        for (hit, is_lost) in rejected {
            let candidates = record::candidates(&hits[hit]);
            let state = &mut states[hit];
            let is_required = candidates.scopes[state.rejected].is_required;
            // "A record that does not parse has no part that is certain."
            state.has_fallen |= is_required && !is_lost;
            state.is_cut |= is_required && is_lost;
            state.rejected += 1;
        }
    }
}
