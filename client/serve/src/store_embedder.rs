//! The embedder of a store: what the store records and what the embedder is, for crates that use both.

use passage_embed::{self as embed, Embedder};
use passage_store::{EmbeddingModel, RecordedEmbedding};

/// Returns the model of an embedder, as a store records it.
pub fn embedding_model(embedder: &Embedder) -> EmbeddingModel {
    EmbeddingModel {
        name: embedder.name().to_owned(),
        dimensions: embedder.dimensions(),
        prefixes: Some(embedder.prefixes().to_json()),
    }
}

/// Returns an embedder that embeds as the chunks of a store were embedded, if the store records the same model.
///
/// # Errors
///
/// Returns [`embed::Error::RecordedPrefixes`] if the store records them in another format.
pub fn store_embedder(
    embedder: &Embedder,
    recorded: RecordedEmbedding,
) -> Result<Embedder, embed::Error> {
    let RecordedEmbedding { prefixes, dimensions, .. } = recorded.for_model(embedder.name());
    embedder.as_recorded(prefixes.as_ref(), dimensions)
}
