//! The configuration of a rerank service.

use super::provider::RerankProvider;
use crate::service::ApiKey;
use std::time::Duration;

/// A rerank service, and how the client uses it.
#[derive(Clone, Debug)]
pub struct RerankConfig {
    /// The URL of the service; `None` for that of the provider. If its path does not end with that of the
    /// requests, such as `/rerank`, the client appends it. A query stays.
    pub url: Option<String>,
    /// The vendor or server, which decides the form of requests and responses.
    pub provider: RerankProvider,
    /// The service's name of the model; `None` if the service has only one.
    pub model: Option<String>,
    /// The API key.
    pub key: Option<ApiKey>,
    /// How often a request is retried after a transient failure.
    pub retries: u32,
    /// The pause before the first retry. Each other pause is twice as long, plus a random part. A pause
    /// that the service asks for takes precedence.
    pub pause: Duration,
}

impl RerankConfig {
    /// Returns a configuration of a service at a URL, with the form of requests that most services share,
    /// and with two retries.
    pub fn new(url: impl Into<String>) -> Self {
        Self { url: Some(url.into()), ..Self::of(RerankProvider::Generic) }
    }

    /// Returns a configuration of a provider at its own address, with two retries.
    pub fn of(provider: RerankProvider) -> Self {
        Self {
            url: None,
            provider,
            model: None,
            key: None,
            retries: 2,
            pause: Duration::from_millis(250),
        }
    }
}
