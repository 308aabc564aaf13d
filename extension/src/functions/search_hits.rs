//! `search_hits`: the chunks that answer a query, for example to be re-ranked by the caller.

use crate::expansion::skipped;
use crate::search::SearchRequest;
use crate::server::error::Error;
use crate::server::spi;
use crate::server::types::{Json, Name, RawText, TextArray, to_sql};
use crate::store::{FilterArguments, Store};
use passage_core::arguments::{RANKING, Ranking};
use passage_core::strategy::check_limit;
use pgrx::datum::Uuid;
use pgrx::iter::TableIterator;
use pgrx::pg_sys::panic::ErrorReport;
use pgrx::{default, name, pg_extern};

#[pg_extern(stable, parallel_restricted, schema = "passage")]
#[expect(clippy::too_many_arguments, clippy::type_complexity, reason = "those of the SQL function")]
fn search_hits(
    query: default!(Option<String>, "NULL"),
    embedding: default!(Option<Vec<Option<f32>>>, "NULL"),
    collection: default!(Option<String>, "NULL"),
    max_hits: default!(Option<i32>, "10"),
    filter: default!(Option<Json>, "NULL"),
    ranking: default!(Option<Json>, "NULL"),
    skip: default!(Option<Vec<Option<Uuid>>>, "NULL"),
    store: default!(Option<Name>, "NULL"),
) -> Result<
    TableIterator<
        'static,
        (
            name!(rank, i32),
            name!(chunk_id, Uuid),
            name!(document_id, Uuid),
            name!(uri, Option<String>),
            name!(title, Option<String>),
            name!(section, TextArray),
            name!(score, f64),
            name!(vector_rank, Option<i32>),
            name!(vector_score, Option<f64>),
            name!(text_rank, Option<i32>),
            name!(text_score, Option<f64>),
            name!(tokens, Option<i32>),
            name!(content, RawText),
            name!(source_id, Option<RawText>),
        ),
    >,
    ErrorReport,
> {
    let max_hits = check_limit("max_hits", max_hits.unwrap_or(10)).map_err(Error::from)?;
    let parse = |value: &_| Ranking::parse(value, &["score_by"]);
    let ranking = Json::parse_group(ranking, &RANKING, parse)?;
    let filters = FilterArguments { collection, uri: None, filter }.parse(&[])?;
    let request = SearchRequest { query, embedding, filters, ranking, skip: skipped(skip) };
    let store = Store::resolve(store)?;
    let rows = spi::connect(|connection| -> Result<Vec<_>, Error> {
        let mut hits = request.search(&store, connection, max_hits)?;
        hits.truncate(max_hits as usize);
        let ids: Vec<_> = hits.iter().map(|hit| hit.chunk).collect();
        let mut chunks = store.list_chunks(connection, &ids);
        let rows = hits.into_iter().zip(1..).filter_map(|(hit, rank)| {
            let listed = chunks.remove(&hit.chunk)?;
            Some((
                rank,
                to_sql(hit.chunk),
                to_sql(listed.document),
                listed.uri,
                listed.title,
                listed.section,
                hit.score,
                hit.vector.map(|(rank, _)| rank),
                hit.vector.map(|(_, score)| score),
                hit.text.map(|(rank, _)| rank),
                hit.text.map(|(_, score)| score),
                listed.tokens,
                listed.content,
                listed.source_id,
            ))
        });
        Ok(rows.collect())
    })?;
    Ok(TableIterator::new(rows))
}
