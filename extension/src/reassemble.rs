//! `reassemble`: hits with their context as passages, best first.

mod writing;

use crate::call::{Call, Expanded, Extent, Taking};
use crate::error::Error;
use crate::types::{Json, JsonArray, Name, RawJsonb, UuidArray, to_sql};
use passage_core::expand::{LazyColumns, Rule, SelectedChunk};
use passage_core::reassemble::{OrderBy, Passage, PassageOptions, ScoreBy, reassemble as cluster};
use passage_core::{StrategyOverrides, section, strategy};
use pgrx::datum::{Range, Uuid};
use pgrx::iter::TableIterator;
use pgrx::pg_sys::panic::ErrorReport;
use pgrx::{default, name, pg_extern};
pub use writing::Writing;
use writing::{citations, paused, text};

#[pg_extern(stable, parallel_restricted, schema = "passage")]
#[expect(clippy::too_many_arguments, clippy::type_complexity, reason = "one for each in SQL")]
fn reassemble(
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
    max_distance: default!(Option<i32>, "3"),
    score_by: default!(Option<String>, "'max'"),
    order_by: default!(Option<String>, "'score'"),
    separator: default!(Option<String>, "NULL"),
    gaps: default!(Option<String>, "NULL"),
    imports: default!(Option<bool>, "false"),
    mark_start: default!(Option<String>, "NULL"),
    mark_end: default!(Option<String>, "NULL"),
    store: default!(Option<Name>, "NULL"),
) -> Result<
    TableIterator<
        'static,
        (
            name!(rank, i32),
            name!(score, Option<f64>),
            name!(document_id, Uuid),
            name!(collection, Option<String>),
            name!(version, Option<String>),
            name!(uri, Option<String>),
            name!(title, Option<String>),
            name!(media_type, Option<String>),
            name!(section, Vec<String>),
            name!(content, String),
            name!(tokens, i64),
            name!(chunk_ids, UuidArray),
            name!(hit_ids, UuidArray),
            name!(first_line, Option<i32>),
            name!(last_line, Option<i32>),
            name!(spans, Vec<Range<i32>>),
            name!(citations, JsonArray),
            name!(truncated, bool),
            name!(complete, bool),
            name!(metadata, Option<RawJsonb>),
        ),
    >,
    ErrorReport,
> {
    let joining = joining(max_distance, score_by.as_deref(), order_by.as_deref())?;
    let writing = Writing::new(separator, gaps.as_deref(), [mark_start, mark_end])?;
    let overrides = StrategyOverrides {
        parents,
        preceding,
        following,
        children,
        before,
        after,
        windows: windows.map(Json::value).transpose()?,
        siblings,
        within,
        threshold,
        count_by,
        max_tokens,
        max_chunks,
    };
    let call = Call { chunk_ids, scores, strategy, overrides, store };
    let extent = Extent::Passage { imports: imports.unwrap_or_default() };
    let rows = call.expand(extent, Taking::All, |expanded| rows(&expanded, &joining, &writing))?;
    Ok(TableIterator::new(rows))
}

/// A passage, as the columns of the function.
pub type Row = (
    i32,
    Option<f64>,
    Uuid,
    Option<String>,
    Option<String>,
    Option<String>,
    Option<String>,
    Option<String>,
    Vec<String>,
    String,
    i64,
    UuidArray,
    UuidArray,
    Option<i32>,
    Option<i32>,
    Vec<Range<i32>>,
    JsonArray,
    bool,
    bool,
    Option<RawJsonb>,
);

/// Takes how passages are made and ordered.
pub fn joining(
    max_distance: Option<i32>,
    score_by: Option<&str>,
    order_by: Option<&str>,
) -> Result<PassageOptions, Error> {
    Ok(PassageOptions {
        max_distance: max_distance
            .map(|most| strategy::check_limit("max_distance", most))
            .transpose()?,
        score_by: ScoreBy::from_name(score_by.unwrap_or("max"))?,
        order_by: OrderBy::from_name(order_by.unwrap_or("score"))?,
        max_passages: None,
    })
}

/// Makes the rows of what was chosen.
pub fn rows(expanded: &Expanded, joining: &PassageOptions, writing: &Writing) -> Vec<Row> {
    let Expanded { found, hits, chunks, selection, .. } = expanded;
    let scores: Vec<_> = found.iter().map(|hit| hit.scored.score).collect();
    let passages = cluster(hits, &scores, &chunks.outlines, selection, joining);
    passages.iter().map(|passage| row(expanded, passage, writing)).collect()
}

fn row(expanded: &Expanded, passage: &Passage, writing: &Writing) -> Row {
    let Expanded { found, chunks, selection, .. } = expanded;
    let picks: Vec<&SelectedChunk> =
        passage.chunks.iter().map(|pick| &selection.chunks[*pick]).collect();
    let outlines = || paused(&picks).map(|pick| &chunks.outlines[pick.row]);
    let best = &found[passage.hits[0]];
    let document = &best.document;

    let mut assembly = text(expanded, &picks, &document.media_type(), writing);
    let titles = |pick: &SelectedChunk| chunks.section(pick.row).unwrap_or_default();
    // Imports that came along stand elsewhere.
    let told = || paused(&picks).filter(|pick| pick.rule != Rule::Imports);
    let mut section = told().next().map(|pick| titles(pick)).unwrap_or_default();
    for pick in told() {
        // Most chunks of a long passage have nothing in common but the root.
        if !section.is_empty() {
            section.truncate(section::common_prefix(&section, &titles(pick)).len());
        }
    }
    let lines = || paused(&picks).map(|pick| chunks.chunk(pick.row).lines());
    (
        passage.rank as i32,
        passage.score,
        to_sql(document.id),
        document.collection.clone(),
        document.version.clone(),
        document.uri.clone(),
        document.title.clone(),
        document.media_type.clone(),
        section,
        std::mem::take(&mut assembly.text),
        outlines().map(|outline| i64::from(outline.tokens)).sum(),
        outlines().map(|outline| outline.chunk).collect(),
        passage.hits.iter().map(|hit| found[*hit].scored.chunk).collect(),
        lines().filter_map(|(first, _)| first).min(),
        lines().filter_map(|(_, last)| last).max(),
        assembly.spans.iter().map(|span| Range::from(span.clone())).collect(),
        citations(expanded, &picks, &assembly),
        passage.truncated,
        passage.complete,
        document.metadata,
    )
}
