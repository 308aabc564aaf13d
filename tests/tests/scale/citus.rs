//! A coordinator and two workers, which reach each other through their sockets.

use passage_tests::Cluster;
use passage_tests::cluster::{Installation, OWNER, SUPERUSER};

/// The stores that are compared: one on the coordinator alone, then one of each layout.
pub const STORES: [&str; 3] = ["plain", "tenant", "spread"];

/// The arguments of `create_store` for each of them.
const LAYOUTS: [&str; 3] = ["NULL", "'schema'", "'document'"];

/// The number of shards of a table.
const SHARDS: u32 = 8;

/// The dimensions of embeddings that a test makes up.
pub const DIMENSIONS: usize = 32;

/// The dimensions of the default model.
pub const MODEL_DIMENSIONS: usize = 384;

/// The nodes of a cluster of Citus, the coordinator first.
pub struct Citus {
    pub nodes: Vec<Cluster>,
}

impl Citus {
    /// Starts the nodes with an empty store of each layout. Returns `None` on a server without Citus, and reports
    /// the test as skipped.
    pub async fn start(dimensions: usize) -> Option<Self> {
        let installation = Installation::find();
        if !installation.has_extension("citus") {
            installation.report_skipped("stores on Citus", "Citus is not installed");
            return None;
        }
        let mut nodes = Vec::new();
        for _ in 0..3 {
            nodes.push(node(installation.clone()).await);
        }
        let folder = |node: &Cluster| node.folder().display().to_string();
        let coordinator = &nodes[0];
        let host = format!("SELECT citus_set_coordinator_host('{}', 5432)", folder(coordinator));
        coordinator.execute_as(SUPERUSER, &host).await;
        for worker in &nodes[1..] {
            let add = format!("SELECT citus_add_node('{}', 5432)", folder(worker));
            coordinator.execute_as(SUPERUSER, &add).await;
        }
        coordinator.execute_as(SUPERUSER, "CREATE EXTENSION vector").await;
        coordinator.execute("CREATE EXTENSION pg_passage CASCADE").await;
        for (store, layout) in STORES.into_iter().zip(LAYOUTS) {
            let create = format!(
                "SELECT passage.create_store('{store}', dimensions => {dimensions}, distributed => {layout})"
            );
            coordinator.execute(&create).await;
        }
        Some(Self { nodes })
    }

    pub fn coordinator(&self) -> &Cluster {
        &self.nodes[0]
    }

    /// Ingests 40 documents of a few chunks, each with a word of its own.
    pub async fn ingest_pages(&self, store: &str) {
        let ingest = format!(
            "SELECT count(*) FROM generate_series(1, 40) AS n, passage.ingest('page/' || n, E'# Page ' || n || E'\\n\\nabout lexeme' || n || E'\\n\\n## More\\n\\ncommon words', store => '{store}')"
        );
        self.coordinator().execute(&ingest).await;
    }

    /// Moves a shard of chunks to the other worker for each mode of transfer.
    pub async fn move_shards(&self, modes: &[&str]) {
        let placements = self
            .coordinator()
            .query_rows_as(
                SUPERUSER,
                "SELECT shardid, nodename FROM citus_shards WHERE table_name IN ('tenant.chunks'::regclass, 'spread.chunks'::regclass) ORDER BY shardid",
            )
            .await;
        let folders: Vec<_> =
            self.nodes[1..].iter().map(|node| node.folder().display().to_string()).collect();
        for (placement, mode) in placements.iter().zip(modes) {
            let (shard, from) = (placement[0].as_ref().unwrap(), placement[1].as_ref().unwrap());
            let to = folders.iter().find(|folder| *folder != from).unwrap();
            let sql = format!(
                "SELECT citus_move_shard_placement({shard}, '{from}', 5432, '{to}', 5432, shard_transfer_mode => '{mode}')"
            );
            self.coordinator().execute_as(SUPERUSER, &sql).await;
        }
    }
}

/// Starts a server with Citus in its database.
async fn node(installation: Installation) -> Cluster {
    let mut node = Cluster::of(installation).await;
    let folder = node.folder().display().to_string();
    for (name, value) in [
        ("shared_preload_libraries", "citus"),
        ("wal_level", "logical"),
        ("max_prepared_transactions", "100"),
        ("max_connections", "200"),
        ("citus.local_hostname", &folder),
        ("citus.shard_count", &SHARDS.to_string()),
        ("citus.enable_version_checks", "on"),
    ] {
        // A setting of a library is unknown until the library is loaded.
        if name.starts_with("citus.") {
            continue;
        }
        let set = format!("ALTER SYSTEM SET {name} = '{value}'");
        node.execute_as(SUPERUSER, &set).await;
    }
    node.restart().await;
    node.execute_as(SUPERUSER, "CREATE EXTENSION citus").await;
    for (name, value) in
        [("citus.local_hostname", folder), ("citus.shard_count", SHARDS.to_string())]
    {
        let set = format!("ALTER SYSTEM SET {name} = '{value}'");
        node.execute_as(SUPERUSER, &set).await;
    }
    node.execute_as(SUPERUSER, "SELECT pg_reload_conf()").await;
    assert_eq!(OWNER, "owner");
    node
}
