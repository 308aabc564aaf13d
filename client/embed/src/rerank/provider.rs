/*!
Vendors and servers that rerank: their addresses, and the form of their requests and responses.

| provider | request | response |
|---|---|---|
| generic, cohere, jina | `{model, query, documents, top_n}` | `{results: [{index, relevance_score}]}` |
| voyage | `{model, query, documents, top_k}` | `{data: [{index, relevance_score}]}` |
| tei | `{query, texts, truncate}` | `[{index, score}]` |

# Source

- Cohere: <https://docs.cohere.com/v2/reference/rerank>; "we recommend against sending more than 1,000 documents".
- Voyage: <https://docs.voyageai.com/reference/reranker-api>; "the number of documents cannot exceed 1,000".
- Jina: <https://api.jina.ai/redoc>, which names no limit.
- TEI, Hugging Face's text-embeddings-inference: <https://huggingface.github.io/text-embeddings-inference>;
  `--max-client-batch-size` is 32 by default.
*/

use crate::remote::Provider;
use crate::service::ServiceError;
use serde::{Deserialize, Serialize};

/// A vendor or server that reranks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RerankProvider {
    /// Any service with the form of requests that most share.
    Generic,
    /// Cohere.
    Cohere,
    /// Voyage AI.
    Voyage,
    /// Jina AI.
    Jina,
    /// Hugging Face's text-embeddings-inference.
    Tei,
}

/// The facts about a provider.
struct Facts {
    /// The name in options.
    name: &'static str,
    /// The vendor, which also embeds; `None` for a server that users run themselves.
    vendor: Option<Provider>,
    /// The name of a model, as an example, if each request needs one.
    model: Option<&'static str>,
    /// The maximum number of texts in a request.
    texts: usize,
    form: Form,
}

/// The form of requests.
#[derive(Clone, Copy)]
enum Form {
    /// `documents`, and `top_n` for the number of results.
    TopN,
    /// `documents`, and `top_k` for the number of results.
    TopK,
    /// `texts`, all of which get a score.
    Texts,
}

impl RerankProvider {
    /// The providers that an option can name.
    pub const NAMED: [Self; 4] = [Self::Cohere, Self::Voyage, Self::Jina, Self::Tei];

    /// Returns the provider with a name.
    pub fn named(name: &str) -> Option<Self> {
        Self::NAMED.into_iter().find(|provider| provider.name() == name)
    }

    fn facts(self) -> Facts {
        match self {
            Self::Generic => {
                Facts { name: "generic", vendor: None, model: None, texts: 1_000, form: Form::TopN }
            }
            Self::Cohere => Facts {
                name: "cohere",
                vendor: Some(Provider::Cohere),
                model: Some("rerank-v3.5"),
                texts: 1_000,
                form: Form::TopN,
            },
            Self::Voyage => Facts {
                name: "voyage",
                vendor: Some(Provider::Voyage),
                model: Some("rerank-2.5-lite"),
                texts: 1_000,
                form: Form::TopK,
            },
            Self::Jina => Facts {
                name: "jina",
                vendor: Some(Provider::Jina),
                model: Some("jina-reranker-v2-base-multilingual"),
                texts: 1_000,
                form: Form::TopN,
            },
            Self::Tei => {
                Facts { name: "tei", vendor: None, model: None, texts: 32, form: Form::Texts }
            }
        }
    }

    /// Returns the name in options.
    pub fn name(self) -> &'static str {
        self.facts().name
    }

    /// Returns the address; `None` for a server that users run themselves.
    pub fn url(self) -> Option<&'static str> {
        self.facts().vendor?.address()
    }

    /// Returns the variables of the environment in which the vendor's own programs expect the key; none for another host than
    /// that of the vendor.
    pub fn key_variables(self, address: &str) -> &'static [&'static str] {
        self.facts().vendor.map_or(&[], |vendor| vendor.key_variables(address))
    }

    /// Returns the name of a model, as an example, if each request needs one.
    pub fn example_model(self) -> Option<&'static str> {
        self.facts().model
    }

    /// Returns the maximum number of texts in a request.
    pub(super) fn max_texts(self) -> usize {
        self.facts().texts
    }

    /// Returns whether the provider cuts a text beyond the window of its model.
    pub(super) fn cuts_texts(self) -> bool {
        matches!(self.facts().form, Form::Texts)
    }

    /// Returns the request for the scores of texts.
    pub(super) fn request<'a>(
        self,
        model: Option<&'a str>,
        query: &'a str,
        texts: &'a [String],
    ) -> Request<'a> {
        let count = Some(texts.len());
        match self.facts().form {
            Form::TopN => {
                Request { documents: Some(texts), top_n: count, ..Request::new(model, query) }
            }
            Form::TopK => {
                Request { documents: Some(texts), top_k: count, ..Request::new(model, query) }
            }
            // Without `truncate`, older versions reject a text beyond the window of the model.
            Form::Texts => {
                Request { texts: Some(texts), truncate: Some(true), ..Request::new(None, query) }
            }
        }
    }
}

/// A request. Each provider gets only its own fields.
#[derive(Serialize)]
pub(super) struct Request<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    model: Option<&'a str>,
    query: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    documents: Option<&'a [String]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    texts: Option<&'a [String]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    top_n: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    top_k: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    truncate: Option<bool>,
}

impl<'a> Request<'a> {
    fn new(model: Option<&'a str>, query: &'a str) -> Self {
        Self {
            model,
            query,
            documents: None,
            texts: None,
            top_n: None,
            top_k: None,
            truncate: None,
        }
    }
}

/// The response of any provider.
#[derive(Deserialize)]
#[serde(untagged)]
enum Response {
    Named {
        #[serde(alias = "data")]
        results: Vec<RankedResult>,
    },
    Bare(Vec<RankedResult>),
}

#[derive(Deserialize)]
struct RankedResult {
    index: usize,
    #[serde(alias = "score")]
    relevance_score: f64,
}

/// Parses a response into the scores of `count` texts; `None` for a text that the service leaves out.
pub(super) fn scores(body: &[u8], count: usize) -> Result<Vec<Option<f64>>, ServiceError> {
    let invalid = ServiceError::InvalidResponse;
    let response: Response = serde_json::from_slice(body).map_err(|_| {
        invalid("it is not JSON with \"results\", \"index\" and \"relevance_score\"")
    })?;
    let (Response::Named { results } | Response::Bare(results)) = response;
    if results.is_empty() {
        return Err(invalid("it has no results"));
    }
    let mut scores = vec![None; count];
    for RankedResult { index, relevance_score } in results {
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
    use serde_json::json;

    #[test]
    fn scores_are_in_the_order_of_the_texts() {
        let body = br#"{"results": [{"index": 2, "relevance_score": 0.9}, {"index": 0, "relevance_score": -3, "document": {"text": "a"}}]}"#;
        assert_eq!(scores(body, 3), Ok(vec![Some(-3.0), None, Some(0.9)]));
        for body in
            [&br#"{"data": [{"index": 0, "score": 1}]}"#[..], br#"[{"index": 0, "score": 1}]"#]
        {
            assert_eq!(scores(body, 1), Ok(vec![Some(1.0)]));
        }
        for (body, cause) in [
            ("<html>", "not JSON"),
            (r#"{"results": []}"#, "no results"),
            ("[]", "no results"),
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
    fn a_request_has_only_the_fields_of_its_provider() {
        let texts = ["a".to_owned(), "b".to_owned()];
        let request = |provider: RerankProvider, model| {
            serde_json::to_value(provider.request(model, "why", &texts)).unwrap()
        };
        let common = json!({"model": "m", "query": "why", "documents": ["a", "b"], "top_n": 2});
        for provider in [RerankProvider::Generic, RerankProvider::Cohere, RerankProvider::Jina] {
            assert_eq!(request(provider, Some("m")), common, "{provider:?}");
        }
        assert_eq!(
            request(RerankProvider::Voyage, Some("m")),
            json!({"model": "m", "query": "why", "documents": ["a", "b"], "top_k": 2})
        );
        assert_eq!(
            request(RerankProvider::Tei, Some("m")),
            json!({"query": "why", "texts": ["a", "b"], "truncate": true})
        );
        assert_eq!(
            request(RerankProvider::Generic, None),
            json!({"query": "why", "documents": ["a", "b"], "top_n": 2})
        );
    }
}
