//! A connection to a server, and the store that is meant there.

use super::{Error, notes::Notes, sql::quoted, statements::Statements};
use std::sync::Arc;
use std::time::Duration;
use tokio_postgres::{Client, Config, NoTls};

/// A store, through one connection.
pub struct Store {
    pub(super) client: Client,
    pub(super) name: String,
    pub(super) schema: String,
    pub(super) notes: Notes,
    pub(super) prepared: Option<Arc<Statements>>,
}

impl Store {
    /// Connects to a server; whether the store is there shows when it is used.
    ///
    /// `url` is what libpq takes: `postgresql://user@host/database`, or key and value pairs. Its
    /// host may be a folder, which means the unix socket in it.
    ///
    /// # Errors
    ///
    /// [`Error::Url`] if it cannot be understood, [`Error::Connect`] or [`Error::Refused`] if the
    /// server cannot be reached or does not let one in.
    pub async fn connect(url: &str, name: &str) -> Result<Self, Error> {
        let mut config: Config =
            url.parse().map_err(|error: tokio_postgres::Error| Error::Url(chain(&error)))?;
        if config.get_hosts().is_empty() {
            config.host("localhost");
        }
        if config.get_application_name().is_none() {
            config.application_name("passage");
        }
        if config.get_connect_timeout().is_none() {
            config.connect_timeout(Duration::from_secs(10));
        }
        let (client, connection) =
            config.connect(NoTls).await.map_err(|error| match error.as_db_error() {
                Some(_) => Error::new(name, &error),
                None => Error::Connect(chain(&error)),
            })?;
        let notes = Notes::of(connection);
        Ok(Self { client, name: name.to_owned(), schema: quoted(name), notes, prepared: None })
    }

    /// Returns the store's name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Raises the extension's own error, with its advice, where there is no such store.
    pub(super) async fn must_exist(&self) -> Result<(), Error> {
        let sql = "SELECT passage.store_must_exist($1::text::name)";
        self.client.execute(sql, &[&self.name]).await.map_err(|error| self.error(&error)).map(drop)
    }

    pub(super) fn error(&self, error: &tokio_postgres::Error) -> Error {
        Error::new(&self.name, error)
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
