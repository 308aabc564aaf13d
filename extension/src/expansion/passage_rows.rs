//! Passages as rows of `reassemble` and `search`: their text, their citations and their columns.
//!
//! Its twin in SQL is `sql/edition/passages.sql`.

use super::explanation::{explanation_of, explanations_by_hit};
use super::request::ExpandedContext;
use crate::server::types::{Json, ObjectArray, RawJsonb, Scalar, UuidArray, integer, to_sql};
use passage_core::TableHeader;
use passage_core::arguments::Output;
use passage_core::assemble::{Assembly, Separator, assemble};
use passage_core::expand::{LazyColumns, Role, Rule, SelectedChunk, add_closing_lines};
use passage_core::gaps::{
    ChunkPosition, GapStyle, assemble_with_gap_comments, assemble_with_gap_marks,
};
use passage_core::reassemble::{PassageChunks, PassageOptions, reassemble};
use passage_split::interrupt::poll_periodically as pause;
use passage_split::{DataFormat, Family, MediaType};
use pgrx::datum::{Range, Uuid};
use std::collections::HashMap;

/// A passage, as the columns of the functions.
pub type PassageRow = (
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
    i32,
    UuidArray,
    UuidArray,
    Option<i32>,
    Option<i32>,
    Vec<Range<i32>>,
    ObjectArray,
    bool,
    bool,
    Option<RawJsonb>,
    Option<Vec<Option<String>>>,
    Option<Json>,
);

/// Clusters the selected chunks to passages, and returns their rows and tokens.
pub fn passage_rows(
    expanded: &ExpandedContext,
    joining: &PassageOptions,
    output: &Output,
) -> (Vec<PassageRow>, u64) {
    let ExpandedContext { stored_hits, hits, chunks, selected, .. } = expanded;
    let scores: Vec<_> = stored_hits.iter().map(|hit| hit.scored.score).collect();
    let passages = reassemble(hits, &scores, &chunks.chunk_rows, selected, joining);
    let by_hit = output.explain.then(|| explanations_by_hit(expanded));
    let row = |passage| row(expanded, passage, output, by_hit.as_ref());
    let rows: Vec<_> = passages.iter().map(row).collect();
    let tokens = rows.iter().map(tokens_of).sum();
    (rows, tokens)
}

/// Returns the number of passages with hits; others are linked sections.
pub fn count_of(passages: &[PassageRow]) -> usize {
    passages.iter().filter(|passage| !passage.12.is_empty()).count()
}

/// Returns the tokens of a passage.
pub fn tokens_of(passage: &PassageRow) -> u64 {
    u64::from(passage.10.unsigned_abs())
}

fn row(
    expanded: &ExpandedContext,
    passage: &PassageChunks,
    output: &Output,
    explanations: Option<&HashMap<uuid::Uuid, Vec<String>>>,
) -> PassageRow {
    let ExpandedContext { stored_hits, chunks, selected, .. } = expanded;
    let selected_chunks: Vec<&SelectedChunk> =
        passage.chunks.iter().map(|index| &selected.chunks[*index]).collect();
    let rows = || {
        with_pauses(&selected_chunks).map(|selected_chunk| &chunks.chunk_rows[selected_chunk.row])
    };
    let document = expanded.document_of(selected_chunks[0]);

    // Only the first chunk contains the header.
    let begins_table = rows().next().is_some_and(|row| row.ordinal == Some(0));
    let header = expanded.headers.get(&document.id).filter(|_| !begins_table);
    let media_type = document.media_type();
    let mut assembly = text(expanded, passage, &selected_chunks, header, output);
    let mut repeated = 0;
    if media_type.family() == Family::Prose {
        let line = |part: usize, text: &str| {
            chunks.chunk(selected_chunks[part].row).repeated_line(text, document.title.as_deref())
        };
        let is_markdown = media_type.structure() == MediaType::MARKDOWN.name();
        (assembly, repeated) = assembly.with_repeated_lines(line, is_markdown);
    }
    let mut complete = passage.complete;
    if let Some(format) = DataFormat::of(&media_type) {
        assembly = assembly.excerpt(format);
        // Records side by side may be on different levels.
        let is_one = !passage.has_several_scopes(selected);
        complete = complete && (is_one || format.parses(&assembly.text));
    }
    let are_hits: Vec<_> =
        selected_chunks.iter().map(|selected_chunk| selected_chunk.role == Role::Hit).collect();
    let [mark_start, mark_end] = &output.marks;
    let mut assembly = assembly.highlight(&are_hits, mark_start, mark_end);
    // Imports that were added are in another section.
    let own = || {
        with_pauses(&selected_chunks).filter(|selected_chunk| selected_chunk.rule != Rule::Imports)
    };
    let mut section = own().next().and_then(|first| chunks.section(first.row)).unwrap_or_default();
    for selected_chunk in own().skip(1) {
        // Most chunks of a long passage have only the root in common.
        if !section.is_empty() {
            section.truncate(chunks.chunk(selected_chunk.row).shared_titles(&section).1);
        }
    }
    let lines = || {
        with_pauses(&selected_chunks)
            .map(|selected_chunk| lines_in_passage(expanded, selected_chunk.row))
    };
    let hit_ids: Vec<_> = passage.hits.iter().map(|hit| stored_hits[*hit].scored.chunk).collect();
    let repeated = repeated.div_ceil(4) as u32;
    let tokens = rows().map(|row| row.tokens).chain(header.map(|header| header.tokens));
    let tokens = tokens.chain([repeated]);
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
        integer(tokens.map(i64::from).sum()),
        rows().map(|row| row.chunk).collect(),
        hit_ids.iter().copied().collect(),
        lines().filter_map(|(first, _)| first).min(),
        lines().filter_map(|(_, last)| last).max(),
        assembly.spans.iter().map(|span| Range::from(span.clone())).collect(),
        citations(expanded, &selected_chunks, &assembly),
        passage.truncated,
        complete,
        document.metadata,
        expanded.has_source_ids.then(|| source_ids(expanded, &selected_chunks)),
        explanations.map(|by_hit| explanation_of(by_hit, &hit_ids)),
    )
}

/// Returns the ids that the chunks have in the table that their store adopted.
fn source_ids(
    expanded: &ExpandedContext,
    selected_chunks: &[&SelectedChunk],
) -> Vec<Option<String>> {
    with_pauses(selected_chunks)
        .map(|selected_chunk| expanded.chunks.chunk(selected_chunk.row).source_id_text())
        .collect()
}

/// Joins the chunks of a passage, below the header of their table.
fn text(
    expanded: &ExpandedContext,
    passage: &PassageChunks,
    selected_chunks: &[&SelectedChunk],
    header: Option<&TableHeader>,
    output: &Output,
) -> Assembly {
    let Output { separator, gaps, .. } = output;
    let media_type = &expanded.document_of(selected_chunks[0]).media_type();
    let placed = |row: usize| {
        let chunk = expanded.chunks.chunk(row);
        let (first_line, last_line) = lines_in_passage(expanded, row);
        let position = ChunkPosition { ordinal: chunk.ordinal(), first_line, last_line };
        (expanded.selected.part(row, chunk.part()), position)
    };
    let mut parts: Vec<_> =
        with_pauses(selected_chunks).map(|selected_chunk| placed(selected_chunk.row)).collect();
    let added = add_closing_lines(expanded.selected, &passage.hits, &mut parts, placed);
    let (parts, positions): (Vec<_>, Vec<_>) = parts.into_iter().unzip();
    let family = media_type.family();
    let has_marks = separator.is_none()
        && gaps.map_or(family != Family::Data, |gaps| gaps == GapStyle::Comment);
    let comment = media_type.comment_syntax().filter(|_| family != Family::Prose);
    let mut assembly = match (comment, header) {
        (Some(comment), _) if has_marks => assemble_with_gap_comments(&parts, &positions, comment),
        (_, None) if has_marks && family == Family::Prose => {
            assemble_with_gap_marks(&parts, &positions)
        }
        (_, header) => {
            let separator = separator_of(media_type, separator.as_deref());
            header.map_or_else(
                || assemble(&parts, separator),
                |header| header.assemble(&parts, separator),
            )
        }
    };
    // Closing lines are not chunks of the passage, so nothing cites them.
    for index in added.into_iter().rev() {
        assembly.part_ranges.remove(index);
    }
    assembly
}

/// Returns the first and the last line of a chunk that are in a passage.
fn lines_in_passage(expanded: &ExpandedContext, row: usize) -> (Option<i32>, Option<i32>) {
    let ExpandedContext { chunks, selected, .. } = expanded;
    let (first, last) = chunks.chunk(row).lines();
    if !selected.outer_closings.contains_key(&row) {
        return (first, last);
    }
    let cut = selected.lines_left_out(row, &chunks.content(row));
    (first, last.map(|last| last.saturating_sub(cut)))
}

/// Returns which bytes of the passage come from which chunk, with their lines in the source, or their place if the source
/// was converted.
fn citations(
    expanded: &ExpandedContext,
    selected_chunks: &[&SelectedChunk],
    assembly: &Assembly,
) -> ObjectArray {
    let number =
        |number: Option<i32>| number.map_or(Scalar::Null, |number| Scalar::Integer(number.into()));
    let mut citations = ObjectArray::default();
    for (selected_chunk, range) in with_pauses(selected_chunks).zip(&assembly.part_ranges) {
        let row = &expanded.chunks.chunk_rows[selected_chunk.row];
        let (first_line, last_line) = lines_in_passage(expanded, selected_chunk.row);
        let place = expanded.chunks.chunk(selected_chunk.row).place();
        let place = place.map(|place| place.to_metadata()).unwrap_or_default();
        let mut id = uuid::Uuid::encode_buffer();
        let mut fields = vec![
            ("chunk_id", Scalar::Text(row.chunk.hyphenated().encode_lower(&mut id))),
            ("ordinal", number(row.ordinal)),
            ("role", Scalar::Text(selected_chunk.role.name())),
            ("start", Scalar::Integer(range.start as i64)),
            ("end", Scalar::Integer(range.end as i64)),
            ("first_line", number(first_line)),
            ("last_line", number(last_line)),
        ];
        fields.extend(place.iter().map(|(key, value)| (key.as_str(), Scalar::of(value))));
        citations.push(fields);
    }
    citations
}

/// Returns the chunks of a passage, with regular checks for interrupts.
fn with_pauses<'p>(
    selected_chunks: &'p [&'p SelectedChunk],
) -> impl Iterator<Item = &'p &'p SelectedChunk> {
    selected_chunks.iter().enumerate().map(|(index, selected_chunk)| {
        pause(index);
        selected_chunk
    })
}

/// Returns the separator between chunks of a document that do not touch (decision 5).
pub fn separator_of<'a>(media_type: &MediaType, given: Option<&'a str>) -> Separator<'a> {
    given.map_or_else(|| media_type.family().into(), Separator::Text)
}
