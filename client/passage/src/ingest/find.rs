/*!
Finding documents: one thread reads the sources and fills a bounded queue.

A queue entry for a file is only its name. Entries that hold their bytes also take permits for their
kilobytes. So neither a million files nor a million JSON lines fill the memory.

Each uri is taken once. For each document the thread keeps two hashes: the uri's and the file's.
With them it distinguishes a file that is named twice from another file with the same uri.
*/

use super::Event;
use super::event::Reporter;
use super::tasks::acquire_kilobytes;
use crate::source::{self, Content, PresplitChunk, SourceDocument, SourceEntry};
use std::collections::HashMap;
use std::fs::Metadata;
use std::hash::{BuildHasher, RandomState};
use std::os::unix::fs::MetadataExt;
use std::sync::Arc;
use tokio::sync::mpsc::{self, Receiver};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::task::JoinHandle;

/// The maximum number of documents in the queue.
const DOCUMENTS: usize = 8192;

/// The maximum number of kilobytes in the queue, of documents that are queued with their bytes.
const KILOBYTES: u32 = 16 * 1024;

/// A document in the queue.
pub(super) struct QueuedDocument {
    pub(super) document: SourceDocument,
    /// Its approximate size.
    pub(super) bytes: u64,
    /// Its kilobytes in the queue.
    _permit: Option<OwnedSemaphorePermit>,
}

/// Starts the thread that finds documents. It ends early when the receiver is dropped.
///
/// A panic of the thread closes the queue too, so the caller must wait for its handle.
pub(super) fn start(
    reporter: Arc<Reporter>,
    entries: impl Iterator<Item = Result<SourceEntry, source::Error>> + Send + 'static,
) -> (Receiver<QueuedDocument>, JoinHandle<()>) {
    let (queue, queued) = mpsc::channel(DOCUMENTS);
    let thread = tokio::task::spawn_blocking(move || {
        let runtime = tokio::runtime::Handle::current();
        let kilobytes = Arc::new(Semaphore::new(KILOBYTES as usize));
        let (mut seen, mut documents) = (SeenDocuments::default(), 0);
        for entry in entries {
            let added = match entry {
                Ok(SourceEntry::Skipped(path)) => {
                    reporter.report(&Event::Skipped(path));
                    continue;
                }
                Ok(SourceEntry::SkippedPage(page)) => {
                    reporter.report(&Event::SkippedPage(page));
                    continue;
                }
                Ok(SourceEntry::Document(document)) => seen.add(document),
                Err(error) => Err(error),
            };
            match added {
                Ok(None) => {}
                Ok(Some((document, bytes))) => {
                    let permit = match document.content {
                        Content::File(_) | Content::Unchanged => None,
                        _ => {
                            Some(runtime.block_on(acquire_kilobytes(&kilobytes, bytes, KILOBYTES)))
                        }
                    };
                    let queued = QueuedDocument { document, bytes, _permit: permit };
                    if queue.blocking_send(queued).is_err() {
                        return;
                    }
                    documents += 1;
                    reporter.report(&Event::Found { documents, all: false });
                }
                Err(error) => reporter.report(&Event::Failed { uri: None, error: error.into() }),
            }
        }
        reporter.report(&Event::Found { documents, all: true });
    });
    (queued, thread)
}

/// The documents that were found already.
#[derive(Default)]
struct SeenDocuments {
    hashes: RandomState,
    /// The hash of each file, by the hash of its uri.
    files: HashMap<u64, u64>,
}

impl SeenDocuments {
    /// Returns a new document with its size in bytes, or `None` for a file that was added before.
    ///
    /// Another document with the same uri is an error.
    fn add(
        &mut self,
        document: SourceDocument,
    ) -> Result<Option<(SourceDocument, u64)>, source::Error> {
        let (file, bytes) = match &document.content {
            // Reading the file reports that it is missing.
            Content::File(path) => {
                let metadata = path.metadata().ok();
                let inode = |metadata: &Metadata| (metadata.dev(), metadata.ino());
                let size = metadata.as_ref().map_or(0, Metadata::len);
                (metadata.as_ref().map(inode), size)
            }
            Content::Bytes(bytes) => (None, bytes.len() as u64),
            Content::Text(text) => (None, text.len() as u64),
            Content::Chunks(chunks) => {
                let numbers = |chunk: &PresplitChunk| chunk.embedding.as_ref().map_or(0, Vec::len);
                let size =
                    |chunk: &PresplitChunk| (chunk.content.len() + 4 * numbers(chunk)) as u64;
                (None, chunks.iter().map(size).sum())
            }
            Content::Unchanged => (None, 0),
        };
        let uri = self.hashes.hash_one((&document.uri, &document.source_metadata.collection));
        let hash = self.hashes.hash_one(file);
        match self.files.insert(uri, hash) {
            None => Ok(Some((document, bytes))),
            Some(earlier) if earlier == hash && file.is_some() => Ok(None),
            Some(earlier) => {
                self.files.insert(uri, earlier);
                Err(source::Error::SameUri { path: document.origin, uri: document.uri })
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_named_twice_is_added_once_and_another_file_with_its_uri_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        std::fs::write(path("a.md"), "a").unwrap();
        std::fs::write(path("b.md"), "b").unwrap();
        std::fs::create_dir(path("inner")).unwrap();

        let mut seen = SeenDocuments::default();
        let mut add = |document| seen.add(document).map(|added| added.map(|(_, bytes)| bytes));
        assert_eq!(add(SourceDocument::file(path("a.md"), "a.md")).unwrap(), Some(1));
        assert_eq!(add(SourceDocument::file(path("inner/../a.md"), "a.md")).unwrap(), None);
        let refused = add(SourceDocument::file(path("b.md"), "a.md")).unwrap_err();
        assert!(refused.to_string().ends_with("b.md has the same uri as another file: \"a.md\""));
        assert_eq!(add(SourceDocument::file(path("a.md"), "a.md")).unwrap(), None);

        assert_eq!(add(SourceDocument::bytes("c", "cc")).unwrap(), Some(2));
        assert!(add(SourceDocument::bytes("c", "cc")).is_err());
    }
}
