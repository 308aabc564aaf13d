/*!
The client against a bare binary COPY of the very rows it makes, into the same tables and indexes.

The client reads and splits files and commits each document by itself; the COPY does nothing but
write, in two statements. Here the server writes its log through to the disk, since that is what
many transactions cost.
*/

mod folder;
mod rows;

use passage_tests::Cluster;
use passage_tests::cluster::SUPERUSER;
use tokio::process::Command;

use crate::process;
use crate::rounds::turns;
use crate::table::{Bar, Table};
use folder::Folder;
use rows::Rows;

const ROUNDS: usize = 5;

/// What a run of the client may take beside the model, in bytes.
const MOST_MEMORY: u64 = 300_000_000;

/// Measures speed in chunks a second, and the memory of the client.
pub async fn measure(table: &mut Table) {
    let cluster = cluster().await;
    // Each text twice, below two names: a few thousand documents.
    let folder = Folder::make(2);
    process::run(ingest(&cluster, &folder, &[])).await;
    let rows = Rows::export(&cluster).await;
    let clear = async || {
        cluster.execute("TRUNCATE rag.documents CASCADE").await;
        cluster.execute_as(SUPERUSER, "CHECKPOINT").await;
    };
    let figures = turns(
        ROUNDS,
        async |_| {
            clear().await;
            rows.speed(rows.copy(&cluster).await)
        },
        async |_| {
            clear().await;
            rows.speed(process::run(ingest(&cluster, &folder, &[])).await.time)
        },
    );
    let figures = figures.await;
    let written = |speed: f64| format!("{speed:.0} chunks/s");
    let what = format!(
        "`passage ingest --no-embed` of {} files, {} chunks, against binary COPY, speed",
        folder.files, rows.chunks
    );
    let (floor, ours) = (written(figures.floor), written(figures.ours));
    table.row(&what, floor, ours, figures, Bar::AtLeast(0.6));

    let bytes = folder.bytes / 2;
    drop(folder);
    let folder = Folder::make(100_000_000 / bytes + 1);
    // Sizes in wordpieces take the model into memory, which comes on top.
    for (sizer, beside) in [("characters", 0), ("wordpieces", folder::model_bytes())] {
        clear().await;
        let run = process::run(ingest(&cluster, &folder, &["--sizer", sizer])).await;
        let (megabytes, files) = (folder.bytes / 1_000_000, folder.files);
        let what = format!(
            "memory of `passage ingest --no-embed --sizer {sizer}`, {megabytes} MB in {files} files"
        );
        table.memory(&what, run.peak, MOST_MEMORY + beside);
    }
}

/// A server that a user would run: in memory, but durable.
async fn cluster() -> Cluster {
    let mut cluster = Cluster::start().await;
    for setting in ["shared_buffers = '2GB'", "max_wal_size = '8GB'", "fsync = on"] {
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
