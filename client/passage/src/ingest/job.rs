/*!
Jobs: the settings that ingest, fill and reindex share, and those that ingest adds.

Each job type holds a [`Job`], so the store, the model and the splitter are described once.
*/

use crate::Error;
use crate::conversion::{Converter, converter_settings};
use crate::document::MetadataOverrides;
use crate::embed::{Embedder, Embedding, EmbeddingKind};
use crate::serve::{embedding_model, store_embedder};
use crate::split::{SplitPattern, Splitter};
use crate::store::{EmbeddingModel, OtherSizes, Settings, Store};
use passage_split::{HashInput, SPLITTER_VERSION};
use serde_json::{Map, Value};
use std::fmt::Write;
use std::num::NonZero;
use std::sync::Arc;
use std::thread;
use tokio::sync::mpsc;

/// The store that a run writes to, and what it splits and embeds with.
#[derive(Clone)]
pub struct Job {
    /// The server: a connection string as libpq reads it, in either form; empty for the
    /// environment.
    pub url: String,
    /// The name of the store: a schema.
    pub store: String,
    /// The splitter. [`fill`](super::fill) does not use it.
    pub splitter: Splitter,
    /// The embedder; `None` writes text only.
    pub embedder: Option<Arc<Embedder>>,
    /// The model of the store's embeddings, if the store does not record it.
    pub model_name: Option<String>,
    /// The number of documents that are split at the same time; `None` for one per core.
    pub jobs: Option<NonZero<usize>>,
    /// Whether to report only what would change; then nothing is embedded or written.
    pub dry_run: bool,
}

impl Job {
    /// Returns a job that splits by characters and embeds nothing.
    ///
    /// # Examples
    ///
    /// ```
    /// use passage::ingest::Job;
    ///
    /// let job = Job { dry_run: true, ..Job::new("postgresql:///library", "rag") };
    /// assert_eq!(job.store, "rag");
    /// ```
    pub fn new(url: impl Into<String>, store: impl Into<String>) -> Self {
        Self {
            url: url.into(),
            store: store.into(),
            splitter: Splitter::by_characters(),
            embedder: None,
            model_name: None,
            jobs: None,
            dry_run: false,
        }
    }

    /// Opens one more connection to the store.
    pub(super) async fn connect(&self) -> Result<Store, Error> {
        let mut store = Store::connect(&self.url, &self.store).await?;
        store.tell_model(self.model_name.clone());
        Ok(store)
    }

    /// Returns the number of documents that are split at the same time.
    pub(super) fn parallelism(&self) -> usize {
        self.jobs.or_else(|| thread::available_parallelism().ok()).map_or(1, NonZero::get)
    }

    /// Returns the job with an embedder that embeds as the chunks of a store were embedded.
    pub(super) async fn for_store(self, store: &Store) -> Result<Self, Error> {
        let Some(embedder) = self.embedder else { return Ok(self) };
        let embedder = store_embedder(&embedder, store.recorded_embedding().await?)?;
        Ok(Self { embedder: Some(Arc::new(embedder)), ..self })
    }

    /// Returns the model, as a store records it.
    pub(super) fn model(&self) -> Option<EmbeddingModel> {
        self.embedder.as_deref().map(embedding_model)
    }

    /// Checks that model and chunk sizes are those of the store, and records them and the splitter
    /// version in the store unless this is a dry run. Returns whether the store has embeddings.
    pub(super) async fn check_settings(
        &self,
        store: &Store,
        other_sizes: OtherSizes,
    ) -> Result<bool, Error> {
        store.must_be_writable().await?;
        let model = self.model();
        let splitting = self.splitter.settings();
        if !self.dry_run {
            let splitter_version = SPLITTER_VERSION;
            let settings = Settings { model, splitting, other_sizes, splitter_version };
            return Ok(store.record_settings(&settings).await?);
        }
        if other_sizes == OtherSizes::Refuse {
            store.check_splitting(&splitting).await?;
        }
        if let Some(model) = &model {
            store.check_model(model).await?;
            return Ok(true);
        }
        Ok(store.has_embeddings().await?)
    }
}

/// A job that reads documents from sources.
#[derive(Clone)]
pub struct Ingest {
    /// The store, the splitter and the model.
    pub job: Job,
    /// The project or library that the documents belong to; may be empty.
    pub collection: String,
    /// The version of the collection; may be empty.
    pub version: String,
    /// Values that replace what would be detected for each document.
    pub overrides: MetadataOverrides,
    /// Metadata that is added to each document.
    pub metadata: Map<String, Value>,
    /// The process that converts documents that are not text.
    pub converter: Converter,
}

impl Ingest {
    /// Returns a job without a collection, with all metadata detected.
    pub fn new(job: Job) -> Self {
        Self {
            job,
            collection: String::new(),
            version: String::new(),
            overrides: MetadataOverrides::default(),
            metadata: Map::new(),
            converter: Converter::default(),
        }
    }

    /// Returns all settings that the chunks of a document depend on.
    pub(super) fn hash_input<'a>(
        &'a self,
        overrides: &'a MetadataOverrides,
        metadata: &'a Map<String, Value>,
    ) -> HashInput<'a> {
        let Job { splitter, embedder, .. } = &self.job;
        let prefixes = embedder.as_ref().map(|embedder| embedder.prefixes());
        HashInput {
            overrides,
            limits: splitter.limits(),
            unit: splitter.unit(),
            overlap: splitter.overlap(),
            split_at: splitter.split_at().map(SplitPattern::as_str),
            split_offsets: &[],
            code_as_text: false,
            model: embedder.as_ref().map(|embedder| embedder.name()),
            document_prefix: prefixes.map_or("", |prefixes| &prefixes.document),
            metadata,
        }
    }

    /// Returns a short hash of all settings of this run that documents depend on.
    pub(super) fn settings_hash(&self) -> String {
        let converter = converter_settings(&self.converter);
        let hash = self.hash_input(&self.overrides, &self.metadata).content_hash("", &converter);
        hash[..8].iter().fold(String::new(), |mut hex, byte| {
            write!(hex, "{byte:02x}").expect("a string takes any text");
            hex
        })
    }
}

/// Embeds numbered texts and passes each embedding to `take` as soon as it is ready.
pub(super) async fn embed_texts(
    embedder: Arc<Embedder>,
    texts: impl Iterator<Item = (usize, String)> + Send + 'static,
    mut take: impl FnMut(usize, Embedding),
) -> Result<(), Error> {
    let (sender, mut pending) = mpsc::unbounded_channel();
    // The bounded queue of the embedder blocks this thread. It ends early if the receiver is
    // dropped.
    let submitting = tokio::task::spawn_blocking(move || {
        for (number, text) in texts {
            if sender.send((number, embedder.submit(EmbeddingKind::Document, text))).is_err() {
                break;
            }
        }
    });
    while let Some((number, pending)) = pending.recv().await {
        take(number, pending.wait().await?);
    }
    submitting.await.expect("submitting does not panic");
    Ok(())
}
