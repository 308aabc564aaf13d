//! A server that preloads the library: the settings exist in every session from its start.

use passage_tests::Cluster;
use passage_tests::cluster::{DATABASE, SUPERUSER};

const SETTINGS: &str = "SELECT string_agg(name || \'=\' || setting, \' \' ORDER BY name) FROM pg_settings WHERE name LIKE \'passage.%\'";

const DEFAULTS: &str = "passage.max_cached_stores=256 passage.max_passage_tokens=2048 passage.max_tokens=4096 passage.store=rag passage.strategy=auto";

/// Asserts that a new session knows the settings before it calls a function, and that all functions work.
async fn assert_preloaded(cluster: &Cluster) {
    assert_eq!(cluster.query_text("SHOW passage.store").await, "rag");
    assert_eq!(cluster.query_text(SETTINGS).await, DEFAULTS);
    let refused = cluster.error("SET passage.max_tokens = -1").await;
    assert_eq!(refused.code().code(), "22023", "{refused:?}");
    cluster.execute("SELECT passage.ingest(\'a.md\', \'# Words\')").await;
    let found = "SELECT uri FROM passage.search(\'words\')";
    assert_eq!(cluster.query_text(found).await, "a.md");
    // The cache of a session follows a change of the store.
    let columns = "SELECT uri FROM passage.search(\'words\');
        BEGIN; ALTER TABLE rag.documents RENAME COLUMN title TO heading; SELECT count(*) FROM passage.search(\'words\'); ROLLBACK";
    cluster.execute(columns).await;
    // An error of the library and a cancelled statement leave the session intact.
    let refused =
        cluster.error("SELECT * FROM passage.search(\'words\', strategy => \'wide\')").await;
    assert_eq!(refused.code().code(), "22023");
    let slow = "SET statement_timeout = 50; SELECT count(*) FROM passage.split(repeat(E\'# Words\\n\\n\', 3000000), \'text/markdown\')";
    assert_eq!(cluster.error(slow).await.code().code(), "57014");
}

#[tokio::test]
async fn a_new_session_shows_the_settings_if_the_server_preloads_the_library() {
    let mut cluster = Cluster::start().await;
    assert_eq!(cluster.error("SHOW passage.store").await.code().code(), "42704");
    let preload = "ALTER SYSTEM SET shared_preload_libraries = \'pg_passage\'";
    cluster.execute_as(SUPERUSER, preload).await;
    cluster.restart().await;
    assert_preloaded(&cluster).await;
    // A role without superuser persists a setting without loading the library first.
    cluster.execute(&format!("ALTER DATABASE {DATABASE} SET passage.store = \'other\'")).await;
    assert_eq!(cluster.query_text("SHOW passage.store").await, "other");
}

#[tokio::test]
async fn a_new_session_shows_the_settings_if_the_database_preloads_the_library() {
    let cluster = Cluster::start().await;
    let preload =
        format!("ALTER DATABASE {DATABASE} SET session_preload_libraries = \'pg_passage\'");
    cluster.execute_as(SUPERUSER, &preload).await;
    assert_preloaded(&cluster).await;
}
