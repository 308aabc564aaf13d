//! The programs of the user, by the types of documents that they convert.

use super::environment::Environment;
use super::program::Program;
use crate::Error;
use passage_office::Format;
use std::path::Path;

/// The programs that convert documents, in place of the converters of this crate.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Programs {
    programs: Vec<(String, Program)>,
    environment: Environment,
}

impl Programs {
    /// Parses programs, each as `TYPE=COMMAND`, as in `pdf=markitdown {}`. The type is an extension of file names, or the
    /// media type of a [`Format`]. The last program of a type counts.
    ///
    /// # Errors
    ///
    /// Returns a usage error for a text without a type or a command, and for another media type.
    ///
    /// # Examples
    ///
    /// ```
    /// use passage::conversion::Programs;
    ///
    /// assert!(Programs::parse(&["pdf=markitdown {}".into()]).is_ok());
    /// let error = Programs::parse(&["markitdown {}".into()]).unwrap_err();
    /// assert_eq!(error.to_string(), "\"markitdown {}\" names no type and program");
    /// ```
    pub fn parse(values: &[String]) -> Result<Self, Error> {
        let program = |value: &String| {
            let (key, line) = value.split_once('=')?;
            let key = key.trim().trim_start_matches('.').to_ascii_lowercase();
            (!key.is_empty()).then_some((key, Program::parse(line)?))
        };
        let programs = values.iter().map(|value| {
            program(value).ok_or_else(|| {
                let cause = format!("\"{value}\" names no type and program");
                Error::usage(
                    &cause,
                    "Write --convert as TYPE=COMMAND, as in --convert 'pdf=markitdown {}'.",
                )
            })
        });
        let programs = programs.collect::<Result<Vec<_>, _>>()?;
        let is_unknown = |key: &&str| key.contains('/') && Format::from_media_type(key).is_none();
        if let Some(key) = programs.iter().map(|(key, _)| &**key).find(is_unknown) {
            let cause = format!("--convert knows no files of the media type {key}");
            let remedy =
                "Write the extension of their names, as in --convert 'png=tesseract {} -'.";
            return Err(Error::usage(&cause, remedy));
        }
        Ok(Self { programs, environment: Environment::default() })
    }

    /// Returns these programs, which also get the environment variables with these names.
    ///
    /// # Errors
    ///
    /// Returns a usage error for a name that no variable can have, such as one with its value.
    pub fn with_variables(self, names: Vec<String>) -> Result<Self, Error> {
        if names.iter().any(|name| name.is_empty() || name.contains('=')) {
            let cause = "--convert-env takes names of environment variables without values";
            let remedy = "Set the variable before the command, and write its name.";
            return Err(Error::usage(cause, remedy));
        }
        Ok(Self { environment: Environment { added: names }, ..self })
    }

    /// Returns the types of the documents: extensions and media types.
    pub fn types(&self) -> impl Iterator<Item = &str> {
        self.programs.iter().map(|(key, _)| &**key)
    }

    /// Returns the environment of all programs.
    pub(super) fn environment(&self) -> &Environment {
        &self.environment
    }

    /// Returns all types and command lines.
    pub(super) fn lines(&self) -> impl Iterator<Item = String> {
        self.programs.iter().map(|(key, program)| format!("{key}={}", program.line))
    }

    /// Returns the program for a document, with the extension of its files. The format that the content shows decides, else
    /// the name.
    pub(super) fn find(&self, format: Option<Format>, uri: &str) -> Option<(&Program, String)> {
        let named = Path::new(uri).extension().and_then(|extension| extension.to_str());
        let named = named.unwrap_or_default().to_ascii_lowercase();
        let is_of = |key: &str| match format {
            Some(format) => format.media_type() == key || format.extensions().contains(&key),
            None => key == named,
        };
        let (_, program) = self.programs.iter().rfind(|(key, _)| is_of(key))?;
        let extensions = format.map_or(&[][..], Format::extensions);
        match extensions {
            [main, ..] if !extensions.contains(&&*named) => Some((program, (*main).to_owned())),
            _ => Some((program, named)),
        }
    }
}
