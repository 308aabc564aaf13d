//! The `Cluster` of the other tests: a server that is removed with its test.

use std::io::{BufRead, BufReader};
use std::panic::AssertUnwindSafe;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use passage_tests::Cluster;
use passage_tests::cluster::SUPERUSER;
use passage_tests::wait::PATIENCE;

#[tokio::test]
async fn the_owner_of_the_database_is_not_a_superuser() {
    let cluster = Cluster::bare().await;
    let sql = "SELECT current_user, pg_get_userbyid(datdba), usesuper
        FROM pg_database, pg_user WHERE datname = current_database() AND usename = current_user";
    assert_eq!(cluster.query_lines(sql).await, ["owner|owner|f"]);
}

#[tokio::test]
async fn the_server_is_the_one_of_pg_config() {
    let cluster = Cluster::bare().await;
    let version = cluster.query_text("SHOW server_version_num").await;
    let major = version.parse::<u32>().unwrap() / 10_000;
    assert_eq!(major, cluster.installation().major());
}

#[tokio::test]
async fn two_clusters_share_no_data() {
    let (one, other) = tokio::join!(Cluster::bare(), Cluster::bare());
    one.execute("CREATE TABLE here ()").await;
    assert_eq!(other.error("TABLE here").await.code().code(), "42P01");
}

#[tokio::test]
async fn committed_rows_survive_a_restart_and_a_crash() {
    let mut cluster = Cluster::bare().await;
    cluster.execute("CREATE TABLE kept AS SELECT 1 AS a").await;
    cluster.restart().await;
    cluster.execute("INSERT INTO kept VALUES (2)").await;
    cluster.crash().await;
    assert_eq!(cluster.query_lines("SELECT a FROM kept ORDER BY a").await, ["1", "2"]);
    // The whole log: each connection attempt before the server is ready adds a line.
    let log = std::fs::read_to_string(cluster.folder().join("log")).unwrap();
    assert!(log.contains("was not properly shut down"), "{log}");
}

#[tokio::test]
async fn a_killed_server_ends_its_sessions_and_can_be_started_again() {
    let mut cluster = Cluster::bare().await;
    let client = cluster.client().await;
    cluster.kill();
    assert!(client.simple_query("SELECT pg_sleep(60)").await.is_err());
    cluster.start_again().await;
    assert_eq!(cluster.query_text("SELECT 1").await, "1");
}

#[tokio::test]
async fn the_programs_of_the_server_find_the_database() {
    let cluster = Cluster::bare().await;
    cluster.execute("CREATE TABLE dumped ()").await;
    assert_eq!(cluster.psql("SELECT current_user, current_database()").await, "owner|passage\n");
    assert!(cluster.run("pg_dump", ["--schema-only"]).await.contains("TABLE public.dumped"));
    let url = cluster.url_as(SUPERUSER);
    assert_eq!(cluster.run("psql", ["-XAtc", "SHOW is_superuser", &url]).await, "on\n");
}

#[tokio::test]
async fn a_failing_query_panics_with_the_message_of_the_server() {
    let cluster = Cluster::bare().await;
    let error = cluster.error("SELECT 1 FROM nowhere").await;
    assert_eq!(error.message(), "relation \"nowhere\" does not exist");
}

#[tokio::test]
async fn a_cluster_is_removed_when_its_test_panics() {
    let cluster = Cluster::bare().await;
    let folder = cluster.folder().to_owned();
    let panicked = std::panic::catch_unwind(AssertUnwindSafe(|| {
        let _cluster = cluster;
        panic!("on purpose");
    }));
    assert!(panicked.is_err());
    assert!(!folder.exists());
}

#[test]
fn a_cluster_is_removed_when_its_test_is_killed() {
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["--ignored", "--exact", "--nocapture", "cluster::waits_to_be_killed"])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let lines = BufReader::new(child.stdout.take().unwrap()).lines().map(Result::unwrap);
    let line = { lines }.find(|line| line.contains("folder: ")).unwrap();
    let folder = Path::new(line.rsplit_once("folder: ").unwrap().1);
    assert!(folder.join("data/postmaster.pid").exists());

    child.kill().unwrap();
    child.wait().unwrap();
    let begun = Instant::now();
    while folder.exists() {
        assert!(begun.elapsed() < PATIENCE, "the server outlives its test");
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[tokio::test]
#[ignore = "the test above runs it, and kills it"]
async fn waits_to_be_killed() {
    let cluster = Cluster::bare().await;
    println!("folder: {}", cluster.folder().display());
    std::future::pending::<()>().await;
    drop(cluster);
}

#[tokio::test]
async fn a_started_cluster_has_a_store_of_the_owner() {
    let cluster = Cluster::start().await;
    let sql = "SELECT tablename, tableowner FROM pg_tables WHERE schemaname = 'rag' ORDER BY 1";
    let names = ["chunks", "documents", "links", "ratings", "settings", "strategies"];
    let mut tables: Vec<_> = names.iter().map(|name| format!("{name}|owner")).collect();
    if cluster.has_vector() {
        tables.insert(2, "embeddings|owner".to_owned());
    }
    assert_eq!(cluster.query_lines(sql).await, tables);
}

#[tokio::test]
async fn a_server_without_pgvector_reports_skipped_tests() {
    let cluster = Cluster::bare().await;
    if cluster.lacks_vector("pgvector can be created") {
        assert_eq!(
            cluster.error_as(SUPERUSER, "CREATE EXTENSION vector").await.code().code(),
            "0A000"
        );
    } else {
        cluster.execute_as(SUPERUSER, "CREATE EXTENSION vector").await;
    }
}
