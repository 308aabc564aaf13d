//! One request to a service, and what comes of it.

use super::{Problem, Service};
use crate::embed::Embedding;
use crate::http;
use reqwest::header::HeaderMap;
use reqwest::{Client, StatusCode, Url};
use serde::{Deserialize, Serialize};
use std::time::{Duration, SystemTime};

/// The most bytes of an answer: more than a thousand embeddings of four thousand dimensions.
const LONGEST_ANSWER: usize = 128 << 20;

/// What a request came to, if not to embeddings.
#[derive(Debug)]
pub(super) enum Failure {
    /// It may succeed the next time, and perhaps the service says when.
    Passing(Problem, Option<Duration>),
    /// It is too long for the service.
    TooLong,
    /// It cannot succeed.
    Final(Problem),
}

#[derive(Serialize)]
struct Question<'a> {
    model: &'a str,
    input: &'a [String],
    encoding_format: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    dimensions: Option<usize>,
}

#[derive(Deserialize)]
struct Answer {
    data: Vec<Item>,
}

#[derive(Deserialize)]
struct Item {
    index: Option<usize>,
    embedding: Vec<f32>,
}

/// Asks a service to embed texts, and returns their embeddings in the same order, of length 1.
pub(super) async fn request(
    client: &Client,
    url: &Url,
    service: &Service,
    texts: &[String],
) -> Result<Vec<Embedding>, Failure> {
    let question = Question {
        model: &service.model,
        input: texts,
        encoding_format: "float",
        dimensions: service.dimensions.map(Into::into),
    };
    let mut request = client.post(url.clone()).json(&question);
    if let Some(key) = &service.key {
        request = request.bearer_auth(key.expose());
    }
    let response = request.send().await.map_err(|error| unanswered(&error))?;
    let (status, headers) = (response.status(), response.headers().clone());
    let body = body(response).await?;
    if status.is_success() {
        return embeddings(&body, texts.len());
    }
    Err(refusal(status, &headers, &body))
}

/// An error of the client may hold the URL, and a URL a key: it is told by its kind alone.
fn unanswered(error: &reqwest::Error) -> Failure {
    let problem = |what| Problem::Unreachable(what, 1);
    Failure::Passing(
        if error.is_timeout() {
            problem("it takes too long")
        } else if error.is_connect() {
            problem("no connection")
        } else {
            problem("the connection broke")
        },
        None,
    )
}

async fn body(mut response: reqwest::Response) -> Result<Vec<u8>, Failure> {
    let mut body = Vec::new();
    while let Some(part) = response.chunk().await.map_err(|error| unanswered(&error))? {
        if body.len() + part.len() > LONGEST_ANSWER {
            return Err(Failure::Final(Problem::Garbled("it has no end")));
        }
        body.extend_from_slice(&part);
    }
    Ok(body)
}

fn refusal(status: StatusCode, headers: &HeaderMap, body: &[u8]) -> Failure {
    let number = status.as_u16();
    match number {
        413 => Failure::TooLong,
        400 | 422 if says_too_long(body) => Failure::TooLong,
        // An account without credit is told so by 429, too, and waiting brings none.
        429 if contains(body, "insufficient_quota") => Failure::Final(Problem::Key(number)),
        408 | 409 | 425 | 429 | 500..=599 => Failure::Passing(
            Problem::Busy(number, 1),
            http::retry_after(headers, SystemTime::now()),
        ),
        401 | 403 => Failure::Final(Problem::Key(number)),
        404 | 405 => Failure::Final(Problem::Unknown(number)),
        _ => Failure::Final(Problem::Refused(number)),
    }
}

/// Services have no common code for this, but they all say it.
fn says_too_long(body: &[u8]) -> bool {
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

/// Reads an answer and brings each embedding into its place and to length 1.
fn embeddings(body: &[u8], count: usize) -> Result<Vec<Embedding>, Failure> {
    let garbled = |what| Failure::Final(Problem::Garbled(what));
    let answer: Answer = serde_json::from_slice(body)
        .map_err(|_| garbled("it is no JSON with data and embedding"))?;
    let mut embeddings: Vec<Option<Embedding>> = vec![None; count];
    if answer.data.len() != count {
        return Err(garbled("it has another number of embeddings than were asked for"));
    }
    for (place, Item { index, mut embedding }) in answer.data.into_iter().enumerate() {
        let slot = embeddings.get_mut(index.unwrap_or(place)).filter(|slot| slot.is_none());
        let slot = slot.ok_or_else(|| garbled("an index comes twice or is out of range"))?;
        let length = embedding.iter().map(|value| f64::from(*value).powi(2)).sum::<f64>().sqrt();
        if !length.is_normal() {
            return Err(garbled("an embedding has no direction"));
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
    fn embeddings_come_in_the_order_of_the_texts_and_of_length_one() {
        let body =
            br#"{"data": [{"index": 1, "embedding": [3, 4]}, {"index": 0, "embedding": [0, 2]}]}"#;
        assert_eq!(embeddings(body, 2).unwrap(), [[0.0, 1.0], [0.6, 0.8]]);
        for (body, what) in [
            ("<html>", "no JSON"),
            (r#"{"data": []}"#, "another number"),
            (r#"{"data": [{"index": 1, "embedding": [1]}]}"#, "out of range"),
            (r#"{"data": [{"embedding": [0, 0]}]}"#, "no direction"),
        ] {
            let Err(Failure::Final(problem)) = embeddings(body.as_bytes(), 1) else {
                panic!("{body}")
            };
            assert!(problem.to_string().contains(what), "{problem}");
        }
    }
}
