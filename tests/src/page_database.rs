/*!
The database of one page: what runs SQL and the client in it.
*/

use std::process::{Output, Stdio};

use tokio::io::AsyncWriteExt;
use tokio_postgres::{Error, NoTls, SimpleQueryMessage};

use crate::cluster::{DATABASE, OWNER, SUPERUSER};
use crate::{Cluster, fixture};

/// A database of a cluster, as its owner uses it.
#[derive(Debug)]
pub(crate) struct PageDatabase<'a> {
    pub(crate) cluster: &'a Cluster,
    database: String,
    empty: bool,
}

impl<'a> PageDatabase<'a> {
    /// Returns the database that every cluster has.
    pub(crate) fn of_cluster(cluster: &'a Cluster) -> Self {
        Self { cluster, database: DATABASE.to_owned(), empty: false }
    }

    /// Creates a database: an empty one, or a copy of that of the cluster.
    pub(crate) async fn create(cluster: &'a Cluster, database: String, empty: bool) -> Self {
        let template = if empty { "template1" } else { DATABASE };
        let create = format!("CREATE DATABASE {database} OWNER {OWNER} TEMPLATE {template}");
        run_in(cluster, SUPERUSER, "postgres", &create).await;
        if empty && cluster.has_vector() {
            run_in(cluster, SUPERUSER, &database, "CREATE EXTENSION vector").await;
        }
        Self { cluster, database, empty }
    }

    /// Replaces the parameters of a query by an embedding, or by ids and scores of hits.
    pub(crate) async fn with_parameters(&self, sql: &str) -> Result<String, Error> {
        let mut sql = sql.to_owned();
        for (parameter, query) in [
            (
                "$1::real[]",
                "SELECT embedding::real[] FROM rag.chunks_embedded WHERE section = '{Logging,Rotation}' ORDER BY id LIMIT 1",
            ),
            (
                "$1::uuid[]",
                "SELECT array_agg(id ORDER BY id) FROM rag.chunks WHERE section[1] = 'Logging' AND level = 2",
            ),
            (
                "$2::double precision[]",
                "SELECT array_agg(0.5) FROM rag.chunks WHERE section[1] = 'Logging' AND level = 2",
            ),
        ] {
            if sql.contains(parameter) {
                let (_, parameter_type) = parameter.split_once("::").expect("it has a type");
                let value = format!("'{}'::{parameter_type}", self.query_text(query).await?);
                sql = sql.replace(parameter, &value);
            }
        }
        Ok(sql)
    }

    /// Returns the first value of a query, or an empty text.
    pub(crate) async fn query_text(&self, sql: &str) -> Result<String, Error> {
        in_database(self.cluster, OWNER, &self.database, sql).await
    }

    /// Runs a script as `psql` does at a prompt in the folder of the documents. It can run the client.
    pub(crate) async fn psql(&self, sql: &str) -> Output {
        let mut program = self.cluster.psql_with_client();
        program
            .args(["-Xq", "-P", "footer=off", "-v", "SHOW_CONTEXT=never"])
            .env("PGDATABASE", &self.database)
            .env("HOME", self.cluster.folder())
            .current_dir(fixture!("."));
        program.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = program.spawn().expect("psql runs");
        let mut stdin = child.stdin.take().expect("stdin is piped");
        stdin.write_all(sql.as_bytes()).await.expect("the program runs");
        drop(stdin);
        child.wait_with_output().await.expect("the program runs")
    }

    /// Runs the client in the folder of the documents.
    pub(crate) async fn passage(&self, mut arguments: Vec<String>) -> Output {
        let help = arguments.iter().any(|word| word == "--help");
        match arguments[0].as_str() {
            _ if help || self.cluster.has_vector() => {}
            "init" => arguments.push("--no-embed".into()),
            "ingest" | "sync" => {
                arguments.push("--no-embed".into());
                // The chunks are those of the model all the same, except where a page records sizes of its own.
                if !self.empty {
                    arguments.extend(["--sizer", "wordpieces"].map(Into::into));
                }
            }
            _ => {}
        }
        let url = self.cluster.url().replacen(DATABASE, &self.database, 1);
        let mut program = self.cluster.client_program();
        program.args(&arguments).env("DATABASE_URL", url).current_dir(fixture!("."));
        program
            .env("HOME", self.cluster.folder())
            .env_remove("XDG_CONFIG_HOME")
            .output()
            .await
            .expect("the program runs")
    }
}

/// Runs a query in a database and returns its first value, or an empty text.
async fn in_database(
    cluster: &Cluster,
    role: &str,
    database: &str,
    sql: &str,
) -> Result<String, Error> {
    let (client, connection) = cluster.config(role).dbname(database).connect(NoTls).await?;
    let connection = tokio::spawn(connection);
    let messages = client.simple_query(sql).await?;
    drop(client);
    // A template must have no session left.
    connection.await.expect("the connection does not panic")?;
    Ok(messages
        .iter()
        .find_map(|message| match message {
            SimpleQueryMessage::Row(row) => row.get(0).map(str::to_owned),
            _ => None,
        })
        .unwrap_or_default())
}

/// Runs a statement in a database, which must succeed.
async fn run_in(cluster: &Cluster, role: &str, database: &str, sql: &str) {
    let result = in_database(cluster, role, database, sql).await;
    result.unwrap_or_else(|error| panic!("{error}: {sql}"));
}
