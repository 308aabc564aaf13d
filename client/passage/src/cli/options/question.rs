//! Embeds the question of a search, or says why it cannot.

use super::embedder::Embedder;
use super::question_model::QuestionModel;
use crate::Error;
use crate::embed::Embedding;
use crate::store::{Notice, Store};
use std::time::{Duration, Instant};

/// The embedding of a question, with the times that it took.
pub struct Question {
    pub embedding: Embedding,
    /// The time to load the model; zero for a service.
    pub loading: Duration,
    /// The time to embed the question.
    pub embedding_took: Duration,
}

/// Embeds a question with the model of the store, locally or with one request to a service.
pub async fn embed_question(
    args: &Embedder,
    store: &Store,
    question: &str,
) -> Result<Question, Error> {
    let recorded = store.recorded_embedding().await?;
    let started = Instant::now();
    let model = QuestionModel::load(args)?;
    let loading = if model.is_service() { Duration::ZERO } else { started.elapsed() };
    let started = Instant::now();
    let (embedding, model) = model.embed(question, recorded).await?;
    let embedding_took = started.elapsed();
    store.check_model(&model).await?;
    Ok(Question { embedding, loading, embedding_took })
}

/// Returns the note for a store with embeddings if there is no model to embed the question.
pub fn no_model() -> Notice {
    Notice {
        message: "searching by words only, because no embedding model is available".into(),
        hint: Some(
            "Name its folder with --model or PASSAGE_MODEL, or download the default model with passage model fetch."
                .into(),
        ),
    }
}

/// Returns the note for a store with embeddings of an unknown model.
pub fn unknown_model(store: &Store) -> Notice {
    let name = store.name();
    Notice {
        message: format!(
            "searching by words only, because the model of the embeddings in store \"{name}\" is unknown"
        ),
        hint: Some("Name the model with --model-name.".into()),
    }
}
