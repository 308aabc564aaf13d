//! `explain_context`: why each chunk is or is not in the context.

use crate::expansion;
use crate::expansion::{ExpandRequest, ExpandedContext, ResultKind};
use crate::server::types::{Json, Name, RawText, TextArray, integer, to_sql};
use passage_core::StrategyOverrides;
use passage_core::expand::{BudgetDecision, Role, Rule, SelectedChunk, Verdict};
use passage_split::interrupt::poll_periodically as pause;
use pgrx::datum::Uuid;
use pgrx::iter::TableIterator;
use pgrx::pg_sys::panic::ErrorReport;
use pgrx::{default, name, pg_extern};
use std::collections::{HashMap, HashSet};

#[pg_extern(stable, parallel_restricted, schema = "passage")]
#[expect(clippy::too_many_arguments, clippy::type_complexity, reason = "those of the SQL function")]
fn explain_context(
    chunk_ids: Option<Vec<Option<Uuid>>>,
    scores: default!(Option<Vec<Option<f64>>>, "NULL"),
    strategy: default!(Option<String>, "NULL"),
    parents: default!(Option<i32>, "NULL"),
    preceding: default!(Option<i32>, "NULL"),
    following: default!(Option<i32>, "NULL"),
    children: default!(Option<i32>, "NULL"),
    before: default!(Option<i32>, "NULL"),
    after: default!(Option<i32>, "NULL"),
    windows: default!(Option<Json>, "NULL"),
    siblings: default!(Option<String>, "NULL"),
    within: default!(Option<String>, "NULL"),
    threshold: default!(Option<f64>, "NULL"),
    count_by: default!(Option<String>, "NULL"),
    max_tokens: default!(Option<i32>, "NULL"),
    max_chunks: default!(Option<i32>, "NULL"),
    store: default!(Option<Name>, "NULL"),
    limits: default!(Option<Json>, "NULL"),
) -> Result<
    TableIterator<
        'static,
        (
            name!(hit, i32),
            name!(kept, bool),
            name!(role, &'static str),
            name!(rule, &'static str),
            name!(distance, Option<i32>),
            name!(ordinal, Option<i32>),
            name!(section, Option<TextArray>),
            name!(tokens, Option<i32>),
            name!(tokens_so_far, Option<i32>),
            name!(cut_by, Option<&'static str>),
            name!(chunk_id, Uuid),
            name!(hit_id, Uuid),
            name!(source_id, Option<RawText>),
        ),
    >,
    ErrorReport,
> {
    let overrides = StrategyOverrides {
        parents,
        preceding,
        following,
        children,
        before,
        after,
        windows: windows.map(Json::into_windows).transpose()?,
        siblings,
        within,
        threshold,
        count_by,
        max_tokens,
        max_chunks,
        ..StrategyOverrides::default()
    };
    let overrides = expansion::limits(overrides, limits)?;
    let request = ExpandRequest { chunk_ids, scores, strategy, overrides, store };
    Ok(TableIterator::new(request.expand(ResultKind::Explanation, |expanded| rows(&expanded))?))
}

/// A chunk that was considered, as the columns of the function.
type ExplanationRow = (
    i32,
    bool,
    &'static str,
    &'static str,
    Option<i32>,
    Option<i32>,
    Option<TextArray>,
    Option<i32>,
    Option<i32>,
    Option<&'static str>,
    Uuid,
    Uuid,
    Option<RawText>,
);

/// Returns the rows: the chunks that were considered, then the hits that were not found.
fn rows(expanded: &ExpandedContext) -> Vec<ExplanationRow> {
    let ExpandedContext { scored, stored_hits, selected, .. } = expanded;
    let positions = scored.iter().zip(1..).map(|(hit, position)| (hit.chunk, position)).collect();
    let considered = selected.considered.iter().enumerate().map(|(index, considered)| {
        pause(index);
        row(expanded, &positions, considered)
    });
    let is_found: HashSet<_> = stored_hits.iter().map(|hit| hit.scored.chunk).collect();
    let missing = scored.iter().zip(1..).filter(|(hit, _)| !is_found.contains(&hit.chunk));
    let missing = missing.map(|(hit, position)| {
        let id = to_sql(hit.chunk);
        let reason = Some("not found or not visible");
        let names = (Role::Hit.name(), Rule::Hit.name());
        (position, false, names.0, names.1, None, None, None, None, None, reason, id, id, None)
    });
    considered.chain(missing).collect()
}

fn row(
    expanded: &ExpandedContext,
    positions: &HashMap<uuid::Uuid, i32>,
    considered: &BudgetDecision,
) -> ExplanationRow {
    let ExpandedContext { stored_hits, chunks, selected, .. } = expanded;
    let BudgetDecision { chunk: selected_chunk, verdict, tokens_before } = considered;
    let columns = &chunks.chunk_rows[selected_chunk.row];
    let kept = *verdict == Verdict::Kept;
    let hit = stored_hits[selected_chunk.hit].scored.chunk;
    let own = if kept { columns.tokens } else { 0 };
    (
        positions[&hit],
        kept,
        selected_chunk.role.name(),
        rule(selected_chunk, selected.fell_back[selected_chunk.hit]),
        Some(selected_chunk.distance),
        columns.ordinal,
        Some(chunks.chunk(selected_chunk.row).raw_section()),
        Some(columns.tokens as i32),
        Some(integer((tokens_before + u64::from(own)) as i64)),
        cut_by(*verdict),
        to_sql(columns.chunk),
        to_sql(hit),
        chunks.chunk(selected_chunk.row).source_id(),
    )
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
