//! `reassemble`: hits with their context as passages, best first.

use crate::expansion::passage_rows;
use crate::expansion::{self, PassageArguments};
use crate::expansion::{ExpandRequest, ResultKind};
use crate::server::types::{Json, JsonArray, Name, RawJsonb, UuidArray};
use passage_core::StrategyOverrides;
use pgrx::datum::{Range, Uuid};
use pgrx::iter::TableIterator;
use pgrx::pg_sys::panic::ErrorReport;
use pgrx::{default, name, pg_extern};

#[pg_extern(stable, parallel_restricted, schema = "passage")]
#[expect(clippy::too_many_arguments, clippy::type_complexity, reason = "those of the SQL function")]
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
    limits: default!(Option<Json>, "NULL"),
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
            name!(tokens, i32),
            name!(chunk_ids, UuidArray),
            name!(hit_ids, UuidArray),
            name!(first_line, Option<i32>),
            name!(last_line, Option<i32>),
            name!(spans, Vec<Range<i32>>),
            name!(citations, JsonArray),
            name!(truncated, bool),
            name!(complete, bool),
            name!(metadata, Option<RawJsonb>),
            name!(source_ids, Option<Vec<Option<String>>>),
        ),
    >,
    ErrorReport,
> {
    let passages = PassageArguments {
        max_distance,
        score_by,
        order_by,
        separator,
        gaps,
        mark_start,
        mark_end,
    };
    let (joining, options) = passages.parse(None)?;
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
    let kind = ResultKind::passages(imports.unwrap_or_default(), &joining);
    let rows = request.expand(kind, |expanded| passage_rows(&expanded, &joining, &options))?;
    Ok(TableIterator::new(rows))
}
