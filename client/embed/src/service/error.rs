//! The failures of a service.

/// A failure of an embedding or rerank service.
///
/// Of the service's response it holds at most numbers, since the response may repeat the request.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ServiceError {
    /// The URL is invalid, or an HTTP header cannot contain the key.
    #[error("invalid configuration: {0}")]
    InvalidConfig(String),
    /// The key, or a password in the URL, would be sent unencrypted.
    #[error("the API key would be sent over unencrypted HTTP")]
    KeyOverHttp,
    /// The service could not be reached or did not respond in time: the reason and the number of
    /// attempts.
    #[error("no response: {0} (attempts: {1})")]
    Unreachable(&'static str, u32),
    /// The service was busy or broken at each attempt: the last HTTP status and the number of attempts.
    #[error("status {0} (attempts: {1})")]
    Busy(u16, u32),
    /// The service asked for a pause that is too long: the HTTP status and the pause in seconds.
    #[error("status {0}, asks to retry after {1} s")]
    RetryLater(u16, u64),
    /// The key is missing or invalid: the HTTP status.
    #[error("authentication failed (status {0})")]
    Unauthorized(u16),
    /// The URL is not that of such a service, or the service lacks the model: the HTTP status.
    #[error("unknown address or model (status {0})")]
    NotFound(u16),
    /// The service rejected the request: the HTTP status.
    #[error("request rejected (status {0})")]
    Rejected(u16),
    /// A text is too long for the service even after it was cut to a few bytes.
    #[error("texts are rejected as too long, even those of a few bytes")]
    TooLong,
    /// The response does not have the expected format.
    #[error("invalid response: {0}")]
    InvalidResponse(&'static str),
    /// Embeddings have other dimensions than requested or than earlier ones.
    #[error("embeddings have {actual} dimensions, not {expected}")]
    Dimensions {
        /// The requested dimensions, or those of the first embedding.
        expected: usize,
        /// The dimensions of the embedding.
        actual: usize,
    },
}

impl ServiceError {
    /// Returns whether a later attempt can succeed without any change.
    pub(crate) fn is_transient(&self) -> bool {
        matches!(self, Self::Unreachable(..) | Self::Busy(..) | Self::RetryLater(..))
    }
}
