//! Writing for agents: a text becomes a document by an ingest.

use crate::Error;
use crate::document::MetadataOverrides;
use crate::ingest::{Event, Ingest, Outcome, ingest};
use crate::serve::mcp::{TextDocument, Writer, Writing, Written};
use crate::serve::{self, Reader};
use crate::source::{Content, SourceDocument, SourceEntry, SourceMetadata};
use crate::store::{self, Removal, RemovalSummary, Store};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use tokio::sync::Mutex as AsyncMutex;

/// Allows agents to store texts and to remove documents. Files and pages are not read.
pub struct TextWriter {
    ingest: Ingest,
    /// One call writes at a time, because a writer opens connections of its own.
    turn: AsyncMutex<()>,
}

impl TextWriter {
    /// Makes a writer with the splitter and the embedder of a job.
    pub fn new(ingest: Ingest) -> Self {
        Self { ingest, turn: AsyncMutex::default() }
    }
}

impl Writer for TextWriter {
    fn ingest<'a>(
        &'a self,
        reader: &'a Arc<Reader>,
        document: TextDocument,
    ) -> Writing<'a, Written> {
        Box::pin(self.store(reader, document))
    }

    fn remove<'a>(
        &'a self,
        reader: &'a Arc<Reader>,
        removal: Removal,
    ) -> Writing<'a, RemovalSummary> {
        Box::pin(async move {
            let _turn = self.turn.lock().await;
            let store = Store::connect(&self.ingest.job.url, &self.ingest.job.store).await;
            let store = store.map_err(|error| for_callers(reader, error.into()))?;
            Ok(store.remove(&removal).await?)
        })
    }
}

impl TextWriter {
    async fn store(
        &self,
        reader: &Arc<Reader>,
        document: TextDocument,
    ) -> Result<Written, serve::Error> {
        let TextDocument { uri, content, collection, version, title, media_type } = document;
        let media_type = media_type.map(|name| name.parse()).transpose();
        let media_type = media_type.map_err(|error| for_callers(reader, Error::Split(error)))?;
        let ingest_options = Ingest {
            collection,
            version,
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
        let done: Arc<Mutex<Option<Result<Outcome, serve::Error>>>> = Arc::default();
        let seen = Arc::clone(&done);
        let failures = Arc::clone(reader);
        let report = move |event: &Event| {
            let result = match event {
                Event::Done { outcome, .. } => Ok(*outcome),
                // The error is borrowed, so its texts are kept.
                Event::Failed { error, .. } => Err(concealed(&failures, error)
                    .unwrap_or_else(|| serve::Error::invalid(error.to_string(), error.remedy()))),
                _ => return,
            };
            *seen.lock().unwrap_or_else(PoisonError::into_inner) = Some(result);
        };
        let _turn = self.turn.lock().await;
        // In a box, because the type of the future is large.
        Box::pin(ingest(ingest_options, [Ok(SourceEntry::Document(document))], report))
            .await
            .map_err(|error| for_callers(reader, error))?;
        let result = done.lock().unwrap_or_else(PoisonError::into_inner).take();
        let outcome = result.unwrap_or(Ok(Outcome::Unchanged))?;
        Ok(match outcome {
            Outcome::Added { chunks } => Written::Added { chunks },
            Outcome::Replaced { chunks, .. } => Written::Replaced { chunks },
            Outcome::Unchanged => Written::Unchanged,
            Outcome::Restored => Written::Restored,
        })
    }
}

/// Returns the error for callers, who do not learn the host of a failed connection or embedding.
fn for_callers(reader: &Reader, error: Error) -> serve::Error {
    concealed(reader, &error).unwrap_or_else(|| match error {
        Error::Store(error) => error.into(),
        error => serve::Error::invalid(error.to_string(), error.remedy()),
    })
}

/// Reports the cause of a failed connection or embedding to the operator, and returns the error for callers, who do not
/// learn the host. Returns `None` for other errors.
fn concealed(reader: &Reader, error: &Error) -> Option<serve::Error> {
    match error {
        Error::Store(error @ store::Error::Connect { .. }) => {
            Some(reader.connection_failure(error))
        }
        Error::Model(error) => Some(reader.embedding_failure(error)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::serve::ReaderOptions;
    use passage_embed as embed;
    use passage_embed::ServiceError;
    use passage_store::ConnectFailure;
    use std::time::Duration;

    #[test]
    fn only_the_operator_learns_the_host_of_a_failure() {
        let reported: Arc<Mutex<Vec<String>>> = Arc::default();
        let seen = Arc::clone(&reported);
        let failed = |error: Error| {
            let seen = Arc::clone(&seen);
            let reader = Reader::new(ReaderOptions {
                url: String::new(),
                store: "rag".into(),
                embedder: None,
                reranking: None,
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
