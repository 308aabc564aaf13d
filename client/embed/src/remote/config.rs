//! The configuration of an embedding service.

use super::Provider;
use crate::service::ApiKey;
use std::num::NonZero;
use std::time::Duration;

/// An embedding service, and how the client uses it.
///
/// # Examples
///
/// ```
/// use passage_embed::{ApiKey, ServiceConfig};
///
/// let mut service = ServiceConfig::new("https://api.openai.com/v1", "text-embedding-3-small");
/// service.key = Some(ApiKey::new("sk-secret"));
/// assert_eq!(service.batch_texts.get(), 64);
/// assert!(!format!("{service:?}").contains("sk-secret"));
/// ```
#[derive(Clone, Debug)]
pub struct ServiceConfig {
    /// The service, which decides the form of requests.
    pub provider: Provider,
    /// The base URL, such as `https://api.openai.com/v1`; the client appends the path of the service, such as
    /// `/embeddings`, if it is missing. A query is kept.
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
    /// Each other pause is twice as long, up to one minute, plus a random part. A pause that the
    /// service asks for takes precedence.
    pub pause: Duration,
}

impl ServiceConfig {
    /// Returns a configuration of a service with the API of `OpenAI`, with defaults: 64 texts or 8,000 tokens in a
    /// request, four concurrent requests, one minute for each, and six retries within about one minute.
    pub fn new(url: impl Into<String>, model: impl Into<String>) -> Self {
        Self::of_provider(Provider::OpenAi, Some(&url.into()), model)
    }

    /// Returns a configuration of a service, at its own address or at another one, with the same defaults as far as
    /// the service accepts them.
    pub fn of_provider(provider: Provider, url: Option<&str>, model: impl Into<String>) -> Self {
        let number = |number| NonZero::new(number).expect("the number is not zero");
        Self {
            provider,
            url: url.or(provider.address()).unwrap_or_default().to_owned(),
            model: model.into(),
            key: None,
            dimensions: None,
            batch_texts: number(provider.max_texts().min(64)),
            batch_tokens: number(8_000),
            concurrency: number(4),
            timeout: Duration::from_mins(1),
            retries: 6,
            pause: Duration::from_millis(500),
        }
    }

    /// Returns how many tokens the model reads, if the name is that of a known model.
    ///
    /// A service does not tell it. The client uses it for the default sizes of chunks.
    pub fn window(&self) -> Option<usize> {
        let name = self.model.rsplit('/').next().unwrap_or_default().to_ascii_lowercase();
        let known = WINDOWS.iter().find(|(beginning, _)| name.starts_with(beginning));
        known.map(|(_, window)| *window)
    }
}

/// Models of services by the beginning of their names, and how many tokens each reads.
///
/// The first match counts. The numbers are from the documentation of the models.
const WINDOWS: [(&str, usize); 22] = [
    ("text-embedding-3", 8_191),
    ("text-embedding-ada-002", 8_191),
    ("text-embedding-00", 2_048),
    ("gemini-embedding", 2_048),
    ("embeddinggemma", 2_048),
    ("nomic-embed-text", 2_048),
    ("voyage-", 16_000),
    ("jina-embeddings-v2", 8_192),
    ("jina-embeddings-v3", 8_192),
    ("jina-embeddings-v4", 32_768),
    ("embed-v4", 128_000),
    ("embed-english-v3", 512),
    ("embed-multilingual-v3", 512),
    ("mistral-embed", 8_192),
    ("codestral-embed", 8_192),
    ("qwen3-embedding", 32_768),
    ("bge-m3", 8_192),
    ("bge-", 512),
    ("mxbai-embed-large", 512),
    ("snowflake-arctic-embed2", 8_192),
    ("snowflake-arctic-embed", 512),
    ("multilingual-e5", 512),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_window_of_a_model_is_known_by_the_beginning_of_its_name() {
        let window = |model| ServiceConfig::new("http://localhost", model).window();
        assert_eq!(window("text-embedding-3-small"), Some(8_191));
        assert_eq!(window("openai/text-embedding-3-large"), Some(8_191));
        assert_eq!(window("BAAI/bge-M3"), Some(8_192));
        assert_eq!(window("bge-large-en-v1.5"), Some(512));
        assert_eq!(window("all-minilm"), None);
        assert_eq!(window(""), None);
    }
}
