//! What a source gives: documents by name, one after the other.

use super::Ready;
use passage_core::{Kind, MediaType};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::path::PathBuf;

/// A document that is to be read: its name, and what is in it or where that is.
#[derive(Clone, Debug, PartialEq)]
pub struct Item {
    /// What it is called in the store.
    pub uri: String,
    /// Where it is in the folder that was named, if it was found in one.
    pub inside: Option<String>,
    /// Where it is, for messages: a path, if need be with a place in that file.
    pub origin: PathBuf,
    /// What is in it.
    pub content: Content,
    /// What its source tells of it.
    pub told: Box<Told>,
}

/// What is in a document.
#[derive(Clone, Debug, PartialEq)]
pub enum Content {
    /// What a file holds, which is read when its turn comes.
    File(PathBuf),
    /// What a file would hold.
    Bytes(Vec<u8>),
    /// A text that needs no decoding.
    Text(String),
    /// Chunks that are stored as they are.
    Chunks(Vec<Ready>),
    /// What the store has already, as its source knows.
    Unchanged,
}

/// What a source tells of one document; it goes before what is told of all.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Told {
    /// What it is.
    pub media_type: Option<MediaType>,
    /// Its title.
    pub title: Option<String>,
    /// What its chunks are made of.
    pub kind: Option<Kind>,
    /// The address that its links are relative to, where that is not its own.
    pub base_url: Option<String>,
    /// By what its server knows whether it has changed.
    pub validators: Option<Validators>,
    /// What is known of it beside.
    pub metadata: Map<String, Value>,
}

/// What a server told of a page, to be asked whether that is still so.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Validators {
    /// Its `ETag`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub etag: Option<String>,
    /// Its `Last-Modified`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_modified: Option<String>,
}

/// What a source comes across.
#[derive(Debug)]
pub enum Found {
    /// A document to take in.
    Item(Item),
    /// A file that is no text by its name, such as an image beside a page.
    Skipped(PathBuf),
    /// A link to another server, which is not followed.
    Foreign(Foreign),
}

/// A link from a site to another scheme, host or port.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Foreign {
    /// The page that redirects; `None` where a sitemap lists the target.
    pub page: Option<String>,
    /// Where it leads, without what may be secret.
    pub target: String,
    /// What is other there, such as `on another host`.
    pub differs: &'static str,
}

impl std::fmt::Display for Foreign {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { page, target, differs } = self;
        match page {
            Some(page) => write!(formatter, "{page} redirects to {target}, {differs}"),
            None => write!(formatter, "{target} is {differs}"),
        }
    }
}

impl Item {
    /// A file that is to be known by a uri of its own.
    pub fn file(path: impl Into<PathBuf>, uri: impl Into<String>) -> Self {
        let origin = path.into();
        let content = Content::File(origin.clone());
        Self { uri: uri.into(), inside: None, origin, content, told: Box::default() }
    }

    /// A document that is as the store has it.
    pub fn unchanged(uri: impl Into<String>) -> Self {
        Self { content: Content::Unchanged, ..Self::bytes(uri, Vec::new()) }
    }

    /// A document that is no file; messages name it by its uri.
    pub fn bytes(uri: impl Into<String>, bytes: impl Into<Vec<u8>>) -> Self {
        let uri = uri.into();
        let (origin, content) = (PathBuf::from(&uri), Content::Bytes(bytes.into()));
        Self { uri, inside: None, origin, content, told: Box::default() }
    }
}
