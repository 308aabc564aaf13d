//! The configuration of an embedding service.

use std::fmt;
use std::num::NonZero;
use std::time::Duration;

/// An embedding service, and how the client uses it.
///
/// # Examples
///
/// ```
/// use passage::embed::{ApiKey, ServiceConfig};
///
/// let mut service = ServiceConfig::new("https://api.openai.com/v1", "text-embedding-3-small");
/// service.key = Some(ApiKey::new("sk-secret"));
/// assert_eq!(service.batch_texts.get(), 64);
/// assert!(!format!("{service:?}").contains("sk-secret"));
/// ```
#[derive(Clone, Debug)]
pub struct ServiceConfig {
    /// The base URL, such as `https://api.openai.com/v1`; the client appends `/embeddings`.
    pub url: String,
    /// The service's name of the model; a store records it.
    pub model: String,
    /// The API key.
    pub key: Option<ApiKey>,
    /// The dimensions to request; `None` for those that the service returns by default.
    pub dimensions: Option<NonZero<usize>>,
    /// The maximum number of texts in a request.
    pub batch_texts: NonZero<usize>,
    /// The maximum number of tokens in a request, counted as one token for three bytes. A longer text
    /// is sent alone.
    pub batch_tokens: NonZero<usize>,
    /// The maximum number of concurrent requests.
    pub concurrency: NonZero<usize>,
    /// The time limit of a request.
    pub timeout: Duration,
    /// How often a request is retried after a transient failure.
    pub retries: u32,
    /// The pause before the first retry.
    ///
    /// Each further pause is twice as long, up to one minute, plus a random part. A pause that the
    /// service asks for takes precedence.
    pub pause: Duration,
}

impl ServiceConfig {
    /// Returns a configuration with defaults: 64 texts or 8,000 tokens in a request, four concurrent
    /// requests, one minute for each, and six retries within about one minute.
    pub fn new(url: impl Into<String>, model: impl Into<String>) -> Self {
        let number = |number| NonZero::new(number).expect("the number is not zero");
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

/// An API key. No message, log or debug output contains it.
#[derive(Clone)]
pub struct ApiKey(String);

impl ApiKey {
    /// Wraps a key.
    pub fn new(key: impl Into<String>) -> Self {
        Self(key.into())
    }

    pub(super) fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for ApiKey {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("ApiKey(...)")
    }
}
