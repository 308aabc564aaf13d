/*!
Real documents with a million chunks.

Prose comes first and then code, each in an order that is spread over all files. Data are left out, because they
have little text, and so are files of more than two megabytes, which are mostly tables of numbers as code. If all
files are too few, they are loaded again into another collection.
*/

use std::path::{Path, PathBuf};
use std::sync::Arc;

use passage::embed::Model;
use passage::ingest::{Ingest, Job, ingest};
use passage::source::{SourceDocument, SourceEntry};
use passage::split::Splitter;
use passage_split::media_type::Family;
use passage_tests::Cluster;

use super::load::STORE;
use super::{excerpts, questions};
use crate::corpus;

/// The least number of chunks.
pub const CHUNKS: usize = 1_000_000;

/// The largest size of a file in bytes.
const MAX_BYTES: u64 = 2_000_000;

/// The number of files that are loaded at a time.
const BATCH: usize = 500;

/// Loads documents, and returns the number of their chunks.
pub async fn load(cluster: &Cluster, model: &Arc<Model>) -> usize {
    let files = files();
    let mut chunks = 0;
    for round in 1.. {
        for batch in files.chunks(BATCH) {
            let splitter = Splitter::by_wordpieces(model.wordpieces().clone(), model.limit() - 2);
            let job = Ingest {
                collection: format!("round {round}"),
                ..Ingest::new(Job { splitter, ..Job::new(cluster.url(), STORE) })
            };
            let entry = |document| Ok(SourceEntry::Document(document));
            let entries: Vec<_> = batch.iter().cloned().map(entry).collect();
            chunks += ingest(job, entries, |_| ()).await.expect("the server is there").chunks;
            eprintln!("bench: {chunks} chunks of text are loaded");
            if chunks >= CHUNKS {
                return chunks;
            }
        }
    }
    unreachable!("rounds do not end")
}

/// Returns the files in their order; named documents are always included.
fn files() -> Vec<SourceDocument> {
    let spread = |family: Family| {
        let files =
            corpus::files().iter().filter(move |(_, media_type)| media_type.family() == family);
        let mut files: Vec<_> = files.map(|(path, _)| path).enumerate().collect();
        // Multiples of the golden ratio are spread evenly.
        files.sort_by_key(|(number, _)| (*number as u32).wrapping_mul(2_654_435_769));
        files.into_iter().map(|(_, path)| path)
    };
    let fits = |path: &PathBuf| path.metadata().is_ok_and(|file| file.len() <= MAX_BYTES);
    let corpus = spread(Family::Prose).chain(spread(Family::Code)).filter(|path| fits(path));
    let named = questions::documents().chain([excerpts::large()]);
    named.chain(corpus.map(|path| item(path))).collect()
}

/// A file with its path in the folder of its collection.
fn item(path: &Path) -> SourceDocument {
    let folders = corpus::folders();
    let mut inside = folders.iter().filter_map(|folder| path.strip_prefix(folder).ok());
    let uri = inside.next().unwrap_or(path).to_string_lossy().into_owned();
    SourceDocument::file(path, uri)
}
