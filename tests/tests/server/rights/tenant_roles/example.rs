//! The example of docs/guides/security.md, and an adopted store.

use super::{client, doctor, succeed, with_roles};
use passage_tests::Cluster;
use passage_tests::cluster::{OWNER, SUPERUSER, model_path};
use passage_tests::markdown::pages;
use serde_json::Value;

#[tokio::test]
async fn the_example_of_the_guide_works_for_owner_application_and_tenants() {
    let cluster = with_roles().await;
    if cluster.lacks_vector("the example of tenants") || model_path().is_none() {
        return;
    }
    run_the_page(&cluster).await;
    assert_eq!(found(&cluster, "acme").await, ["acme articles/1", "acme night.md"]);
    assert_eq!(found(&cluster, "globex").await, ["globex articles/2"]);
    assert_eq!(found(&cluster, "").await, [""; 0]);

    // The trigger follows the application, also to another tenant.
    cluster.execute_as("app", "UPDATE articles SET body = 'Logs of Globex.' WHERE id = 2; DELETE FROM articles WHERE id = 1; INSERT INTO articles VALUES (3, 'acme', 'Logs', 'Logs again.')").await;
    cluster.execute_as("app", "UPDATE articles SET tenant = 'globex' WHERE id = 3").await;
    assert_eq!(found(&cluster, "acme").await, ["acme night.md"]);
    assert_eq!(found(&cluster, "globex").await, ["globex articles/2", "globex articles/3"]);
    let removed = "SELECT documents FROM passage.remove('night.md', collection => 'acme')";
    assert_eq!(cluster.query_text_as("app", removed).await, "1");

    use_the_client(&cluster).await;
    write_for_one_tenant(&cluster).await;
    let (findings, _) = doctor(&cluster, "app").await;
    assert!(findings.iter().all(|(_, severity)| severity == "good"), "{findings:?}");
}

/// Runs the statements of the page: the owner those of its first part, the application and the tenants the others.
async fn run_the_page(cluster: &Cluster) {
    let page = pages().into_iter().find(|page| page.name == "docs/guides/security.md").unwrap();
    let blocks: Vec<_> =
        page.blocks().into_iter().filter(|block| block.language == "sql").collect();
    let end = blocks.iter().position(|block| block.text.contains("RESET app.tenant")).unwrap();
    succeed(cluster, OWNER, "", &["embed"]).await;
    for block in &blocks[..=end] {
        let is_owner = !block.text.starts_with("SET ROLE");
        let role = if is_owner {
            OWNER
        } else if block.text.contains("ROLE app") {
            "app"
        } else {
            "reader"
        };
        cluster
            .execute_as(
                role,
                &block.text.replace("SET ROLE app;", "").replace("SET ROLE reader;", ""),
            )
            .await;
    }
}

/// Returns the documents that a tenant finds.
async fn found(cluster: &Cluster, tenant: &str) -> Vec<String> {
    let search = format!(
        "SET app.tenant = '{tenant}'; SELECT collection || ' ' || uri FROM passage.search('logs') ORDER BY 1"
    );
    cluster.query_lines_as("reader", &search).await
}

/// The client of the application, for all tenants.
async fn use_the_client(cluster: &Cluster) {
    for (tenant, document) in [("acme", "handbook/logging.md"), ("globex", "handbook/backup.md")] {
        succeed(cluster, "app", "", &["ingest", "--no-embed", "--collection", tenant, document])
            .await;
    }
    succeed(cluster, "app", "", &["embed"]).await;
    // Again with another version, whose chunks and embeddings are replaced.
    succeed(
        cluster,
        "app",
        "",
        &["ingest", "--collection", "acme", "--title", "Another title", "handbook/logging.md"],
    )
    .await;
    assert_eq!(cluster.query_text("SELECT count(*) FROM rag.chunks LEFT JOIN rag.embeddings ON chunk_id = id WHERE chunk_id IS NULL").await, "0");
    for (tenant, uri) in [("acme", "handbook/logging.md"), ("globex", "handbook/backup.md")] {
        for mode in ["text", "vector"] {
            let search = ["search", "--json", "--mode", mode, "how are backups and logs rotated"];
            let hits = succeed(cluster, "reader", tenant, &search).await;
            let output: Value = serde_json::from_str(&hits).unwrap();
            let seen = output["passages"].as_array().unwrap();
            assert!(seen.iter().any(|hit| hit["uri"] == uri), "{tenant} {mode}: {hits}");
            assert!(seen.iter().all(|hit| hit["collection"] == tenant), "{tenant} {mode}: {hits}");
        }
    }
    assert!(
        !client(
            cluster,
            "reader",
            "acme",
            &["ingest", "--no-embed", "--collection", "acme", "handbook"]
        )
        .await
        .status
        .success()
    );
    succeed(
        cluster,
        "app",
        "",
        &["remove", "--yes", "--collection", "acme", "handbook/logging.md"],
    )
    .await;
    assert_eq!(found(cluster, "acme").await, [""; 0]);
}

/// A role that writes only for its own tenant, with its own rights.
async fn write_for_one_tenant(cluster: &Cluster) {
    cluster.execute_as(SUPERUSER, "CREATE ROLE acme LOGIN; GRANT USAGE ON SCHEMA rag TO acme; GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA rag TO acme").await;
    succeed(cluster, "acme", "acme", &["ingest", "--collection", "acme", "handbook/logging.md"])
        .await;
    let foreign = client(
        cluster,
        "acme",
        "acme",
        &["ingest", "--no-embed", "--collection", "globex", "handbook"],
    )
    .await;
    let stderr = String::from_utf8(foreign.stderr).unwrap();
    assert!(
        !foreign.status.success() && stderr.contains("passage doctor --store rag --as ROLE"),
        "{stderr}"
    );
    let error = cluster
        .error_as(
            "acme",
            "SET app.tenant = 'acme'; SELECT passage.ingest('x', 'text', collection => 'globex')",
        )
        .await;
    assert_eq!(error.code().code(), "42501");
    assert!(
        error.hint().is_some_and(
            |hint| hint.contains("A policy on rag.documents must admit the row for INSERT")
        ),
        "{error:?}"
    );
    assert_eq!(found(cluster, "globex").await.len(), 3, "acme has removed or changed nothing");
}

#[tokio::test]
async fn doctor_names_what_an_adopted_store_needs() {
    let cluster = with_roles().await;
    cluster
        .execute(
            "CREATE TABLE pages (id integer PRIMARY KEY, book text, body text);
             INSERT INTO pages VALUES (1, 'a', 'Text of a page.');
             SELECT count(*) FROM passage.adopt('pages', 'shelf', document => 'book', content => 'body')",
        )
        .await;
    let state = async || -> Vec<(String, String)> {
        let arguments = ["doctor", "--json", "--store", "shelf", "--as", "reader"];
        let output = succeed(&cluster, OWNER, "", &arguments).await;
        let findings = output.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
        let bad = findings.filter(|finding| finding["severity"] != "good");
        bad.map(|finding| {
            (finding["what"].as_str().unwrap().into(), finding["remedy"].as_str().unwrap().into())
        })
        .collect()
    };
    let search = "SELECT count(*) FROM passage.search('page', store => 'shelf')";
    assert_eq!(cluster.error_as("reader", search).await.code().code(), "42501");
    let before = state().await;
    assert_eq!(before.len(), 6, "{before:?}");
    assert!(before[2].1.contains("Write to table public.pages"), "{before:?}");
    cluster.execute(&before[1].1).await;
    assert_eq!(state().await.len(), 4, "{before:?}");
    assert_eq!(cluster.query_text_as("reader", search).await, "1");
    // A policy of the table is for its owner to write.
    cluster
        .execute(
            "ALTER TABLE pages ENABLE ROW LEVEL SECURITY; SELECT passage.upgrade_store('shelf')",
        )
        .await;
    let before = state().await;
    assert!(before[0].1.contains("Create a policy for SELECT on public.pages"), "{before:?}");
    cluster.execute("CREATE POLICY shown ON pages FOR SELECT USING (true)").await;
    assert_eq!(state().await.len(), 4);
}
