//! Fewer dimensions than those of the model: a store records them, and later commands use them.

use super::embed::run;
use crate::embedding_service::Service;
use crate::{RunOutput, lacks_embedding};
use passage_tests::{Cluster, fixture};

#[tokio::test]
async fn a_store_with_fewer_dimensions_is_loaded_and_searched_with_them() {
    let cluster = Cluster::bare().await;
    if lacks_embedding(&cluster, "fewer dimensions of the local model") {
        return;
    }
    cluster.execute_as("postgres", "CREATE EXTENSION vector").await;
    let run = |arguments: &[&str]| {
        let mut program = cluster.client_program();
        program.args(arguments);
        async move { RunOutput::of(&mut program).await }
    };
    let init = run(&["init", "--dimensions", "64"]).await;
    assert!(
        init.stdout.contains("all-MiniLM-L6-v2, 64 dimensions"),
        "{}{}",
        init.stdout,
        init.stderr
    );
    assert!(
        init.stderr.contains("does not say that it is trained for 64 dimensions"),
        "{}",
        init.stderr
    );
    for command in
        [&["ingest", fixture!("client/garden")][..], &["search", "--mode", "vector", "mites"]]
    {
        let run = run(command).await;
        assert_eq!(run.code, Some(0), "{}", run.stderr);
    }
    let lengths = "SELECT DISTINCT concat_ws(' ', vector_dims(embedding), round(vector_norm(embedding)::numeric, 3)) FROM rag.embeddings";
    assert_eq!(cluster.query_text(lengths).await, "64 1.000");
    let vector = run(&["embed", "--query", "mites"]).await;
    let nearest = format!(
        "SELECT uri LIKE '%bees.md' FROM rag.embeddings JOIN rag.documents ON documents.id = document_id \
         ORDER BY embedding <=> '{}'::vector LIMIT 1",
        vector.stdout.trim()
    );
    assert_eq!(cluster.query_text(&nearest).await, "t");

    let other = run(&["search", "--dimensions", "65", "mites"]).await;
    other.assert_refusal("(64 dimensions), not of", "--dimensions");
    let more = run(&["embed", "--query", "mites", "--dimensions", "385"]).await;
    more.assert_refusal("384 dimensions, so it cannot have 385", "at most 384");
    let more = run(&["init", "--store", "more", "--dimensions", "385"]).await;
    more.assert_refusal("384 dimensions, so it cannot have 385", "at most 384");

    let whole = run(&["reindex", "--drop-former", "--dimensions", "384"]).await;
    assert_eq!(whole.code, Some(0), "{}", whole.stderr);
    assert_eq!(cluster.query_text(lengths).await, "384 1.000");
}

#[tokio::test]
async fn a_service_is_asked_for_the_dimensions() {
    let cluster = Cluster::bare().await;
    if cluster.lacks_vector("a service is asked for dimensions") {
        return;
    }
    cluster.execute_as("postgres", "CREATE EXTENSION vector").await;
    let service = Service::good(64).await;
    let init = run(&cluster, &service, &["init", "--dimensions", "64"]).await;
    assert_eq!(init.code, Some(0), "{}", init.stderr);
    assert_eq!(service.seen()[0].body["dimensions"], 64);
    // A service may ignore the request.
    let other = run(&cluster, &service, &["search", "--dimensions", "32", "mites"]).await;
    other.assert_refusal("embeddings have 64 dimensions, not 32", "--dimensions");
}
