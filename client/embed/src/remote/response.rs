//! The answers of embedding services.

use crate::Embedding;
use crate::embedding::normalize;
use crate::service::{Failure, ServiceError};
use serde::Deserialize;
use serde::de::DeserializeOwned;

/// The shape of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shape {
    /// `{"data": [{"index": 0, "embedding": [...]}]}`
    Data,
    /// `{"embeddings": [[...]]}`
    Embeddings,
    /// `[[...]]`
    List,
    /// `{"embeddings": {"float": [[...]]}}`
    Floats,
    /// `{"embeddings": [{"values": [...]}]}`
    Values,
}

#[derive(Deserialize)]
struct Data {
    data: Vec<Item>,
}

#[derive(Deserialize)]
struct Item {
    index: Option<usize>,
    embedding: Embedding,
}

#[derive(Deserialize)]
struct Embeddings<T> {
    embeddings: T,
}

#[derive(Deserialize)]
struct Floats {
    float: Vec<Embedding>,
}

#[derive(Deserialize)]
struct Values {
    values: Embedding,
}

impl Shape {
    /// Parses an answer into embeddings in the order of the texts, normalized to length 1.
    pub(super) fn embeddings(self, body: &[u8], count: usize) -> Result<Vec<Embedding>, Failure> {
        let mut embeddings = match self {
            Self::Data => in_order(self.parse::<Data>(body)?.data)?,
            Self::Embeddings => self.parse::<Embeddings<Vec<Embedding>>>(body)?.embeddings,
            Self::List => self.parse(body)?,
            Self::Floats => self.parse::<Embeddings<Floats>>(body)?.embeddings.float,
            Self::Values => {
                let embeddings = self.parse::<Embeddings<Vec<Values>>>(body)?.embeddings;
                embeddings.into_iter().map(|Values { values }| values).collect()
            }
        };
        if embeddings.len() != count {
            return Err(invalid("the number of embeddings differs from the number of texts"));
        }
        if !embeddings.iter_mut().all(|embedding| normalize(embedding)) {
            return Err(invalid("an embedding is zero or not finite"));
        }
        Ok(embeddings)
    }

    fn parse<T: DeserializeOwned>(self, body: &[u8]) -> Result<T, Failure> {
        serde_json::from_slice(body).map_err(|_| invalid(self.expected()))
    }

    /// Returns the message for an answer with another shape.
    fn expected(self) -> &'static str {
        match self {
            Self::Data => "it is not JSON with \"data\" and \"embedding\"",
            Self::Embeddings => "it is not JSON with \"embeddings\"",
            Self::List => "it is not an array of arrays",
            Self::Floats => "it is not JSON with \"embeddings\" and \"float\"",
            Self::Values => "it is not JSON with \"embeddings\" and \"values\"",
        }
    }
}

/// Returns embeddings in the order of their indexes. Without indexes, they are in order.
fn in_order(items: Vec<Item>) -> Result<Vec<Embedding>, Failure> {
    let mut embeddings = vec![None; items.len()];
    for (position, Item { index, embedding }) in items.into_iter().enumerate() {
        let slot = embeddings.get_mut(index.unwrap_or(position)).filter(|slot| slot.is_none());
        let slot = slot.ok_or_else(|| invalid("an index is repeated or out of range"))?;
        *slot = Some(embedding);
    }
    Ok(embeddings.into_iter().flatten().collect())
}

fn invalid(reason: &'static str) -> Failure {
    Failure::Final(ServiceError::InvalidResponse(reason))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn embeddings_are_ordered_by_index_and_normalized() {
        let body =
            br#"{"data": [{"index": 1, "embedding": [3, 4]}, {"index": 0, "embedding": [0, 2]}]}"#;
        let embeddings = Shape::Data.embeddings(body, 2).unwrap();
        assert_eq!(embeddings, [[0.0, 1.0], [0.6, 0.8]]);
    }

    #[test]
    fn invalid_answers_are_rejected_in_every_shape() {
        for (shape, body, cause) in [
            (Shape::Data, "<html>", "not JSON"),
            (Shape::Data, r#"{"data": []}"#, "number of embeddings"),
            (Shape::Data, r#"{"data": [{"index": 1, "embedding": [1]}]}"#, "out of range"),
            (Shape::Data, r#"{"data": [{"embedding": [0, 0]}]}"#, "zero"),
            (Shape::Embeddings, r#"{"embedding": [1]}"#, "\"embeddings\""),
            (Shape::List, r#"{"error": "overloaded"}"#, "array"),
            (Shape::Floats, r#"{"embeddings": [[1]]}"#, "\"float\""),
            (Shape::Values, r#"{"embeddings": [[1]]}"#, "\"values\""),
            (Shape::Values, r#"{"embeddings": [{"values": [1]}, {"values": [1]}]}"#, "number"),
        ] {
            let Err(Failure::Final(error)) = shape.embeddings(body.as_bytes(), 1) else {
                panic!("{body}")
            };
            assert!(error.to_string().contains(cause), "{body}: {error}");
        }
    }
}
