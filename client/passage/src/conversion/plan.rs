//! The conversion of one document: by which converter, and its result.

use super::converter::{Converter, Process};
use super::in_process::{Conversion, Failure};
use super::program::{Program, ProgramOutput};
use super::{child, in_process};
use crate::{Error, source};
use passage_office::Format;
use passage_split::{MediaType, MetadataOverrides, PlaceMark};
use serde_json::{Map, Value};
use sha2::{Digest, Sha256};
use std::path::Path;

/// The version of the converters of passage-office. Raise it if documents would get another text: the next ingest then
/// converts them again.
const CONVERTER_VERSION: u32 = 3;

/// Returns the settings of a converter on which the text of a document may depend.
pub(crate) fn converter_settings(converter: &Converter) -> Vec<u8> {
    let mut settings = CONVERTER_VERSION.to_be_bytes().to_vec();
    for line in converter.programs.lines() {
        settings.extend(line.as_bytes());
        settings.push(0);
    }
    settings
}

/// The conversion of a document.
pub(crate) struct Plan<'c> {
    converter: &'c Converter,
    format: Option<Format>,
    /// The program of the user, and the extension of the document's file.
    program: Option<(&'c Program, String)>,
}

/// The text of a document that was converted.
pub(crate) struct Converted {
    pub(crate) text: String,
    /// The type of the text.
    pub(crate) media_type: MediaType,
    /// The type of the document.
    pub(crate) source_media_type: MediaType,
    pub(crate) title: Option<String>,
    pub(crate) marks: Vec<PlaceMark>,
    /// Other metadata of the document.
    pub(crate) metadata: Map<String, Value>,
}

impl<'c> Plan<'c> {
    /// Returns the conversion of a document, or `None` for a text.
    ///
    /// A media type of the overrides is that of a text, so it makes a text of any bytes that can be one.
    pub(crate) fn of(
        converter: &'c Converter,
        overrides: &MetadataOverrides,
        uri: &str,
        bytes: &[u8],
    ) -> Option<Self> {
        let is_text = || std::str::from_utf8(bytes).is_ok() && !bytes.contains(&0);
        if overrides.media_type.is_some() && is_text() {
            return None;
        }
        let format = Format::recognize(uri, bytes);
        let program = converter.programs.find(format, uri);
        (format.is_some() || program.is_some()).then_some(Self { converter, format, program })
    }

    /// Returns a hash of the document and of what converts it, a SHA-256 of 32 bytes.
    pub(crate) fn hash(&self, bytes: &[u8]) -> Vec<u8> {
        let mut hash = Sha256::new_with_prefix("passage conversion");
        match &self.program {
            Some((program, extension)) => {
                for part in [extension, &program.line] {
                    hash.update((part.len() as u64).to_be_bytes());
                    hash.update(part);
                }
            }
            None => hash.update(CONVERTER_VERSION.to_be_bytes()),
        }
        hash.update(bytes);
        hash.finalize().to_vec()
    }

    /// Converts the document. `path` appears in errors.
    pub(crate) fn convert(self, bytes: Vec<u8>, path: &Path) -> Result<Converted, Error> {
        let source_media_type = self.format.map_or("application/octet-stream", Format::media_type);
        let source_media_type = MediaType::new(source_media_type);
        let converted = if let Some((program, extension)) = &self.program {
            let converted = self.run(program, extension, bytes);
            converted.map(|ProgramOutput { text, media_type, title, marks, metadata }| Converted {
                text,
                media_type: MediaType::new(&media_type),
                source_media_type,
                title,
                marks,
                metadata,
            })
        } else {
            self.convert_built_in(bytes).map(|Conversion { text, title, marks }| Converted {
                text,
                media_type: MediaType::MARKDOWN,
                source_media_type,
                title,
                marks,
                metadata: Map::new(),
            })
        };
        let path = path.to_owned();
        let converted = converted.map_err(|failure| match (failure, self.format) {
            (Failure::Document { reason, remedy }, _) => {
                Error::Conversion { path: path.clone(), reason, remedy }
            }
            (Failure::Unsupported, format) => Error::Unsupported {
                path: path.clone(),
                format: format.expect("a program supports each document"),
            },
        })?;
        let text = source::without_nul(converted.text, &path)?;
        Ok(Converted { text, ..converted })
    }

    fn convert_built_in(&self, bytes: Vec<u8>) -> Result<Conversion, Failure> {
        let Some(format) = self.format else { return Err(Failure::Unsupported) };
        match self.converter.process {
            Process::Own => in_process::convert(format, &bytes),
            Process::Child => child::convert_in_child(format, bytes, self.converter.limits),
        }
    }

    fn run(
        &self,
        program: &Program,
        extension: &str,
        bytes: Vec<u8>,
    ) -> Result<ProgramOutput, Failure> {
        let Converter { cache, limits, .. } = self.converter;
        let key = self.hash(&bytes);
        if let Some(output) = cache.get(&key) {
            return Ok(output);
        }
        let environment = self.converter.programs.environment();
        let output = program.convert(bytes, extension, limits.time, environment)?;
        cache.put(&key, &output);
        cache.remove_old();
        Ok(output)
    }
}
