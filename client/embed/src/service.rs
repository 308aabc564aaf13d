/*!
Services over HTTP: the embedding service and the rerank service.

A key is sent over plain HTTP only within this machine, no redirect is followed, and transient failures
are retried with exponential back-off and jitter. An error never contains the text of a response, which
may repeat the text or the key of the request.
*/

mod address;
mod client;
mod error;
mod request;

pub(crate) use client::{Endpoint, HttpService};
pub use error::ServiceError;
pub use request::ApiKey;
pub(crate) use request::Failure;
