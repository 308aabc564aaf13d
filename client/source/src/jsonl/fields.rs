//! The fields of one line. They are taken out one by one, and a key that is left at the end is
//! unknown. The settings of a run, which lines must agree with, are here too.

use super::line::{Line, Location};
use crate::{CollectionVersion, Error};
use passage_split::contains_nul;
use passage_split::{Kind, MediaType};
use serde_json::error::Category;
use serde_json::{Map, Value};

/// The maximum number of values in a line. Each takes at least 32 bytes of memory and 2 bytes of the line. The
/// metadata of a document has a few dozen.
const MAX_VALUES: usize = 1_000_000;

/// The settings of a run that lines must agree with.
#[derive(Clone, Debug, Default)]
pub struct LineOptions {
    /// The collection of the run, which no line may contradict; `None` if each line names its own.
    pub collection: Option<CollectionVersion>,
    /// The model of embeddings whose lines do not name it.
    pub model: Option<String>,
    /// The dimensions of the store's embeddings, if they are known.
    pub dimensions: Option<usize>,
}

/// A JSON object with its location.
#[derive(Debug)]
pub(super) struct Fields {
    map: Map<String, Value>,
    pub(super) location: Location,
    /// The collection that the line names; `None` for that of the run.
    pub(super) collection: Option<CollectionVersion>,
}

impl Fields {
    /// Parses a line.
    ///
    /// # Errors
    ///
    /// Returns an error if the line is not an object, has too many values, or names another
    /// collection or version than the run.
    pub(super) fn parse(line: Line, run: Option<&CollectionVersion>) -> Result<Self, Error> {
        let Line { bytes, location } = line;
        if has_more_values(&bytes, MAX_VALUES) {
            return Err(location.error(format!("a line must have at most {MAX_VALUES} values")));
        }
        let map = match serde_json::from_slice(&bytes) {
            Ok(Value::Object(map)) => map,
            Ok(_) => return Err(location.error("not a JSON object")),
            // The parser's own message may quote the line.
            Err(error) => {
                let what = match error.classify() {
                    Category::Eof => "unexpected end of the JSON object",
                    _ => "invalid JSON",
                };
                return Err(location.error(format!("{what}: column {}", error.column())));
            }
        };
        let mut fields = Self { map, location, collection: None };
        let (collection, version) = (fields.text("collection")?, fields.text("version")?);
        match run {
            Some(run) => {
                let given = [(collection, &run.collection), (version, &run.version)];
                for (key, (value, expected)) in ["collection", "version"].iter().zip(given) {
                    if value.is_some_and(|value| value != *expected) {
                        return Err(fields.error(format!("\"{key}\" must be that of this run")));
                    }
                }
            }
            None if collection.is_some() || version.is_some() => {
                let (collection, version) =
                    (collection.unwrap_or_default(), version.unwrap_or_default());
                fields.collection = Some(CollectionVersion { collection, version });
            }
            None => {}
        }
        Ok(fields)
    }

    pub(super) fn error(&self, reason: impl Into<String>) -> Error {
        self.location.error(reason)
    }

    /// Takes a field out. A null value counts as missing.
    pub(super) fn take(&mut self, key: &str) -> Option<Value> {
        self.map.remove(key).filter(|value| !value.is_null())
    }

    pub(super) fn must_be<T>(&self, key: &str, what: &str) -> Result<T, Error> {
        Err(self.error(format!("\"{key}\" must be {what}")))
    }

    /// Takes the text of a document. A NUL in it is reported later, as that of a file is.
    pub(super) fn content(&mut self, key: &str) -> Result<String, Error> {
        match self.take(key) {
            Some(Value::String(text)) => Ok(text),
            Some(_) => self.must_be(key, "a string"),
            None => Err(self.error(format!("\"{key}\" is missing"))),
        }
    }

    pub(super) fn text(&mut self, key: &str) -> Result<Option<String>, Error> {
        match self.take(key) {
            Some(Value::String(text)) if text.contains('\0') => self.contains_nul(key),
            Some(Value::String(text)) => Ok(Some(text)),
            Some(_) => self.must_be(key, "a string"),
            None => Ok(None),
        }
    }

    pub(super) fn uri(&mut self) -> Result<String, Error> {
        match self.text("uri")? {
            Some(uri) if !uri.is_empty() => Ok(uri),
            Some(_) => Err(self.error("\"uri\" is empty")),
            None => Err(self.error("\"uri\" is missing")),
        }
    }

    pub(super) fn texts(&mut self, key: &str) -> Result<Vec<String>, Error> {
        let values = match self.take(key) {
            None => return Ok(Vec::new()),
            Some(Value::Array(values)) => values,
            Some(_) => return self.must_be(key, "an array of strings"),
        };
        let mut texts = Vec::with_capacity(values.len());
        for value in values {
            match value {
                Value::String(text) if text.contains('\0') => return self.contains_nul(key),
                Value::String(text) => texts.push(text),
                _ => return self.must_be(key, "an array of strings"),
            }
        }
        Ok(texts)
    }

    /// Takes a number from 0 to the maximum of PostgreSQL's `integer`.
    pub(super) fn number(&mut self, key: &str) -> Result<Option<usize>, Error> {
        match self.take(key) {
            None => Ok(None),
            Some(value) => match value.as_u64() {
                Some(number) if i32::try_from(number).is_ok() => Ok(Some(number as usize)),
                _ => self.must_be(key, "an integer from 0 to 2147483647"),
            },
        }
    }

    pub(super) fn metadata(&mut self, key: &str) -> Result<Map<String, Value>, Error> {
        match self.take(key) {
            None => Ok(Map::new()),
            Some(value) if contains_nul(&value) => self.contains_nul(key),
            Some(Value::Object(metadata)) => Ok(metadata),
            Some(_) => self.must_be(key, "a JSON object"),
        }
    }

    /// Takes a media type, which may be an unknown one.
    pub(super) fn media_type(&mut self, key: &str) -> Result<Option<MediaType>, Error> {
        let media_type = self.text(key)?.map(|name| MediaType::new(&name));
        if media_type.as_ref().is_some_and(|media_type| !media_type.name().contains('/')) {
            return self.must_be(key, "a media type, such as text/markdown");
        }
        Ok(media_type)
    }

    pub(super) fn kind(&mut self) -> Result<Option<Kind>, Error> {
        let Some(name) = self.text("kind")? else { return Ok(None) };
        match Kind::from_name(&name) {
            Some(kind) => Ok(Some(kind)),
            None => self.must_be("kind", "prose, code, api-reference or data"),
        }
    }

    /// Returns an error if a key is left: the user may have misspelt it.
    pub(super) fn finish(self) -> Result<(), Error> {
        match self.map.keys().next() {
            None => Ok(()),
            Some(key) => {
                // A long key may be content of a document, so only its beginning is shown.
                let key: String = key.chars().take(40).filter(|char| !char.is_control()).collect();
                Err(self.error(format!("unknown key \"{key}\"")))
            }
        }
    }

    fn contains_nul<T>(&self, key: &str) -> Result<T, Error> {
        Err(self.error(format!("\"{key}\" must not contain a NUL")))
    }
}

/// Returns whether a JSON text has more than `limit` values. It counts commas and brackets outside
/// strings.
fn has_more_values(json: &[u8], limit: usize) -> bool {
    let (mut values, mut at) = (0, 0);
    while let Some(byte) = json.get(at) {
        at += 1;
        match byte {
            b',' | b'[' | b'{' => values += 1,
            b'"' => at = end_of_string(json, at),
            _ => {}
        }
        if values > limit {
            return true;
        }
    }
    false
}

/// Returns the offset after the string whose content begins at `start`.
fn end_of_string(json: &[u8], start: usize) -> usize {
    let mut at = start;
    while let Some(byte) = json.get(at) {
        match byte {
            b'"' => return at + 1,
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
    json.len()
}
