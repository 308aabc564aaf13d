//! What is told of a service.

use std::fmt;
use std::num::NonZero;
use std::time::Duration;

/// A service that embeds, and how it is asked.
#[derive(Clone, Debug)]
pub struct Service {
    /// The address that `/embeddings` is appended to, such as `https://api.openai.com/v1`.
    pub url: String,
    /// The model, as the service calls it; a store remembers it by that name.
    pub model: String,
    /// What lets one in.
    pub key: Option<Key>,
    /// The length of the embeddings, if the service is to be told; otherwise it is found out.
    pub dimensions: Option<NonZero<usize>>,
    /// The most texts of a request.
    pub batch_texts: NonZero<usize>,
    /// The most tokens of a request, at a token for three bytes; a longer text goes alone.
    pub batch_tokens: NonZero<usize>,
    /// Requests at a time.
    pub concurrency: NonZero<usize>,
    /// How long an answer may take.
    pub timeout: Duration,
    /// How often a request is made again that may succeed the next time.
    pub retries: u32,
    /// The pause before the second try; each further one is twice as long, up to a minute, and all
    /// vary by chance. What the service asks for goes before it.
    pub pause: Duration,
}

impl Service {
    /// A service with what suits most: 64 texts or 8,000 tokens a request, four requests at a time,
    /// a minute for each, and six more tries within about a minute.
    pub fn new(url: impl Into<String>, model: impl Into<String>) -> Self {
        let number = |number| NonZero::new(number).expect("it is not zero");
        Self {
            url: url.into(),
            model: model.into(),
            key: None,
            dimensions: None,
            batch_texts: number(64),
            batch_tokens: number(8_000),
            concurrency: number(4),
            timeout: Duration::from_mins(1),
            retries: 6,
            pause: Duration::from_millis(500),
        }
    }
}

/// A secret that no message, log or debug output shows.
#[derive(Clone)]
pub struct Key(String);

impl Key {
    /// Keeps a secret.
    pub fn new(key: impl Into<String>) -> Self {
        Self(key.into())
    }

    pub(super) fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Key {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Key(...)")
    }
}
