//! A store of the embedding type binary: its index is built, lost and replaced as that of other types.

use crate::embedding_service::Service;
use crate::ingest::second_run::{FAIL_WITH_INDEX, INDEX};
use crate::reindex::collection::{MISSING, book, with};
use crate::{RunOutput, Sources, assert_sound, run_client};
use passage_tests::Cluster;
use passage_tests::cases;
use passage_tests::cluster::SUPERUSER;

const FACTS: &str = "SELECT dimensions, embedding_type, distance FROM _passage.store_facts('rag')";

const EMBEDDINGS: &str = "SELECT chunk_id, embedding FROM rag.embeddings ORDER BY chunk_id";

async fn run(cluster: &Cluster, service: &Service, arguments: &[&str]) -> RunOutput {
    let run = RunOutput::of(&mut with(cluster, service, arguments)).await;
    assert_eq!(run.code, Some(0), "{arguments:?}: {}", run.stderr);
    run
}

#[tokio::test]
async fn the_client_fills_searches_and_replaces_a_binary_store() {
    let cluster = Cluster::bare().await;
    if cluster.lacks_vector("the client fills a store of the embedding type binary") {
        return;
    }
    cluster.execute_as(SUPERUSER, "CREATE EXTENSION vector").await;
    let service = Service::good(64).await;
    run(&cluster, &service, &["init", "--embedding-type", "binary"]).await;
    let index = cluster.query_lines(INDEX).await;
    assert!(
        index.len() == 1 && index[0].contains("binary_quantize(embedding))::bit(64)"),
        "{index:?}"
    );

    // A first load builds the index after the rows.
    cluster.execute(FAIL_WITH_INDEX).await;
    let sources = Sources::with([("a.md", book(10))]);
    let ingest = run(&cluster, &service, &["ingest", &sources.book()]).await;
    assert!(ingest.stderr.contains("building the vector index"), "{}", ingest.stderr);
    assert_eq!(cluster.query_lines(INDEX).await, index);
    cluster.execute("DROP TRIGGER bare ON rag.embeddings").await;

    let status = run_client(&cluster, ["status", "--json"]).await;
    assert!(status.stdout.contains(r#""embedding_type":"binary""#), "{}", status.stdout);
    let found = run(&cluster, &service, &["search", "--mode", "vector", "number 7"]).await;
    assert!(found.stdout.contains("book/a.md"), "{}", found.stdout);

    // An interrupted load leaves no index. The next one builds one of the same kind.
    cluster.execute("DROP INDEX rag.embeddings_embedding_idx").await;
    let found = run(&cluster, &service, &["search", "--mode", "vector", "number 7"]).await;
    assert!(found.stdout.contains("book/a.md"), "{}", found.stdout);
    run(&cluster, &service, &["ingest", &sources.book()]).await;
    assert_eq!(cluster.query_lines(INDEX).await, index);
    assert_sound(&cluster).await;

    // The types halfvec and binary have the same column. Only the index changes.
    let embeddings = cluster.query_lines(EMBEDDINGS).await;
    for (to, facts) in cases([("halfvec", "64|halfvec|cosine"), ("binary", "64|binary|cosine")]) {
        let arguments = ["reindex", "--embedding-type", to, "--drop-former", "--no-embed"];
        run(&cluster, &service, &arguments).await;
        assert_eq!(cluster.query_lines(FACTS).await, [facts]);
        assert_eq!(cluster.query_lines(INDEX).await.len(), 1);
        assert_eq!(cluster.query_lines(EMBEDDINGS).await, embeddings);
        assert_eq!(cluster.query_text(MISSING).await, "0");
        assert_sound(&cluster).await;
    }
    assert_eq!(cluster.query_lines(INDEX).await, index);

    // Without its index, a store is still replaced by one of the same type.
    cluster.execute("DROP INDEX rag.embeddings_embedding_idx").await;
    run(&cluster, &service, &["reindex", "--drop-former", "--no-embed"]).await;
    assert_eq!(cluster.query_lines(FACTS).await, ["64|binary|cosine"]);
    assert_eq!(cluster.query_lines(INDEX).await, index);

    // The signs say nothing about lengths.
    cluster.execute("DROP SCHEMA rag CASCADE; SELECT passage.create_store('rag', 64, 'l2')").await;
    run_client(&cluster, ["reindex", "--embedding-type", "binary"])
        .await
        .assert_refusal("embedding type binary requires distance cosine, not l2", "halfvec");
}

#[tokio::test]
async fn a_first_load_has_enough_memory_for_the_graph_of_its_type() {
    let cluster = Cluster::bare().await;
    if cluster.lacks_vector("the memory of the build of a vector index") {
        return;
    }
    cluster.execute_as(SUPERUSER, "CREATE EXTENSION vector").await;
    cluster.execute_as(SUPERUSER, "ALTER DATABASE passage SET maintenance_work_mem = '1MB'").await;
    cluster.execute_as(SUPERUSER, "ALTER DATABASE passage SET log_min_messages = 'notice'").await;
    let service = Service::good(64).await;
    for embedding_type in cases(["vector", "halfvec", "binary"]) {
        cluster.execute("DROP SCHEMA IF EXISTS rag CASCADE").await;
        run(&cluster, &service, &["init", "--embedding-type", embedding_type]).await;
        let sources = Sources::with([("a.md", book(9_000))]);
        run(&cluster, &service, &["ingest", &sources.book()]).await;
        let number: u32 =
            cluster.query_text("SELECT count(*) FROM rag.embeddings").await.parse().unwrap();
        // Less than that does not prove anything: the graph would fit into what the client always adds.
        assert!(number > 8_000, "{number} embeddings");
        assert_eq!(cluster.query_lines(INDEX).await.len(), 1);
        let log = cluster.log();
        assert!(!log.contains("no longer fits"), "{embedding_type}, {number} embeddings: {log}");
    }
}

#[tokio::test]
async fn doctor_advises_a_smaller_type_only_if_there_is_one() {
    let cluster = Cluster::bare().await;
    if cluster.lacks_vector("doctor on a store of the embedding type binary") {
        return;
    }
    cluster.execute_as(SUPERUSER, "CREATE EXTENSION vector").await;
    let service = Service::good(64).await;
    run(&cluster, &service, &["init", "--embedding-type", "binary"]).await;
    let sources = Sources::with([("a.md", book(10))]);
    run(&cluster, &service, &["ingest", &sources.book()]).await;
    let doctor = RunOutput::of(&mut with(&cluster, &service, &["doctor"])).await;
    assert!(!doctor.stdout.contains("effective_cache_size"), "{}", doctor.stdout);

    cluster.execute_as(SUPERUSER, "ALTER DATABASE passage SET effective_cache_size = '8kB'").await;
    for (embedding_type, remedy) in cases([
        ("binary", "Add memory to the server, or divide the store."),
        ("halfvec", "--embedding-type binary."),
        ("vector", "--embedding-type halfvec or binary."),
    ]) {
        let arguments =
            ["reindex", "--embedding-type", embedding_type, "--drop-former", "--no-embed"];
        run(&cluster, &service, &arguments).await;
        let doctor = RunOutput::of(&mut with(&cluster, &service, &["doctor"])).await;
        assert!(doctor.stdout.contains("effective_cache_size"), "{}", doctor.stdout);
        assert!(doctor.stdout.contains(remedy), "{embedding_type}: {}", doctor.stdout);
    }
}
