//! The entries of a configuration file, and errors with their place in it.

use crate::Error;
use std::path::Path;
use toml::Spanned;
use toml::de::{DeString, DeTable, DeValue};

/// The option whose values may be written as a table.
const CONVERT: &str = "convert";

/// A key with its values.
pub struct Entry {
    /// The command whose table has the key; `None` at the top.
    pub command: Option<String>,
    pub option: String,
    pub values: Vec<String>,
    /// Whether the values are in an array.
    pub is_array: bool,
    /// The offset of the key in bytes.
    pub at: usize,
}

/// A file that was read.
pub struct Text<'a> {
    pub path: &'a Path,
    pub text: &'a str,
}

impl Text<'_> {
    /// Returns all entries. Keys at the top come in one order, and so do those of a table.
    pub fn entries(&self) -> Result<Vec<Entry>, Error> {
        // The parser's excerpt of the text is left out, because it may contain a password.
        let table = DeTable::parse(self.text).map_err(|error| {
            let at = error.span().map_or(0, |span| span.start);
            self.error(at, &format!("invalid TOML: {}", error.message()))
        })?;
        let mut entries = Vec::new();
        for (key, value) in table.get_ref() {
            let name = key.get_ref().to_string();
            if let (CONVERT, DeValue::Table(programs)) = (&*name, value.get_ref()) {
                entries.push(self.convert(programs, key.span().start)?);
            } else if let DeValue::Table(options) = value.get_ref() {
                for (key, value) in options {
                    let option = key.get_ref().to_string();
                    entries.push(self.entry(
                        Some(&name),
                        option,
                        value.get_ref(),
                        key.span().start,
                    )?);
                }
            } else {
                entries.push(self.entry(None, name, value.get_ref(), key.span().start)?);
            }
        }
        Ok(entries)
    }

    /// Returns the entry of the table of programs that convert documents, each under its type, as `--convert` takes them.
    fn convert(&self, programs: &DeTable, at: usize) -> Result<Entry, Error> {
        let value = |(key, value): (&Spanned<DeString>, &Spanned<DeValue>)| {
            let DeValue::String(command) = value.get_ref() else {
                let cause = format!("\"{}\" must be a command in quotes", key.get_ref());
                return Err(self.error(key.span().start, &cause));
            };
            Ok(format!("{}={command}", key.get_ref()))
        };
        let values = programs.iter().map(value).collect::<Result<_, _>>()?;
        Ok(Entry { command: None, option: CONVERT.into(), values, is_array: true, at })
    }

    fn entry(
        &self,
        command: Option<&String>,
        option: String,
        value: &DeValue,
        at: usize,
    ) -> Result<Entry, Error> {
        let Some(values) = values(value) else {
            let wanted = "must be a string, a number, true, false or an array of these";
            return Err(self.error(at, &format!("\"{option}\" {wanted}")));
        };
        let is_array = matches!(value, DeValue::Array(_));
        Ok(Entry { command: command.cloned(), option, values, is_array, at })
    }

    /// Returns an error at an offset, with the general remedy.
    pub fn error(&self, at: usize, cause: &str) -> Error {
        self.error_with(
            at,
            cause,
            "Keys are names of options, as in store = \"rag\"; passage COMMAND --help lists them. API keys of \
             services are read only from PASSAGE_API_KEY.",
        )
    }

    /// Returns an error at an offset.
    pub fn error_with(&self, at: usize, cause: &str, remedy: &str) -> Error {
        let line = self.text[..at].matches('\n').count() + 1;
        let cause = format!("{}, line {line}: {cause}", self.path.display());
        Error::Usage { cause, remedy: remedy.into() }
    }
}

fn values(value: &DeValue) -> Option<Vec<String>> {
    Some(match value {
        DeValue::String(text) => vec![text.to_string()],
        DeValue::Integer(number) => vec![number.to_string()],
        DeValue::Float(number) => vec![number.to_string()],
        DeValue::Boolean(truth) => vec![truth.to_string()],
        DeValue::Array(items) => {
            let values = items.iter().map(|item| values(item.get_ref()));
            values.collect::<Option<Vec<_>>>()?.into_iter().flatten().collect()
        }
        DeValue::Table(_) | DeValue::Datetime(_) => return None,
    })
}
