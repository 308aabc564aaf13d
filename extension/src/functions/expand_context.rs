//! `expand_context` and `expand_contexts`: the context of hits, one row for each chunk.

use crate::expansion;
use crate::expansion::{ExpandRequest, ExpandedContext, ResultKind};
use crate::server::types::{Json, Ltree, Name, RawText, TextArray, integer, to_sql};
use passage_core::expand::{Role, SelectedChunk};
use passage_split::interrupt::poll_periodically as pause;
use pgrx::datum::Uuid;
use pgrx::iter::TableIterator;
use pgrx::pg_sys::panic::ErrorReport;
use pgrx::{default, name, pg_extern};
use std::collections::HashSet;

/// A row of context, as the columns of both functions.
type Context = (
    Uuid,
    Uuid,
    Option<i32>,
    &'static str,
    i32,
    Uuid,
    Option<f64>,
    Option<f64>,
    Option<i32>,
    TextArray,
    Option<Ltree>,
    i32,
    RawText,
    Option<RawText>,
    i32,
);

#[pg_extern(stable, parallel_restricted, schema = "passage")]
#[expect(clippy::type_complexity, reason = "pgrx reads the columns from the signature")]
fn expand_context(
    chunk_id: Option<Uuid>,
    strategy: default!(Option<String>, "NULL"),
    max_tokens: default!(Option<i32>, "NULL"),
    max_chunks: default!(Option<i32>, "NULL"),
    limits: default!(Option<Json>, "NULL"),
    store: default!(Option<Name>, "NULL"),
) -> Result<
    TableIterator<
        'static,
        (
            name!(chunk_id, Uuid),
            name!(document_id, Uuid),
            name!(ordinal, Option<i32>),
            name!(role, &'static str),
            name!(distance, i32),
            name!(hit_id, Uuid),
            name!(score, Option<f64>),
            name!(decayed_score, Option<f64>),
            name!(level, Option<i32>),
            name!(section, TextArray),
            name!(path, Option<Ltree>),
            name!(tokens, i32),
            name!(content, RawText),
            name!(source_id, Option<RawText>),
            name!(cut, i32),
        ),
    >,
    ErrorReport,
> {
    let overrides = expansion::limits(max_tokens, max_chunks, limits)?;
    let request = ExpandRequest {
        chunk_ids: Some(vec![chunk_id]),
        scores: None,
        strategy,
        overrides,
        skip: HashSet::new(),
        store,
    };
    Ok(TableIterator::new(request.expand(ResultKind::Context, rows)?))
}

#[pg_extern(stable, parallel_restricted, schema = "passage")]
#[expect(clippy::type_complexity, reason = "pgrx reads the columns from the signature")]
fn expand_contexts(
    chunk_ids: Option<Vec<Option<Uuid>>>,
    scores: default!(Option<Vec<Option<f64>>>, "NULL"),
    strategy: default!(Option<String>, "NULL"),
    max_tokens: default!(Option<i32>, "NULL"),
    max_chunks: default!(Option<i32>, "NULL"),
    limits: default!(Option<Json>, "NULL"),
    store: default!(Option<Name>, "NULL"),
) -> Result<
    TableIterator<
        'static,
        (
            name!(chunk_id, Uuid),
            name!(document_id, Uuid),
            name!(ordinal, Option<i32>),
            name!(role, &'static str),
            name!(distance, i32),
            name!(hit_id, Uuid),
            name!(score, Option<f64>),
            name!(decayed_score, Option<f64>),
            name!(level, Option<i32>),
            name!(section, TextArray),
            name!(path, Option<Ltree>),
            name!(tokens, i32),
            name!(content, RawText),
            name!(source_id, Option<RawText>),
            name!(cut, i32),
        ),
    >,
    ErrorReport,
> {
    let overrides = expansion::limits(max_tokens, max_chunks, limits)?;
    let request =
        ExpandRequest { chunk_ids, scores, strategy, overrides, skip: HashSet::new(), store };
    Ok(TableIterator::new(request.expand(ResultKind::Context, rows)?))
}

/// Returns the rows of the selected chunks, which have no tokens beside those that were selected.
fn rows(expanded: ExpandedContext) -> (Vec<Context>, u64) {
    let ExpandedContext { stored_hits, chunks, selected, .. } = &expanded;
    let row = |selected_chunk: &SelectedChunk| {
        let columns = &chunks.chunk_rows[selected_chunk.row];
        let chunk = chunks.chunk(selected_chunk.row);
        let hit = &stored_hits[selected_chunk.hit];
        let score = hit.scored.score;
        (
            to_sql(columns.chunk),
            to_sql(expanded.document_of(selected_chunk).id),
            columns.ordinal,
            selected_chunk.role.name(),
            selected_chunk.distance,
            to_sql(hit.scored.chunk),
            score,
            score.map(|score| decayed(score, selected_chunk)),
            chunk.level(),
            chunk.raw_section(),
            chunk.path(),
            columns.tokens as i32,
            chunk.raw_content(),
            chunk.source_id(),
            integer(selected.cut_tokens[selected_chunk.hit] as i64),
        )
    };
    let selected_chunks = selected.chunks.iter().enumerate();
    let rows = selected_chunks.map(|(index, selected_chunk)| {
        pause(index);
        row(selected_chunk)
    });
    (rows.collect(), 0)
}

/// Returns the score of a chunk of context (seed 002): half of the hit's score, divided by the distance.
/// A distance of 0 counts as 1.
fn decayed(score: f64, selected_chunk: &SelectedChunk) -> f64 {
    match selected_chunk.role {
        Role::Hit => score,
        _ => score * 0.5 / f64::from(selected_chunk.distance.unsigned_abs().max(1)),
    }
}
