//! The model's answer to a call, in lines that are compared with those of the server.

use super::{Store, display};
use crate::expansion::model::{Document, expand, reassemble};
use crate::expansion::random::{Call, Function};

impl Call {
    /// Returns the name of the called function.
    pub fn function(&self) -> &'static str {
        match self.function {
            Function::Expansion => "expand_contexts",
            Function::Passages(_) => "reassemble",
        }
    }
}

/// Returns the model's answer about the documents of the call.
pub fn expected(call: &Call, documents: &[&Document], given: &Store) -> Vec<String> {
    let mut hits = call.hits.clone();
    hits.limits.links = hits.limits.links.filter(|_| given.has_links());
    let hits = hits.rank(documents, &given.own, given.has_sections);
    let function = match &call.function {
        Function::Expansion => None,
        Function::Passages(function) => Some(function),
    };
    let expansion = expand(&hits, function);
    match &call.function {
        Function::Expansion => {
            let rows = expansion.choice.rows.iter();
            rows.map(|row| {
                let role = format!("{:?}", row.role).to_lowercase();
                let hit = &hits[row.hit];
                // "score*0.5/max(|distance|,1)", and the score itself for a hit.
                let decay = |score| score * 0.5 / row.distance.abs().max(1) as f64;
                let decayed = if role == "hit" { hit.score } else { hit.score.map(decay) };
                let distance = row.distance as i32;
                display::context(row.chunk.id, &role, distance, hit.chunk.id, hit.score, decayed)
            })
            .collect()
        }
        Function::Passages(function) => reassemble(&hits, &expansion, function)
            .iter()
            .map(|passage| {
                let flags = [passage.truncated, passage.complete];
                let (rank, score) = (passage.rank as i32, passage.score);
                display::passage(
                    rank,
                    score,
                    passage.document,
                    &passage.chunks,
                    &passage.hits,
                    flags,
                )
            })
            .collect(),
    }
}
