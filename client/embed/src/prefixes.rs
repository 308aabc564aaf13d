/*!
Prefixes: the words that a model expects before a question or a document.

E5, for example, was trained with `query: ` and `passage: `, and embeds worse without them. The folder of a model
names its prefixes, options replace them, and the store records those that its chunks were embedded with, so that
later questions get the same.
*/

use super::{EmbeddingKind, Error};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The texts before each question and each document; empty for none.
///
/// # Examples
///
/// ```
/// use passage_embed::{EmbeddingKind, Prefixes};
///
/// let prefixes = Prefixes { query: "query: ".into(), document: "passage: ".into() };
/// assert_eq!(prefixes.prepend(EmbeddingKind::Query, "why?".into()), "query: why?");
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Prefixes {
    /// The text before a question.
    pub query: String,
    /// The text before a document or a chunk.
    pub document: String,
}

impl Prefixes {
    /// Returns the prefix of a kind.
    pub fn prefix(&self, kind: EmbeddingKind) -> &str {
        match kind {
            EmbeddingKind::Query => &self.query,
            EmbeddingKind::Document => &self.document,
        }
    }

    /// Returns a text after its prefix.
    pub fn prepend(&self, kind: EmbeddingKind, text: String) -> String {
        match self.prefix(kind) {
            "" => text,
            prefix => format!("{prefix}{text}"),
        }
    }

    /// Returns the JSON object that a store records.
    pub fn to_json(&self) -> Value {
        serde_json::to_value(self).expect("texts are JSON")
    }

    /// Returns the prefixes that a store records.
    ///
    /// # Errors
    ///
    /// Returns [`Error::RecordedPrefixes`] unless they are an object with the texts `query` and `document`.
    pub fn from_json(recorded: &Value) -> Result<Self, Error> {
        Self::deserialize(recorded).map_err(|_| Error::RecordedPrefixes)
    }
}

/// The prefixes that a user names. `None` leaves the one that the store or the model has.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GivenPrefixes {
    /// The text before a question.
    pub query: Option<String>,
    /// The text before a document or a chunk.
    pub document: Option<String>,
}

impl GivenPrefixes {
    /// Returns the prefixes of a store or a model, with the given ones in their place.
    pub fn over(&self, base: &Prefixes) -> Prefixes {
        let Self { query, document } = self;
        Prefixes {
            query: query.as_ref().unwrap_or(&base.query).clone(),
            document: document.as_ref().unwrap_or(&base.document).clone(),
        }
    }

    /// Returns the prefixes of a run: the given ones, else those that a store records, else those of the model.
    ///
    /// # Errors
    ///
    /// Returns [`Error::RecordedPrefixes`] if the store records them in another format.
    pub fn resolve(
        &self,
        recorded: Option<&Value>,
        of_model: &Prefixes,
    ) -> Result<Prefixes, Error> {
        let recorded = recorded.map(Prefixes::from_json).transpose()?;
        Ok(self.over(recorded.as_ref().unwrap_or(of_model)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn recorded_prefixes_are_read_as_they_were_written() {
        let prefixes = Prefixes { query: "query: ".into(), document: String::new() };
        assert_eq!(prefixes.to_json(), json!({"query": "query: ", "document": ""}));
        assert_eq!(Prefixes::from_json(&prefixes.to_json()).unwrap(), prefixes);
        for invalid in
            [json!("query: "), json!({"query": "a"}), json!({"query": 1, "document": ""})]
        {
            let error = Prefixes::from_json(&invalid).unwrap_err();
            assert!(error.remedy().contains("prefixes"), "{error}");
        }
    }

    #[test]
    fn a_given_prefix_replaces_one_and_leaves_the_other() {
        let base = Prefixes { query: "query: ".into(), document: "passage: ".into() };
        let given = GivenPrefixes { query: Some(String::new()), document: None };
        let expected = Prefixes { query: String::new(), document: "passage: ".into() };
        assert_eq!(given.over(&base), expected);
    }
}
