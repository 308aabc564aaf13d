//! `reassemble`: hits with their context as passages, best first.

use crate::assemble::separator_of;
use crate::expand_context::{Call, Expanded};
use crate::store::Columns;
use crate::types::{Name, RawJsonb, to_sql};
use passage_core::assemble::{Assembly, assemble};
use passage_core::expand::{Pick, Titles};
use passage_core::reassemble::{Passage, reassemble as cluster};
use passage_core::{Overrides, section, strategy};
use pgrx::datum::{JsonB, Range, Uuid};
use pgrx::iter::TableIterator;
use pgrx::pg_sys::panic::ErrorReport;
use pgrx::{default, name, pg_extern};
use serde_json::{Value, json};

#[pg_extern(stable, parallel_restricted, schema = "passage")]
#[expect(clippy::too_many_arguments, clippy::type_complexity, reason = "one for each in SQL")]
fn reassemble(
    chunk_ids: Option<Vec<Option<Uuid>>>,
    scores: default!(Option<Vec<Option<f64>>>, "NULL"),
    strategy: default!(Option<String>, "'auto'"),
    parents: default!(Option<i32>, "NULL"),
    preceding: default!(Option<i32>, "NULL"),
    following: default!(Option<i32>, "NULL"),
    children: default!(Option<i32>, "NULL"),
    before: default!(Option<i32>, "NULL"),
    after: default!(Option<i32>, "NULL"),
    siblings: default!(Option<String>, "NULL"),
    within: default!(Option<String>, "NULL"),
    max_tokens: default!(Option<i32>, "NULL"),
    max_chunks: default!(Option<i32>, "NULL"),
    max_distance: default!(Option<i32>, "3"),
    separator: default!(Option<String>, "NULL"),
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
            name!(chunk_ids, Vec<Uuid>),
            name!(hit_ids, Vec<Uuid>),
            name!(first_line, Option<i32>),
            name!(last_line, Option<i32>),
            name!(spans, Vec<Range<i32>>),
            name!(citations, JsonB),
            name!(truncated, bool),
            name!(complete, bool),
            name!(metadata, Option<RawJsonb>),
        ),
    >,
    ErrorReport,
> {
    let max_distance = max_distance
        .map(|most| strategy::checked("max_distance", most))
        .transpose()
        .map_err(crate::error::Error::from)?;
    let overrides = Overrides {
        parents,
        preceding,
        following,
        children,
        before,
        after,
        siblings,
        within,
        max_tokens,
        max_chunks,
    };
    let call = Call { chunk_ids, scores, strategy, overrides, store };
    let rows = call
        .expand(Columns::Passage, |expanded| rows(&expanded, max_distance, separator.as_deref()))?;
    Ok(TableIterator::new(rows))
}

/// A passage, as the columns of the function.
type Row = (
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
    Vec<Uuid>,
    Vec<Uuid>,
    Option<i32>,
    Option<i32>,
    Vec<Range<i32>>,
    JsonB,
    bool,
    bool,
    Option<RawJsonb>,
);

/// Makes the rows of what was chosen.
fn rows(expanded: &Expanded, max_distance: Option<u32>, separator: Option<&str>) -> Vec<Row> {
    let Expanded { hits, chunks, choice, .. } = expanded;
    let passages = cluster(hits, &chunks.outlines, choice, max_distance);
    passages
        .iter()
        .zip(1..)
        .map(|(passage, rank)| row(expanded, passage, rank, separator))
        .collect()
}

fn row(expanded: &Expanded, passage: &Passage, rank: i32, separator: Option<&str>) -> Row {
    let Expanded { found, chunks, choice, .. } = expanded;
    let picks: Vec<&Pick> = passage.picks.iter().map(|pick| &choice.picks[*pick]).collect();
    let outlines = || picks.iter().map(|pick| &chunks.outlines[pick.row]);
    let best = &found[passage.hits[0]];
    let document = &best.document;

    let parts: Vec<_> = picks.iter().map(|pick| chunks.chunk(pick.row).part()).collect();
    let assembly = assemble(&parts, separator_of(&document.media_type(), separator));
    let section = picks
        .iter()
        .map(|pick| chunks.titles(pick.row))
        .reduce(|a, b| section::common(&a, &b).to_vec())
        .unwrap_or_default();
    let lines = || picks.iter().map(|pick| chunks.chunk(pick.row).lines());
    (
        rank,
        best.scored.score,
        to_sql(document.id),
        document.collection.clone(),
        document.version.clone(),
        document.uri.clone(),
        document.title.clone(),
        document.media_type.clone(),
        section,
        assembly.text.clone(),
        outlines().map(|outline| i64::from(outline.tokens)).sum(),
        outlines().map(|outline| to_sql(outline.chunk)).collect(),
        passage.hits.iter().map(|hit| to_sql(found[*hit].scored.chunk)).collect(),
        lines().filter_map(|(first, _)| first).min(),
        lines().filter_map(|(_, last)| last).max(),
        assembly.spans.iter().map(|span| Range::from(span.clone())).collect(),
        JsonB(citations(expanded, &picks, &assembly)),
        passage.truncated,
        passage.complete,
        document.metadata.clone(),
    )
}

/// Which bytes of the passage come from which chunk, and where that stands in the source.
fn citations(expanded: &Expanded, picks: &[&Pick], assembly: &Assembly) -> Value {
    let citation = |(pick, placed): (&&Pick, &std::ops::Range<usize>)| {
        let outline = &expanded.chunks.outlines[pick.row];
        let (first_line, last_line) = expanded.chunks.chunk(pick.row).lines();
        json!({
            "chunk_id": outline.chunk.to_string(),
            "ordinal": outline.ordinal,
            "role": pick.role.name(),
            "start": placed.start,
            "end": placed.end,
            "first_line": first_line,
            "last_line": last_line,
        })
    };
    picks.iter().zip(&assembly.placed).map(citation).collect()
}
