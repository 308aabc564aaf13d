//! How a reindexed collection looks.

use super::{count, json, printable};
use passage::ingest::{Reindexed, Remade};
use passage::store::quote_identifier;
use serde_json::json;
use std::time::Duration;

/// What became of a document, or would.
pub fn remade(uri: &str, remade: Remade, dry_run: bool) -> String {
    let uri = printable(uri);
    match remade {
        Remade::Rewritten { chunks, kept } => {
            let verb = if dry_run { "would rewrite" } else { "rewrote" };
            format!("{verb} {uri}: {}, {kept} kept", count(chunks, "chunk"))
        }
        Remade::Unchanged => format!("unchanged {uri}"),
        Remade::Left => format!("left {uri}: its chunks were loaded without their bytes in a text"),
    }
}

/// Where the store is that was replaced.
pub fn replaced(former: &str) -> String {
    let (schema, former) = (printable(&quote_identifier(former)), printable(former));
    format!("the former store is \"{former}\"; to remove it: DROP SCHEMA {schema} CASCADE")
}

/// What became of all of it.
pub fn reindexed(reindexed: &Reindexed, elapsed: Duration, dry_run: bool) -> String {
    let Reindexed { rewritten, chunks, kept, embedded, .. } = *reindexed;
    let mut parts = vec![format!("{} rewritten", count(rewritten, "document"))];
    for (number, what) in
        [(reindexed.unchanged, "unchanged"), (reindexed.left, "left"), (reindexed.failed, "failed")]
    {
        if number > 0 {
            parts.push(format!("{number} {what}"));
        }
    }
    let parts = parts.join(", ");
    let chunks = format!("{}, {kept} kept", count(chunks, "chunk"));
    if dry_run {
        format!("nothing was written; it would be: {parts}; {chunks}\n")
    } else {
        let seconds = elapsed.as_secs_f64();
        format!("{parts}; {chunks}, {embedded} embedded, in {seconds:.1} s\n")
    }
}

/// The same for programs.
pub fn reindexed_json(reindexed: &Reindexed, elapsed: Duration, dry_run: bool) -> String {
    let Reindexed { rewritten, unchanged, left, failed, chunks, kept, embedded } = *reindexed;
    json(&json!({
        "dry_run": dry_run, "rewritten": rewritten, "unchanged": unchanged, "left": left,
        "failed": failed, "chunks": chunks, "kept": kept, "embedded": embedded,
        "milliseconds": elapsed.as_millis() as u64,
    }))
}
