//! The command `reindex`: splits and embeds a collection or the whole store again.

use super::options::embedder::embedder;
use super::options::{Embedder, EmbeddingType, Server, Sizer, Splitting, StoreSplitter};
use super::output::print::print;
use super::output::progress::{CHUNKS, DOCUMENTS, Progress, Settings};
use super::output::render::{self, count, printable};
use crate::Error;
use crate::ingest::{
    Job, ReindexCollection, ReindexEvent, ReindexOutcome, ReindexStore, ReindexSummary,
    reindex_collection, reindex_store,
};
use crate::split::Splitter;
use crate::store::{Notice, Store, quote_identifier};
use clap::Args;
use serde_json::json;
use std::num::NonZero;
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// The text below the options.
pub const HELP: &str = "\
Use reindex after an upgrade with another splitter, or to change --sizer, --overlap, --split-at or
the sizes of chunks, which the store then records. It needs no sources. Unchanged chunks keep
their ids and embeddings, and so do documents that were loaded as chunks without byte offsets. If
a run is interrupted, the next one continues. The next ingest reads all sources again, but embeds
only what differs.

With --collection, reindex works in place, one transaction for each document. Searches continue
without waiting and see either the old or the new version of a document.

Without --collection, reindex builds a shadow store, which can also change the model,
--embedding-type or --language. It fills STORE_reindex while the store is read and written. Then
one transaction swaps both and transfers privileges, policies, indexes, strategies and comments.
Others wait during this transaction, about one second for a million chunks, but open transactions
can finish first. The former store remains as STORE_before. If an object cannot be transferred,
such as a view or a trigger on the tables, reindex reports it and changes nothing.

The store, its tables and an existing STORE_reindex must be owned by the role that logged in,
or by a role that is granted to it; SET ROLE does not count. Without --collection, reindex needs
a session of its own, so it does not work through a transaction pooler.

Examples:
  passage reindex --dry-run
  passage reindex --embedding-type halfvec --drop-former
  passage reindex --collection click --dry-run
  passage reindex --collection click --version 8.1
  passage reindex --collection '' --sizer characters --json";

/// The heading of the options that change the whole store.
const WHOLE_STORE: &str = "Whole store";

#[allow(clippy::struct_excessive_bools)] // Each is an option of its own.
#[derive(Args)]
pub struct Reindex {
    /// Collection to reindex; '' is the unnamed one [default: the whole store]
    #[arg(long, value_name = "NAME")]
    pub collection: Option<String>,
    /// Version of the collection [default: all versions]
    #[arg(long = "version", value_name = "VERSION", requires = "collection")]
    pub collection_version: Option<String>,
    #[command(flatten)]
    pub server: Server,
    #[command(flatten)]
    pub embedder: Embedder,
    /// Do not embed new chunks; passage embed does it later
    #[arg(long)]
    pub no_embed: bool,
    /// SQL type of the embeddings [default: unchanged]
    #[arg(long, value_name = "TYPE", conflicts_with = "collection", help_heading = WHOLE_STORE)]
    pub embedding_type: Option<EmbeddingType>,
    /// Text search configuration, such as english [default: unchanged]
    #[arg(long, value_name = "NAME", conflicts_with = "collection", help_heading = WHOLE_STORE)]
    pub language: Option<String>,
    /// Drop the former store after the swap
    #[arg(long, conflicts_with_all = ["collection", "dry_run"], help_heading = WHOLE_STORE)]
    pub drop_former: bool,
    /// Number of documents split, and of chunks embedded, at the same time, at least 1 [default:
    /// one per core]
    #[arg(long, hide_short_help = true, value_name = "N")]
    pub jobs: Option<NonZero<usize>>,
    /// Report what would change, and change nothing
    #[arg(long)]
    pub dry_run: bool,
    /// Print the result as one JSON object
    #[arg(long)]
    pub json: bool,
    /// Print only errors
    #[arg(long, short)]
    pub quiet: bool,
    #[command(flatten)]
    pub splitting: Splitting,
}

impl Reindex {
    /// Runs the command.
    pub async fn run(self) -> Result<ExitCode, Error> {
        let (quiet, dry_run, json) = (self.quiet, self.dry_run, self.json);
        let progress = Progress::of_documents(Settings { quiet, dry_run });
        let summary = self.reindex(&progress).await?;
        let render = if json { as_json } else { as_text };
        if json || !quiet {
            print(&render(&summary, progress.elapsed(), dry_run));
        }
        Ok(if summary.failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
    }

    /// Reindexes documents and shows the progress.
    async fn reindex(self, progress: &Progress) -> Result<ReindexSummary, Error> {
        let store = self.server.connect_told(&self.embedder).await?;
        store.must_be_writable().await?;
        let model_name = self.embedder.model_name();
        let (embedder, model) = if self.no_embed || !store.has_embeddings().await? {
            (None, None)
        } else {
            let (embedder, model) = embedder(&self.embedder, self.jobs).await?;
            (Some(embedder), model)
        };
        let splitter = StoreSplitter {
            store: &store,
            options: &self.splitting,
            embedder: &self.embedder,
            loaded: model,
            default: Sizer::Characters,
        };
        let (splitter, note) = splitter.splitter().await?;
        if let Some(note) = note {
            progress.note(&render::note(&note));
        }
        if self.collection.is_some() && changes_sizes(&store, &splitter).await? {
            progress.note(&render::note(&other_collections()));
        }
        let url = self.server.url()?;
        let Self { server, collection, jobs, dry_run, .. } = self;
        let job = Job { url, store: server.store, splitter, embedder, model_name, jobs, dry_run };
        let events = Events { progress, counts_chunks: AtomicBool::default() };
        let report = |event: &_| events.show(event);
        let summary = if let Some(collection) = collection {
            let version = self.collection_version;
            reindex_collection(ReindexCollection { job, collection, version }, report).await
        } else {
            let reindex = ReindexStore {
                job,
                embedding_type: self.embedding_type.map(|it| it.name().to_owned()),
                language: self.language,
                drop_former: self.drop_former,
            };
            reindex_store(reindex, report).await
        };
        progress.finish();
        summary
    }
}

/// Returns whether the store records other sizes than those of a splitter.
async fn changes_sizes(store: &Store, splitter: &Splitter) -> Result<bool, Error> {
    let recorded = store.recorded_splitting().await?;
    Ok(recorded.is_some_and(|recorded| recorded != splitter.settings()))
}

fn other_collections() -> Notice {
    Notice {
        message: "the store now has other chunk sizes; any other collections still have chunks of the former sizes".into(),
        hint: Some("To split them too: passage reindex, with --collection for each of them or without.".into()),
    }
}

/// Shows the events of a reindex.
struct Events<'a> {
    progress: &'a Progress,
    /// Whether the bar counts chunks, and not documents.
    counts_chunks: AtomicBool,
}

impl Events<'_> {
    /// Shows an event of a reindex.
    fn show(&self, event: &ReindexEvent) {
        let progress = self.progress;
        match event {
            ReindexEvent::Found(documents) => self.count_to(*documents, DOCUMENTS),
            ReindexEvent::Missing(chunks) => {
                self.count_to(*chunks, CHUNKS);
                if *chunks > 0 {
                    progress.bar.note_if_hidden(&format!("embedding {}", count(*chunks, "chunk")));
                }
            }
            ReindexEvent::Embedded(chunks) => {
                if self.counts_chunks.load(Ordering::Relaxed) {
                    progress.bar.advance(*chunks as u64);
                }
            }
            ReindexEvent::Indexing => progress.status("building indexes"),
            ReindexEvent::Waiting => progress.status("waiting for other transactions to end"),
            ReindexEvent::Replaced { former } => progress.note(&replaced(former)),
            ReindexEvent::Done { uri, outcome } => {
                progress.done(&outcome_line(uri, *outcome, progress.is_dry_run()));
            }
            ReindexEvent::Failed { uri, error } => {
                // Unlike a source, each of these is counted, with or without a uri.
                progress.bar.advance(u64::from(uri.is_none()));
                progress.failed(uri.as_deref(), error);
            }
        }
    }

    /// Restarts the bar, unless there is nothing to count.
    fn count_to(&self, length: usize, unit: &str) {
        if length > 0 {
            self.counts_chunks.store(unit == CHUNKS, Ordering::Relaxed);
            self.progress.bar.restart(length as u64, unit);
        }
    }
}

/// Returns the line for a document of a reindex.
fn outcome_line(uri: &str, outcome: ReindexOutcome, dry_run: bool) -> String {
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
fn replaced(former: &str) -> String {
    let (schema, former) = (printable(&quote_identifier(former)), printable(former));
    format!("the former store is \"{former}\"; to remove it: DROP SCHEMA {schema} CASCADE")
}

/// Returns the summary of a reindex.
fn as_text(summary: &ReindexSummary, elapsed: Duration, dry_run: bool) -> String {
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
fn as_json(summary: &ReindexSummary, elapsed: Duration, dry_run: bool) -> String {
    let ReindexSummary { rewritten, unchanged, left, failed, chunks, kept, embedded } = *summary;
    render::json(&json!({
        "dry_run": dry_run, "rewritten": rewritten, "unchanged": unchanged, "left": left,
        "failed": failed, "chunks": chunks, "kept": kept, "embedded": embedded,
        "milliseconds": elapsed.as_millis() as u64,
    }))
}
