//! The fields of one line, taken out one by one; what is left at the end is unknown.

use super::{Belonging, Place};
use crate::postgres_text::contains_nul;
use crate::source::Error;
use passage_core::{Kind, MediaType};
use serde_json::error::Category;
use serde_json::{Map, Value};
use std::path::PathBuf;

/// The most values of a line: each takes 32 bytes or more in memory, and two in the line. The
/// metadata of a document has some dozens.
const MOST_VALUES: usize = 1_000_000;

/// An object in JSON, and where it stands.
#[derive(Debug)]
pub(super) struct Fields {
    map: Map<String, Value>,
    pub(super) place: Place,
}

impl Fields {
    /// Reads a line.
    ///
    /// # Errors
    ///
    /// If it is no object, has too many values, holds a NUL, or is a document of another collection
    /// or version.
    pub(super) fn read(line: &[u8], place: Place, belonging: &Belonging) -> Result<Self, Error> {
        if has_more_values(line, MOST_VALUES) {
            return Err(place.error(format!("more than {MOST_VALUES} values")));
        }
        let map = match serde_json::from_slice(line) {
            Ok(Value::Object(map)) => map,
            Ok(_) => return Err(place.error("no JSON object")),
            // The reader's own message may quote what it found.
            Err(error) => {
                let what = match error.classify() {
                    Category::Eof => "the JSON object does not end",
                    _ => "no JSON",
                };
                return Err(place.error(format!("{what}: column {}", error.column())));
            }
        };
        let mut fields = Self { map, place };
        for (key, ours) in [("collection", &belonging.collection), ("version", &belonging.version)]
        {
            if fields.text(key)?.is_some_and(|theirs| theirs != *ours) {
                let reason = format!("\"{key}\" is not that of this run");
                return Err(fields.error(reason));
            }
        }
        Ok(fields)
    }

    pub(super) fn error(&self, reason: impl Into<String>) -> Error {
        self.place.error(reason)
    }

    pub(super) fn origin(&self) -> PathBuf {
        self.place.origin()
    }

    /// Takes a field out; null is the same as none.
    fn take(&mut self, key: &str) -> Option<Value> {
        self.map.remove(key).filter(|value| !value.is_null())
    }

    fn refuse<T>(&self, key: &str, what: &str) -> Result<T, Error> {
        Err(self.error(format!("\"{key}\" is no {what}")))
    }

    /// Takes a text of a document, which may hold a NUL as a file may.
    pub(super) fn content(&mut self, key: &str) -> Result<String, Error> {
        match self.take(key) {
            Some(Value::String(text)) => Ok(text),
            Some(_) => self.refuse(key, "text"),
            None => Err(self.error(format!("\"{key}\" is missing"))),
        }
    }

    pub(super) fn text(&mut self, key: &str) -> Result<Option<String>, Error> {
        match self.take(key) {
            Some(Value::String(text)) if text.contains('\0') => self.holds_nul(key),
            Some(Value::String(text)) => Ok(Some(text)),
            Some(_) => self.refuse(key, "text"),
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
            Some(_) => return self.refuse(key, "list of texts"),
        };
        let mut texts = Vec::with_capacity(values.len());
        for value in values {
            match value {
                Value::String(text) if text.contains('\0') => return self.holds_nul(key),
                Value::String(text) => texts.push(text),
                _ => return self.refuse(key, "list of texts"),
            }
        }
        Ok(texts)
    }

    /// Takes a number that an `integer` of PostgreSQL holds, and that is not negative.
    pub(super) fn number(&mut self, key: &str) -> Result<Option<usize>, Error> {
        match self.take(key) {
            None => Ok(None),
            Some(value) => match value.as_u64() {
                Some(number) if i32::try_from(number).is_ok() => Ok(Some(number as usize)),
                _ => self.refuse(key, "number from 0 to 2147483647"),
            },
        }
    }

    pub(super) fn metadata(&mut self, key: &str) -> Result<Map<String, Value>, Error> {
        match self.take(key) {
            None => Ok(Map::new()),
            Some(value) if contains_nul(&value) => self.holds_nul(key),
            Some(Value::Object(metadata)) => Ok(metadata),
            Some(_) => self.refuse(key, "object"),
        }
    }

    /// Takes a media type, which may be one that has no name here.
    pub(super) fn media_type(&mut self) -> Result<Option<MediaType>, Error> {
        let media_type = self.text("media_type")?.map(|name| MediaType::new(&name));
        if media_type.as_ref().is_some_and(|media_type| !media_type.name().contains('/')) {
            return self.refuse("media_type", "media type, such as text/markdown");
        }
        Ok(media_type)
    }

    pub(super) fn kind(&mut self) -> Result<Option<Kind>, Error> {
        let Some(name) = self.text("kind")? else { return Ok(None) };
        match Kind::from_name(&name) {
            Some(kind) => Ok(Some(kind)),
            None => self.refuse("kind", "kind: prose, code, api-reference or data"),
        }
    }

    /// Makes sure that nothing is left, which might have been meant.
    pub(super) fn finish(self) -> Result<(), Error> {
        match self.map.keys().next() {
            None => Ok(()),
            Some(key) => {
                // A key is a name, but only a short one is sure to be.
                let key: String = key.chars().take(40).filter(|char| !char.is_control()).collect();
                Err(self.error(format!("\"{key}\" is unknown")))
            }
        }
    }

    fn holds_nul<T>(&self, key: &str) -> Result<T, Error> {
        Err(self.error(format!("\"{key}\" holds a NUL")))
    }
}

/// Tells whether there are more values in JSON than some number, by the commas and brackets outside
/// of strings.
fn has_more_values(json: &[u8], most: usize) -> bool {
    let (mut values, mut at) = (0, 0);
    while let Some(byte) = json.get(at) {
        at += 1;
        match byte {
            b',' | b'[' | b'{' => values += 1,
            b'"' => at = end_of_string(json, at),
            _ => {}
        }
        if values > most {
            return true;
        }
    }
    false
}

/// Returns what follows the string whose content begins at a place.
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
