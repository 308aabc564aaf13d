//! `reassemble`: hits with their context as passages, best first.

use crate::expansion::{
    self, ExpandRequest, ExpandedContext, ResultKind, passage_rows, scored_hits, skipped,
};
use crate::search::PassageChooser;
use crate::server::error::Error;
use crate::server::spi;
use crate::server::types::{Json, Name, ObjectArray, RawJsonb, UuidArray};
use crate::store::Store;
use passage_core::arguments::{OUTPUT, Output, RANKING, Ranking};
use passage_core::strategy::check_limit;
use pgrx::datum::{Range, Uuid};
use pgrx::iter::TableIterator;
use pgrx::pg_sys::panic::ErrorReport;
use pgrx::{default, name, pg_extern};

/// The keys of `ranking` that only a search uses.
const OF_SEARCH: &[&str] =
    &["mode", "candidates", "vector_weight", "text_weight", "rrf_k", "feedback"];

#[pg_extern(stable, parallel_restricted, schema = "passage")]
#[expect(clippy::too_many_arguments, clippy::type_complexity, reason = "those of the SQL function")]
fn reassemble(
    chunk_ids: Option<Vec<Option<Uuid>>>,
    scores: default!(Option<Vec<Option<f64>>>, "NULL"),
    strategy: default!(Option<String>, "NULL"),
    max_passages: default!(Option<i32>, "NULL"),
    max_tokens: default!(Option<i32>, "NULL"),
    limits: default!(Option<Json>, "NULL"),
    ranking: default!(Option<Json>, "NULL"),
    output: default!(Option<Json>, "NULL"),
    skip: default!(Option<Vec<Option<Uuid>>>, "NULL"),
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
            name!(tokens, i32),
            name!(chunk_ids, UuidArray),
            name!(hit_ids, UuidArray),
            name!(first_line, Option<i32>),
            name!(last_line, Option<i32>),
            name!(spans, Vec<Range<i32>>),
            name!(citations, ObjectArray),
            name!(truncated, bool),
            name!(complete, bool),
            name!(metadata, Option<RawJsonb>),
            name!(source_ids, Option<Vec<Option<String>>>),
            name!(explanation, Option<Json>),
        ),
    >,
    ErrorReport,
> {
    let count = max_passages.map(|count| check_limit("max_passages", count)).transpose();
    let count = count.map_err(Error::from)?;
    let parse = |value: &_| Ranking::parse(value, OF_SEARCH);
    let ranking = Json::parse_group(ranking, &RANKING, parse)?;
    let output = Json::parse_group(output, &OUTPUT, Output::parse)?;
    let joining = expansion::joining(&ranking, &output, count.map(|count| count as usize));
    let overrides = expansion::limits(max_tokens, None, limits)?;
    let skip = skipped(skip);
    let Some(count) = count else {
        let request = ExpandRequest { chunk_ids, scores, strategy, overrides, skip, store };
        let rows = |expanded: ExpandedContext| passage_rows(&expanded, &joining, &output);
        return Ok(TableIterator::new(request.expand(ResultKind::passages(&output), rows)?));
    };
    let ranked = scored_hits(chunk_ids, scores.as_deref(), &skip)?;
    let strategy = expansion::strategy(strategy, overrides);
    let chooser = PassageChooser { strategy, joining, output, count };
    let store = Store::resolve(store)?;
    let (rows, _) = spi::connect(|connection| {
        chooser.choose(&chooser.expansion(&store, connection, &skip), &ranked)
    })?;
    Ok(TableIterator::new(rows))
}
