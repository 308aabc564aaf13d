//! One request to an embedding service, and the classification of its response.

use super::{ServiceConfig, ServiceError};
use crate::embed::Embedding;
use crate::http;
use reqwest::header::HeaderMap;
use reqwest::{Client, StatusCode, Url};
use serde::{Deserialize, Serialize};
use std::time::{Duration, SystemTime};

/// Maximum bytes of a response: more than a thousand embeddings of four thousand dimensions.
const MAX_RESPONSE_BYTES: usize = 128 << 20;

/// The failure of a request.
#[derive(Debug)]
pub(super) enum Failure {
    /// A retry can succeed; the service may ask for a pause.
    Transient(ServiceError, Option<Duration>),
    /// The texts are too long for the service.
    TooLong,
    /// A retry cannot succeed.
    Final(ServiceError),
}

#[derive(Serialize)]
struct Request<'a> {
    model: &'a str,
    input: &'a [String],
    encoding_format: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    dimensions: Option<usize>,
}

#[derive(Deserialize)]
struct Response {
    data: Vec<Item>,
}

#[derive(Deserialize)]
struct Item {
    index: Option<usize>,
    embedding: Vec<f32>,
}

/// Requests the embeddings of texts, and returns them in the same order, normalized to length 1.
pub(super) async fn request(
    client: &Client,
    url: &Url,
    service: &ServiceConfig,
    texts: &[String],
) -> Result<Vec<Embedding>, Failure> {
    let content = Request {
        model: &service.model,
        input: texts,
        encoding_format: "float",
        dimensions: service.dimensions.map(Into::into),
    };
    let mut request = client.post(url.clone()).json(&content);
    if let Some(key) = &service.key {
        request = request.bearer_auth(key.expose());
    }
    let response = request.send().await.map_err(|error| connection_failure(&error))?;
    let (status, headers) = (response.status(), response.headers().clone());
    let body = body(response).await?;
    if status.is_success() {
        return embeddings(&body, texts.len());
    }
    Err(rejection(status, &headers, &body))
}

/// Classifies an error of the HTTP client by its kind. Its text may contain the URL, and the URL a key.
fn connection_failure(error: &reqwest::Error) -> Failure {
    let unreachable = |reason| ServiceError::Unreachable(reason, 1);
    Failure::Transient(
        if error.is_timeout() {
            unreachable("timeout")
        } else if error.is_connect() {
            unreachable("connection failed")
        } else {
            unreachable("connection lost")
        },
        None,
    )
}

async fn body(mut response: reqwest::Response) -> Result<Vec<u8>, Failure> {
    let mut body = Vec::new();
    while let Some(part) = response.chunk().await.map_err(|error| connection_failure(&error))? {
        if body.len() + part.len() > MAX_RESPONSE_BYTES {
            return Err(Failure::Final(ServiceError::InvalidResponse("it is too long")));
        }
        body.extend_from_slice(&part);
    }
    Ok(body)
}

fn rejection(status: StatusCode, headers: &HeaderMap, body: &[u8]) -> Failure {
    let number = status.as_u16();
    match number {
        413 => Failure::TooLong,
        400 | 422 if is_about_length(body) => Failure::TooLong,
        // An account without credit also gets status 429, and a retry cannot succeed.
        429 if contains(body, "insufficient_quota") => {
            Failure::Final(ServiceError::Unauthorized(number))
        }
        408 | 409 | 425 | 429 | 500..=599 => Failure::Transient(
            ServiceError::Busy(number, 1),
            http::retry_after(headers, SystemTime::now()),
        ),
        401 | 403 => Failure::Final(ServiceError::Unauthorized(number)),
        404 | 405 => Failure::Final(ServiceError::NotFound(number)),
        _ => Failure::Final(ServiceError::Rejected(number)),
    }
}

/// Returns whether a response says that a text is too long; services have no common code for it.
fn is_about_length(body: &[u8]) -> bool {
    [
        "context length",
        "context_length",
        "too long",
        "too many tokens",
        "max_tokens",
        "maximum",
        "exceed",
    ]
    .iter()
    .any(|words| contains(body, words))
}

fn contains(body: &[u8], words: &str) -> bool {
    body.windows(words.len()).any(|window| window.eq_ignore_ascii_case(words.as_bytes()))
}

/// Parses a response into embeddings in the order of the texts, normalized to length 1.
fn embeddings(body: &[u8], count: usize) -> Result<Vec<Embedding>, Failure> {
    let invalid = |reason| Failure::Final(ServiceError::InvalidResponse(reason));
    let response: Response = serde_json::from_slice(body)
        .map_err(|_| invalid("it is not JSON with \"data\" and \"embedding\""))?;
    let mut embeddings: Vec<Option<Embedding>> = vec![None; count];
    if response.data.len() != count {
        return Err(invalid("the number of embeddings differs from the number of texts"));
    }
    for (position, Item { index, mut embedding }) in response.data.into_iter().enumerate() {
        let slot = embeddings.get_mut(index.unwrap_or(position)).filter(|slot| slot.is_none());
        let slot = slot.ok_or_else(|| invalid("an index is repeated or out of range"))?;
        let length = embedding.iter().map(|value| f64::from(*value).powi(2)).sum::<f64>().sqrt();
        if !length.is_normal() {
            return Err(invalid("an embedding is zero or not finite"));
        }
        for value in &mut embedding {
            *value = (f64::from(*value) / length) as f32;
        }
        *slot = Some(embedding);
    }
    Ok(embeddings.into_iter().flatten().collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn embeddings_are_ordered_by_index_and_normalized() {
        let body =
            br#"{"data": [{"index": 1, "embedding": [3, 4]}, {"index": 0, "embedding": [0, 2]}]}"#;
        assert_eq!(embeddings(body, 2).unwrap(), [[0.0, 1.0], [0.6, 0.8]]);
        for (body, what) in [
            ("<html>", "not JSON"),
            (r#"{"data": []}"#, "number of embeddings"),
            (r#"{"data": [{"index": 1, "embedding": [1]}]}"#, "out of range"),
            (r#"{"data": [{"embedding": [0, 0]}]}"#, "zero"),
        ] {
            let Err(Failure::Final(error)) = embeddings(body.as_bytes(), 1) else {
                panic!("{body}")
            };
            assert!(error.to_string().contains(what), "{error}");
        }
    }
}
