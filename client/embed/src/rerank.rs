/*!
Reranking by a service: a model reads the question together with each text, and returns a score.

Such a model is slower than a comparison of embeddings and more exact. So a search finds some dozens of
chunks, and the service orders them. The request has the form that the common services share:
`{model, query, documents, top_n}`. The response is `{results: [{index, relevance_score}]}`.

# Examples

```no_run
use passage_embed::rerank::{RerankConfig, Reranker};

# async fn example() -> Result<(), passage_embed::rerank::Error> {
let service = RerankConfig::new("http://localhost:8080/v1");
let texts = ["Close the valve.".to_owned(), "Open the door.".to_owned()];
let scores = Reranker::new(service)?.scores("How do I stop the water?", texts.to_vec()).await?;
assert!(scores[0] > scores[1]);
# Ok(())
# }
```
*/

use crate::service::{ApiKey, Endpoint, Failure, HttpService, ServiceError};
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// Bytes below which a text is not cut further.
const MIN_TEXT_BYTES: usize = 128;

/// A rerank service, and how the client uses it.
#[derive(Clone, Debug)]
pub struct RerankConfig {
    /// The base URL, such as `https://api.cohere.com/v2`; the client appends `/rerank` if it is missing.
    pub url: String,
    /// The service's name of the model; `None` if the service has only one.
    pub model: Option<String>,
    /// The API key.
    pub key: Option<ApiKey>,
    /// The time limit of a request.
    pub timeout: Duration,
    /// How often a request is retried after a transient failure.
    pub retries: u32,
    /// The pause before the first retry. Each other pause is twice as long, plus a random part. A pause
    /// that the service asks for takes precedence.
    pub pause: Duration,
}

impl RerankConfig {
    /// Returns a configuration with defaults for a person who waits: ten seconds for a request, and two
    /// retries.
    pub fn new(url: impl Into<String>) -> Self {
        Self {
            url: url.into(),
            model: None,
            key: None,
            timeout: Duration::from_secs(10),
            retries: 2,
            pause: Duration::from_millis(250),
        }
    }
}

/// A failure of a rerank service.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("rerank service at {host}: {error}")]
pub struct Error {
    /// The host and port, without any other part of the URL, which may contain a secret.
    pub host: String,
    /// The failure.
    pub error: ServiceError,
}

impl Error {
    /// Returns what to do, in full sentences.
    pub fn remedy(&self) -> &'static str {
        match &self.error {
            ServiceError::InvalidConfig(_) => {
                "Set --rerank-url to a URL such as https://host/v1, and PASSAGE_RERANK_KEY to a key without spaces."
            }
            ServiceError::KeyOverHttp => {
                "Use https:// in --rerank-url. Plain HTTP is for services on this machine, and for services without a key: \
                 unset PASSAGE_RERANK_KEY."
            }
            ServiceError::Unreachable(..) => {
                "Check that the service runs and that --rerank-url names it. --rerank-timeout sets how long the client waits."
            }
            ServiceError::Busy(..) | ServiceError::RetryLater(..) => "Run the command again later.",
            ServiceError::Unauthorized(_) => {
                "Set PASSAGE_RERANK_KEY to the API key. The client reads it only from the environment."
            }
            ServiceError::NotFound(_) => {
                "Check --rerank-url, to which the client appends /rerank, and --rerank-model."
            }
            ServiceError::Rejected(_) => {
                "Read the log of the service. It may need --rerank-model, or accept fewer texts than --rerank-candidates."
            }
            ServiceError::TooLong
            | ServiceError::InvalidResponse(_)
            | ServiceError::Dimensions { .. } => {
                "Check that --rerank-url names a rerank service, and --rerank-model a rerank model."
            }
        }
    }
}

/// A client of a rerank service.
pub struct Reranker {
    service: HttpService,
    model: Option<String>,
}

#[derive(Serialize)]
struct Request<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    model: Option<&'a str>,
    query: &'a str,
    documents: &'a [String],
    top_n: usize,
}

#[derive(Deserialize)]
struct Response {
    #[serde(alias = "data")]
    results: Vec<RankedResult>,
}

#[derive(Deserialize)]
struct RankedResult {
    index: usize,
    #[serde(alias = "score")]
    relevance_score: f64,
}

impl Reranker {
    /// Makes a client; it sends no request.
    ///
    /// # Errors
    ///
    /// Returns an error if the configuration is invalid, or if the key would be sent unencrypted.
    pub fn new(config: RerankConfig) -> Result<Self, Error> {
        let RerankConfig { url, model, key, timeout, retries, pause } = config;
        let endpoint = Endpoint { url: &url, path: "rerank", key, timeout, retries, pause };
        let service = HttpService::new(endpoint).map_err(|(host, error)| {
            let host = host.unwrap_or_else(|| "--rerank-url".into());
            Error { host, error }
        })?;
        Ok(Self { service, model })
    }

    /// Returns the score of each text, higher for a better answer to the question; `None` for a text that
    /// the service leaves out.
    ///
    /// If the texts are too long for the service, it gets the beginning of each.
    ///
    /// # Errors
    ///
    /// Returns an error if the service does not respond, rejects the request, or returns no valid scores.
    pub async fn scores(
        &self,
        question: &str,
        mut texts: Vec<String>,
    ) -> Result<Vec<Option<f64>>, Error> {
        if texts.is_empty() {
            return Ok(Vec::new());
        }
        let failed = |error| Error { host: self.service.host(), error };
        let mut attempts = 1;
        loop {
            let content = Request {
                model: self.model.as_deref(),
                query: question,
                documents: &texts,
                top_n: texts.len(),
            };
            let answer = match self.service.post(&content).await {
                Ok(body) => scores(&body, texts.len()).map_err(Failure::Final),
                Err(failure) => Err(failure),
            };
            match answer {
                Ok(scores) => return Ok(scores),
                Err(Failure::Final(error)) => return Err(failed(error)),
                Err(Failure::TooLong) => {
                    if !halve_longest(&mut texts) {
                        return Err(failed(ServiceError::TooLong));
                    }
                }
                Err(Failure::Transient(error, retry_after)) => {
                    self.service.back_off(error, retry_after, attempts).await.map_err(failed)?;
                    attempts += 1;
                }
            }
        }
    }
}

/// Cuts all texts to half of the length of the longest one. Returns `false` if that is too short.
fn halve_longest(texts: &mut [String]) -> bool {
    let longest = texts.iter().map(String::len).max().unwrap_or(0);
    if longest < MIN_TEXT_BYTES {
        return false;
    }
    for text in texts {
        text.truncate(text.floor_char_boundary(longest / 2));
    }
    true
}

/// Parses a response into the scores of `count` texts.
fn scores(body: &[u8], count: usize) -> Result<Vec<Option<f64>>, ServiceError> {
    let invalid = ServiceError::InvalidResponse;
    let response: Response = serde_json::from_slice(body).map_err(|_| {
        invalid("it is not JSON with \"results\", \"index\" and \"relevance_score\"")
    })?;
    if response.results.is_empty() {
        return Err(invalid("it has no results"));
    }
    let mut scores = vec![None; count];
    for RankedResult { index, relevance_score } in response.results {
        let score = scores.get_mut(index).filter(|score| score.is_none());
        let score = score.ok_or(invalid("an index is repeated or out of range"))?;
        if !relevance_score.is_finite() {
            return Err(invalid("a score is not finite"));
        }
        *score = Some(relevance_score);
    }
    Ok(scores)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scores_are_in_the_order_of_the_texts() {
        let body = br#"{"results": [{"index": 2, "relevance_score": 0.9}, {"index": 0, "relevance_score": -3, "document": {"text": "a"}}]}"#;
        assert_eq!(scores(body, 3), Ok(vec![Some(-3.0), None, Some(0.9)]));
        let body = br#"{"data": [{"index": 0, "score": 1}]}"#;
        assert_eq!(scores(body, 1), Ok(vec![Some(1.0)]));
        for (body, cause) in [
            ("<html>", "not JSON"),
            (r#"{"results": []}"#, "no results"),
            (r#"{"results": [{"index": 1, "relevance_score": 1}]}"#, "out of range"),
            (
                r#"{"results": [{"index": 0, "relevance_score": 1}, {"index": 0, "relevance_score": 1}]}"#,
                "repeated",
            ),
            (r#"{"results": [{"index": 0, "relevance_score": 1e999}]}"#, ""),
            (r#"{"results": [{"index": -1, "relevance_score": 1}]}"#, "not JSON"),
        ] {
            let error = scores(body.as_bytes(), 1).unwrap_err();
            assert!(error.to_string().contains(cause), "{body}: {error}");
        }
    }

    #[test]
    fn texts_are_halved_until_they_are_short() {
        let mut texts = vec!["\u{e9}".repeat(200), "short".into()];
        assert!(halve_longest(&mut texts));
        assert_eq!((texts[0].len(), &*texts[1]), (200, "short"));
        assert!(halve_longest(&mut texts));
        assert!(!halve_longest(&mut texts));
    }
}
