/*!
A PostgreSQL server for one test.

It has its own folder, data and socket and no port, so that any number of them run side by side.
It runs without fsync, as a user that PostgreSQL accepts also where root runs the tests, and goes
with the test: when the [`Cluster`] is dropped, when the test panics, and when it is killed.

`PG_CONFIG` selects the server, 15 to 18; without it that is the pinned one. Where it has no
pgvector, [`Cluster::lacks_vector`] says so and the test leaves.

Each function that takes SQL opens a session of its own, as the owner of the database, who is no
superuser. A test that wants to keep a session, or another role, takes [`Cluster::client_as`].

```no_run
# use passage_tests::{Cluster, fixture};
# async fn example() {
let cluster = Cluster::start().await;
cluster.passage(["ingest", fixture!("user_service.ts")]).await;
assert_eq!(cluster.query_text("SELECT count(*) FROM rag.documents").await, "1");
# }
```
*/

mod installation;
mod keeper;
mod pooler;
mod sql;
mod template;

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Output;
use std::time::{Duration, Instant};

use tokio::process::Command;
use tokio_postgres::{Client, Config, NoTls};

pub use installation::Installation;
use keeper::Keeper;
pub use pooler::Pooler;

/// The database of every cluster.
pub const DATABASE: &str = "passage";

/// The role that owns [`DATABASE`] and is no superuser.
pub const OWNER: &str = "owner";

/// The superuser.
pub const SUPERUSER: &str = "postgres";

/// How long a server may take to start: a crashed one recovers first, on a busy machine.
const PATIENCE: Duration = Duration::from_mins(1);

/// A running server, stopped and removed when dropped.
#[derive(Debug)]
pub struct Cluster {
    installation: Installation,
    keeper: Keeper,
}

impl Cluster {
    /// Starts a server whose database has the extension and the store `rag`.
    ///
    /// The store takes embeddings of 384 dimensions, those of the default model, where the
    /// server has pgvector, and none elsewhere.
    ///
    /// # Panics
    ///
    /// Panics if there is no such server, or the extension is not installed in it.
    pub async fn start() -> Self {
        Self::start_with(&[]).await
    }

    /// Starts such a server with variables in its environment, beside those of the test.
    ///
    /// # Panics
    ///
    /// Panics as [`Cluster::start`] does.
    pub async fn start_with(environment: &[(&str, &str)]) -> Self {
        let cluster = Self::launch(Installation::find(), environment).await;
        let mut dimensions = "";
        if cluster.has_vector() {
            cluster.execute_as(SUPERUSER, "CREATE EXTENSION vector").await;
            dimensions = "dimensions => 384";
        }
        cluster.execute("CREATE EXTENSION pg_passage CASCADE").await;
        cluster.execute(&format!("SELECT passage.create_store({dimensions})")).await;
        cluster
    }

    /// Starts a server whose database is empty.
    ///
    /// # Panics
    ///
    /// Panics if there is no such server.
    pub async fn bare() -> Self {
        Self::of(Installation::find()).await
    }

    /// Starts a server of an installation, whose database is empty.
    ///
    /// # Panics
    ///
    /// Panics if it does not start.
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

    /// Waits until the server takes connections.
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

    /// Stops the server in good order and starts it again.
    pub async fn restart(&mut self) {
        self.stop();
        self.start_again().await;
    }

    /// Takes the server down without a checkpoint and starts it again, so that it recovers.
    pub async fn crash(&mut self) {
        self.keeper.stop("QUIT");
        self.start_again().await;
    }

    /// Stops the server in good order; [`Cluster::start_again`] brings it back.
    pub fn stop(&mut self) {
        self.keeper.stop("INT");
    }

    /// Starts a server that was stopped or killed.
    pub async fn start_again(&mut self) {
        self.keeper.start();
        self.wait().await;
    }

    /// Takes the server down as a crash does, from another task and at any moment.
    pub fn kill(&self) {
        self.keeper.signal("QUIT");
    }

    /// Ends the server and all its sessions by `kill -9`, at any moment.
    pub fn destroy(&self) {
        self.keeper.destroy();
    }

    /// The server's folder: its data, its socket and its log.
    pub fn folder(&self) -> &Path {
        self.keeper.folder()
    }

    /// The end of what the server wrote to its log.
    pub fn log(&self) -> String {
        let log = self.whole_log();
        let lines: Vec<_> = log.lines().collect();
        lines[lines.len().saturating_sub(20)..].join("\n")
    }

    /// All that the server wrote to its log.
    pub fn whole_log(&self) -> String {
        self.keeper.log()
    }

    /// The PostgreSQL that it runs.
    pub fn installation(&self) -> &Installation {
        &self.installation
    }

    /// Whether pgvector can be created here.
    pub fn has_vector(&self) -> bool {
        self.installation.has_extension("vector")
    }

    /// Whether pgvector is missing; if so, prints what is skipped for it.
    ///
    /// The line also goes to the end of the file that `PASSAGE_SKIPPED` names, since test
    /// runners keep to themselves what a passing test prints.
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

    /// The URL of the database for its owner.
    pub fn url(&self) -> String {
        self.url_as(OWNER)
    }

    /// The URL of the database for a role.
    pub fn url_as(&self, role: &str) -> String {
        format!("postgresql:///{DATABASE}?host={}&user={role}", self.folder().display())
    }

    /// How a role connects.
    pub fn config(&self, role: &str) -> Config {
        let mut config = Config::new();
        config.host_path(self.folder()).user(role).dbname(DATABASE);
        config
    }

    /// A session of the owner.
    pub async fn client(&self) -> Client {
        self.client_as(OWNER).await
    }

    /// A session of a role.
    ///
    /// # Panics
    ///
    /// Panics if the server does not let it in.
    pub async fn client_as(&self, role: &str) -> Client {
        let (client, connection) = self
            .config(role)
            .connect(NoTls)
            .await
            .unwrap_or_else(|error| panic!("{role} cannot connect: {error}\n{}", self.log()));
        tokio::spawn(connection);
        client
    }

    /// A program of the server, such as `psql` or `pg_dump`, given the database and its owner
    /// by its environment.
    pub fn program(&self, name: &str) -> Command {
        let mut command = Command::new(self.installation.bin(name));
        command.env("PGHOST", self.folder()).env("PGUSER", OWNER).env("PGDATABASE", DATABASE);
        command.env("PGTZ", "UTC").env_remove("PGPORT").kill_on_drop(true);
        command
    }

    /// Runs a program of the server and returns what it prints.
    ///
    /// # Panics
    ///
    /// Panics, with what it printed to stderr, if it fails.
    pub async fn run<A: AsRef<OsStr>>(
        &self,
        name: &str,
        arguments: impl IntoIterator<Item = A>,
    ) -> String {
        succeed(name, self.program(name).args(arguments).output().await)
    }

    /// Runs SQL or backslash commands through `psql`, as a script that stops at the first error.
    ///
    /// # Panics
    ///
    /// Panics if the script fails.
    pub async fn psql(&self, script: &str) -> String {
        self.run("psql", ["-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-c", script]).await
    }

    /// The client `passage`, given the URL of the database and the default model.
    ///
    /// It is the one that was built last in the profile of the tests, or what `PASSAGE` names.
    ///
    /// # Panics
    ///
    /// Panics if it was never built.
    pub fn client_program(&self) -> Command {
        let mut command = Command::new(client_path());
        command.env("DATABASE_URL", self.url()).kill_on_drop(true);
        if let (None, Some(model)) = (std::env::var_os("PASSAGE_MODEL"), model_path()) {
            command.env("PASSAGE_MODEL", model);
        }
        command
    }

    /// Runs the client and returns what it prints.
    ///
    /// # Panics
    ///
    /// Panics, with what it printed to stderr, if it fails.
    pub async fn passage<A: AsRef<OsStr>>(&self, arguments: impl IntoIterator<Item = A>) -> String {
        succeed("passage", self.client_program().args(arguments).output().await)
    }

    /// Runs the client, which must fail, and returns what it prints to stderr.
    ///
    /// # Panics
    ///
    /// Panics if it succeeds, or ends by a signal.
    pub async fn passage_error<A: AsRef<OsStr>>(
        &self,
        arguments: impl IntoIterator<Item = A>,
    ) -> String {
        let output = self.client_program().args(arguments).output().await.expect("passage runs");
        assert!(output.status.code().is_some_and(|code| code > 0), "passage: {}", output.status);
        String::from_utf8(output.stderr).expect("messages are UTF-8")
    }
}

/// The default model, where it was fetched.
pub fn model_path() -> Option<PathBuf> {
    let path = target().join("ground/all-MiniLM-L6-v2");
    path.is_dir().then_some(path)
}

/// Where cargo builds, and where `ground/` puts what it fetches or makes.
pub fn target() -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the crate lies in the house");
    root.join(std::env::var_os("CARGO_TARGET_DIR").unwrap_or("target".into()))
}

/// The client `passage`: what was built last in the profile of the tests, or what `PASSAGE` names.
///
/// # Panics
///
/// Panics if it was never built.
pub fn client_path() -> PathBuf {
    if let Some(path) = std::env::var_os("PASSAGE") {
        return path.into();
    }
    // A test lies in target/PROFILE/deps, a bench or a program one above.
    let this = std::env::current_exe().expect("a program knows where it lies");
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
