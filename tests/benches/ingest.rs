/*!
The client against a binary COPY of the same rows into the same tables, with the same indexes and generated
columns.

The client reads and splits files and commits documents in many transactions. COPY only writes, by two statements
in one session. Both compute the generated columns and fill the indexes, which is most of the work; a note shows
the time of COPY without them. The server of this benchmark flushes its log to disk, because many transactions pay
for that.
*/

mod edit;
mod folder;
mod rows;

use std::path::PathBuf;

use passage_tests::Cluster;
use passage_tests::cluster::SUPERUSER;
use tokio::process::Command;

use crate::rounds::{Figures, few_turns};
use crate::table::{Bar, Table};
use crate::{corpus, process};
use folder::Folder;
use rows::Rows;

/// A round takes three minutes.
const ROUNDS: usize = 3;

/// The largest memory of the client without the model, in bytes.
const MAX_MEMORY: u64 = 300_000_000;

/// The same with code, where each thread may parse one of the largest files at the same time.
const MAX_PARSING: u64 = 500_000_000;

/// Measures speed in chunks per second, the cost of a second run, and the memory of the client.
pub async fn measure(table: &mut Table) {
    let cluster = cluster().await;
    let (name, documents) = corpus::rust();
    let folder = Folder::make(&documents, 1);
    let first = process::run(ingest(&cluster, &folder, &[])).await;
    let rows = Rows::export(&cluster).await;
    let what = format!(
        "`passage ingest --no-embed` of the Markdown and Rust of {name}, {} files, {} chunks",
        folder.files, rows.chunks
    );
    table.memory(&format!("memory of {what}"), first.peak, MAX_PARSING);
    let clear = async || {
        cluster.execute("TRUNCATE rag.documents CASCADE").await;
        cluster.execute_as(SUPERUSER, "CHECKPOINT").await;
    };
    let mut reruns = Vec::new();
    let mut wal = Vec::new();
    let figures = few_turns(
        ROUNDS,
        async |_| {
            clear().await;
            rows.speed(rows.copy(&cluster, "rag").await)
        },
        async |_| {
            clear().await;
            let first = rows.speed(process::run(ingest(&cluster, &folder, &[])).await.time);
            let before = written(&cluster).await;
            let again = rows.speed(process::run(ingest(&cluster, &folder, &[])).await.time);
            wal.push(written(&cluster).await - before);
            reruns.push((first, again));
            first
        },
    )
    .await;
    let speed = |speed: f64| format!("{speed:.0} chunks/s");
    let against = format!("{what}, against binary COPY, speed");
    table.row(&against, speed(figures.floor), speed(figures.ours), figures, Bar::AtLeast(0.7));
    let reruns = Figures::new(&reruns);
    let again = "the same again, nothing having changed, against the first time, speed";
    table.row(again, speed(reruns.floor), speed(reruns.ours), reruns, Bar::AtLeast(20.0));
    wal.sort_unstable();
    table.note(format!("bytes of WAL while nothing had changed: {} (median)", wal[wal.len() / 2]));

    cluster
        .execute(
            "CREATE SCHEMA bare; \
             CREATE TABLE bare.documents AS SELECT * FROM rag.documents WITH NO DATA; \
             CREATE TABLE bare.chunks AS SELECT * FROM rag.chunks WITH NO DATA",
        )
        .await;
    let bare = speed(rows.speed(rows.copy(&cluster, "bare").await));
    table.note(format!(
        "COPY of these rows into tables without indexes and derived columns: {bare}"
    ));
    cluster.execute("DROP SCHEMA bare CASCADE").await;
    clear().await;
    edit::measure(&cluster, table).await;

    let texts = corpus::markdown();
    let numbered = |(number, text)| (PathBuf::from(format!("{number}.md")), text);
    let documents: Vec<_> = texts.into_iter().enumerate().map(numbered).collect();
    let bytes: usize = documents.iter().map(|(_, text)| text.len()).sum();
    drop(folder);
    let folder = Folder::make(&documents, 100_000_000 / bytes + 1);
    // Sizes in wordpieces load the model into memory, which is added.
    for (sizer, beside) in [("characters", 0), ("wordpieces", folder::model_bytes())] {
        clear().await;
        let run = process::run(ingest(&cluster, &folder, &["--sizer", sizer])).await;
        let (megabytes, files) = (folder.bytes / 1_000_000, folder.files);
        let what = format!(
            "memory of `passage ingest --no-embed --sizer {sizer}`, {megabytes} MB in {files} files"
        );
        table.memory(&what, run.peak, MAX_MEMORY + beside);
    }
}

/// Returns how many bytes of WAL the server has written.
async fn written(cluster: &Cluster) -> i64 {
    let sql = "SELECT (pg_current_wal_insert_lsn() - '0/0')::bigint";
    cluster.query_text(sql).await.parse().expect("a place in the log is a number")
}

/// A server with the settings of a user: in memory, but durable.
async fn cluster() -> Cluster {
    let mut cluster = Cluster::start().await;
    // Vacuum writes WAL of its own, and would use a core during one of the turns.
    let settings =
        ["shared_buffers = '2GB'", "max_wal_size = '8GB'", "fsync = on", "autovacuum = off"];
    for setting in settings {
        cluster.execute_as(SUPERUSER, &format!("ALTER SYSTEM SET {setting}")).await;
    }
    cluster.restart().await;
    cluster
}

fn ingest(cluster: &Cluster, folder: &Folder, more: &[&str]) -> Command {
    let mut command = cluster.client_program();
    command.args(["ingest", "--no-embed"]).args(more).arg(folder.path());
    command
}
