/*!
Finding documents: the sources, read by one thread ahead of all else, but never far.

What is found waits in a queue of bounded length, and what comes with its bytes takes room there,
so that neither a million files nor a million lines pile up. A uri comes once: of a document only
two hashes are kept, which tell the same file, named twice, from another one of the same uri.
*/

use super::Event;
use super::run::Run;
use crate::source::{self, Content, Found, Item};
use std::collections::HashMap;
use std::fs::Metadata;
use std::hash::{BuildHasher, RandomState};
use std::os::unix::fs::MetadataExt;
use std::sync::Arc;
use tokio::sync::mpsc::{self, Receiver};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// How many documents may wait; as files they are names.
const DOCUMENTS: usize = 8192;

/// Kilobytes of documents that wait with their bytes.
const KILOBYTES: u32 = 16 * 1024;

/// A document that waits to be taken in.
pub(super) struct Waiting {
    pub(super) item: Item,
    /// About how large it is.
    pub(super) bytes: u64,
    /// Its room in the queue.
    _room: Option<OwnedSemaphorePermit>,
}

/// How many kilobytes a document takes of some, of which a larger one takes all.
pub(super) fn kilobytes(bytes: u64, of: u32) -> u32 {
    u32::try_from(bytes.div_ceil(1024)).map_or(of, |kilobytes| kilobytes.min(of))
}

/// Starts to find documents; ends early when nobody waits for them any more.
pub(super) fn start(
    run: Arc<Run>,
    found: impl Iterator<Item = Result<Found, source::Error>> + Send + 'static,
) -> Receiver<Waiting> {
    let (queue, waiting) = mpsc::channel(DOCUMENTS);
    tokio::task::spawn_blocking(move || {
        let runtime = tokio::runtime::Handle::current();
        let room = Arc::new(Semaphore::new(KILOBYTES as usize));
        let (mut seen, mut documents) = (Seen::default(), 0);
        for found in found {
            let taken = match found {
                Ok(Found::Skipped(path)) => {
                    run.report(&Event::Skipped(path));
                    continue;
                }
                Ok(Found::Foreign(link)) => {
                    run.report(&Event::Foreign(link));
                    continue;
                }
                Ok(Found::Item(item)) => seen.take(item),
                Err(error) => Err(error),
            };
            match taken {
                Ok(None) => {}
                Ok(Some((item, bytes))) => {
                    let wanted = match item.content {
                        Content::File(_) | Content::Unchanged => None,
                        _ => Some(kilobytes(bytes, KILOBYTES)),
                    };
                    let room = wanted.map(|wanted| {
                        let room = Arc::clone(&room).acquire_many_owned(wanted);
                        runtime.block_on(room).expect("the semaphore is never closed")
                    });
                    if queue.blocking_send(Waiting { item, bytes, _room: room }).is_err() {
                        return;
                    }
                    documents += 1;
                    run.report(&Event::Found { documents, all: false });
                }
                Err(error) => run.report(&Event::Failed { uri: None, error: error.into() }),
            }
        }
        run.report(&Event::Found { documents, all: true });
    });
    waiting
}

/// The documents that were found already: the hash of each one's uri, and that of its file.
#[derive(Default)]
struct Seen {
    hashes: RandomState,
    files: HashMap<u64, u64>,
}

impl Seen {
    /// Takes a document with its size, unless it is a file that was taken before.
    ///
    /// Another document of the same uri is an error.
    fn take(&mut self, item: Item) -> Result<Option<(Item, u64)>, source::Error> {
        let (file, bytes) = match &item.content {
            // A file that is not there is found out when it is read.
            Content::File(path) => {
                let metadata = path.metadata().ok();
                let place = |metadata: &Metadata| (metadata.dev(), metadata.ino());
                let size = metadata.as_ref().map_or(0, Metadata::len);
                (metadata.as_ref().map(place), size)
            }
            Content::Bytes(bytes) => (None, bytes.len() as u64),
            Content::Text(text) => (None, text.len() as u64),
            Content::Chunks(chunks) => {
                (None, chunks.iter().map(|chunk| chunk.content.len() as u64).sum())
            }
            Content::Unchanged => (None, 0),
        };
        let uri = self.hashes.hash_one(&item.uri);
        let hash = self.hashes.hash_one(file);
        match self.files.insert(uri, hash) {
            None => Ok(Some((item, bytes))),
            Some(earlier) if earlier == hash && file.is_some() => Ok(None),
            Some(earlier) => {
                self.files.insert(uri, earlier);
                Err(source::Error::SameUri { path: item.origin, uri: item.uri })
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_is_named_twice_is_taken_once_and_another_one_of_its_uri_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        std::fs::write(path("a.md"), "a").unwrap();
        std::fs::write(path("b.md"), "b").unwrap();
        std::fs::create_dir(path("inner")).unwrap();

        let mut seen = Seen::default();
        let mut take = |item| seen.take(item).map(|taken| taken.map(|(_, bytes)| bytes));
        assert_eq!(take(Item::file(path("a.md"), "a.md")).unwrap(), Some(1));
        assert_eq!(take(Item::file(path("inner/../a.md"), "a.md")).unwrap(), None);
        let refused = take(Item::file(path("b.md"), "a.md")).unwrap_err();
        assert!(refused.to_string().ends_with("b.md would have the uri of another file, \"a.md\""));
        assert_eq!(take(Item::file(path("a.md"), "a.md")).unwrap(), None);

        assert_eq!(take(Item::bytes("c", "cc")).unwrap(), Some(2));
        assert!(take(Item::bytes("c", "cc")).is_err());
    }
}
