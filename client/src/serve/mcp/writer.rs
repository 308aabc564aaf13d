//! Writing for agents: a text becomes a document, and documents are removed.

use super::super::error::Error;
use super::super::reader::Reader;
use super::arguments::{IngestArguments, RemoveArguments};
use super::results::Ingested;
use crate::document::MetadataOverrides;
use crate::ingest::{Event, Ingest, Outcome, ingest};
use crate::source::{Content, SourceDocument, SourceEntry, SourceMetadata};
use crate::store::{self, Removal, RemovalSummary, Store};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use tokio::sync::Mutex as AsyncMutex;

/// The maximum size of a text, in bytes.
const MAX_BYTES: usize = 1 << 20;
/// The maximum number of documents that one call removes.
const MAX_URIS: usize = 100;

/// Allows agents to store texts and to remove documents. Files and pages are not read.
pub struct Writer {
    ingest: Ingest,
    /// One call writes at a time, because a writer opens connections of its own.
    turn: AsyncMutex<()>,
}

impl Writer {
    /// Makes a writer with the splitter and the embedder of a job.
    pub fn new(ingest: Ingest) -> Self {
        Self { ingest, turn: AsyncMutex::default() }
    }

    /// Stores a text, completely or not at all.
    pub(super) async fn ingest(
        &self,
        reader: &Reader,
        given: IngestArguments,
    ) -> Result<Ingested, Error> {
        let IngestArguments { uri, content, collection, version, title, media_type } = given;
        if uri.trim().is_empty() {
            return Err(Error::invalid("uri is empty", "Give a uri such as notes/today.md."));
        }
        if content.len() > MAX_BYTES {
            return Err(Error::invalid(
                "content is too long",
                format!("Send at most {MAX_BYTES} bytes."),
            ));
        }
        let media_type =
            media_type.map(|name| name.parse()).transpose().map_err(crate::Error::from)?;
        let ingest_options = Ingest {
            collection: collection.unwrap_or_default(),
            version: version.unwrap_or_default(),
            overrides: MetadataOverrides { media_type, title, ..MetadataOverrides::default() },
            ..self.ingest.clone()
        };
        let document = SourceDocument {
            uri: uri.clone(),
            inside: None,
            origin: PathBuf::from(&uri),
            content: Content::Text(content),
            source_metadata: Box::<SourceMetadata>::default(),
        };
        let done: Arc<Mutex<Option<Result<Outcome, Error>>>> = Arc::default();
        let seen = Arc::clone(&done);
        let report = move |event: &Event| {
            let result = match event {
                Event::Done { outcome, .. } => Ok(*outcome),
                // The error is borrowed, so its texts are kept.
                Event::Failed { error, .. } => {
                    Err(Error::invalid(error.to_string(), error.remedy()))
                }
                _ => return,
            };
            *seen.lock().unwrap_or_else(PoisonError::into_inner) = Some(result);
        };
        let _turn = self.turn.lock().await;
        // In a box, because the type of the future is large.
        Box::pin(ingest(ingest_options, [Ok(SourceEntry::Document(document))], report))
            .await
            .map_err(|error| concealed(reader, error))?;
        let result = done.lock().unwrap_or_else(PoisonError::into_inner).take();
        let outcome = result.unwrap_or(Ok(Outcome::Unchanged))?;
        let (outcome, chunks) = match outcome {
            Outcome::Added { chunks } => ("added", Some(chunks)),
            Outcome::Replaced { chunks, .. } => ("replaced", Some(chunks)),
            Outcome::Unchanged => ("unchanged", None),
            Outcome::Restored => ("restored", None),
        };
        Ok(Ingested { uri, outcome: outcome.into(), chunks })
    }

    /// Removes documents.
    pub(super) async fn remove(
        &self,
        reader: &Reader,
        given: RemoveArguments,
    ) -> Result<RemovalSummary, Error> {
        let RemoveArguments { uris, collection, version } = given;
        if uris.is_empty() || uris.len() > MAX_URIS {
            return Err(Error::invalid(
                format!("uris has {} uris", uris.len()),
                format!("Give 1 to {MAX_URIS} uris."),
            ));
        }
        let _turn = self.turn.lock().await;
        let store = Store::connect(&self.ingest.job.url, &self.ingest.job.store)
            .await
            .map_err(|error| concealed(reader, error.into()))?;
        let (collection, version) = (collection.unwrap_or_default(), version.unwrap_or_default());
        Ok(store.remove(&Removal::Uris { uris, collection, version }).await?)
    }
}

/// Returns an error without the cause of a failed connection, which names the database server.
fn concealed(reader: &Reader, error: crate::Error) -> Error {
    match error {
        crate::Error::Store(error @ store::Error::Connect { .. }) => {
            reader.connection_failure(&error)
        }
        error => error.into(),
    }
}
