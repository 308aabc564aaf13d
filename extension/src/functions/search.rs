//! `search`: the passages that answer a query, best first.

use crate::expansion::{self, PassageArguments};
use crate::search::BestPassages;
use crate::search::FusionArguments;
use crate::search::SearchRequest;
use crate::server::error::Error;
use crate::server::types::{Json, JsonArray, Name, RawJsonb, UuidArray};
use crate::store::{FilterArguments, SEARCH_KEYS, Store};
use passage_core::StrategyOverrides;
use passage_core::strategy::check_limit;
use pgrx::datum::{Range, Uuid};
use pgrx::iter::TableIterator;
use pgrx::pg_sys::panic::ErrorReport;
use pgrx::{default, name, pg_extern};

#[pg_extern(stable, parallel_restricted, schema = "passage")]
#[expect(clippy::too_many_arguments, clippy::type_complexity, reason = "those of the SQL function")]
fn search(
    query: default!(Option<String>, "NULL"),
    embedding: default!(Option<Vec<Option<f32>>>, "NULL"),
    mode: default!(Option<String>, "NULL"),
    max_passages: default!(Option<i32>, "10"),
    candidates: default!(Option<i32>, "NULL"),
    collection: default!(Option<String>, "NULL"),
    version: default!(Option<String>, "NULL"),
    uri_pattern: default!(Option<String>, "NULL"),
    media_type: default!(Option<String>, "NULL"),
    kind: default!(Option<String>, "NULL"),
    path: default!(Option<String>, "NULL"),
    metadata: default!(Option<Json>, "NULL"),
    min_similarity: default!(Option<f64>, "NULL"),
    include_orphaned: default!(Option<bool>, "false"),
    vector_weight: default!(Option<f64>, "1"),
    text_weight: default!(Option<f64>, "1"),
    rrf_k: default!(Option<i32>, "NULL"),
    strategy: default!(Option<String>, "NULL"),
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
    filter: default!(Option<Json>, "NULL"),
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
    let count = check_limit("max_passages", max_passages.unwrap_or(10)).map_err(Error::from)?;
    let passages = PassageArguments {
        max_distance,
        score_by,
        order_by,
        separator,
        gaps,
        mark_start,
        mark_end,
    };
    let (joining, text) = passages.parse(Some(count as usize))?;
    let filters = FilterArguments {
        collection,
        version,
        uri: None,
        uri_pattern,
        media_type,
        kind,
        path,
        metadata,
        min_similarity,
        include_orphaned: include_orphaned.unwrap_or_default(),
    }
    .with_filter(filter, SEARCH_KEYS)?;
    let fusion = FusionArguments { vector_weight, text_weight, rrf_k };
    let search = SearchRequest { query, embedding, mode, candidates, filters, fusion };
    let overrides = StrategyOverrides { max_tokens, max_chunks, ..StrategyOverrides::default() };
    let overrides = expansion::limits(overrides, limits)?;
    let passages = BestPassages {
        search,
        strategy: expansion::strategy(strategy, overrides),
        joining,
        text,
        imports: imports.unwrap_or_default(),
        count,
    };
    Ok(TableIterator::new(passages.rows(&Store::resolve(store)?)?))
}
