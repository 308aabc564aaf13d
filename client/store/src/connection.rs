//! A store and the connection through which the client uses it.

use super::admin::OwnedSchemas;
use super::connect::{Connected, Needs, Notices, connect};
use super::error::{Error, Operation};
use super::query::Signatures;
use super::unnamed_statement::{Parameter, UnnamedStatements};
use crate::postgres_text::quote_identifier;
use std::time::Duration;
use tokio::sync::watch;
use tokio_postgres::types::Type;
use tokio_postgres::{Client, GenericClient, IsolationLevel, Row, Transaction};
use tokio_postgres_rustls::MakeRustlsConnect;

/// A store, used through one connection.
///
/// # Examples
///
/// ```no_run
/// use passage_store::{Search, Store};
///
/// # async fn example() -> Result<(), passage_store::Error> {
/// let mut store = Store::connect("postgresql:///library?host=/var/run/postgresql", "rag").await?;
/// let search = Search { question: "configure logging".into(), ..Search::default() };
/// for passage in store.search(&search).await?.passages {
///     println!("{:?} {}", passage.uri, passage.content);
/// }
/// # Ok(())
/// # }
/// ```
pub struct Store {
    pub(super) client: Client,
    /// How the connection is encrypted.
    pub(super) tls: MakeRustlsConnect,
    /// Whether the connection goes through a pooler, which may execute each transaction in another session.
    pub(super) is_pooled: bool,
    /// Whether a transaction is open that holds claims of chunks.
    pub(super) has_open_claims: bool,
    /// The number of transactions with claims that have begun quickly since the last one that has not.
    pub(super) quick_begins: u32,
    pub(super) name: String,
    /// The store's name as a quoted identifier.
    pub(super) schema: String,
    pub(super) notices: Notices,
    /// The type of an array of embeddings, read when it is first needed.
    pub(super) embedding_array: Option<Type>,
    /// The functions that were called, by their names, and when their signatures were read.
    pub(super) signatures: Signatures,
    /// The schema that must have the store's name when the client writes.
    pub(super) expected: Option<Identity>,
    /// The model of the store's embeddings according to the user, if the store does not record it.
    pub(super) told_model: Option<String>,
    /// The schemas whose ownership the client has checked.
    pub(super) owned: Option<OwnedSchemas>,
    /// The statements that each transaction of this connection begins with.
    pub(super) transaction_settings: &'static str,
    /// Closed when the connection has ended.
    ended: watch::Receiver<()>,
}

/// The schema that has a store's name at one moment.
///
/// A reindex can replace a store by another schema of the same name, whose embeddings may be of another
/// model. A writer records the identity when it checks the store's settings, and compares it in each
/// transaction after its first lock on the store's tables. The replacement waits for that lock, so the
/// result holds until the end of the transaction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Identity(pub(super) u32);

impl Store {
    /// Connects to a server. The first use of the store shows whether it exists.
    ///
    /// `url` is a connection string of libpq: `postgresql://user@host/database`, key and value pairs, or
    /// an empty string. A host may be the folder of a Unix socket. Other options come from the service
    /// that `url` or `PGSERVICE` names, from the environment (`PGHOST`, `PGUSER`, `PGSSLMODE` and so on)
    /// and from the password file. The default of `connect_timeout` is ten seconds.
    ///
    /// # Errors
    ///
    /// Returns [`Error::Url`] for invalid options, [`Error::Connect`] or [`Error::Database`] if the server
    /// cannot be reached, cannot prove its identity or rejects the login, and [`Error::StatementPooler`]
    /// behind a pooler that allows no transactions. Of several hosts, the client tries the next one if one
    /// cannot be reached, but not if one rejects the login.
    pub async fn connect(url: &str, name: &str) -> Result<Self, Error> {
        Self::connect_with(url, name, Needs::Transactions).await
    }

    /// Connects to a server, and keeps one session of it.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`connect`](Self::connect), and [`Error::Pooler`] behind a pooler that shares the
    /// server's processes.
    pub(super) async fn connect_session(url: &str, name: &str) -> Result<Self, Error> {
        Self::connect_with(url, name, Needs::Session).await
    }

    async fn connect_with(url: &str, name: &str, needs: Needs) -> Result<Self, Error> {
        let Connected { client, tls, notices, is_pooled, ended } =
            connect(url, name, needs).await?;
        Ok(Self {
            client,
            tls,
            is_pooled,
            has_open_claims: false,
            quick_begins: 0,
            name: name.to_owned(),
            schema: quote_identifier(name),
            notices,
            embedding_array: None,
            signatures: Signatures::default(),
            expected: None,
            told_model: None,
            owned: None,
            transaction_settings: "",
            ended,
        })
    }

    /// Tells which model made the embeddings of a store that does not record it.
    pub fn tell_model(&mut self, name: Option<String>) {
        self.told_model = name;
    }

    /// Returns the store's name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Waits until the connection is lost, and with it the locks of its session.
    pub fn lost(&self) -> impl Future<Output = ()> + use<> {
        let mut ended = self.ended.clone();
        async move { while ended.changed().await.is_ok() {} }
    }

    /// Returns whether the connection has ended.
    pub fn is_closed(&self) -> bool {
        self.client.is_closed()
    }

    /// Checks that the server answers.
    ///
    /// # Errors
    ///
    /// Returns [`Error::Lost`] if the connection has ended.
    pub async fn ping(&self) -> Result<(), Error> {
        self.run("").await
    }

    /// Makes the server cancel statements that take longer, or whose client has disconnected.
    ///
    /// Through a pooler nothing is set, because other clients use the session too.
    ///
    /// # Errors
    ///
    /// Returns [`Error::Lost`] if the connection ends.
    pub async fn limit_statements(&self, limit: Duration) -> Result<(), Error> {
        if self.is_pooled {
            return Ok(());
        }
        self.run(&format!("SET statement_timeout = {}", limit.as_millis())).await?;
        // Some platforms of the server cannot check for a lost client; the time limit remains.
        match self.run("SET client_connection_check_interval = '1s'").await {
            Err(Error::Database { .. }) => Ok(()),
            result => result,
        }
    }

    /// Asks the server to cancel the statement that the connection executes now, if there is one.
    ///
    /// A failure is ignored: then the statement runs to its end.
    pub async fn cancel(&self) {
        let _ = self.client.cancel_token().cancel_query(self.tls.clone()).await;
    }

    /// Returns the schema that has the store's name.
    ///
    /// # Errors
    ///
    /// Returns [`Error::Database`] if the store does not exist.
    pub async fn identity(&self) -> Result<Identity, Error> {
        self.must_exist().await?;
        let sql = "SELECT oid FROM pg_catalog.pg_namespace WHERE nspname = $1";
        Ok(Identity(self.query_one(sql, &[&self.name]).await?.get(0)))
    }

    /// Makes later writes of this connection fail with [`Error::StoreReplaced`] if another schema has the
    /// store's name by then.
    pub fn expect_identity(&mut self, identity: Identity) {
        self.expected = Some(identity);
    }

    /// Raises the extension's error, with its HINT, if the store does not exist.
    ///
    /// # Errors
    ///
    /// Returns [`Error::ExtensionTooOld`] for an earlier release, which may lack functions that the client calls.
    pub(super) async fn must_exist(&self) -> Result<(), Error> {
        if let Some(installed) = self.installed().await? {
            installed.must_be_recent()?;
        }
        self.execute("SELECT _passage.store_must_exist($1::text::name)", &[&self.name])
            .await
            .map(drop)
    }

    /// Returns whether a schema exists.
    pub(super) async fn schema_exists(&self, name: &str) -> Result<bool, Error> {
        let sql = "SELECT FROM pg_catalog.pg_namespace WHERE nspname = $1";
        Ok(self.query_opt(sql, &[&name]).await?.is_some())
    }

    /// Uses another store of the same server from here on.
    pub(super) fn switch_to(&mut self, name: &str) {
        name.clone_into(&mut self.name);
        self.schema = quote_identifier(name);
    }

    /// Begins a transaction with the settings of this connection, which end with it.
    pub(super) async fn begin(&mut self) -> Result<Transaction<'_>, Error> {
        let Self { client, name, transaction_settings, .. } = self;
        begin(client, transaction_settings).await.map_err(|error| Error::new(name, &error))
    }

    /// Executes statements without parameters.
    pub(super) async fn run(&self, sql: &str) -> Result<(), Error> {
        self.client.batch_execute(sql).await.map_err(|error| self.error(&error))
    }

    /// Commits a transaction whose statements succeeded, and rolls back another one.
    pub(super) async fn end_transaction<T>(&self, result: Result<T, Error>) -> Result<T, Error> {
        if result.is_ok() {
            self.run("COMMIT").await?;
        } else {
            // If the connection is lost by now, the first error is the cause.
            let _ = self.run("ROLLBACK").await;
        }
        result
    }

    /// Executes a statement, and returns the number of its rows.
    pub(super) async fn execute(
        &self,
        sql: &str,
        parameters: &[&dyn Parameter],
    ) -> Result<u64, Error> {
        self.client.execute_unnamed(sql, parameters).await.map_err(|error| self.error(&error))
    }

    /// Executes a query, and returns its rows.
    pub(super) async fn query(
        &self,
        sql: &str,
        parameters: &[&dyn Parameter],
    ) -> Result<Vec<Row>, Error> {
        self.client.query_unnamed(sql, parameters).await.map_err(|error| self.error(&error))
    }

    /// Executes a query with one row.
    pub(super) async fn query_one(
        &self,
        sql: &str,
        parameters: &[&dyn Parameter],
    ) -> Result<Row, Error> {
        self.client.query_one_unnamed(sql, parameters).await.map_err(|error| self.error(&error))
    }

    /// Executes a query with at most one row.
    pub(super) async fn query_opt(
        &self,
        sql: &str,
        parameters: &[&dyn Parameter],
    ) -> Result<Option<Row>, Error> {
        self.client.query_opt_unnamed(sql, parameters).await.map_err(|error| self.error(&error))
    }

    /// Converts an error of the driver.
    pub(super) fn error(&self, error: &tokio_postgres::Error) -> Error {
        Error::new(&self.name, error)
    }

    /// Converts an error of the driver in an operation that has remedies of its own.
    pub(super) fn error_during(
        &self,
        operation: Operation,
        error: &tokio_postgres::Error,
    ) -> Error {
        Error::during(operation, &self.name, error)
    }
}

/// Begins a transaction with settings of its own.
pub(super) async fn begin<'a>(
    client: &'a mut Client,
    settings: &str,
) -> Result<Transaction<'a>, tokio_postgres::Error> {
    let transaction = client.transaction().await?;
    if !settings.is_empty() {
        transaction.batch_execute(settings).await?;
    }
    Ok(transaction)
}

/// Begins a transaction whose statements read one snapshot, and write nothing.
pub(super) async fn begin_snapshot(
    client: &mut Client,
) -> Result<Transaction<'_>, tokio_postgres::Error> {
    let transaction = client.build_transaction();
    transaction.isolation_level(IsolationLevel::RepeatableRead).read_only(true).start().await
}

/// Returns whether the expected schema has the store's name. The transaction must hold a lock on one of the
/// store's tables.
pub(super) async fn has_identity(
    transaction: &impl GenericClient,
    name: &str,
    expected: Option<Identity>,
) -> Result<bool, tokio_postgres::Error> {
    let Some(Identity(oid)) = expected else { return Ok(true) };
    let sql = "SELECT FROM pg_catalog.pg_namespace WHERE nspname = $1 AND oid = $2";
    let rows = transaction.query_unnamed(sql, &[&name, &oid]).await?;
    Ok(!rows.is_empty())
}
