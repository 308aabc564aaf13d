/*!
A PostgreSQL server for one test.

Each server has its own folder, data and Unix socket and no TCP port, so any number of them run side by
side. It runs without fsync, as a user that PostgreSQL accepts even if root runs the tests. It stops
when its [`Cluster`] is dropped, and also when the test panics or is killed.

`PG_CONFIG` selects the server, 15 to 18; the default is the pinned one. A test that needs pgvector asks
[`Cluster::lacks_vector`] first and returns early on a server without it.

Each function that takes SQL opens a session of its own as the owner of the database, who is not a
superuser. A test that keeps a session, or needs another role, uses [`Cluster::client_as`].

```no_run
# use passage_tests::{Cluster, fixture};
# async fn example() {
let cluster = Cluster::start().await;
cluster.passage(["ingest", fixture!("user_service.ts")]).await;
assert_eq!(cluster.query_text("SELECT count(*) FROM rag.documents").await, "1");
# }
```
*/

mod copies;
mod edition;
mod installation;
mod keeper;
mod pooler;
mod sql;
mod template;

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Output;
use std::time::{Duration, Instant};

use crate::path_with;
use crate::wait::PATIENCE;
use tokio::process::Command;
use tokio_postgres::{Client, Config, NoTls};

pub use edition::is_sql_edition;
pub use installation::Installation;
use keeper::Keeper;
pub use pooler::Pooler;
pub use sql::session_lines;

/// The database of every cluster.
pub const DATABASE: &str = "passage";

/// The role that owns [`DATABASE`]. It is not a superuser.
pub const OWNER: &str = "owner";

/// The superuser.
pub const SUPERUSER: &str = "postgres";

/// A running server, stopped and removed when dropped.
#[derive(Debug)]
pub struct Cluster {
    installation: Installation,
    keeper: Keeper,
}

impl Cluster {
    /// Starts a server whose database has the extension and the store `rag`.
    ///
    /// On a server with pgvector the store takes embeddings of 384 dimensions, those of the default
    /// model. Elsewhere it has no embeddings.
    ///
    /// # Panics
    ///
    /// Panics if there is no server, or if it does not have the extension.
    pub async fn start() -> Self {
        Self::start_with(&[]).await
    }

    /// Starts such a server with additional environment variables.
    ///
    /// # Panics
    ///
    /// Panics as [`Cluster::start`] does.
    pub async fn start_with(environment: &[(&str, &str)]) -> Self {
        let cluster = Self::launch(Installation::find(), environment).await;
        cluster.create_extensions().await;
        let dimensions = if cluster.has_vector() { "dimensions => 384" } else { "" };
        cluster.execute(&format!("SELECT passage.create_store({dimensions})")).await;
        cluster
    }

    /// Starts a server whose database has the extension, pgvector if the server has it, and no store.
    ///
    /// # Panics
    ///
    /// Panics if there is no server, or if it does not have the extension.
    pub async fn without_store() -> Self {
        let cluster = Self::bare().await;
        cluster.create_extensions().await;
        cluster
    }

    async fn create_extensions(&self) {
        if self.has_vector() {
            self.execute_as(SUPERUSER, "CREATE EXTENSION vector").await;
        }
        self.install_as(OWNER).await;
    }

    /// Installs `pg_passage` as a role.
    ///
    /// # Panics
    ///
    /// Panics if the server does not have it, or if the role may not install it.
    pub async fn install_as(&self, role: &str) {
        self.execute_as(role, &edition::install_script()).await;
    }

    /// Starts a server with an empty database.
    ///
    /// # Panics
    ///
    /// Panics if there is no server.
    pub async fn bare() -> Self {
        Self::of(Installation::find()).await
    }

    /// Starts a server of an installation with an empty database.
    ///
    /// # Panics
    ///
    /// Panics if the server does not start.
    pub async fn of(installation: Installation) -> Self {
        Self::launch(installation, &[]).await
    }

    async fn launch(installation: Installation, environment: &[(&str, &str)]) -> Self {
        let keeper = Keeper::new(&installation, &template::make(&installation), environment);
        let mut cluster = Self { installation, keeper };
        cluster.keeper.start();
        cluster.wait().await;
        cluster
    }

    /// Waits until the server accepts connections.
    async fn wait(&self) {
        let begun = Instant::now();
        while let Err(error) = self.config(OWNER).connect(NoTls).await {
            assert!(
                begun.elapsed() < PATIENCE,
                "the server does not start: {error}\n{}",
                self.log()
            );
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    }

    /// Stops the server in fast mode and starts it again.
    pub async fn restart(&mut self) {
        self.stop();
        self.start_again().await;
    }

    /// Stops the server without a checkpoint and starts it again, so that it recovers.
    pub async fn crash(&mut self) {
        self.keeper.stop("QUIT");
        self.start_again().await;
    }

    /// Stops the server in fast mode. [`Cluster::start_again`] starts it again.
    pub fn stop(&mut self) {
        self.keeper.stop("INT");
    }

    /// Starts a stopped or killed server.
    pub async fn start_again(&mut self) {
        self.keeper.start();
        self.wait().await;
    }

    /// Stops the server in immediate mode, which is like a crash. Another task may be using it.
    pub fn kill(&self) {
        self.keeper.signal("QUIT");
    }

    /// Ends the server and all its sessions by `kill -9`. Another task may be using it.
    pub fn destroy(&self) {
        self.keeper.destroy();
    }

    /// Returns the server's folder with its data, its socket and its log.
    pub fn folder(&self) -> &Path {
        self.keeper.folder()
    }

    /// Returns the last 20 lines of the server's log.
    pub fn log(&self) -> String {
        let log = self.whole_log();
        let lines: Vec<_> = log.lines().collect();
        lines[lines.len().saturating_sub(20)..].join("\n")
    }

    /// Returns the server's whole log.
    pub fn whole_log(&self) -> String {
        self.keeper.log()
    }

    /// Returns the installation of the server.
    pub fn installation(&self) -> &Installation {
        &self.installation
    }

    /// Returns whether pgvector is available on this server.
    pub fn has_vector(&self) -> bool {
        self.installation.has_extension("vector")
    }

    /// Returns whether pgvector is missing; if so, reports the test as skipped.
    ///
    /// The report is also appended to the file named by `PASSAGE_SKIPPED`, because test runners do not
    /// show the output of a test that passes.
    ///
    /// ```no_run
    /// # async fn example() {
    /// # let cluster = passage_tests::Cluster::start().await;
    /// if cluster.lacks_vector("a hit is found by its embedding") {
    ///     return;
    /// }
    /// # }
    /// ```
    pub fn lacks_vector(&self, what: &str) -> bool {
        let lacks = !self.has_vector();
        if lacks {
            self.installation.report_skipped(what, "pgvector is not installed");
        }
        lacks
    }

    /// Returns the URL of the database for its owner.
    pub fn url(&self) -> String {
        self.url_as(OWNER)
    }

    /// Returns the URL of the database for a role.
    pub fn url_as(&self, role: &str) -> String {
        format!("postgresql:///{DATABASE}?host={}&user={role}", self.folder().display())
    }

    /// Returns the connection settings of a role.
    pub fn config(&self, role: &str) -> Config {
        let mut config = Config::new();
        config.host_path(self.folder()).user(role).dbname(DATABASE);
        config
    }

    /// Opens a session of the owner.
    pub async fn client(&self) -> Client {
        self.client_as(OWNER).await
    }

    /// Opens a session of a role.
    ///
    /// # Panics
    ///
    /// Panics if the role cannot connect.
    pub async fn client_as(&self, role: &str) -> Client {
        let (client, connection) = self
            .config(role)
            .connect(NoTls)
            .await
            .unwrap_or_else(|error| panic!("{role} cannot connect: {error}\n{}", self.log()));
        tokio::spawn(connection);
        client
    }

    /// Returns a command for a program of the server, such as `psql` or `pg_dump`. Its environment names
    /// the database and its owner.
    pub fn program(&self, name: &str) -> Command {
        let mut command = Command::new(self.installation.bin(name));
        command.env("PGHOST", self.folder()).env("PGUSER", OWNER).env("PGDATABASE", DATABASE);
        command.env("PGTZ", "UTC").env_remove("PGPORT").kill_on_drop(true);
        command
    }

    /// Runs a program of the server and returns its output.
    ///
    /// # Panics
    ///
    /// Panics with the program's stderr if the program fails.
    pub async fn run<A: AsRef<OsStr>>(
        &self,
        name: &str,
        arguments: impl IntoIterator<Item = A>,
    ) -> String {
        succeed(name, self.program(name).args(arguments).output().await)
    }

    /// Runs SQL or backslash commands through `psql`, which stops at the first error.
    ///
    /// # Panics
    ///
    /// Panics if the script fails.
    pub async fn psql(&self, script: &str) -> String {
        self.run("psql", ["-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-c", script]).await
    }

    /// Returns a command for the client `passage`, with the URL of the database and the default model.
    ///
    /// `PASSAGE` names the program; the default is the last build in the profile of the tests.
    ///
    /// # Panics
    ///
    /// Panics if the client was never built.
    pub fn client_program(&self) -> Command {
        let mut command = Command::new(client_path());
        command.env("DATABASE_URL", self.url()).kill_on_drop(true);
        name_default_model(&mut command);
        command
    }

    /// Returns a command for `psql` that can run the client by its name, as `\set` with backquotes does.
    pub(crate) fn psql_with_client(&self) -> Command {
        let mut command = self.program("psql");
        let client = client_path();
        command.env("PATH", path_with(client.parent()));
        name_default_model(&mut command);
        command
    }

    /// Runs the client and returns its output.
    ///
    /// # Panics
    ///
    /// Panics with the client's stderr if the client fails.
    pub async fn passage<A: AsRef<OsStr>>(&self, arguments: impl IntoIterator<Item = A>) -> String {
        succeed("passage", self.client_program().args(arguments).output().await)
    }

    /// Runs the client, which must fail, and returns its stderr.
    ///
    /// # Panics
    ///
    /// Panics if the client succeeds, or if a signal ends it.
    pub async fn passage_error<A: AsRef<OsStr>>(
        &self,
        arguments: impl IntoIterator<Item = A>,
    ) -> String {
        let output = self.client_program().args(arguments).output().await.expect("passage runs");
        assert!(output.status.code().is_some_and(|code| code > 0), "passage: {}", output.status);
        String::from_utf8(output.stderr).expect("messages are UTF-8")
    }
}

/// Lets a command use the default model, unless the environment names another one.
fn name_default_model(command: &mut Command) {
    if let (None, Some(model)) = (std::env::var_os("PASSAGE_MODEL"), model_path()) {
        command.env("PASSAGE_MODEL", model);
    }
}

/// Returns the folder of the default model, if it was downloaded.
pub fn model_path() -> Option<PathBuf> {
    let path = target().join("ground/all-MiniLM-L6-v2");
    path.is_dir().then_some(path)
}

/// Returns cargo's target folder, where the scripts of `ground/` also put their downloads.
pub fn target() -> PathBuf {
    let root =
        Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the crate is in the workspace");
    root.join(std::env::var_os("CARGO_TARGET_DIR").unwrap_or("target".into()))
}

/// Returns the path of the client `passage`: `PASSAGE`, or else the last build in the profile of the tests.
///
/// # Panics
///
/// Panics if the client was never built.
pub fn client_path() -> PathBuf {
    if let Some(path) = std::env::var_os("PASSAGE") {
        return path.into();
    }
    // A test is in target/PROFILE/deps, a bench or a program in the folder above.
    let this = std::env::current_exe().expect("the path of the program is known");
    let path = this.ancestors().skip(1).take(2).map(|folder| folder.join("passage"));
    path.into_iter()
        .find(|path| path.is_file())
        .expect("the client is built: cargo build --release -p passage")
}

fn succeed(name: &str, output: std::io::Result<Output>) -> String {
    let output = output.unwrap_or_else(|error| panic!("{name} cannot be run: {error}"));
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{name}: {}\n{stderr}", output.status);
    String::from_utf8(output.stdout).expect("output is UTF-8")
}
