//! Outcomes of commands that change a store: for a document, for a run, for a removal.

use super::{count, json, line, printable};
use passage::ingest::{Outcome, ReindexOutcome, ReindexSummary, Summary};
use passage::store::{RemovalSummary, quote_identifier};
use serde_json::json;
use std::time::Duration;

/// The maximum number of failures that a summary lists.
const MAX_FAILURES: usize = 20;

/// Returns the line for a document of an ingest.
pub fn ingest_outcome(uri: &str, outcome: &Outcome, dry_run: bool) -> String {
    let uri = printable(uri);
    let verb = |done: &'static str, would: &'static str| if dry_run { would } else { done };
    match outcome {
        Outcome::Added { chunks } => {
            format!("{} {uri}: {}", verb("added", "would add"), count(*chunks, "chunk"))
        }
        Outcome::Replaced { chunks, kept } => {
            let verb = verb("replaced", "would replace");
            format!("{verb} {uri}: {}, {kept} kept", count(*chunks, "chunk"))
        }
        Outcome::Unchanged => format!("unchanged {uri}"),
        Outcome::Restored => format!("{} {uri}", verb("restored", "would restore")),
    }
}

/// Returns the summary of an ingest: a line of counts, and the failures, whose messages may have
/// scrolled out of sight.
pub fn ingest_summary(
    summary: &Summary,
    failures: &[String],
    elapsed: Duration,
    dry_run: bool,
) -> String {
    let Summary { added, chunks, embedded, .. } = *summary;
    let mut parts = vec![format!("{} added", count(added, "document"))];
    for (number, what) in [
        (summary.replaced, "replaced"),
        (summary.unchanged, "unchanged"),
        (summary.restored, "restored"),
        (summary.orphaned, "orphaned"),
        (summary.removed, "removed"),
        (summary.skipped, "skipped"),
        (summary.failed, "failed"),
    ] {
        if number > 0 {
            parts.push(format!("{number} {what}"));
        }
    }
    let parts = parts.join(", ");
    let chunks = count(chunks, "chunk");
    let seconds = elapsed.as_secs_f64();
    let mut output = if dry_run {
        format!("dry run, nothing written: {parts}; {chunks}\n")
    } else {
        format!("{parts}; {chunks}, {embedded} embedded, in {seconds:.1} s\n")
    };
    for cause in failures.iter().take(MAX_FAILURES) {
        line(&mut output, &format!("  failed: {}", printable(cause)));
    }
    if failures.len() > MAX_FAILURES {
        line(&mut output, &format!("  and {} more", failures.len() - MAX_FAILURES));
    }
    output
}

/// Returns the summary of an ingest as one JSON object.
pub fn ingest_summary_json(
    summary: &Summary,
    failures: &[String],
    elapsed: Duration,
    dry_run: bool,
) -> String {
    let Summary { added, replaced, unchanged, restored, orphaned, removed, .. } = *summary;
    let Summary { failed, skipped, chunks, embedded, .. } = *summary;
    json(&json!({
        "dry_run": dry_run, "added": added, "replaced": replaced, "unchanged": unchanged,
        "restored": restored, "orphaned": orphaned, "removed": removed, "skipped": skipped,
        "failed": failed, "chunks": chunks, "embedded": embedded, "failures": failures,
        "milliseconds": elapsed.as_millis() as u64,
    }))
}

/// Returns the result of a removal.
pub fn removed(removed: &RemovalSummary, dry_run: bool, as_json: bool) -> String {
    if as_json {
        let RemovalSummary { documents, chunks, missing } = removed;
        return json(&json!({
            "dry_run": dry_run, "documents": documents, "chunks": chunks, "missing": missing,
        }));
    }
    let what = documents_and_chunks(removed);
    if dry_run { format!("{what} would be removed\n") } else { format!("{what} removed\n") }
}

/// Returns the number of documents and chunks in words.
pub fn documents_and_chunks(removed: &RemovalSummary) -> String {
    let count = |number: i64, what| count(number as usize, what);
    format!("{} with {}", count(removed.documents, "document"), count(removed.chunks, "chunk"))
}

/// Returns the line for a document of a reindex.
pub fn reindex_outcome(uri: &str, outcome: ReindexOutcome, dry_run: bool) -> String {
    let uri = printable(uri);
    match outcome {
        ReindexOutcome::Rewritten { chunks, kept } => {
            let verb = if dry_run { "would rewrite" } else { "rewrote" };
            format!("{verb} {uri}: {}, {kept} kept", count(chunks, "chunk"))
        }
        ReindexOutcome::Unchanged => format!("unchanged {uri}"),
        ReindexOutcome::Left => format!("left {uri}: its chunks have no byte offsets"),
    }
}

/// Returns the line with the new name of a replaced store.
pub fn replaced(former: &str) -> String {
    let (schema, former) = (printable(&quote_identifier(former)), printable(former));
    format!("the former store is \"{former}\"; to remove it: DROP SCHEMA {schema} CASCADE")
}

/// Returns the summary of a reindex.
pub fn reindex_summary(summary: &ReindexSummary, elapsed: Duration, dry_run: bool) -> String {
    let ReindexSummary { rewritten, chunks, kept, embedded, .. } = *summary;
    let mut parts = vec![format!("{} rewritten", count(rewritten, "document"))];
    for (number, what) in
        [(summary.unchanged, "unchanged"), (summary.left, "left"), (summary.failed, "failed")]
    {
        if number > 0 {
            parts.push(format!("{number} {what}"));
        }
    }
    let parts = parts.join(", ");
    let chunks = format!("{}, {kept} kept", count(chunks, "chunk"));
    if dry_run {
        format!("dry run, nothing written: {parts}; {chunks}\n")
    } else {
        let seconds = elapsed.as_secs_f64();
        format!("{parts}; {chunks}, {embedded} embedded, in {seconds:.1} s\n")
    }
}

/// Returns the summary of a reindex as one JSON object.
pub fn reindex_summary_json(summary: &ReindexSummary, elapsed: Duration, dry_run: bool) -> String {
    let ReindexSummary { rewritten, unchanged, left, failed, chunks, kept, embedded } = *summary;
    json(&json!({
        "dry_run": dry_run, "rewritten": rewritten, "unchanged": unchanged, "left": left,
        "failed": failed, "chunks": chunks, "kept": kept, "embedded": embedded,
        "milliseconds": elapsed.as_millis() as u64,
    }))
}
