//! The hits of a call, best first.

use super::chunk::{Chunk, Document};
use super::links::{self, LinkedChunk};
use super::media_type;
use super::strategy::{Limits, Strategy, UserStrategy};
use uuid::Uuid;

/// A chunk that a search found, with its place in the list of hits.
pub struct Hit<'a> {
    pub document: &'a Document,
    pub chunk: &'a Chunk,
    pub score: Option<f64>,
    /// "Its rank by score (equal scores share one)."
    pub class: usize,
    pub strategy: Strategy,
    /// The chunks of the sections that its links lead to.
    pub linked: Vec<LinkedChunk<'a>>,
}

/// The hits of a call, and the strategy and limits for their context.
#[derive(Clone, Debug)]
pub struct Hits {
    pub ids: Vec<Option<Uuid>>,
    pub scores: Option<Vec<Option<f64>>>,
    pub strategy: String,
    pub limits: Limits,
}

impl Hits {
    /// Ranks the hits: higher is better, "one per id or NULL for none (then the order of the ids
    /// ranks them)". NULL ids and unknown ids are skipped; a repeated id counts once, with its best score.
    /// In a store without sections, `auto` is `adjacent`.
    pub fn rank<'a>(
        &self,
        documents: &[&'a Document],
        own: &[UserStrategy],
        has_sections: bool,
    ) -> Vec<Hit<'a>> {
        let mut hits: Vec<Hit<'a>> = Vec::new();
        for (i, id) in self.ids.iter().enumerate() {
            let score = self.scores.as_ref().and_then(|scores| scores[i]).filter(|s| !s.is_nan());
            let chunks = documents.iter().flat_map(|d| d.chunks.iter().map(move |c| (*d, c)));
            let Some((document, chunk)) = chunks.into_iter().find(|(_, c)| Some(c.id) == *id)
            else {
                continue;
            };
            if let Some(known) = hits.iter_mut().find(|hit| hit.chunk.id == chunk.id) {
                if score > known.score {
                    known.score = score;
                }
                continue;
            }
            let media_type = document.media_type.as_deref().unwrap_or(media_type::PLAIN);
            let strategy =
                Strategy::resolve(&self.strategy, &self.limits, media_type, own, has_sections);
            let linked = Vec::new();
            hits.push(Hit { document, chunk, score, class: 0, strategy, linked });
        }
        // Hits without a score come last; then the order of the ids decides.
        let worse = |a: &Hit, b: &Hit| b.score.partial_cmp(&a.score).expect("no score is NaN");
        hits.sort_by(worse);
        // "hits below this share of the best hit's score bring no context"
        let best = hits.first().and_then(|hit| hit.score).filter(|best| *best > 0.0);
        // "0 by default" lets every hit bring context, also one below 0.
        let share = self.limits.min_score.filter(|share| *share > 0.0);
        let least = share.zip(best).map(|(share, best)| share * best);
        for hit in &mut hits {
            if least.zip(hit.score).is_some_and(|(least, score)| score < least) {
                hit.strategy = hit.strategy.clone().alone();
            }
        }
        let linked: Vec<_> = hits.iter().map(|hit| links::of(&hits, hit, documents)).collect();
        for (hit, linked) in hits.iter_mut().zip(linked) {
            hit.linked = linked;
        }
        for i in 1..hits.len() {
            let shares = hits[i].score.is_some() && hits[i].score == hits[i - 1].score;
            hits[i].class = hits[i - 1].class + usize::from(!shares);
        }
        hits
    }
}
