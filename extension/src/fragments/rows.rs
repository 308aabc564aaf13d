//! The rows of fragments: text and lines, signals, and the chunks and lines around it.
//!
//! Its twin in SQL is `sql/edition/fragments/rows.sql`.

use super::ranking::BestChunk;
use crate::server::types::{Json, RawJsonb, to_sql};
use crate::store::{DocumentInfo, SourceChunks};
use passage_core::fragments::{Fragment, RankedChunk, Signal, TextRun};
use pgrx::datum::Uuid as SqlUuid;
use serde_json::{Map, Value, json};
use std::collections::HashMap;
use std::ops::Range;
use uuid::Uuid;

/// The maximum number of characters of a line before or after a fragment, and of a preview.
const MAX_LINE: usize = 200;
const MAX_PREVIEW: usize = 120;

/// A fragment, as the columns of the function.
pub type FragmentRow = (
    String,
    SqlUuid,
    Option<String>,
    Option<String>,
    Option<String>,
    f64,
    String,
    Option<i32>,
    Option<i32>,
    i32,
    &'static str,
    Json,
    Option<String>,
    Option<String>,
    Json,
    Option<RawJsonb>,
    Option<Vec<Option<String>>>,
);

/// Builds rows from fragments.
pub struct RowBuilder<'a> {
    pub read: &'a SourceChunks,
    pub text_runs: &'a [TextRun],
    pub documents: &'a HashMap<Uuid, DocumentInfo>,
    pub strategy: &'static str,
    pub hint: Option<&'static str>,
}

impl RowBuilder<'_> {
    /// Returns the rows of fragments. `best` are the chunks that they were selected for.
    pub fn rows(&self, fragments: &[Fragment], best: &[BestChunk]) -> Vec<FragmentRow> {
        let mut bytes: HashMap<usize, usize> = HashMap::new();
        for fragment in fragments {
            let document = self.text_runs[fragment.text_run].document;
            *bytes.entry(document).or_default() += fragment.bytes.len();
        }
        let row = |fragment: &Fragment| {
            let document = self.text_runs[fragment.text_run].document;
            self.row(fragment, best.get(fragment.hits[0]), bytes[&document])
        };
        fragments.iter().map(row).collect()
    }

    /// Returns the row of a fragment. `returned` is the number of bytes of all fragments of its document.
    fn row(&self, fragment: &Fragment, best: Option<&BestChunk>, returned: usize) -> FragmentRow {
        let text_run = &self.text_runs[fragment.text_run];
        let document = self.read.documents[text_run.document];
        let info = self.documents.get(&document).cloned().unwrap_or_default();
        let chunks = Self::chunks(text_run, &fragment.bytes);
        let number = |line: usize| text_run.lines[line].number;
        let lines = [number(fragment.lines.start), number(fragment.lines.end - 1)];
        let id = self.read.ids[text_run.chunks[chunks.start].0];
        let id = match lines {
            [Some(first), Some(last)] => format!("{id}:{first}-{last}"),
            _ => id.to_string(),
        };
        let signals = self.signals(
            fragment,
            best.and_then(|best| best.ranked),
            chunks.len(),
            &info,
            returned,
        );
        let related = self.related(text_run, &chunks);
        let source_id = |(index, _): &(usize, Range<usize>)| self.read.source_ids[*index].clone();
        let source_ids = self
            .read
            .has_source_ids
            .then(|| text_run.chunks[chunks.clone()].iter().map(source_id).collect());
        (
            id,
            to_sql(document),
            info.uri,
            info.title,
            info.media_type,
            best.map_or(0.0, |best| best.score),
            text_run.text[fragment.bytes.clone()].to_owned(),
            lines[0],
            lines[1],
            fragment.tokens as i32,
            self.strategy,
            Json::from_value(&signals),
            nearest_line(text_run, (0..fragment.lines.start).rev()),
            nearest_line(text_run, fragment.lines.end..text_run.lines.len()),
            Json::from_value(&related),
            info.metadata,
            source_ids,
        )
    }

    /// Returns the chunks of a text run that some of its bytes belong to.
    fn chunks(text_run: &TextRun, bytes: &Range<usize>) -> Range<usize> {
        let first = text_run.chunks.partition_point(|(_, chunk)| chunk.end <= bytes.start);
        let end = text_run.chunks.partition_point(|(_, chunk)| chunk.start < bytes.end);
        first.min(text_run.chunks.len() - 1)..end.max(first + 1)
    }

    fn signals(
        &self,
        fragment: &Fragment,
        best: Option<&RankedChunk>,
        chunks: usize,
        info: &DocumentInfo,
        returned: usize,
    ) -> Value {
        let mut signals = Map::new();
        let mut add = |name: &str, value: Value| _ = signals.insert(name.to_owned(), value);
        let signal =
            |Signal { rank, score }: &Signal| json!({ "rank": rank, "score": rounded(*score) });
        if let Some(best) = best {
            if let Some(lexical) = &best.lexical {
                add("lexical", signal(lexical));
            }
            if let Some((ranked, near)) = &best.proximity {
                let mut ranked = signal(ranked);
                ranked["coverage"] = near.coverage.name().into();
                ranked["distance"] = near.distance.into();
                add("proximity", ranked);
            }
            if let Some(vector) = &best.vector {
                add("vector", signal(vector));
            }
            if let Some(matched) = best.match_kind {
                add("match", matched.name().into());
            }
        }
        add("line_count", fragment.lines.len().into());
        add("cluster_size", chunks.into());
        if let Some(bytes) = info.bytes.filter(|bytes| *bytes > 0) {
            let kept = returned as f64 / f64::from(bytes);
            add("token_reduction", json!(rounded((1.0 - kept).max(0.0))));
        }
        if let Some(cut) = fragment.truncation {
            add("cut", cut.name().into());
        }
        if let Some(hint) = self.hint {
            add("hint", hint.into());
        }
        Value::Object(signals)
    }

    /// Returns the chunks before and after a fragment, and the parent of the first chunk that has one.
    fn related(&self, text_run: &TextRun, chunks: &Range<usize>) -> Value {
        let mut related = Vec::new();
        let mut add = |relation: &str, id: Uuid, content: &str, lines: [Option<i32>; 2]| {
            related.push(json!({
                "relation": relation,
                "chunk_id": id.to_string(),
                "first_line": lines[0],
                "last_line": lines[1],
                "preview": preview(content),
            }));
        };
        let neighbors = [chunks.start.checked_sub(1), Some(chunks.end)];
        for (relation, chunk) in ["previous", "next"].into_iter().zip(neighbors) {
            if let Some((index, bytes)) = chunk.and_then(|chunk| text_run.chunks.get(chunk)) {
                let content = &self.read.list[*index].content;
                let lines = text_run.lines_of(bytes);
                let number =
                    |line: Option<usize>| line.and_then(|line| text_run.lines[line].number);
                let lines = [number(lines.clone().next()), number(lines.last())];
                add(relation, self.read.ids[*index], content, lines);
            }
        }
        let ids = chunks.clone().map(|chunk| self.read.ids[text_run.chunks[chunk].0]);
        let inside: Vec<_> = ids.collect();
        let parent = inside.iter().find_map(|id| self.read.parents.get(id));
        if let Some(parent) = parent.filter(|parent| !inside.contains(&parent.id)) {
            add("parent", parent.id, &parent.content, parent.lines);
        }
        related.into()
    }
}

/// Returns the nearest line that is not blank.
fn nearest_line(text_run: &TextRun, mut lines: impl Iterator<Item = usize>) -> Option<String> {
    let line = lines.find(|line| !text_run.is_blank(*line))?;
    Some(text_run.line(line).chars().take(MAX_LINE).collect())
}

/// Returns the beginning of a text on one line.
fn preview(text: &str) -> String {
    let mut preview = String::new();
    for word in text.split_whitespace() {
        let room = MAX_PREVIEW.saturating_sub(preview.chars().count());
        if word.chars().count() >= room {
            preview.push('…');
            break;
        }
        if !preview.is_empty() {
            preview.push(' ');
        }
        preview.push_str(word);
    }
    preview
}

/// Rounds a score to six digits.
fn rounded(score: f64) -> f64 {
    (score * 1e6).round() / 1e6
}
