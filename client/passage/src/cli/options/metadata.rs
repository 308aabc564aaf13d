//! Metadata of documents: what replaces the detected values, and JSON objects.

use crate::document::MetadataOverrides;
use crate::{Error, store};
use clap::Args;
use passage_split::Kind;
use serde_json::{Map, Value};

/// The heading of the options that select and describe documents.
pub const DOCUMENTS: &str = "Documents";

/// Metadata that replaces what would be detected.
#[derive(Args)]
#[command(next_help_heading = DOCUMENTS)]
pub struct MetadataOptions {
    /// Media type of the documents, such as text/markdown [default: detected from the name, else
    /// from the content]
    #[arg(long, hide_short_help = true, value_name = "TYPE")]
    pub media_type: Option<String>,
    /// Kind of the documents' chunks [default: detected from the media type and from folder names
    /// such as api/]
    #[arg(long, hide_short_help = true, value_name = "KIND", value_parser = Kind::NAMES.map(|(_, name)| name))]
    pub kind: Option<String>,
    /// Title of the documents, the first line of each preamble [default: the title in the document,
    /// else the file name]
    #[arg(long, hide_short_help = true)]
    pub title: Option<String>,
    /// Base address of relative links in HTML; for a folder, the address of the folder [default:
    /// the address of the page]
    #[arg(long, hide_short_help = true, value_name = "URL")]
    pub base_url: Option<String>,
    /// Encoding of documents that are not UTF-8 and declare none, such as windows-1252 or shift-jis [default: UTF-8
    /// is required]
    #[arg(long, hide_short_help = true, value_name = "NAME", value_parser = encoding)]
    pub encoding: Option<&'static str>,
}

/// Parses the name of an encoding.
fn encoding(name: &str) -> Result<&'static str, String> {
    passage_split::encoding_name(name)
        .ok_or_else(|| "names of encodings are those of https://encoding.spec.whatwg.org".into())
}

impl MetadataOptions {
    /// Returns the values that are given.
    pub fn overrides(&self) -> Result<MetadataOverrides, Error> {
        Ok(MetadataOverrides {
            media_type: self.media_type.as_deref().map(str::parse).transpose()?,
            kind: self.kind.as_deref().and_then(Kind::from_name),
            title: self.title.clone(),
            base_url: self.base_url.clone(),
            encoding: self.encoding.map(ToOwned::to_owned),
        })
    }
}

/// Parses the value of `--metadata` as a JSON object.
pub fn metadata(value: &str) -> Result<Map<String, Value>, Error> {
    json_object("metadata", value)
}

/// Parses the value of an option as a JSON object.
pub fn json_object(option: &str, value: &str) -> Result<Map<String, Value>, Error> {
    match serde_json::from_str(value) {
        Ok(value) if passage_split::contains_nul(&value) => {
            Err(store::Error::Nul(option.into()).into())
        }
        Ok(Value::Object(object)) => Ok(object),
        _ => Err(Error::usage(
            &format!("--{option} must be a JSON object"),
            "Write it as '{\"key\": \"value\"}', in single quotes for the shell.",
        )),
    }
}
