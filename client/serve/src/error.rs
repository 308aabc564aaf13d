//! The errors of a request to a server, with the HTTP status for each.

use passage_embed as embed;
use passage_store as store;
use serde::Serialize;
use serde_json::{Value, json};
use std::time::Duration;

/// The failure of one request.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The store or its server reported an error.
    #[error(transparent)]
    Store(#[from] store::Error),
    /// The server cannot connect to the database. The operator sees the cause, callers do not.
    #[error("the database is not reachable")]
    Unreachable,
    /// All connections to the database are in use.
    #[error("all connections to the database are in use")]
    Busy,
    /// Too many requests are being answered.
    #[error("too many requests are being answered")]
    Overloaded,
    /// The server is stopping.
    #[error("the server is stopping")]
    Stopping,
    /// The embedding service failed. The operator sees the cause and the host, callers do not.
    #[error("the embedding service failed")]
    ServiceFailed,
    /// The embedding model of the server failed. The operator sees the cause and its files, callers do not.
    #[error("the embedding model failed")]
    ModelFailed,
    /// Too many sessions of agents are open.
    #[error("too many sessions are open")]
    TooManySessions,
    /// The request took too long, and was cancelled.
    #[error("the request took longer than {} s and was cancelled", .0.as_secs())]
    TimedOut(Duration),
    /// The request is invalid.
    #[error("{cause}")]
    Invalid {
        /// The HTTP status.
        status: u16,
        /// The invalid part.
        cause: String,
        /// The action to take.
        remedy: String,
    },
}

impl From<&embed::Error> for Error {
    fn from(error: &embed::Error) -> Self {
        if matches!(error, embed::Error::Service { .. }) {
            Error::ServiceFailed
        } else {
            Error::ModelFailed
        }
    }
}

/// The error as programs receive it.
#[derive(Serialize)]
struct Report<'a> {
    message: String,
    hint: String,
    code: Option<&'a str>,
}

impl Error {
    /// Returns the error of a request with an invalid part.
    pub fn invalid(cause: impl Into<String>, remedy: impl Into<String>) -> Self {
        Error::Invalid { status: 400, cause: cause.into(), remedy: remedy.into() }
    }

    /// Returns what to do, in full sentences.
    pub fn remedy(&self) -> String {
        match self {
            Error::Store(store::Error::Lost) | Error::Stopping => "Send the request again.".into(),
            Error::Store(error) => error.remedy(),
            Error::Overloaded => "Try again in a few seconds.".into(),
            Error::Unreachable | Error::ServiceFailed | Error::ModelFailed => "Try again later. The server prints the cause.".into(),
            Error::Busy => "Try again later, or start the server with more --connections.".into(),
            Error::TooManySessions => "Close sessions that are no longer used, or try again later.".into(),
            Error::TimedOut(_) => {
                "Lower the limits of the request, add filters, or start the server with a longer --timeout.".into()
            }
            Error::Invalid { remedy, .. } => remedy.clone(),
        }
    }

    /// Returns the SQLSTATE, if PostgreSQL reported the error.
    fn code(&self) -> Option<&str> {
        match self {
            Error::Store(store::Error::Database { code, .. }) => Some(code.code()),
            _ => None,
        }
    }

    /// Returns the HTTP status.
    pub fn status(&self) -> u16 {
        match self {
            Error::Invalid { status, .. } => *status,
            Error::Busy
            | Error::Overloaded
            | Error::Stopping
            | Error::Unreachable
            | Error::TooManySessions => 503,
            Error::TimedOut(_) => 504,
            Error::Store(error) => match error {
                store::Error::Argument { .. } | store::Error::Nul(_) => 400,
                store::Error::NoDocument(_)
                | store::Error::NoCollection(_)
                | store::Error::NoChunk(_)
                | store::Error::NoSourceId(_) => 404,
                store::Error::Database { code, .. } => match (&code.code()[..2], code.code()) {
                    (_, "42501") => 403,
                    (_, "57014") => 504,
                    ("08" | "40" | "53" | "57" | "58", _) | (_, "55P03") => 503,
                    // The store or the extension is missing, or the server failed: callers cannot correct it.
                    ("3F" | "XX", _) | (_, "42883" | "42P01" | "42703") => 500,
                    // The extension reports invalid values and requests with classes of data and of syntax.
                    _ => 400,
                },
                error if error.is_transient() => 503,
                _ => 500,
            },
            Error::ModelFailed => 500,
            Error::ServiceFailed => 502,
        }
    }

    /// Returns the JSON object that describes the error.
    pub fn to_json(&self) -> Value {
        let report = Report { message: self.to_string(), hint: self.remedy(), code: self.code() };
        json!({ "error": report })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use passage_embed::ServiceError;

    #[test]
    fn callers_learn_whether_the_service_or_the_model_failed_but_not_where() {
        let host = "inner.example:8000".to_owned();
        let service = embed::Error::Service { host, error: ServiceError::Unauthorized(401) };
        let model = embed::Error::Inference("/srv/models/weights".into());
        let shown = |error: &embed::Error| {
            let error = Error::from(error);
            (error.status(), error.to_string())
        };
        assert_eq!(shown(&service), (502, "the embedding service failed".into()));
        assert_eq!(shown(&model), (500, "the embedding model failed".into()));
    }
}
