//! The commands `ingest` and `sync`.

use super::embedder::embedder;
use super::splitter::StoreSplitter;
use super::{connect_told, is_stdin, metadata, overrides, url, usage};
use crate::args::{JsonLines, Loading, Sizer};
use crate::progress::Progress;
use crate::render;
use passage::Error;
use passage::ingest::{Event, Ingest, Job, Summary, Sync, http_cache, ingest, sync};
use passage::source::{
    self, Changes, CollectionVersion, Filter, Input, Network, OpenOptions, Scope, Scopes, Watch,
};
use passage::store::Store;
use serde_json::{Map, Value};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The grace period of `ingest --watch`.
const WATCH_GRACE: Duration = Duration::from_hours(7 * 24);

/// Loads documents. With `grace` it also removes missing ones. With `--watch` it continues with one
/// round for each change. `show` receives the summary of each round.
pub async fn load_documents(
    args: Loading,
    grace: Option<Duration>,
    progress: Progress,
    show: impl Fn(&Summary, &Progress),
) -> Result<Summary, Error> {
    let filter = Filter::new(&args.include, &args.exclude)?;
    let inputs = inputs(&args)?;
    if grace.is_some() && args.collection.as_deref().is_none_or(str::is_empty) {
        let is_collection = |input: &Input| matches!(input.scope(), Scope::Collection);
        if inputs.iter().any(is_collection) {
            return Err(usage(
                "a sync of JSON lines requires --collection",
                "Name the collection, because the sync removes all documents of it that are not in the lines.",
            ));
        }
    }
    let watched: Vec<PathBuf> = inputs.iter().filter_map(Input::path).collect();
    if args.watch && watched.is_empty() {
        return Err(usage(
            "--watch requires files or folders",
            "Name files or folders: pages and standard input cannot be watched.",
        ));
    }
    let watch = args.watch;
    let network = if args.allow_private { Network::Any } else { Network::Public };
    let (allow_empty, has_lines) = (args.allow_empty, args.jsonl.is_some());
    let model_name = args.embedder.model_name();
    let (ingest, store) = ingest_job(args, &progress).await?;
    let dimensions = if has_lines { store.dimensions().await? } else { None };
    drop(store);
    let options = OpenOptions { filter, network, allow_empty, model_name, dimensions };
    // The watch starts before the first round, so that no change is missed.
    let watch = if watch { Some(Watch::new(&watched)?) } else { None };

    let round = Round { ingest, options };
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
}

impl Round {
    async fn run(
        &self,
        inputs: Vec<Input>,
        grace: Option<Duration>,
        changes: Option<Changes>,
        progress: &Progress,
    ) -> Result<Summary, Error> {
        let reporter = progress.clone();
        let report = move |event: &Event| reporter.report_ingest(event);
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

/// Returns the settings of the run, and the connection with which it was checked.
async fn ingest_job(args: Loading, progress: &Progress) -> Result<(Ingest, Store), Error> {
    let overrides = overrides(&args.overrides)?;
    let metadata = merged_metadata(&args.metadata)?;
    let url = url(&args.server)?;
    let model_name = args.embedder.model_name();
    let (embedder, model) = if args.no_embed {
        (None, None)
    } else {
        let (embedder, model) = embedder(&args.embedder, args.jobs).await?;
        (Some(embedder), model)
    };
    let store = connect_told(&args.server, &args.embedder).await?;
    store.must_be_writable().await?;
    let default = if model.is_some() {
        Sizer::Wordpieces
    } else if args.no_embed {
        sizer_of_later_embeddings(&args, &store).await?
    } else {
        Sizer::Characters
    };
    let splitter = StoreSplitter {
        store: &store,
        options: &args.splitting,
        embedder: &args.embedder,
        loaded: model,
        default,
    };
    let (splitter, note) = splitter.splitter().await?;
    if let Some(note) = note {
        progress.note(&render::note(&note));
    }
    let Loading { jobs, dry_run, collection, collection_version: version, .. } = args;
    let job = Job { url, store: args.server.store, splitter, embedder, model_name, jobs, dry_run };
    let (collection, version) = (collection.unwrap_or_default(), version.unwrap_or_default());
    Ok((Ingest { job, collection, version, overrides, metadata }, store))
}

/// Returns the unit that fits the model which will embed the chunks of a run without embeddings.
async fn sizer_of_later_embeddings(args: &Loading, store: &Store) -> Result<Sizer, Error> {
    let is_local = args.embedder.service().is_none() && args.embedder.model.is_available();
    let has_embeddings = is_local && store.has_embeddings().await?;
    Ok(if has_embeddings { Sizer::Wordpieces } else { Sizer::Characters })
}

/// Merges JSON objects and `KEY=VALUE` pairs. The last value of a key counts.
fn merged_metadata(values: &[String]) -> Result<Map<String, Value>, Error> {
    let mut all = Map::new();
    for argument in values {
        match argument.split_once('=') {
            Some((key, value)) if !argument.trim_start().starts_with('{') && !key.is_empty() => {
                all.insert(key.to_owned(), value.into());
            }
            _ => all.extend(metadata(argument).map_err(or_key_value)?),
        }
    }
    Ok(all)
}

/// Adds the other notation to the remedy.
fn or_key_value(error: Error) -> Error {
    match error {
        Error::Usage { cause, remedy } => {
            Error::Usage { cause, remedy: format!("{remedy} Or write it as KEY=VALUE.") }
        }
        other => other,
    }
}

/// Returns the inputs. Standard input needs a uri, and a uri allows only one document.
fn inputs(args: &Loading) -> Result<Vec<Input>, Error> {
    if let Some(lines) = args.jsonl {
        return Ok(args.paths.iter().map(|path| jsonl_input(args, lines, path)).collect());
    }
    match (&args.uri, &args.paths[..]) {
        (Some(uri), [path]) if is_stdin(path) => Ok(vec![Input::Stdin(uri.clone())]),
        (Some(uri), [path]) if !path.is_dir() => {
            Ok(vec![Input::NamedFile(path.clone(), uri.clone())])
        }
        (Some(_), _) => Err(usage(
            "--uri requires a single document",
            "Name one file, or - for standard input.",
        )),
        (None, paths) if paths.iter().any(|path| is_stdin(path)) => Err(usage(
            "standard input requires --uri",
            "Use --uri with - as the only path, or --jsonl if the lines have uris.",
        )),
        (None, paths) => {
            Ok(paths.iter().map(|path| Input::parse(path)).collect::<Result<_, _>>()?)
        }
    }
}

fn jsonl_input(args: &Loading, lines: JsonLines, path: &Path) -> Input {
    let lines = match lines {
        JsonLines::Documents => source::JsonLines::Documents,
        JsonLines::Chunks => source::JsonLines::Chunks,
    };
    let (collection, version) = (args.collection.clone(), args.collection_version.clone());
    let is_named = collection.is_some() || version.is_some();
    let collection = is_named.then(|| CollectionVersion {
        collection: collection.unwrap_or_default(),
        version: version.unwrap_or_default(),
    });
    if is_stdin(path) {
        Input::StdinJsonLines(lines, collection)
    } else {
        Input::JsonLines(path.to_owned(), lines, collection)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    fn merged(arguments: &[&str]) -> Result<Value, Error> {
        merged_metadata(&arguments.iter().map(ToString::to_string).collect::<Vec<_>>())
            .map(Value::Object)
    }

    #[test]
    fn metadata_is_merged_from_pairs_and_objects() {
        let all =
            merged(&["team=core", "{\"a\": 1, \"team\": \"x\"}", "note=a=b", "empty="]).unwrap();
        assert_eq!(all, json!({"team": "x", "a": 1, "note": "a=b", "empty": ""}));
        for wrong in ["", "=a", "a", "[1]", "{\"a\"=1}", "{\"a\": \"\\u0000\"}"] {
            assert!(merged(&[wrong]).is_err(), "{wrong}");
        }
    }

    proptest! {
        #[test]
        fn every_pair_is_read_unchanged(key in "[a-z_][^=]{0,9}", value: String) {
            prop_assert_eq!(merged(&[&format!("{key}={value}")]).unwrap(), json!({key: value}));
        }

        #[test]
        fn any_argument_is_parsed_or_refused(argument in "[\\[\\]{}\":=,a1 ]{0,12}") {
            let _ = merged(&[&argument]);
        }
    }
}
