//! `explain_context`: why each chunk is or is not in the context.

use crate::expansion::{
    self, ExpandRequest, ExpandedContext, Explanation, ResultKind, explanations,
};
use crate::server::types::{Json, Name, RawText, TextArray, to_sql};
use crate::store::StoredChunk;
use pgrx::datum::Uuid;
use pgrx::iter::TableIterator;
use pgrx::pg_sys::panic::ErrorReport;
use pgrx::{default, name, pg_extern};
use std::collections::HashSet;

#[pg_extern(stable, parallel_restricted, schema = "passage")]
#[expect(clippy::type_complexity, reason = "pgrx reads the columns from the signature")]
fn explain_context(
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
    let overrides = expansion::limits(max_tokens, max_chunks, limits)?;
    let request =
        ExpandRequest { chunk_ids, scores, strategy, overrides, skip: HashSet::new(), store };
    let rows = |expanded: ExpandedContext| {
        let rows = explanations(&expanded).into_iter().map(|one| row(&expanded, one));
        (rows.collect::<Vec<_>>(), 0)
    };
    Ok(TableIterator::new(request.expand(ResultKind::Explanation, rows)?))
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

fn row(expanded: &ExpandedContext, explanation: Explanation) -> ExplanationRow {
    let chunk = explanation.row.map(|row| expanded.chunks.chunk(row));
    (
        explanation.hit,
        explanation.kept,
        explanation.role,
        explanation.rule,
        explanation.distance,
        explanation.ordinal,
        chunk.as_ref().map(StoredChunk::raw_section),
        explanation.tokens,
        explanation.tokens_so_far,
        explanation.cut_by,
        to_sql(explanation.chunk_id),
        to_sql(explanation.hit_id),
        chunk.as_ref().and_then(StoredChunk::source_id),
    )
}
