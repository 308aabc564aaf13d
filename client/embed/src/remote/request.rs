//! A request for embeddings, and its response.

use super::ServiceConfig;
use crate::Embedding;
use crate::service::{Failure, HttpService, ServiceError};
use serde::{Deserialize, Serialize};

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
    data: Vec<EmbeddingResult>,
}

#[derive(Deserialize)]
struct EmbeddingResult {
    index: Option<usize>,
    embedding: Vec<f32>,
}

/// Requests the embeddings of texts, and returns them in the same order, normalized to length 1.
pub(super) async fn request(
    service: &HttpService,
    config: &ServiceConfig,
    texts: &[String],
) -> Result<Vec<Embedding>, Failure> {
    let content = Request {
        model: &config.model,
        input: texts,
        encoding_format: "float",
        dimensions: config.dimensions.map(Into::into),
    };
    embeddings(&service.post(&content).await?, texts.len())
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
    for (position, EmbeddingResult { index, mut embedding }) in
        response.data.into_iter().enumerate()
    {
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
