//! The settings of a run: splitter, embedder and metadata.

use super::options::Loading;
use crate::Error;
use crate::cli::options::embedder::embedder;
use crate::cli::options::{Sizer, StoreSplitter, metadata};
use crate::cli::output::progress::Progress;
use crate::cli::output::render;
use crate::ingest::{Ingest, Job};
use crate::store::Store;
use serde_json::{Map, Value};

/// Returns the settings of the run, and the connection with which it was checked.
pub async fn ingest_job(args: Loading, progress: &Progress) -> Result<(Ingest, Store), Error> {
    let overrides = args.overrides.overrides()?;
    let metadata = merged_metadata(&args.metadata)?;
    let url = args.server.url()?;
    let model_name = args.embedder.model_name();
    let (embedder, model) = if args.no_embed {
        (None, None)
    } else {
        let (embedder, model) = embedder(&args.embedder, args.jobs).await?;
        (Some(embedder), model)
    };
    let store = args.server.connect_told(&args.embedder).await?;
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
    let converter = args.conversion.converter()?;
    let Loading { jobs, dry_run, collection, collection_version: version, .. } = args;
    let job = Job { url, store: args.server.store, splitter, embedder, model_name, jobs, dry_run };
    let (collection, version) = (collection.unwrap_or_default(), version.unwrap_or_default());
    Ok((Ingest { job, collection, version, overrides, metadata, converter }, store))
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
