//! The client `passage` on a real server: loading, search, refusals, and the state of the store after
//! the client or the server crashed.
//!
//! Loading a model takes a second. So tests that are not about embeddings load text only, and they also
//! run on servers without pgvector.

mod embedding_service;
mod mcp_tool;
#[path = "../../../client/office/tests/conversion/documents.rs"]
mod office_documents;
mod web_site;

/// The commands and their output.
mod commands {
    mod administration;
    mod bounded_calls;
    mod duplicates;
    mod evaluation;
    mod export;
    mod first_contact;
    mod help;
    mod refresh;
    mod search;
    mod search_output;
    mod split;
    mod store;
    mod tuning;
    mod usage_errors;
}

/// Connections to PostgreSQL, direct and through poolers, and the servers of `passage serve`.
mod connections {
    mod connection;
    mod pooled_commands;
    mod pooled_sessions;
    mod pooler;
    mod serve;
    mod tls;
    mod unreachable_server;
}

/// Crashes, lost connections and concurrent runs.
mod crashes {
    mod concurrent_writers;
    mod durability;
    mod kills;
    mod lost_connection;
}

/// Embedding and rerank services.
mod embedding {
    mod binary;
    mod dimensions;
    mod embed;
    mod encoded_data;
    mod prefixes;
    mod providers;
    mod remote;
    pub mod rerank;
    mod rerank_model;
    mod rerank_providers;
    mod rerank_servers;
}

/// The documents that a run reads, and what it writes.
mod ingest {
    mod boundaries;
    mod chunk_sizes;
    mod conversion;
    mod converted_types;
    mod converters;
    mod document_kinds;
    mod document_links;
    mod empty_sources;
    mod encodings;
    mod exact_chunks;
    mod failed_inputs;
    mod folders;
    mod links;
    mod llms;
    mod pages;
    mod progress;
    mod robots;
    pub mod second_run;
    mod source_code;
    mod sources;
    mod statistics;
    mod sync;
    mod unsupported;
}

/// `passage reindex`.
mod reindex {
    pub mod collection;
    mod concurrent_use;
    pub mod store;
}

/// Stores of views, and the remedies for problems of any store.
mod stores {
    mod adopted;
    mod edition;
    mod remedies;
}

/// Settings, names, texts and objects of somebody else.
mod trust {
    mod configuration_trust;
    mod embedded_view;
    mod foreign_objects;
    pub mod hostile_text;
    mod network;
    mod request_names;
}

use std::ffi::OsStr;
use std::fs;
use std::path::PathBuf;
use std::process::Stdio;

use passage_tests::Cluster;
use passage_tests::cluster::model_path;
use passage_tests::wait::{until, within};
use tempfile::TempDir;
use tokio::io::{AsyncBufRead, AsyncWriteExt, Lines};
use tokio::process::Command;

/// A folder `book` of source files, removed at the end of the test.
struct Sources(TempDir);

impl Sources {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("book")).unwrap();
        Self(folder)
    }

    fn with<'a, C: AsRef<[u8]>>(files: impl IntoIterator<Item = (&'a str, C)>) -> Self {
        let sources = Self::new();
        for (name, content) in files {
            sources.write(name, content);
        }
        sources
    }

    /// Writes a file into the folder and returns its path. Its uri in the store is `book/` and the name.
    fn write(&self, name: &str, content: impl AsRef<[u8]>) -> String {
        let path = PathBuf::from(self.book()).join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, content).unwrap();
        path.to_str().unwrap().to_owned()
    }

    fn book(&self) -> String {
        self.0.path().join("book").to_str().unwrap().to_owned()
    }
}

/// The exit code and the output of a run of the client.
struct RunOutput {
    code: Option<i32>,
    stdout: String,
    stderr: String,
}

impl RunOutput {
    async fn of(command: &mut Command) -> Self {
        let output = command.stdin(Stdio::null()).output().await.unwrap();
        Self {
            code: output.status.code(),
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8(output.stderr).unwrap(),
        }
    }

    /// Checks that the client refused, as a user should see it. The error contains `message`, which says where
    /// and what, and a later line contains `remedy`. Neither documents nor passwords nor internals may be shown.
    #[track_caller]
    fn assert_refusal(&self, message: &str, remedy: &str) {
        let Self { code, stdout, stderr } = self;
        assert!(code.is_some_and(|code| code > 0), "{code:?}\n{stderr}");
        let mut lines = stderr.lines().skip_while(|line| !line.contains(message));
        assert!(lines.next().is_some_and(|line| line.contains("error: ")), "{message}\n{stderr}");
        assert!(lines.any(|line| line.contains(remedy)), "{remedy}\n{stderr}");
        for never in [SECRET, "panicked", "internal error", "RUST_BACKTRACE", "stack backtrace"] {
            assert!(!stderr.contains(never) && !stdout.contains(never), "{never}: {stderr}");
        }
    }
}

/// A word of the documents and passwords that no message may contain.
const SECRET: &str = "xyzzy-hunter2";

/// Runs the client with backtraces enabled, so that a panic is noticed.
async fn run_client<A: AsRef<OsStr>>(
    cluster: &Cluster,
    arguments: impl IntoIterator<Item = A>,
) -> RunOutput {
    RunOutput::of(cluster.client_program().env("RUST_BACKTRACE", "1").args(arguments)).await
}

/// Ingests text without embeddings.
async fn ingest_text(cluster: &Cluster, paths: &[&str]) -> RunOutput {
    run_client(cluster, ["ingest", "--no-embed"].iter().chain(paths)).await
}

/// Runs the client with a text on standard input, and returns its output.
async fn run_with_input(cluster: &Cluster, text: &str, arguments: &[&str]) -> String {
    let mut command = cluster.client_program();
    command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(text.as_bytes()).await.unwrap();
    drop(stdin);
    let output = child.wait_with_output().await.unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// Starts a server whose store has no embeddings.
async fn text_cluster() -> Cluster {
    let cluster = Cluster::bare().await;
    cluster.execute("CREATE EXTENSION pg_passage CASCADE").await;
    cluster.execute("SELECT passage.create_store()").await;
    cluster
}

/// Returns whether pgvector or the model is missing; if so, reports the test as skipped.
fn lacks_embedding(cluster: &Cluster, what: &str) -> bool {
    if cluster.lacks_vector(what) {
        return true;
    }
    let lacks = model_path().is_none() && std::env::var_os("PASSAGE_MODEL").is_none();
    if lacks {
        cluster
            .installation()
            .report_skipped(what, "there is no model: ground/fetch/model fetches it");
    }
    lacks
}

/// Returns the text of a document, concatenated from its chunks.
async fn text_of(cluster: &Cluster, uri: &str) -> String {
    let sql = format!(
        "SELECT coalesce(string_agg(content, '' ORDER BY ordinal), '') FROM rag.chunks \
         WHERE document_id = (SELECT id FROM rag.documents WHERE uri = '{uri}')"
    );
    cluster.query_text(&sql).await
}

/// Fails if `check_store` reports a problem, or if a document has a wrong count of chunks.
async fn assert_sound(cluster: &Cluster) {
    // Documents of tests have links to others that they do not load.
    let sql = "SELECT * FROM passage.check_store(data => true) WHERE problem NOT LIKE 'links to %'";
    let problems = cluster.query_lines(sql).await;
    assert!(problems.is_empty(), "{problems:?}");
    let wrong = "SELECT uri FROM rag.documents WHERE chunk_count IS DISTINCT FROM \
         (SELECT count(*) FROM rag.chunks WHERE document_id = documents.id)";
    assert_eq!(cluster.query_lines(wrong).await, [""; 0], "documents with a wrong chunk_count");
}

/// The id of the next transaction. It is unchanged if no transaction has written since.
const NEXT_TRANSACTION: &str = "SELECT pg_snapshot_xmax(pg_current_snapshot())";

/// Returns the id of the next transaction when no session of a client is left.
///
/// A session drops its temporary tables in a transaction of its own, after its client has ended.
async fn next_transaction(cluster: &Cluster) -> String {
    until_disconnected(cluster).await;
    cluster.query_text(NEXT_TRANSACTION).await
}

/// Waits until the server has closed the sessions of clients that have ended.
async fn until_disconnected(cluster: &Cluster) {
    let others = "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'passage'";
    let is_alone = async || cluster.query_text(others).await == "0";
    until("the server closes the sessions of dead clients", is_alone).await;
}

/// Reads the lines that the client prints until one of them contains a text.
async fn until_line<R: AsyncBufRead + Unpin>(lines: &mut Lines<R>, text: &str) {
    let reading = async {
        while let Some(line) = lines.next_line().await.unwrap() {
            if line.contains(text) {
                return;
            }
        }
        panic!("the client ended before it printed {text:?}");
    };
    within(text, reading).await;
}
