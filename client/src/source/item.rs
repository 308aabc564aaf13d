//! What a source gives: documents by name, one after the other.

use passage_core::MediaType;
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
    pub told: Told,
}

/// What is in a document.
#[derive(Clone, Debug, PartialEq)]
pub enum Content {
    /// What a file holds, which is read when its turn comes.
    File(PathBuf),
    /// What a file would hold.
    Bytes(Vec<u8>),
}

/// What a source tells of one document; it goes before what is told of all.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Told {
    /// What it is.
    pub media_type: Option<MediaType>,
    /// Its title.
    pub title: Option<String>,
    /// What is known of it beside.
    pub metadata: Map<String, Value>,
}

/// What a source comes across.
#[derive(Debug)]
pub enum Found {
    /// A document to take in.
    Item(Item),
    /// A file that is no text by its name, such as an image beside a page.
    Skipped(PathBuf),
}

impl Item {
    /// A file that is to be known by a uri of its own.
    pub fn file(path: impl Into<PathBuf>, uri: impl Into<String>) -> Self {
        let origin = path.into();
        let content = Content::File(origin.clone());
        Self { uri: uri.into(), inside: None, origin, content, told: Told::default() }
    }

    /// A document that is no file; messages name it by its uri.
    pub fn bytes(uri: impl Into<String>, bytes: impl Into<Vec<u8>>) -> Self {
        let uri = uri.into();
        let (origin, content) = (PathBuf::from(&uri), Content::Bytes(bytes.into()));
        Self { uri, inside: None, origin, content, told: Told::default() }
    }
}
