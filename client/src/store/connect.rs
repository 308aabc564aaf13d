/*!
A connection to a server, and the store that is meant there.

Where a connection goes, as whom and how it is kept from others is said in the words of libpq and
found where libpq finds it: the connection string, a service file, the environment, a password
file. So whoever can say `psql` needs to say nothing else here.
*/

mod conninfo;
mod options;
mod passfile;
mod pooler;
mod service;
mod surroundings;
mod target;
mod tls;

use super::ownership::Held;
use super::{Error, Identity, notes::Notes, sql::quoted, statements::Statements};
use options::Options;
use std::sync::Arc;
use std::time::Duration;
use surroundings::{Process, Surroundings};
use target::Target;
use tls::Mode;
use tokio::sync::watch;
use tokio_postgres::config::SslMode;
use tokio_postgres::error::SqlState;
use tokio_postgres::{Client, Connection, Socket, Transaction};
use tokio_postgres_rustls::MakeRustlsConnect;

/// How long a pool may take to give a second connection a process.
const PATIENCE: Duration = Duration::from_secs(3);

/// What is wrong with what is said of a connection; it never holds a password.
type Problem = String;

/// What drives a connection, in the clear or not.
pub(super) type Driver =
    Connection<Socket, <MakeRustlsConnect as tokio_postgres::tls::MakeTlsConnect<Socket>>::Stream>;

/// A store, through one connection.
pub struct Store {
    pub(super) client: Client,
    pub(super) name: String,
    pub(super) schema: String,
    pub(super) notes: Notes,
    pub(super) prepared: Option<Arc<Statements>>,
    pub(super) expected: Option<Identity>,
    /// The store, once it was found to be the session's own.
    pub(super) held: Option<Held>,
    /// Closed when the connection has ended.
    ended: watch::Receiver<()>,
    /// What each transaction of this connection sets for itself.
    pub(super) local: &'static str,
}

impl Store {
    /// Connects to a server; whether the store is there shows when it is used.
    ///
    /// `url` is what libpq takes: `postgresql://user@host/database`, or key and value pairs, or
    /// nothing. A host may be a folder, which means the unix socket in it. What it leaves open is
    /// said by the service that it or `PGSERVICE` names, by the environment (`PGHOST`, `PGUSER`,
    /// `PGSSLMODE` and the like) and by the password file. A server gets ten seconds unless
    /// `connect_timeout` says otherwise.
    ///
    /// # Errors
    ///
    /// [`Error::Url`] if it cannot be understood, [`Error::Connect`] or [`Error::Refused`] if the
    /// server cannot be reached, is not who it should be, or refuses the login, [`Error::Pooler`]
    /// behind a pooler that shares the server's processes. Of several hosts the next one is tried
    /// where one cannot be reached, and not where one refuses.
    pub async fn connect(url: &str, name: &str) -> Result<Self, Error> {
        let options = Options::gather(url, &Process).map_err(Error::Url)?;
        let mode = Mode::of(&options).map_err(Error::Url)?;
        let targets = target::targets(&options, &Process).map_err(Error::Url)?;
        let mut failed = Error::Connect("no server is named".into());
        for target in &targets {
            // Through a socket nothing is encrypted, whatever the mode.
            let mode = if target.is_local { Mode::Disable } else { mode };
            let tls = tls::connector(mode, &options, &Process).map_err(Error::Connect)?;
            match open(target, mode, &tls, name).await {
                Ok((client, connection)) => {
                    let (notes, ended) = Notes::of(connection);
                    let error = |error| Error::new(name, &error);
                    if !pooler::is_direct(&client).await.map_err(error)?
                        && shares_processes(&client, target, mode, &tls, name).await?
                    {
                        return Err(Error::Pooler);
                    }
                    let schema = quoted(name);
                    return Ok(Self {
                        client,
                        name: name.to_owned(),
                        schema,
                        notes,
                        prepared: None,
                        expected: None,
                        held: None,
                        local: "",
                        ended,
                    });
                }
                Err(Failure::Answered(error)) => return Err(error),
                Err(Failure::Unreachable(error)) => failed = error,
            }
        }
        Err(failed)
    }

    /// Begins a transaction with the settings of this connection, which end with it.
    pub(super) async fn begin(&mut self) -> Result<Transaction<'_>, Error> {
        let Self { client, name, local, .. } = self;
        begin(client, local).await.map_err(|error| Error::new(name, &error))
    }

    /// Waits until the connection is lost, and with it the locks of its session.
    pub fn lost(&self) -> impl Future<Output = ()> + use<> {
        let mut ended = self.ended.clone();
        async move { while ended.changed().await.is_ok() {} }
    }

    /// Returns the store's name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Raises the extension's own error, with its advice, where there is no such store.
    ///
    /// The catalog of release 0.1.0 lacks the functions that the client calls.
    pub(super) async fn must_exist(&self) -> Result<(), Error> {
        let sql = "SELECT extversion FROM pg_catalog.pg_extension \
            WHERE extname OPERATOR(pg_catalog.=) 'pg_passage' AND pg_catalog.to_regnamespace('_passage') IS NULL";
        let old = self.client.query_opt(sql, &[]).await.map_err(|error| self.error(&error))?;
        if let Some(old) = old {
            let version: String = old.get(0);
            return Err(Error::Refused {
                code: SqlState::OBJECT_NOT_IN_PREREQUISITE_STATE,
                message: format!("pg_passage {version} is too old for this client"),
                hint: Some("Run ALTER EXTENSION pg_passage UPDATE; in the database.".to_owned()),
                store: self.name.clone(),
            });
        }
        let sql = "SELECT _passage.store_must_exist($1::text::name)";
        self.client.execute(sql, &[&self.name]).await.map_err(|error| self.error(&error)).map(drop)
    }

    pub(super) fn error(&self, error: &tokio_postgres::Error) -> Error {
        Error::new(&self.name, error)
    }
}

/// Begins a transaction with settings of its own.
pub(super) async fn begin<'a>(
    client: &'a mut Client,
    local: &str,
) -> Result<Transaction<'a>, tokio_postgres::Error> {
    let transaction = client.transaction().await?;
    if !local.is_empty() {
        transaction.batch_execute(local).await?;
    }
    Ok(transaction)
}

/// Tries a server in each way that the mode allows.
async fn open(
    target: &Target,
    mode: Mode,
    tls: &MakeRustlsConnect,
    store: &str,
) -> Result<(Client, Driver), Failure> {
    let mut attempts = mode.attempts().iter().peekable();
    loop {
        let ssl_mode = *attempts.next().expect("a mode has at least one attempt");
        let mut config = target.config.clone();
        config.ssl_mode(ssl_mode);
        let connecting = config.connect(tls.clone());
        let connected = match target.patience {
            None => connecting.await,
            Some(patience) => {
                let Ok(connected) = tokio::time::timeout(patience, connecting).await else {
                    let error = Error::Connect("it takes too long to answer".into());
                    return Err(Failure::Unreachable(error));
                };
                connected
            }
        };
        match connected {
            Ok(connected) => return Ok(connected),
            Err(error) if attempts.peek().is_some() && depends_on_tls(&error, ssl_mode) => {}
            Err(error) if is_unreachable(&error) => {
                return Err(Failure::Unreachable(explained(&error, target, store)));
            }
            Err(error) => return Err(Failure::Answered(explained(&error, target, store))),
        }
    }
}

/// Why a server was not connected to.
enum Failure {
    /// It was not there, or not ready: another one may be.
    Unreachable(Error),
    /// It answered, and refused the login or failed at proving who it is. As in libpq no other host
    /// is tried, which would be given the password next.
    Answered(Error),
}

impl From<Failure> for Error {
    fn from(failure: Failure) -> Self {
        match failure {
            Failure::Unreachable(error) | Failure::Answered(error) => error,
        }
    }
}

/// Tells whether a server could not be reached, is not of the kind that is asked for, or does not
/// take connections yet.
fn is_unreachable(error: &tokio_postgres::Error) -> bool {
    // The driver shows its kinds of errors by their words alone.
    error.code() == Some(&SqlState::CANNOT_CONNECT_NOW)
        || error.to_string().starts_with("error connecting to server")
}

/// Tells by a second connection whether a pooler lets both share the server's processes.
async fn shares_processes(
    first: &Client,
    target: &Target,
    mode: Mode,
    tls: &MakeRustlsConnect,
    store: &str,
) -> Result<bool, Error> {
    let compare = async {
        let (second, connection) = open(target, mode, tls, store).await?;
        tokio::spawn(connection);
        pooler::shares(first, &second).await.map_err(|error| Error::new(store, &error))
    };
    // In session mode the first keeps its process, and there may be none left for the second.
    tokio::time::timeout(PATIENCE, compare).await.unwrap_or(Ok(false))
}

/// Tells whether a server may let one in with TLS that did not without, or the other way round.
fn depends_on_tls(error: &tokio_postgres::Error, tried: SslMode) -> bool {
    match error.code() {
        Some(code) => *code == SqlState::INVALID_AUTHORIZATION_SPECIFICATION,
        None => tried == SslMode::Prefer && error.to_string().contains("TLS"),
    }
}

fn explained(error: &tokio_postgres::Error, target: &Target, store: &str) -> Error {
    if error.as_db_error().is_some() {
        return Error::new(store, error);
    }
    let cause = chain(error);
    match &target.open_passfile {
        Some(path) if cause.contains("password") => Error::Connect(format!(
            "{cause}; {} is not read, since others can read it (chmod 600 keeps it from them)",
            path.display()
        )),
        _ => Error::Connect(cause),
    }
}

/// The last cause says most: "Connection refused" rather than "error connecting to server".
fn chain(error: &tokio_postgres::Error) -> String {
    let mut cause: &dyn std::error::Error = error;
    while let Some(source) = cause.source() {
        cause = source;
    }
    cause.to_string()
}

#[cfg(test)]
mod tests;
