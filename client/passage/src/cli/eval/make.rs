//! `passage eval --make`: prints questions about the contents of a store.

use super::Eval;
use crate::Error;
use crate::cli::output::print::{print, print_error};
use crate::cli::output::render::{count, json, note};
use crate::eval::propose;
use crate::store::{Notice, Store};
use std::process::ExitCode;

/// The number of chunks that are read for each question: many have neither a title nor a whole sentence.
const CHUNKS_PER_QUESTION: u32 = 10;

/// The minimum number of chunks that are read, so that rare words are rare.
const MIN_CHUNKS: u32 = 1_000;

impl Eval {
    /// Prints questions, each in a line that `eval` reads.
    pub(super) async fn make(&self, wanted: u32) -> Result<ExitCode, Error> {
        let [name] = &self.store[..] else {
            return Err(Error::usage(
                "--make takes one store",
                "Name one with --store. The questions are the same for stores with the same documents.",
            ));
        };
        let store = Store::connect(&self.database.url()?, name).await?;
        let filters = &self.filters;
        let [collection, version] = [&filters.collection, &filters.collection_version];
        let limit = wanted.saturating_mul(CHUNKS_PER_QUESTION).max(MIN_CHUNKS);
        let (collection, version) = (collection.as_deref(), version.as_deref());
        let chunks = store.sample_chunks(collection, version, self.seed, limit).await?;
        let questions = propose(&chunks, wanted as usize);
        print(&questions.iter().map(json).collect::<String>());
        if questions.len() < wanted as usize {
            let made = count(questions.len(), "question");
            print_error(&note(&Notice {
                message: format!(
                    "only {made}, because the store has no other sections and sentences"
                ),
                hint: None,
            }));
        }
        Ok(ExitCode::SUCCESS)
    }
}
