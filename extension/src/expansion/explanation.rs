//! Why each chunk is or is not in the context: the rows of `explain_context`, and the column `explanation` of passages.
//!
//! Its twin in SQL is `sql/edition/functions/explain_context.sql`.

use super::request::ExpandedContext;
use crate::server::types::{Json, integer};
use passage_core::expand::{BudgetDecision, LazyColumns, Role, Rule, SelectedChunk, Verdict};
use passage_split::interrupt::poll_periodically as pause;
use serde::Serialize;
use std::collections::{HashMap, HashSet};
use uuid::Uuid;

/// A chunk that expansion considered, or a hit that was not found.
#[derive(Serialize)]
pub struct Explanation {
    /// The position of its hit among the hits, from 1.
    pub hit: i32,
    pub kept: bool,
    pub role: &'static str,
    pub rule: &'static str,
    pub distance: Option<i32>,
    pub ordinal: Option<i32>,
    /// Its row, by which its other columns are read.
    #[serde(skip)]
    pub row: Option<usize>,
    pub tokens: Option<i32>,
    pub tokens_so_far: Option<i32>,
    pub cut_by: Option<&'static str>,
    pub chunk_id: Uuid,
    pub hit_id: Uuid,
}

/// Returns the chunks that were considered, in the order in which the budget was spent, then the hits that were not found.
pub fn explanations(expanded: &ExpandedContext) -> Vec<Explanation> {
    let ExpandedContext { scored, stored_hits, selected, .. } = expanded;
    let positions = scored.iter().zip(1..).map(|(hit, position)| (hit.chunk, position)).collect();
    let considered = selected.considered.iter().enumerate().map(|(index, considered)| {
        pause(index);
        explanation(expanded, &positions, considered)
    });
    let is_found: HashSet<_> = stored_hits.iter().map(|hit| hit.scored.chunk).collect();
    let missing = scored.iter().zip(1..).filter(|(hit, _)| !is_found.contains(&hit.chunk));
    let missing = missing.map(|(hit, position)| Explanation {
        hit: position,
        kept: false,
        role: Role::Hit.name(),
        rule: Rule::Hit.name(),
        distance: None,
        ordinal: None,
        row: None,
        tokens: None,
        tokens_so_far: None,
        cut_by: Some("not found or not visible"),
        chunk_id: hit.chunk,
        hit_id: hit.chunk,
    });
    considered.chain(missing).collect()
}

/// Returns the chunks that were considered for each hit, as JSON objects with the columns of `explain_context`.
pub fn explanations_by_hit(expanded: &ExpandedContext) -> HashMap<Uuid, Vec<String>> {
    let mut by_hit: HashMap<Uuid, Vec<String>> = HashMap::new();
    for (index, explanation) in explanations(expanded).into_iter().enumerate() {
        pause(index);
        let Some(row) = explanation.row else { continue };
        let hit = explanation.hit_id;
        let object = JsonExplanation {
            section: expanded.chunks.section(row).unwrap_or_default(),
            source_id: expanded.chunks.chunk(row).source_id_text(),
            explanation,
        };
        let json = serde_json::to_string(&object).expect("an explanation is JSON");
        by_hit.entry(hit).or_default().push(json);
    }
    by_hit
}

/// Returns the explanations of the hits of a passage.
pub fn explanation_of(by_hit: &HashMap<Uuid, Vec<String>>, hits: &[Uuid]) -> Json {
    let objects: Vec<_> = hits.iter().filter_map(|hit| by_hit.get(hit)).flatten().collect();
    Json::array(&objects.iter().map(|object| object.as_str()).collect::<Vec<_>>())
}

#[derive(Serialize)]
struct JsonExplanation {
    #[serde(flatten)]
    explanation: Explanation,
    section: Vec<String>,
    source_id: Option<String>,
}

fn explanation(
    expanded: &ExpandedContext,
    positions: &HashMap<Uuid, i32>,
    considered: &BudgetDecision,
) -> Explanation {
    let ExpandedContext { stored_hits, chunks, selected, .. } = expanded;
    let BudgetDecision { chunk: selected_chunk, verdict, tokens_before } = considered;
    let columns = &chunks.chunk_rows[selected_chunk.row];
    let kept = *verdict == Verdict::Kept;
    let hit = stored_hits[selected_chunk.hit].scored.chunk;
    let own = if kept { columns.tokens } else { 0 };
    Explanation {
        hit: positions[&hit],
        kept,
        role: selected_chunk.role.name(),
        rule: rule(selected_chunk, selected.fell_back[selected_chunk.hit]),
        distance: Some(selected_chunk.distance),
        ordinal: columns.ordinal,
        row: Some(selected_chunk.row),
        tokens: Some(columns.tokens as i32),
        tokens_so_far: Some(integer((tokens_before + u64::from(own)) as i64)),
        cut_by: cut_by(*verdict),
        chunk_id: columns.chunk,
        hit_id: hit,
    }
}

/// Returns the words for a rule. A rule that replaces a missing container is marked.
fn rule(selected_chunk: &SelectedChunk, fell_back: bool) -> &'static str {
    match selected_chunk.rule {
        Rule::Parents if fell_back => "parents, nothing whole",
        Rule::Preceding if fell_back => "preceding, nothing whole",
        Rule::Following if fell_back => "following, nothing whole",
        Rule::Children if fell_back => "children, nothing whole",
        rule => rule.name(),
    }
}

/// Returns the words for the limit that cut a chunk.
fn cut_by(verdict: Verdict) -> Option<&'static str> {
    match verdict {
        Verdict::Kept => None,
        Verdict::MaxTokens => Some("max_tokens"),
        Verdict::MaxPassageTokens => Some("max_passage_tokens"),
        Verdict::MaxChunks => Some("max_chunks"),
        Verdict::NearerChunkCut => Some("a nearer chunk of the hit was cut"),
    }
}
