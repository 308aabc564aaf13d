//! The file of `context --html`: a chunk with its context, as the page of `passage serve` shows it.

use crate::Error;
use crate::serve::page;
use crate::store::{ContextOptions, ContextRow, DocumentChunk, Store};
use serde_json::{Map, Value, json};
use std::collections::HashSet;
use std::ffi::OsString;
use std::fs::File;
use std::io::Write;
use std::path::Path;
use std::time::SystemTime;
use uuid::Uuid;

/// The number of chunks that one statement reads.
const CHUNKS: u32 = 10_000;

/// The maximum size of the text of chunks that are neither hit nor context nor cut, in bytes.
const MAX_OTHER_TEXT: usize = 1 << 20;

/// Writes the view of a chunk to a file, and returns a line that says so.
pub async fn write_file(
    store: &Store,
    rows: &[ContextRow],
    options: &ContextOptions,
    file: &Path,
) -> Result<String, Error> {
    let hit =
        rows.iter().find(|row| row.role == "hit").expect("the context of a chunk has the chunk");
    let view = view(store, hit.chunk_id, hit.document_id, options).await?;
    replace(file, page::single_file(&view).as_bytes()).map_err(|error| {
        Error::usage(
            &format!("cannot write to {}: {error}", file.display()),
            "Name a file in a folder that exists and is writable.",
        )
    })?;
    Ok(format!("wrote {}\n", file.display()))
}

/// Writes a file atomically: others read the former file or the whole new one. A pipe or a device is written directly.
fn replace(file: &Path, text: &[u8]) -> std::io::Result<()> {
    // A symbolic link stays one.
    let file = file.canonicalize().unwrap_or_else(|_| file.to_owned());
    let former = std::fs::metadata(&file).ok();
    if former.as_ref().is_some_and(|former| !former.is_file()) {
        return std::fs::write(&file, text);
    }
    let mut name = OsString::from(".");
    name.push(file.file_name().unwrap_or_default());
    name.push(format!(".{}", std::process::id()));
    let part = file.with_file_name(name);
    let written = File::create_new(&part).and_then(|mut new| {
        if let Some(former) = former {
            new.set_permissions(former.permissions())?;
        }
        new.write_all(text)?;
        std::fs::rename(&part, &file)
    });
    if written.is_err() {
        let _ = std::fs::remove_file(&part);
    }
    written
}

/// Returns what the file shows.
async fn view(
    store: &Store,
    chunk: Uuid,
    document: Uuid,
    options: &ContextOptions,
) -> Result<Value, Error> {
    let call = async |name: &str, arguments: &Map<String, Value>| {
        store.call_named(name, arguments, None).await.map(|result| result.values())
    };
    let mut arguments = options.arguments();
    arguments.insert("chunk_ids".into(), json!([chunk]));
    let passages = call("reassemble", &arguments).await?;
    let explain = call("explain_context", &arguments).await?;
    let of_document = json!({ "document_id": document, "hit_ids": [chunk] });
    let outline = call("outline", of_document.as_object().expect("it is an object")).await?;
    let considered = explain.iter().filter_map(|row| row["chunk_id"].as_str()?.parse().ok());
    let chunks = shown_chunks(all_chunks(store, document).await?, &considered.collect());
    let mut call = arguments;
    call.insert("store".into(), store.name().into());
    let now = humantime::format_rfc3339_seconds(SystemTime::now());
    Ok(json!({
        "passage": passages.first().ok_or(crate::store::Error::NoChunk(chunk))?,
        "explain": explain,
        "outline": outline,
        "chunks": chunks,
        "budget": options.max_tokens.filter(|tokens| *tokens > 0),
        "call": call,
        "origin": format!(
            "Written by passage {} from the store \"{}\" at {now}.",
            env!("CARGO_PKG_VERSION"),
            store.name()
        ),
    }))
}

async fn all_chunks(store: &Store, document: Uuid) -> Result<Vec<DocumentChunk>, Error> {
    let (mut all, mut after) = (Vec::new(), None);
    loop {
        let part = store.document_chunks(document, after, CHUNKS).await?;
        after = part.last().map(DocumentChunk::key);
        let is_last = part.len() < CHUNKS as usize;
        all.extend(part);
        if is_last {
            return Ok(all);
        }
    }
}

/// Returns the chunks of a document, those far from the hit without their text if the document is large.
///
/// A file to attach to a report should stay small. The sizes of all chunks remain for the chart.
fn shown_chunks(chunks: Vec<DocumentChunk>, considered: &HashSet<Uuid>) -> Vec<Value> {
    let mut room = MAX_OTHER_TEXT;
    let shown = |chunk: DocumentChunk| {
        let has_text = considered.contains(&chunk.id) || room >= chunk.content.len();
        if !considered.contains(&chunk.id) {
            room = room.saturating_sub(chunk.content.len());
        }
        let mut chunk = json!(chunk);
        if !has_text {
            chunk["content"] = Value::Null;
        }
        chunk
    };
    chunks.into_iter().map(shown).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chunk(ordinal: i64, size: usize) -> DocumentChunk {
        DocumentChunk {
            id: Uuid::from_u128(ordinal as u128),
            ordinal: Some(ordinal),
            section: Vec::new(),
            level: None,
            kind: None,
            unit: None,
            tokens: None,
            first_line: None,
            last_line: None,
            content: "a".repeat(size),
        }
    }

    #[test]
    fn a_large_document_keeps_the_text_of_considered_chunks() {
        let chunks = (0..5).map(|ordinal| chunk(ordinal, MAX_OTHER_TEXT / 2)).collect();
        let shown = shown_chunks(chunks, &HashSet::from([Uuid::from_u128(4)]));
        let has_text: Vec<_> = shown.iter().map(|chunk| chunk["content"].is_string()).collect();
        assert_eq!(has_text, [true, true, false, false, true]);
    }
}
