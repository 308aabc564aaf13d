//! `search`: the passages that answer a query, best first.

use crate::expansion::{self, skipped};
use crate::search::{BestPassages, PassageChooser, SearchRequest};
use crate::server::error::Error;
use crate::server::types::{Json, Name, ObjectArray, RawJsonb, UuidArray};
use crate::store::{FilterArguments, Store};
use passage_core::arguments::{OUTPUT, Output, RANKING, Ranking};
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
    collection: default!(Option<String>, "NULL"),
    max_passages: default!(Option<i32>, "10"),
    max_tokens: default!(Option<i32>, "NULL"),
    strategy: default!(Option<String>, "NULL"),
    filter: default!(Option<Json>, "NULL"),
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
    let count = check_limit("max_passages", max_passages.unwrap_or(10)).map_err(Error::from)?;
    let ranking = Json::parse_group(ranking, &RANKING, |value| Ranking::parse(value, &[]))?;
    let output = Json::parse_group(output, &OUTPUT, Output::parse)?;
    let filters = FilterArguments { collection, uri: None, filter }.parse(&[])?;
    let overrides = expansion::limits(max_tokens, None, limits)?;
    let chooser = PassageChooser {
        strategy: expansion::strategy(strategy, overrides),
        joining: expansion::joining(&ranking, &output, Some(count as usize)),
        output,
        count,
    };
    let search = SearchRequest { query, embedding, filters, ranking, skip: skipped(skip) };
    let passages = BestPassages { search, chooser };
    Ok(TableIterator::new(passages.rows(&Store::resolve(store)?)?))
}
