//! Embeddings of texts, in the shape of the `OpenAI` API, so that other programs embed as the store does.
//!
//! That API does not say whether a text is a question. Services whose models need it add the field `input_type`; most
//! callers embed a question.

use super::body::JsonBody;
use crate::error::Error;
use crate::reader::Reader;
use crate::reader::embed::Embedded;
use crate::web::{answer, reject};
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use passage_embed::{Embedding, EmbeddingKind};
use serde::Deserialize;
use serde_json::{Value, json};
use std::sync::Arc;

/// The maximum number of texts in a request.
const MAX_TEXTS: usize = 256;

/// The maximum size of all texts of a request, in bytes. A local model embeds them in a few seconds.
const MAX_BYTES: usize = 128 << 10;

/// A request for embeddings.
#[derive(Deserialize)]
pub(super) struct EmbeddingRequest {
    input: Input,
    model: Option<String>,
    encoding_format: Option<String>,
    dimensions: Option<usize>,
    input_type: Option<String>,
}

/// One text or several.
#[derive(Deserialize)]
#[serde(untagged)]
enum Input {
    One(String),
    Many(Vec<String>),
    /// Token numbers, or anything else.
    Other(serde::de::IgnoredAny),
}

pub(super) async fn embeddings(
    State(reader): State<Arc<Reader>>,
    JsonBody(request): JsonBody<EmbeddingRequest>,
) -> Response {
    match embed(&reader, request).await {
        Ok(response) => answer(StatusCode::OK, &response),
        Err(error) => reject(&error),
    }
}

/// Lists the model of the server.
pub(super) async fn models(State(reader): State<Arc<Reader>>) -> Response {
    let model =
        |name: &str| json!({"id": name, "object": "model", "created": 0, "owned_by": "pg_passage"});
    let models: Vec<_> =
        reader.embedder().map(|embedder| model(embedder.name())).into_iter().collect();
    answer(StatusCode::OK, &json!({"object": "list", "data": models}))
}

async fn embed(reader: &Reader, request: EmbeddingRequest) -> Result<Value, Error> {
    let texts = match request.input {
        Input::One(text) => vec![text],
        Input::Many(texts) => texts,
        Input::Other(_) => {
            return Err(Error::invalid(
                "\"input\" must be a string or an array of strings",
                "Send texts instead of token numbers, which depend on another model.",
            ));
        }
    };
    if texts.is_empty() || texts.len() > MAX_TEXTS {
        return Err(Error::invalid(
            format!("\"input\" must have 1 to {MAX_TEXTS} texts, not {}", texts.len()),
            "Send the texts in several requests.",
        ));
    }
    let size: usize = texts.iter().map(String::len).sum();
    if size > MAX_BYTES {
        return Err(Error::Invalid {
            status: 413,
            cause: format!("\"input\" must have at most {MAX_BYTES} bytes of text, not {size}"),
            remedy: "Send the texts in several requests.".into(),
        });
    }
    if texts.iter().any(String::is_empty) {
        return Err(Error::invalid("\"input\" has an empty text", "Leave empty texts out."));
    }
    let is_base64 = match request.encoding_format.as_deref() {
        None | Some("float") => false,
        Some("base64") => true,
        Some(_) => {
            return Err(Error::invalid("\"encoding_format\" is unknown", "Use float or base64."));
        }
    };
    let kind = kind(request.input_type.as_deref())?;
    let name = reader.embedder().map(|embedder| embedder.name());
    if let (Some(name), Some(requested)) = (name, &request.model)
        && name != requested
    {
        return Err(Error::Invalid {
            status: 404,
            cause: "the server does not have this model".into(),
            remedy: format!("Its model is \"{name}\"."),
        });
    }
    let embedder = reader.store_embedder().await?;
    let dimensions = embedder.dimensions();
    if let Some(requested) = request.dimensions.filter(|requested| *requested != dimensions) {
        return Err(Error::invalid(
            format!("\"dimensions\" must be {dimensions}, not {requested}"),
            "Leave \"dimensions\" out: the store has no others.",
        ));
    }
    let Embedded { embeddings, tokens } = reader.embed(&embedder, kind, texts).await?;
    let data: Vec<_> = embeddings
        .iter()
        .enumerate()
        .map(|(index, embedding)| {
            let embedding = if is_base64 { encoded(embedding) } else { json!(embedding) };
            json!({"object": "embedding", "index": index, "embedding": embedding})
        })
        .collect();
    let usage = json!({"prompt_tokens": tokens, "total_tokens": tokens});
    Ok(json!({"object": "list", "data": data, "model": embedder.name(), "usage": usage}))
}

/// Returns the kind of the texts.
fn kind(input_type: Option<&str>) -> Result<EmbeddingKind, Error> {
    let Some(name) = input_type else { return Ok(EmbeddingKind::Query) };
    EmbeddingKind::from_name(name).ok_or_else(|| {
        let names = EmbeddingKind::ALL.map(EmbeddingKind::name);
        Error::invalid("\"input_type\" is unknown", format!("Use {}.", names.join(" or ")))
    })
}

/// Returns the numbers as 4 bytes each, little-endian, in base64.
fn encoded(embedding: &Embedding) -> Value {
    let bytes: Vec<u8> = embedding.iter().flat_map(|number| number.to_le_bytes()).collect();
    STANDARD.encode(bytes).into()
}
