//! The work that `ingest` and `sync` share: loads documents, once or whenever they change.

mod estimate;
mod inputs;
mod job;
mod options;
mod output;

pub use options::Loading;

use super::output::print::print;
use super::output::progress::{Progress, Settings};
use crate::Error;
use crate::ingest::{Event, Ingest, Summary, Sync, http_cache, ingest, sync};
use crate::source::{
    self, Changes, Filter, Input, Network, OpenOptions, PageOptions, Scope, Scopes, Watch,
};
use inputs::inputs;
use job::ingest_job;
use output::Events;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

/// The grace period of `ingest --watch`.
const WATCH_GRACE: Duration = Duration::from_hours(7 * 24);

impl Loading {
    /// Loads documents and prints the summary of each round. With `grace` it also removes missing documents.
    pub async fn load(self, grace: Option<Duration>) -> Result<ExitCode, Error> {
        let (quiet, dry_run, json) = (self.quiet, self.dry_run, self.json);
        let progress = Progress::of_documents(Settings { quiet, dry_run });
        let render = if json { output::as_json } else { output::as_text };
        let show = |summary: &Summary, progress: &Progress| {
            if json || !quiet {
                let (failures, elapsed) = (progress.failures(), progress.elapsed());
                print(&render(summary, &failures, elapsed, dry_run));
            }
        };
        let skip_unsupported = self.skip_unsupported;
        let summary = load(self, grace, progress, show).await?;
        let is_complete = skip_unsupported || summary.unsupported.total() == 0;
        Ok(if summary.failed == 0 && is_complete { ExitCode::SUCCESS } else { ExitCode::FAILURE })
    }
}

/// Loads documents. With `grace` it also removes missing ones. With `--watch` it continues with one
/// round for each change. `show` receives the summary of each round.
async fn load(
    args: Loading,
    grace: Option<Duration>,
    progress: Progress,
    show: impl Fn(&Summary, &Progress),
) -> Result<Summary, Error> {
    let programs = args.conversion.programs()?;
    let filter = Filter::new(&args.include, &args.exclude)?.with_converted(programs.types());
    let inputs = inputs(&args)?;
    if grace.is_some() && args.collection.as_deref().is_none_or(str::is_empty) {
        let is_collection = |input: &Input| matches!(input.scope(), Scope::Collection);
        if inputs.iter().any(is_collection) {
            return Err(Error::usage(
                "a sync of JSON lines requires --collection",
                "Name the collection, because the sync removes all documents of it that are not in the lines.",
            ));
        }
    }
    let watched: Vec<PathBuf> = inputs.iter().filter_map(Input::path).collect();
    if args.watch && watched.is_empty() {
        return Err(Error::usage(
            "--watch requires files or folders",
            "Name files or folders: pages and standard input cannot be watched.",
        ));
    }
    let (watch, skip_unsupported) = (args.watch, args.skip_unsupported);
    let network = if args.allow_private { Network::Any } else { Network::Public };
    let (allow_empty, has_lines) = (args.allow_empty, args.jsonl.is_some());
    let skip_optional = args.skip_optional;
    let model_name = args.embedder.model_name();
    let missing: Vec<Error> = inputs.iter().filter_map(Input::missing).map(Error::from).collect();
    let report_missing = || missing.iter().for_each(|error| progress.failed(None, error));
    if missing.len() == inputs.len() {
        report_missing();
        let summary = Summary { failed: missing.len(), ..Summary::default() };
        show(&summary, &progress);
        return Ok(summary);
    }
    let job = ingest_job(args, &progress).await;
    if job.is_err() {
        report_missing();
    }
    let (ingest, store) = job?;
    let dimensions = if has_lines { store.dimensions().await? } else { None };
    drop(store);
    let pages = PageOptions { network, skip_optional };
    let options = OpenOptions { filter, pages, allow_empty, model_name, dimensions };
    // The watch starts before the first round, so that no change is missed.
    let watch = if watch { Some(Watch::new(&watched)?) } else { None };

    let round = Round { ingest, options, skip_unsupported };
    let summary = round.run(inputs.clone(), grace, None, &progress).await?;
    show(&summary, &progress);
    let Some(mut watch) = watch else { return Ok(summary) };

    let files: Vec<_> = inputs.into_iter().filter(|input| input.path().is_some()).collect();
    progress.note("watching for changes");
    loop {
        let changes = watch.changes().await;
        let progress = progress.restart();
        let grace = Some(grace.unwrap_or(WATCH_GRACE));
        let summary = round.run(files.clone(), grace, Some(changes), &progress).await?;
        let visible = Summary { unchanged: 0, skipped: 0, ..summary };
        if visible != Summary::default() {
            show(&summary, &progress);
        }
    }
}

/// The settings that all rounds share.
struct Round {
    ingest: Ingest,
    options: OpenOptions,
    skip_unsupported: bool,
}

impl Round {
    async fn run(
        &self,
        inputs: Vec<Input>,
        grace: Option<Duration>,
        changes: Option<Changes>,
        progress: &Progress,
    ) -> Result<Summary, Error> {
        let events = Events::new(progress.clone(), self.skip_unsupported);
        let report = move |event: &Event| events.show(event);
        let mut scopes: Vec<Scope> = inputs.iter().map(Input::scope).collect();
        let mut options = self.options.clone();
        if changes.is_some() {
            // A watched folder becomes empty when its last file is removed.
            options.allow_empty = true;
            // A changed file of JSON lines must not remove documents that others have loaded.
            scopes.retain(|scope| !matches!(scope, Scope::Collection));
        }
        let job = self.ingest.clone();
        let sources = source::open(inputs, options, move || http_cache(&job));
        let job = self.ingest.clone();
        let summary = match grace {
            Some(grace) => {
                let scopes = Scopes::new(scopes, self.options.filter.clone());
                sync(job, sources, Sync { scopes, grace, changes }, report).await
            }
            None => ingest(job, sources, report).await,
        };
        progress.finish();
        summary
    }
}
