//! The prefixes of questions and documents in `config_sentence_transformers.json`.

use super::settings::read_settings;
use crate::error::Error;
use crate::prefixes::Prefixes;
use serde::Deserialize;
use std::collections::HashMap;
use std::path::Path;

/// The names of prompts for questions, and those for documents. The first one that is not empty counts.
const QUERY: &[&str] = &["query"];
const DOCUMENT: &[&str] = &["document", "passage", "corpus"];

#[derive(Deserialize)]
struct Settings {
    #[serde(default)]
    prompts: HashMap<String, Option<String>>,
    default_prompt_name: Option<String>,
}

/// Returns the prefixes that a folder names, or none.
///
/// # Errors
///
/// Returns [`Error::Unsupported`] if the default prompt is missing.
pub(crate) fn read_prefixes(folder: &Path) -> Result<Prefixes, Error> {
    let path = folder.join("config_sentence_transformers.json");
    let Some(settings) = read_settings::<Settings>(&path)? else { return Ok(Prefixes::default()) };
    let prompt =
        |name: &str| settings.prompts.get(name).map(|prompt| prompt.clone().unwrap_or_default());
    let default = match &settings.default_prompt_name {
        Some(name) => prompt(name).ok_or_else(|| {
            Error::unsupported(&path, &format!("the default prompt \"{name}\" is missing"))
        })?,
        None => String::new(),
    };
    // sentence-transformers 5 writes an empty prompt "document" beside a "passage" that the author has named. An empty prompt
    // without such a sibling means none, also if there is a default.
    let prefix = |names: &[&str]| {
        let named: Vec<_> = names.iter().filter_map(|name| prompt(name)).collect();
        let is_named = !named.is_empty();
        named
            .into_iter()
            .find(|prompt| !prompt.is_empty())
            .unwrap_or_else(|| if is_named { String::new() } else { default.clone() })
    };
    Ok(Prefixes { query: prefix(QUERY), document: prefix(DOCUMENT) })
}
