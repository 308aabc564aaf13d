//! The purpose of an embedding, because many models embed a question otherwise than a document.

/// The kind of a text that is embedded.
///
/// # Examples
///
/// ```
/// use passage_embed::EmbeddingKind;
///
/// assert_eq!(EmbeddingKind::from_name("query"), Some(EmbeddingKind::Query));
/// assert_eq!(EmbeddingKind::from_name("passage"), None);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EmbeddingKind {
    /// A question, whose embedding is compared with those of documents.
    Query,
    /// A document or a part of one.
    Document,
}

impl EmbeddingKind {
    /// All kinds.
    pub const ALL: [Self; 2] = [Self::Query, Self::Document];

    /// Returns the name in requests and settings.
    pub fn name(self) -> &'static str {
        match self {
            Self::Query => "query",
            Self::Document => "document",
        }
    }

    /// Returns the kind with a name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }
}
