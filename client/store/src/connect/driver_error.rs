//! Classification of the errors that the driver reports while it connects.

use crate::error::{ConnectFailure, Error, Operation};
use std::error::Error as _;
use std::io;
use tokio_postgres::Config;
use tokio_postgres::config::SslMode;
use tokio_postgres::error::SqlState;

/// The kinds of errors that the client distinguishes.
#[derive(PartialEq)]
enum Kind {
    Connect,
    Tls,
    Config,
    Other,
}

/// Returns the kind of an error.
///
/// The driver keeps its kinds private. The text of an error without its cause is a constant for each kind.
fn kind(error: &tokio_postgres::Error) -> Kind {
    match error.to_string().as_str() {
        "error connecting to server" => Kind::Connect,
        "error performing TLS handshake" => Kind::Tls,
        "invalid configuration" => Kind::Config,
        _ => Kind::Other,
    }
}

/// Returns whether a server could not be reached, does not have the requested role, or does not accept
/// connections yet, so that the client tries the next one.
pub(super) fn is_unreachable(error: &tokio_postgres::Error) -> bool {
    error.code() == Some(&SqlState::CANNOT_CONNECT_NOW) || kind(error) == Kind::Connect
}

/// Returns whether an attempt with another use of TLS may succeed.
pub(super) fn depends_on_tls(error: &tokio_postgres::Error, mode: SslMode) -> bool {
    match error.code() {
        Some(code) => *code == SqlState::INVALID_AUTHORIZATION_SPECIFICATION,
        None => mode == SslMode::Prefer && kind(error) == Kind::Tls,
    }
}

/// Converts the error of a failed connection.
pub(super) fn convert(error: &tokio_postgres::Error, config: &Config, store: &str) -> Error {
    if error.as_db_error().is_some() {
        return Error::during(Operation::Connect, store, error);
    }
    Error::Connect { failure: failure(error, config), cause: last_cause(error) }
}

fn failure(error: &tokio_postgres::Error, config: &Config) -> ConnectFailure {
    let io = error.source().and_then(<dyn std::error::Error>::downcast_ref::<io::Error>);
    let tls = io.and_then(io::Error::get_ref).and_then(|error| error.downcast_ref());
    match (tls, kind(error)) {
        (
            Some(rustls::Error::InvalidCertificate(_) | rustls::Error::NoCertificatesPresented),
            _,
        ) => ConnectFailure::Certificate,
        // An error of the handshake itself is an I/O error.
        (_, Kind::Tls) if io.is_none() => ConnectFailure::TlsUnsupported,
        (_, Kind::Config) if config.get_password().is_none() => ConnectFailure::PasswordMissing,
        _ => ConnectFailure::Unreachable,
    }
}

/// Returns the text of the last cause, which is the most specific: "Connection refused" instead of "error
/// connecting to server".
fn last_cause(error: &tokio_postgres::Error) -> String {
    let mut cause: &dyn std::error::Error = error;
    while let Some(source) = cause.source() {
        cause = source;
    }
    cause.to_string()
}
