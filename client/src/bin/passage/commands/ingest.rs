//! The commands `ingest` and `sync`.

use super::embedder::embedder;
use super::{is_stdin, metadata, reading, splitter, url};
use crate::args::{Lines, Loading, Sizer};
use crate::progress::Progress;
use passage::Error;
use passage::ingest::{Event, Ingest, Summary, Sync, ingest, remembered, sync};
use passage::source::{self, Belonging, Changes, Filter, Input, Network, Scope, Scopes, Watch};
use serde_json::{Map, Value};
use std::path::PathBuf;
use std::time::Duration;

/// How long a document stays when its source is gone, where files are watched and nothing is said.
const GRACE: Duration = Duration::from_hours(7 * 24);

/// Loads documents, with `grace` also takes out those that are gone, and goes on as long as files
/// are watched; `show` is given each round's end.
pub async fn load(
    args: Loading,
    grace: Option<Duration>,
    progress: Progress,
    show: impl Fn(&Summary, &Progress),
) -> Result<Summary, Error> {
    let filter = Filter::new(&args.include, &args.exclude)?;
    let inputs = inputs(&args)?;
    if grace.is_some() && args.collection.is_empty() {
        let all = |input: &Input| matches!(input.scope(), Scope::All);
        if inputs.iter().any(all) {
            return Err(usage(
                "JSON lines stand for all of a collection, and none is named",
                "Name it with --collection, so that no other document is taken for gone.",
            ));
        }
    }
    let watched: Vec<PathBuf> = inputs.iter().filter_map(Input::path).collect();
    if args.watch && watched.is_empty() {
        return Err(usage("--watch watches files, and none is named", "Name files or folders."));
    }
    let watch = args.watch;
    let network = if args.allow_private { Network::Any } else { Network::Public };
    let job = job(args).await?;
    // It begins before anything is read, so that no change is missed.
    let watch = if watch { Some(Watch::new(&watched)?) } else { None };

    let run = Run { job, filter, network };
    let summary = run.once(inputs.clone(), grace, None, &progress).await?;
    show(&summary, &progress);
    let Some(mut watch) = watch else { return Ok(summary) };

    let files: Vec<_> = inputs.into_iter().filter(|input| input.path().is_some()).collect();
    progress.note("watching for changes");
    loop {
        let changes = watch.changes().await;
        let progress = progress.again();
        let grace = Some(grace.unwrap_or(GRACE));
        let summary = run.once(files.clone(), grace, Some(changes), &progress).await?;
        let seen = Summary { unchanged: 0, skipped: 0, ..summary };
        if seen != Summary::default() {
            show(&summary, &progress);
        }
    }
}

/// What all rounds have in common.
struct Run {
    job: Ingest,
    filter: Filter,
    network: Network,
}

impl Run {
    async fn once(
        &self,
        inputs: Vec<Input>,
        grace: Option<Duration>,
        changes: Option<Changes>,
        progress: &Progress,
    ) -> Result<Summary, Error> {
        let (job, shown) = (self.job.clone(), progress.clone());
        let report = move |event: &Event| shown.report(event);
        let mut scopes: Vec<Scope> = inputs.iter().map(Input::scope).collect();
        if changes.is_some() {
            // Lines that are watched say nothing of documents that others have brought.
            scopes.retain(|scope| !matches!(scope, Scope::All));
        }
        let known = self.job.clone();
        let sources =
            source::open(inputs, self.filter.clone(), self.network, move || remembered(&known));
        let summary = match grace {
            Some(grace) => {
                let scopes = Scopes::new(scopes, self.filter.clone());
                sync(job, sources, Sync { scopes, grace, changes }, report).await
            }
            None => ingest(job, sources, report).await,
        };
        progress.finish();
        summary
    }
}

/// Makes of what was said what the library wants.
async fn job(args: Loading) -> Result<Ingest, Error> {
    let reading = reading(&args.reading)?;
    let metadata = metadata_of(&args.metadata)?;
    let url = url(&args.server)?;
    let (embedder, model) = if args.no_embed {
        (None, None)
    } else {
        let (embedder, model) = embedder(&args.embedder, args.jobs).await?;
        (Some(embedder), model)
    };
    let by_default = if model.is_some() { Sizer::Wordpieces } else { Sizer::Characters };
    let sizer = args.sizer.unwrap_or(by_default);
    let splitter = splitter(sizer, model, &args.embedder.model, &args.splitting)?;
    Ok(Ingest {
        url,
        store: args.server.store,
        collection: args.collection,
        version: args.collection_version,
        splitter,
        embedder,
        reading,
        metadata,
        jobs: args.jobs,
        dry_run: args.dry_run,
    })
}

/// Puts together objects and pairs; of one key the last counts.
fn metadata_of(given: &[String]) -> Result<Map<String, Value>, Error> {
    let mut all = Map::new();
    for given in given {
        match given.split_once('=') {
            Some((key, value)) if !given.trim_start().starts_with('{') && !key.is_empty() => {
                all.insert(key.to_owned(), value.into());
            }
            _ => all.extend(metadata(given).map_err(or_a_pair)?),
        }
    }
    Ok(all)
}

/// Here metadata may be said in another way, too.
fn or_a_pair(error: Error) -> Error {
    match error {
        Error::Usage { cause, remedy } => {
            Error::Usage { cause, remedy: format!("{remedy} Or write it as KEY=VALUE.") }
        }
        other => other,
    }
}

/// Standard input needs a uri, and a uri names one document.
fn inputs(args: &Loading) -> Result<Vec<Input>, Error> {
    if let Some(lines) = args.jsonl {
        return Ok(args.paths.iter().map(|path| input_of_lines(args, lines, path)).collect());
    }
    match (&args.uri, &args.paths[..]) {
        (Some(uri), [path]) if is_stdin(path) => Ok(vec![Input::Stdin(uri.clone())]),
        (Some(uri), [path]) if !path.is_dir() => Ok(vec![Input::Named(path.clone(), uri.clone())]),
        (Some(_), _) => Err(usage(
            "--uri names one document, and several may come",
            "Give one file or - with it.",
        )),
        (None, paths) if paths.iter().any(|path| is_stdin(path)) => Err(usage(
            "standard input has no name",
            "Give --uri with it, and - as the only path; or --jsonl, if its lines have uris.",
        )),
        (None, paths) => Ok(paths.iter().map(|path| Input::of(path)).collect::<Result<_, _>>()?),
    }
}

fn input_of_lines(args: &Loading, lines: Lines, path: &std::path::Path) -> Input {
    let lines = match lines {
        Lines::Documents => source::Lines::Documents,
        Lines::Chunks => source::Lines::Chunks,
    };
    let belonging =
        Belonging { collection: args.collection.clone(), version: args.collection_version.clone() };
    if is_stdin(path) {
        Input::StdinLines(lines, belonging)
    } else {
        Input::Lines(path.to_owned(), lines, belonging)
    }
}

fn usage(cause: &str, remedy: &str) -> Error {
    Error::Usage { cause: cause.into(), remedy: remedy.into() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    fn read(given: &[&str]) -> Result<Value, Error> {
        metadata_of(&given.iter().map(ToString::to_string).collect::<Vec<_>>()).map(Value::Object)
    }

    #[test]
    fn metadata_are_pairs_and_objects() {
        let all =
            read(&["team=core", "{\"a\": 1, \"team\": \"x\"}", "note=a=b", "empty="]).unwrap();
        assert_eq!(all, json!({"team": "x", "a": 1, "note": "a=b", "empty": ""}));
        for wrong in ["", "=a", "a", "[1]", "{\"a\"=1}", "{\"a\": \"\\u0000\"}"] {
            assert!(read(&[wrong]).is_err(), "{wrong}");
        }
    }

    proptest! {
        #[test]
        fn every_pair_comes_back(key in "[a-z_][^=]{0,9}", value: String) {
            prop_assert_eq!(read(&[&format!("{key}={value}")]).unwrap(), json!({key: value}));
        }

        #[test]
        fn any_metadata_are_read_or_refused(given in "[\\[\\]{}\":=,a1 ]{0,12}") {
            let _ = read(&[&given]);
        }
    }
}
