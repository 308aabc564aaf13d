//! The length that a model reads of a chunk, without the prefix before it, and the chunk sizes that fit it.

use super::embedder::{Embedder, prefixes};
use crate::Error;
use crate::embed::{Model, Prefixes, ServiceConfig};
use crate::split::{ChunkLimits, ChunkSizes, Splitter};
use crate::store::Store;
use passage_split::Sizer;

/// The special tokens at both ends of a model's input.
const SPECIAL_TOKENS: usize = 2;

/// Bytes of a token, as estimated for a service, which counts on its own.
const BYTES_OF_A_TOKEN: usize = 3;

/// The part of a chunk that a model reads.
pub struct Window<'a> {
    /// The local model, which counts wordpieces; `None` counts characters.
    pub model: Option<&'a Model>,
    /// The number of tokens; `None` if it is unknown.
    tokens: Option<usize>,
}

impl<'a> Window<'a> {
    /// Returns the window of a local model or of a service, for chunks that are embedded after a prefix.
    pub fn new(model: Option<&'a Model>, service: Option<ServiceConfig>, prefix: &str) -> Self {
        let tokens = match (model, service) {
            (Some(model), _) => {
                let taken = SPECIAL_TOKENS + model.wordpieces().size(prefix);
                Some(model.limit().saturating_sub(taken))
            }
            (None, service) => service
                .and_then(|service| service.window())
                .map(|tokens| tokens.saturating_sub(prefix.len().div_ceil(BYTES_OF_A_TOKEN))),
        };
        Self { model, tokens }
    }

    /// Returns the window for the chunks of a store.
    pub async fn of_store(
        model: Option<&'a Model>,
        args: &Embedder,
        store: &Store,
    ) -> Result<Self, Error> {
        let service = args.service();
        let none = Prefixes::default();
        let (name, of_model) = match (model, &service) {
            (Some(model), _) => (model.name(), model.prefixes()),
            (None, Some(service)) => (&*service.model, &none),
            (None, None) => return Ok(Self::new(None, None, "")),
        };
        let prefixes = prefixes(args, store, name, of_model).await?;
        Ok(Self::new(model, service, &prefixes.document))
    }

    /// Returns the limits of chunks.
    pub fn limits(&self, sizes: ChunkSizes) -> ChunkLimits {
        match self.model {
            Some(_) => sizes.in_wordpieces(self.tokens.unwrap_or_default()),
            None => sizes.in_characters(self.tokens),
        }
    }

    /// Returns a splitter by the wordpieces of the model, or by characters, with default sizes.
    pub fn splitter(&self) -> Splitter {
        match self.model {
            Some(model) => {
                let window = self.tokens.unwrap_or_default();
                Splitter::by_wordpieces(model.wordpieces().clone(), window)
            }
            None => Splitter::by_characters(),
        }
    }
}
