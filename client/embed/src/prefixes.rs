//! Texts in front of what a model embeds.

use serde::{Deserialize, Serialize};

/// The texts that a model reads in front of each question and each document.
///
/// Some models were trained with such prefixes, for example E5 with `query: ` and `passage: `. Without
/// them their vectors compare badly.
///
/// # Examples
///
/// ```
/// use passage_embed::Prefixes;
///
/// let prefixes = Prefixes { query: "query: ".into(), ..Prefixes::default() };
/// assert_eq!(prefixes.query + "Where is the valve?", "query: Where is the valve?");
/// assert_eq!(prefixes.document, "");
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Prefixes {
    /// In front of a question, with its space at the end.
    pub query: String,
    /// In front of a document's text.
    pub document: String,
}
