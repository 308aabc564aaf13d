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
        reader: &Arc<Reader>,
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
        let failures = Arc::clone(reader);
        let report = move |event: &Event| {
            let result = match event {
                Event::Done { outcome, .. } => Ok(*outcome),
                // The error is borrowed, so its texts are kept.
                Event::Failed { error, .. } => Err(concealed(&failures, error)
                    .unwrap_or_else(|| Error::invalid(error.to_string(), error.remedy()))),
                _ => return,
            };
            *seen.lock().unwrap_or_else(PoisonError::into_inner) = Some(result);
        };
        let _turn = self.turn.lock().await;
        // In a box, because the type of the future is large.
        Box::pin(ingest(ingest_options, [Ok(SourceEntry::Document(document))], report))
            .await
            .map_err(|error| concealed(reader, &error).unwrap_or_else(|| error.into()))?;
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
        let store = Store::connect(&self.ingest.job.url, &self.ingest.job.store).await;
        let store = store
            .map_err(crate::Error::from)
            .map_err(|error| concealed(reader, &error).unwrap_or_else(|| error.into()))?;
        let (collection, version) = (collection.unwrap_or_default(), version.unwrap_or_default());
        Ok(store.remove(&Removal::Uris { uris, collection, version }).await?)
    }
}

/// Reports the cause of a failed connection or embedding to the operator, and returns the error for callers, who do not
/// learn the host. Returns `None` for other errors.
fn concealed(reader: &Reader, error: &crate::Error) -> Option<Error> {
    match error {
        crate::Error::Store(error @ store::Error::Connect { .. }) => {
            Some(reader.connection_failure(error))
        }
        crate::Error::Model(error) => Some(reader.embedding_failure(error)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::embed;
    use crate::embed::ServiceError;
    use crate::serve::ReaderOptions;
    use crate::store::ConnectFailure;
    use std::time::Duration;

    #[test]
    fn only_the_operator_learns_the_host_of_a_failure() {
        let reported: Arc<Mutex<Vec<String>>> = Arc::default();
        let seen = Arc::clone(&reported);
        let failed = |error: crate::Error| {
            let seen = Arc::clone(&seen);
            let reader = Reader::new(ReaderOptions {
                url: String::new(),
                store: "rag".into(),
                embedder: None,
                model_name: None,
                connections: 1,
                timeout: Duration::from_secs(1),
                report: Arc::new(move |cause| seen.lock().unwrap().push(cause.to_owned())),
            });
            concealed(&reader, &error).map(|error| error.to_string())
        };
        let host = || "inner.example".to_owned();
        let connect = store::Error::Connect { failure: ConnectFailure::Unreachable, cause: host() };
        let service =
            embed::Error::Service { host: host(), error: ServiceError::Unauthorized(401) };
        assert_eq!(failed(connect.into()).as_deref(), Some("the database is not reachable"));
        assert_eq!(failed(service.into()).as_deref(), Some("the embedding service failed"));
        assert_eq!(failed(store::Error::Lost.into()), None);
        let reported = reported.lock().unwrap();
        assert!(
            reported.len() == 2 && reported.iter().all(|cause| cause.contains("inner.example"))
        );
    }
}
