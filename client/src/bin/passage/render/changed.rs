//! How changes of a store look: what became of a document, of a run, of a removal.

use super::{count, json, line, printable};
use passage::ingest::{Outcome, Summary};
use passage::store::RemovalSummary;
use serde_json::json;
use std::time::Duration;

/// How many failures a summary lists.
const MOST_FAILURES: usize = 20;

/// What became of a document, or would.
pub fn outcome(uri: &str, outcome: &Outcome, dry_run: bool) -> String {
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

/// What became of a run: a line of counts, and below it what failed, which may have gone by
/// long before.
pub fn summary(summary: &Summary, failures: &[String], elapsed: Duration, dry_run: bool) -> String {
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
        format!("nothing was written; it would be: {parts}; {chunks}\n")
    } else {
        format!("{parts}; {chunks}, {embedded} embedded, in {seconds:.1} s\n")
    };
    for cause in failures.iter().take(MOST_FAILURES) {
        line(&mut output, &format!("  failed: {}", printable(cause)));
    }
    if failures.len() > MOST_FAILURES {
        line(&mut output, &format!("  and {} more", failures.len() - MOST_FAILURES));
    }
    output
}

/// The same for programs.
pub fn summary_json(
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

/// What was removed, or would be.
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

/// So many documents with so many chunks.
pub fn documents_and_chunks(removed: &RemovalSummary) -> String {
    let count = |number: i64, what| count(number as usize, what);
    format!("{} with {}", count(removed.documents, "document"), count(removed.chunks, "chunk"))
}
