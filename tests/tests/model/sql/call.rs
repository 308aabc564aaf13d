//! What the model answers to a call, in the lines that the server's answer is compared with.

use super::show;
use crate::model::{Document, Own, expand, reassemble};
use crate::random::{Asked, Call};

impl Call {
    /// The function that is called.
    pub fn function(&self) -> &'static str {
        match self.asked {
            Asked::Expansion => "expand_contexts",
            Asked::Passages(_) => "reassemble",
        }
    }
}

/// The model's answer, where the documents are those of the call.
pub fn expected(call: &Call, documents: &[&Document], own: &[Own]) -> Vec<String> {
    let hits = call.hits.rank(documents, own);
    let expansion = expand(&hits);
    match &call.asked {
        Asked::Expansion => {
            let rows = expansion.choice.rows.iter();
            rows.map(|row| {
                let role = format!("{:?}", row.role).to_lowercase();
                let hit = &hits[row.hit];
                // "score*0.5/max(|distance|,1)", and of a hit its score.
                let decay = |score| score * 0.5 / row.distance.abs().max(1) as f64;
                let decayed = if role == "hit" { hit.score } else { hit.score.map(decay) };
                let distance = row.distance as i32;
                show::context(row.chunk.id, &role, distance, hit.chunk.id, hit.score, decayed)
            })
            .collect()
        }
        Asked::Passages(asked) => reassemble(&hits, &expansion, asked)
            .iter()
            .map(|passage| {
                let flags = [passage.truncated, passage.complete];
                let (rank, score) = (passage.rank as i32, passage.score);
                show::passage(rank, score, passage.document, &passage.chunks, &passage.hits, flags)
            })
            .collect(),
    }
}
