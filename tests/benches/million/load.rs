/*!
The store that is searched.

The indexes on `path`, `tsv` and `embedding` are dropped before the bulk load and created after it. ANALYZE comes
last, so the statistics cover all rows.

A kept store has vectors and texts that take an hour to make, so it outlives the extension: when the install
script has changed, the old extension is dropped with all generated columns, which are created again.
*/

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;

use passage::embed::Model;
use passage_tests::Cluster;
use passage_tests::cluster::{SUPERUSER, model_path};

use super::{texts, vectors};
use crate::expand::load::server;

pub const STORE: &str = "rag";

/// With less memory than this, a graph that does not fit is built much slower.
const BUILD: &str = "SET maintenance_work_mem = '4GB'; SET max_parallel_maintenance_workers = 1";

/// Starts a server with the filled store.
pub async fn cluster(keep: Option<&Path>) -> Cluster {
    let mut cluster = Cluster::bare().await;
    let mark = keep.map(|folder| folder.join("extension"));
    if server::take(&mut cluster, keep).await {
        renew(&cluster, mark.as_deref()).await;
        return cluster;
    }
    server::configure(&mut cluster).await;
    // The WAL of a bulk load would need more disk than the data.
    cluster.execute_as(SUPERUSER, "ALTER SYSTEM SET max_wal_size = '2GB'").await;
    cluster.execute_as(SUPERUSER, "SELECT pg_reload_conf()").await;
    cluster.execute_as(SUPERUSER, "CREATE EXTENSION vector").await;
    cluster.execute("CREATE EXTENSION pg_passage CASCADE").await;
    let create = format!("SELECT passage.create_store('{STORE}', dimensions => 384)");
    cluster.execute(&create).await;
    let drop = ["chunks_path_idx", "chunks_tsv_idx", "embeddings_embedding_idx"];
    let drop = drop.map(|index| format!("DROP INDEX {STORE}.{index}")).join("; ");
    cluster.execute(&drop).await;

    let model = Model::load(&model_folder()).expect("the model is there");
    let begun = Instant::now();
    let said = |what: &str| eprintln!("bench: {what} after {:.0} s", begun.elapsed().as_secs_f64());
    texts::load(&cluster, &model).await;
    said("texts are loaded");
    let gin = format!("CREATE INDEX chunks_tsv_idx ON {STORE}.chunks USING gin (tsv)");
    cluster.execute(&format!("{BUILD}; {gin}")).await;
    vacuum(&cluster, "chunks").await;
    said("words are indexed");
    vectors::load(&cluster, &model).await;
    said("vectors are loaded");
    cluster.execute(&format!("{BUILD}; {create}")).await;
    said("vectors are indexed");
    for table in ["documents", "chunks", "embeddings"] {
        vacuum(&cluster, table).await;
    }
    cluster.execute_as(SUPERUSER, "CHECKPOINT").await;
    if let Some(mark) = mark {
        fs::write(mark, script(&cluster).await).expect("the folder is writable");
    }
    server::keep(keep);
    said("all is loaded");
    cluster
}

/// Updates a kept store to the installed extension, if the store was loaded with another one. Only the install
/// scripts are compared, so a changed library with the same script is not noticed.
async fn renew(cluster: &Cluster, mark: Option<&Path>) {
    let Some(mark) = mark else { return };
    let script = script(cluster).await;
    if fs::read_to_string(mark).is_ok_and(|marked| marked == script) {
        return;
    }
    eprintln!("bench: creating the generated columns of the extension again");
    let _ = fs::remove_file(mark);
    cluster.execute("DROP EXTENSION IF EXISTS pg_passage CASCADE").await;
    cluster.execute("CREATE EXTENSION pg_passage CASCADE").await;
    cluster.execute(&format!("{BUILD}; SELECT passage.upgrade_store('{STORE}')")).await;
    vacuum(cluster, "chunks").await;
    cluster.execute_as(SUPERUSER, "CHECKPOINT").await;
    fs::write(mark, script).expect("the folder is writable");
}

/// Returns the hash of the install script.
async fn script(cluster: &Cluster) -> String {
    let client = cluster.client_as(SUPERUSER).await;
    let sql = "SELECT md5(pg_read_file(format('%s/extension/%s--%s.sql', setting, name, default_version)))
        FROM pg_config AS configured (what, setting), pg_available_extensions
        WHERE what = 'SHAREDIR' AND name = 'pg_passage'";
    client.query_one(sql, &[]).await.expect("a superuser may").get(0)
}

/// Returns the folder of the model.
pub fn model_folder() -> PathBuf {
    let named = std::env::var_os("PASSAGE_MODEL").map(PathBuf::from);
    named.or_else(model_path).expect("ground/fetch/model fetches the model")
}

async fn vacuum(cluster: &Cluster, table: &str) {
    cluster.execute_as(SUPERUSER, &format!("VACUUM (FREEZE, ANALYZE) {STORE}.{table}")).await;
}
