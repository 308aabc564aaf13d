/*!
Embedding: converts texts to unit vectors, in this process or by a service.

A [`Model`] is a folder with three files: a BERT or a relative of it in safetensors, its tokenizer and its configuration. Other
files of the folder say how the states of all wordpieces become one vector; the default model takes their mean, normalized to length
1, so the cosine similarity of two texts is the dot product of their vectors. A [`Pool`] runs one thread per core. A thread embeds one
long text at a time, or several short ones that wait, beside each other and without padding. On two cores this is half as fast again as
padded batches and needs less memory, since no batch is padded to its longest text.

A [`RemoteEmbedder`] sends several batches at a time to a service with the API of `OpenAI`, and retries
transient failures. An [`Embedder`] is either of the two, so callers do not depend on which. It puts the
[`Prefixes`] of the model before questions and documents.

A [`Reranker`](rerank::Reranker) scores texts for a question, by a model in this process or by a service.

The tokenizer is also a sizer, [`Wordpieces`]: a splitter with this sizer keeps chunks within the
model's window.
*/

mod bert;
mod cache_folder;
mod checksums;
mod default_model;
mod embedder;
mod embedding;
mod embedding_kind;
mod error;
mod fetch;
mod model;
mod model_files;
mod pipeline;
mod pool;
mod prefixes;
mod remote;
pub mod rerank;
mod service;
mod wordpieces;
mod workers;

pub use cache_folder::{cache_folder, create_cache_folder};
pub use checksums::forget_checksums;
pub use default_model::{DEFAULT_MODEL, default_folder};
pub use embedder::Embedder;
pub use embedding::{Embedding, PendingEmbedding, truncate};
pub use embedding_kind::EmbeddingKind;
pub use error::Error;
pub use fetch::{default_source, fetch};
pub use model::Model;
pub use pipeline::Matryoshka;
pub use pool::Pool;
pub use prefixes::{GivenPrefixes, Prefixes};
pub use remote::{Provider, RemoteEmbedder, ServiceConfig};
pub use service::{ApiKey, ServiceError};
pub use wordpieces::Wordpieces;

#[cfg(test)]
mod tests;
