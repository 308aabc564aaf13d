//! `split`: the chunks of a text, without a store.

use crate::server::types::Json;
use crate::split::DocumentArguments;
use passage_split::interrupt::poll_periodically as pause;
use passage_split::{SizeUnit, chunk_metadata};
use pgrx::iter::TableIterator;
use pgrx::pg_sys::panic::ErrorReport;
use pgrx::{default, name, pg_extern};

#[pg_extern(immutable, parallel_safe, schema = "passage")]
#[expect(clippy::type_complexity, reason = "pgrx reads the columns from the signature")]
fn split(
    text: Option<&str>,
    media_type: default!(Option<String>, "NULL"),
    title: default!(Option<String>, "NULL"),
    uri: default!(Option<String>, "NULL"),
    kind: default!(Option<String>, "NULL"),
    base_url: default!(Option<String>, "NULL"),
    splitting: default!(Option<Json>, "NULL"),
) -> Result<
    TableIterator<
        'static,
        (
            name!(ordinal, i32),
            name!(level, i32),
            name!(section, Vec<String>),
            name!(kind, &'static str),
            name!(unit, &'static str),
            name!(content, String),
            name!(preamble, String),
            name!(tokens, i32),
            name!(start_byte, i32),
            name!(end_byte, i32),
            name!(first_line, i32),
            name!(last_line, i32),
            name!(metadata, Json),
        ),
    >,
    ErrorReport,
> {
    let arguments = DocumentArguments { uri, media_type, title, kind, base_url, splitting };
    let source = arguments.parse()?;
    let Some(text) = text else { return Ok(TableIterator::empty()) };
    let document = source.prepare(text)?;
    let chunks = source.split(&document)?.chunks;
    let row = |(ordinal, chunk): (usize, passage_split::Chunk<'_>)| {
        pause(ordinal);
        (
            ordinal as i32,
            chunk.level as i32,
            chunk.section,
            chunk.kind.name(),
            chunk.unit.name(),
            chunk.content.to_owned(),
            chunk.preamble,
            SizeUnit::Characters.tokens(chunk.size) as i32,
            chunk.bytes.start as i32,
            chunk.bytes.end as i32,
            *chunk.lines.start() as i32,
            *chunk.lines.end() as i32,
            Json::from_value(&chunk_metadata(&chunk.imports)),
        )
    };
    let rows: Vec<_> = chunks.into_iter().enumerate().map(row).collect();
    Ok(TableIterator::new(rows))
}
