/*!
Opens a connection to a server.

The server, the user and the protection of the connection come from the sources that libpq uses, in the
same order: the connection string, a service file, the environment, a password file. A user whose
`psql` works needs no other configuration for this client.
*/

mod conninfo;
mod driver_error;
mod environment;
mod notices;
mod options;
mod passfile;
mod pooler;
mod service;
mod target;
mod tls;

pub use notices::Notice;
pub(super) use notices::Notices;

use super::error::{ConnectFailure, Error};
use environment::ProcessEnvironment;
use options::Options;
use std::pin::Pin;
use target::Target;
use tls::Mode;
use tokio::sync::watch;
use tokio_postgres::{Client, Connection, Socket};
use tokio_postgres_rustls::MakeRustlsConnect;

/// The task side of a connection, with or without TLS.
type Driver =
    Connection<Socket, <MakeRustlsConnect as tokio_postgres::tls::MakeTlsConnect<Socket>>::Stream>;

/// The state that the caller keeps between its transactions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Needs {
    /// Nothing: each transaction may be in another session of the server.
    Transactions,
    /// A role, settings or locks of the session.
    Session,
}

/// An open connection.
pub(super) struct Connected {
    pub(super) client: Client,
    /// How the connection is encrypted, for requests to cancel a statement.
    pub(super) tls: MakeRustlsConnect,
    pub(super) notices: Notices,
    /// Whether the connection goes through a pooler.
    pub(super) is_pooled: bool,
    /// Closed when the connection has ended.
    pub(super) ended: watch::Receiver<()>,
}

/// Connects to the first reachable server of a connection string; `store` appears in errors.
///
/// # Errors
///
/// Returns [`Error::Url`] for invalid options, [`Error::Connect`] or [`Error::Database`] if no server can
/// be reached or one rejects the connection, [`Error::StatementPooler`] behind a pooler that ends transactions,
/// and [`Error::Pooler`] behind a transaction pooler if the caller needs a session.
pub(super) fn connect<'a>(url: &'a str, store: &'a str, needs: Needs) -> Connecting<'a> {
    Box::pin(connect_to_first(url, store, needs))
}

/// A connection that is being opened.
///
/// It is boxed, so that this crate compiles the driver's steps of a connection, and not each crate that awaits one.
type Connecting<'a> = Pin<Box<dyn Future<Output = Result<Connected, Error>> + Send + 'a>>;

async fn connect_to_first(url: &str, store: &str, needs: Needs) -> Result<Connected, Error> {
    let environment = ProcessEnvironment;
    let options = Options::gather(url, &environment).map_err(Error::Url)?;
    let mode = Mode::of(&options).map_err(Error::Url)?;
    let targets = target::targets(&options, &environment).map_err(Error::Url)?;
    let mut failed =
        Error::Connect { failure: ConnectFailure::Unreachable, cause: "no server is named".into() };
    for target in &targets {
        // A Unix socket is never encrypted, whatever the mode.
        let mode = if target.is_local { Mode::Disable } else { mode };
        let tls = tls::connector(mode, &options, &environment)
            .map_err(|tls::TlsError { failure, cause }| Error::Connect { failure, cause })?;
        match open(target, mode, &tls, store).await {
            Ok((client, connection)) => {
                let (notices, ended) = Notices::collect(connection);
                let error = |error| Error::new(store, &error);
                let is_pooled = !pooler::is_direct(&client).await.map_err(error)?;
                if is_pooled && pooler::is_in_statement_mode(&client).await.map_err(error)? {
                    return Err(Error::StatementPooler);
                }
                if is_pooled
                    && needs == Needs::Session
                    && shares_processes(&client, target, mode, &tls, store).await?
                {
                    return Err(Error::Pooler);
                }
                return Ok(Connected { client, tls, notices, is_pooled, ended });
            }
            Err(OpenError::Rejected(error)) => return Err(error),
            Err(OpenError::Unreachable(error)) => failed = error,
        }
    }
    Err(failed)
}

/// The failure to connect to one server.
enum OpenError {
    /// The server is unreachable or not ready: the client tries the next one.
    Unreachable(Error),
    /// The server rejected the login, or could not prove its identity. As in libpq the client tries no
    /// other server, which would receive the password next.
    Rejected(Error),
}

impl From<OpenError> for Error {
    fn from(error: OpenError) -> Self {
        match error {
            OpenError::Unreachable(error) | OpenError::Rejected(error) => error,
        }
    }
}

/// Connects to a server with each attempt that the mode allows.
async fn open(
    target: &Target,
    mode: Mode,
    tls: &MakeRustlsConnect,
    store: &str,
) -> Result<(Client, Driver), OpenError> {
    let mut attempts = mode.attempts().iter().peekable();
    loop {
        let ssl_mode = *attempts.next().expect("a mode has at least one attempt");
        let mut config = target.config.clone();
        config.ssl_mode(ssl_mode);
        let connecting = config.connect(tls.clone());
        let connected = match target.timeout {
            None => connecting.await,
            Some(timeout) => {
                let Ok(connected) = tokio::time::timeout(timeout, connecting).await else {
                    return Err(OpenError::Unreachable(Error::Connect {
                        failure: ConnectFailure::Unreachable,
                        cause: format!("timeout, at {}", target.address()),
                    }));
                };
                connected
            }
        };
        match connected {
            Ok(connected) => return Ok(connected),
            Err(error)
                if attempts.peek().is_some() && driver_error::depends_on_tls(&error, ssl_mode) => {}
            Err(error) if driver_error::is_unreachable(&error) => {
                return Err(OpenError::Unreachable(convert(&error, target, store)));
            }
            Err(error) => return Err(OpenError::Rejected(convert(&error, target, store))),
        }
    }
}

/// Converts the error of a failed connection, and mentions an ignored password file.
fn convert(error: &tokio_postgres::Error, target: &Target, store: &str) -> Error {
    match (driver_error::convert(error, &target.config, store), &target.ignored_passfile) {
        (Error::Connect { failure: ConnectFailure::PasswordMissing, cause }, Some(path)) => {
            let cause = format!(
                "{cause}; {} is ignored, since other users can read it (make it private with chmod 600)",
                path.display()
            );
            Error::Connect { failure: ConnectFailure::PasswordMissing, cause }
        }
        (Error::Connect { failure, cause }, _) => {
            Error::Connect { failure, cause: format!("{cause}, at {}", target.address()) }
        }
        (error, _) => error,
    }
}

/// Returns the database of a connection string and of the sources of libpq; `None` if they are invalid or name none.
pub(super) fn database_name(url: &str) -> Option<String> {
    let options = Options::gather(url, &ProcessEnvironment).ok()?;
    options.get("dbname").map(ToOwned::to_owned)
}

/// Returns the folder with the socket of a server on this machine that listens on the default port.
pub(super) fn socket_folder() -> Option<&'static str> {
    target::socket_folder(target::PORT)
}

/// Returns whether a pooler shares the server's processes between connections; opens a second one.
async fn shares_processes(
    first: &Client,
    target: &Target,
    mode: Mode,
    tls: &MakeRustlsConnect,
    store: &str,
) -> Result<bool, Error> {
    let (second, connection) = open(target, mode, tls, store).await?;
    tokio::spawn(connection);
    pooler::shares_processes(first, &second).await.map_err(|error| Error::new(store, &error))
}

#[cfg(test)]
mod tests;
