//! A session of the attacker, and the outcomes of its calls.

use passage_tests::Cluster;
use std::time::{Duration, Instant};
use tokio_postgres::{Client, NoTls, SimpleQueryMessage};

pub const ATTACKER: &str = "attacker";

/// How long a statement may take that has a timeout of 20 seconds.
const PATIENCE: Duration = Duration::from_secs(30);

/// The outcome of a statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    Rows(Vec<String>),
    Error {
        code: String,
        text: String,
    },
    /// A signal ended the server process of the session.
    Crash,
    /// The statement ran long after its timeout.
    Endless,
    /// The process of another session crashed, so this session ended, too.
    Lost,
}

/// A session that is opened again after it is lost.
pub struct Attacker<'c> {
    cluster: &'c Cluster,
    role: &'static str,
    client: Client,
    process: String,
    /// The statements at the beginning of each session.
    greeting: String,
}

impl<'c> Attacker<'c> {
    pub async fn new(cluster: &'c Cluster, greeting: &str) -> Self {
        Self::of(cluster, ATTACKER, greeting).await
    }

    /// Opens a session of another role.
    pub async fn of(cluster: &'c Cluster, role: &'static str, greeting: &str) -> Self {
        let mut attacker = Self {
            cluster,
            role,
            client: cluster.client_as(role).await,
            process: String::new(),
            greeting: greeting.to_owned(),
        };
        attacker.greet().await.expect("a session begins");
        attacker
    }

    async fn greet(&mut self) -> Result<(), tokio_postgres::Error> {
        let process = self.rows("SELECT pg_catalog.pg_backend_pid()").await?;
        self.process.clone_from(&process[0]);
        self.rows(&self.greeting).await.map(|_| ())
    }

    /// Returns the id of the server process of the session.
    pub fn process(&self) -> &str {
        &self.process
    }

    /// Opens another session as soon as the server accepts connections again.
    pub async fn reconnect(&mut self) {
        let begun = Instant::now();
        while let Err(error) = self.open().await {
            assert!(begun.elapsed() < Duration::from_mins(1), "no server: {error:?}");
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }

    async fn open(&mut self) -> Result<(), tokio_postgres::Error> {
        let (client, connection) = self.cluster.config(self.role).connect(NoTls).await?;
        tokio::spawn(connection);
        self.client = client;
        self.greet().await
    }

    /// Runs statements and returns the outcome. A lost session stays closed.
    pub async fn run(&self, sql: &str) -> Outcome {
        let Ok(answer) = tokio::time::timeout(PATIENCE, self.rows(sql)).await else {
            return Outcome::Endless;
        };
        match answer {
            Ok(rows) => Outcome::Rows(rows),
            Err(error) => match error.as_db_error() {
                // When a process crashes, the server ends all others with such a code.
                Some(db) if !db.code().code().starts_with("57P") => {
                    let text = [Some(db.message()), db.detail(), db.hint(), db.where_()];
                    let text: Vec<_> = text.into_iter().flatten().collect();
                    let code = db.code().code().to_owned();
                    Outcome::Error { code, text: text.join("\n") }
                }
                _ if self.was_killed().await => Outcome::Crash,
                _ => Outcome::Lost,
            },
        }
    }

    /// Returns whether the server's log says that this session's process crashed.
    async fn was_killed(&self) -> bool {
        let sign = format!("(PID {}) was terminated by signal", self.process);
        for _ in 0..20 {
            let log = std::fs::read(self.cluster.folder().join("log")).expect("there is a log");
            if String::from_utf8_lossy(&log).contains(&sign) {
                return true;
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        false
    }

    async fn rows(&self, sql: &str) -> Result<Vec<String>, tokio_postgres::Error> {
        let messages = self.client.simple_query(sql).await?;
        let row = |message| match message {
            SimpleQueryMessage::Row(row) => Some(row.get(0).unwrap_or_default().to_owned()),
            _ => None,
        };
        Ok(messages.into_iter().filter_map(row).collect())
    }
}
