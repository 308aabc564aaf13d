//! The sources that the paths of a command name.

use super::options::Loading;
use crate::cli::options::JsonLines;
use crate::source::{CollectionVersion, Input};
use crate::{Error, source};
use std::path::Path;

/// Returns the inputs. With `--follow-links`, the address of a page stands for those that its links lead to.
pub fn inputs(args: &Loading) -> Result<Vec<Input>, Error> {
    let mut inputs = named_inputs(args)?;
    if args.follow_links {
        let (depth, max_pages) = (args.depth as usize, args.max_pages as usize);
        let mut pages = 0;
        for input in &mut inputs {
            if let Some(links) = input.with_links(args.link_prefix.as_deref(), depth, max_pages)? {
                *input = links;
                pages += 1;
            }
        }
        if pages == 0 {
            return Err(Error::usage(
                "--follow-links requires the address of a page",
                "Name a page, as in https://example.com/docs/. A sitemap already lists its pages.",
            ));
        }
    }
    Ok(inputs)
}

/// Returns the inputs that the paths name. Standard input needs a uri, and a uri allows only one document.
fn named_inputs(args: &Loading) -> Result<Vec<Input>, Error> {
    if let Some(lines) = args.jsonl {
        return Ok(args.paths.iter().map(|path| jsonl_input(args, lines, path)).collect());
    }
    match (&args.uri, &args.paths[..]) {
        (Some(uri), [path]) if is_stdin(path) => Ok(vec![Input::Stdin(uri.clone())]),
        (Some(uri), [path]) if !path.is_dir() => {
            Ok(vec![Input::NamedFile(path.clone(), uri.clone())])
        }
        (Some(_), _) => Err(Error::usage(
            "--uri requires a single document",
            "Name one file, or - for standard input.",
        )),
        (None, paths) if paths.iter().any(|path| is_stdin(path)) => Err(Error::usage(
            "standard input requires --uri",
            "Use --uri with - as the only path, or --jsonl if the lines have uris.",
        )),
        (None, paths) => {
            Ok(paths.iter().map(|path| Input::parse(path)).collect::<Result<_, _>>()?)
        }
    }
}

fn jsonl_input(args: &Loading, lines: JsonLines, path: &Path) -> Input {
    let lines = source::JsonLines::from(lines);
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

fn is_stdin(path: &Path) -> bool {
    path.as_os_str() == "-"
}
