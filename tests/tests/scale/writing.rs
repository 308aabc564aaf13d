//! Writing to stores on Citus: the layouts, and the functions that write.

use crate::citus::{Citus, DIMENSIONS, STORES};
use passage_tests::cases;
use passage_tests::cluster::SUPERUSER;

/// The rows of a store without embeddings and what depends on the moment. A hash of 16 bytes is the random one of a
/// document that `reindex` has split with other settings.
fn state(store: &str) -> String {
    format!(
        "SELECT row FROM (
            SELECT to_jsonb(d) - '{{ingested_at,source_row,orphaned_at}}'::text[] || jsonb_build_object(
                'is_orphaned', orphaned_at IS NOT NULL,
                'content_hash', CASE length(content_hash) WHEN 16 THEN NULL ELSE content_hash END) AS row
            FROM {store}.documents AS d
            UNION ALL SELECT to_jsonb(c) FROM {store}.chunks AS c
            UNION ALL SELECT to_jsonb(e) - 'embedding' FROM {store}.embeddings AS e) AS rows ORDER BY row::text"
    )
}

/// Checks that both layouts have the rows of the plain store, seen from each node.
pub async fn check_states(citus: &Citus, step: &str) {
    for store in &STORES[1..] {
        check_state(citus, store, step).await;
    }
}

/// Checks that a store has the rows of the plain one, seen from each node.
pub async fn check_state(citus: &Citus, store: &str, step: &str) {
    let expected = citus.coordinator().query_lines(&state(STORES[0])).await;
    for node in &citus.nodes {
        let rows = node.query_lines(&state(store)).await;
        let different = rows.iter().zip(&expected).find(|(row, expected)| row != expected);
        assert!(different.is_none(), "{step}: {store}: {different:#?}");
        assert_eq!(rows.len(), expected.len(), "{step}: {store}");
    }
    // The texts that a model embeds together change the last digits.
    let distance = format!(
        "SELECT count(*) FROM {}.embeddings AS e JOIN {store}.embeddings AS o USING (chunk_id) WHERE e.embedding <=> o.embedding > 1e-5",
        STORES[0]
    );
    assert_eq!(citus.coordinator().query_text(&distance).await, "0", "{step}: {store}");
}

#[tokio::test]
async fn functions_that_write_leave_the_rows_of_a_plain_store() {
    let Some(citus) = Citus::start(DIMENSIONS).await else { return };
    let coordinator = citus.coordinator();
    let texts = [
        ("guide.md", "# One\n\nfirst\n\n## Two\n\nsecond\n"),
        ("guide.md", "# Zero\n\nbefore\n\n# One\n\nfirst\n\n## Two\n\nsecond\n"),
        ("guide.md", "# Zero\n\nbefore\n\n## Two\n\nchanged\n"),
        ("other.md", "# Other\n\ntext of another document\n"),
        ("code.rs", "/// Adds.\nfn add(a: u32, b: u32) -> u32 {\n    a + b\n}\n"),
    ];
    for (step, (uri, text)) in texts.into_iter().enumerate() {
        for (node, store) in STORES.iter().enumerate() {
            // Each layout is written from another node.
            let node =
                if *store == "plain" { coordinator } else { &citus.nodes[(node + step) % 3] };
            let call = format!(
                "SELECT outcome, chunks, kept, moved, added, removed FROM passage.ingest('{uri}', E'{}', collection => 'c', store => '{store}')",
                text.replace('\n', "\\n")
            );
            let outcome = node.query_lines(&call).await;
            assert_eq!(outcome.len(), 1, "{store}");
            assert_eq!(
                node.query_lines(&call).await[0].split('|').next(),
                Some("unchanged"),
                "{store}"
            );
        }
        check_states(&citus, uri).await;
    }
    for call in cases(["uri => 'guide.md'", "collection => 'c'"]) {
        let mut counts = Vec::new();
        for store in STORES {
            let remove =
                format!("SELECT documents, chunks FROM passage.remove({call}, store => '{store}')");
            counts.push(coordinator.query_lines(&remove).await);
        }
        assert!(counts.iter().all(|count| *count == counts[0] && count[0] != "0|0"), "{counts:?}");
        check_states(&citus, call).await;
    }
}

#[tokio::test]
async fn a_trigger_keeps_a_store_in_step_with_a_table() {
    let Some(citus) = Citus::start(DIMENSIONS).await else { return };
    let coordinator = citus.coordinator();
    coordinator.execute("CREATE TABLE articles (id integer PRIMARY KEY, body text)").await;
    for store in STORES {
        let trigger = |name: &str, event: &str, level: &str| {
            format!(
                "CREATE TRIGGER {store}_{name} AFTER {event} ON articles FOR EACH {level} \
                 EXECUTE FUNCTION passage.keep_in_step('text={{body}}', 'uri=articles/{{id}}', 'store={store}')"
            )
        };
        coordinator.execute(&trigger("rows", "INSERT OR UPDATE OR DELETE", "ROW")).await;
        coordinator.execute(&trigger("all", "TRUNCATE", "STATEMENT")).await;
    }
    for statement in [
        "INSERT INTO articles SELECT n, 'article number ' || n FROM generate_series(1, 5) AS n",
        "UPDATE articles SET body = body || ' changed' WHERE id < 3",
        "UPDATE articles SET id = 10 WHERE id = 1",
        "DELETE FROM articles WHERE id = 2",
        "TRUNCATE articles",
    ] {
        coordinator.execute(statement).await;
        check_states(&citus, statement).await;
    }
}

#[tokio::test]
async fn create_store_makes_each_layout_and_knows_it_later() {
    let Some(citus) = Citus::start(DIMENSIONS).await else { return };
    let coordinator = citus.coordinator();
    for (store, kind) in cases([("tenant", "schema"), ("spread", "document")]) {
        let again = format!(
            "SELECT count(*) FROM passage.create_store('{store}', distributed => '{kind}')"
        );
        assert_eq!(coordinator.query_text(&again).await, "0");
        for node in &citus.nodes {
            let problems = node
                .query_lines(&format!("SELECT * FROM passage.check_store('{store}', true)"))
                .await;
            assert!(problems.is_empty(), "{problems:?}");
            let view = format!("SELECT count(*) FROM {store}.chunks_embedded");
            assert_eq!(node.query_text(&view).await, "0");
        }
        // DROP EXTENSION takes such columns.
        coordinator.execute(&format!("ALTER TABLE {store}.chunks DROP COLUMN tsv")).await;
        let upgrade = format!("SELECT * FROM passage.upgrade_store('{store}')");
        assert_eq!(coordinator.query_lines(&upgrade).await.len(), 3, "column, index and comment");
        let error = coordinator
            .error(&format!("SELECT passage.create_store('{store}', partitions => 8)"))
            .await;
        assert!(error.message().contains("has no partitions"), "{}", error.message());
    }
    let kinds = coordinator
        .query_lines(
            "SELECT table_name::text || ' ' || citus_table_type FROM citus_tables ORDER BY 1",
        )
        .await;
    assert_eq!(kinds.len(), 11, "{kinds:?}");
    assert_eq!(kinds.iter().filter(|kind| kind.ends_with(" distributed")).count(), 4, "{kinds:?}");
    assert_eq!(kinds.iter().filter(|kind| kind.ends_with(" reference")).count(), 2, "{kinds:?}");

    // Two documents of one uri have one id, and a chunk has the first half of it.
    let error = coordinator
        .error("INSERT INTO spread.chunks (id, document_id, ordinal, content) VALUES (gen_random_uuid(), '00000000-0000-0000-8000-000000000000', 0, '')")
        .await;
    assert!(error.message().contains("chunks_id_names_document"), "{}", error.message());

    // The triggers of an adopted table would be on one node.
    let adopt = "SELECT passage.adopt('spread.chunks', 'adopted', document => 'document_id', content => 'content')";
    let error = coordinator.error(adopt).await;
    assert_eq!(error.message(), "table spread.chunks is distributed by Citus");

    // Embeddings that are added later are distributed too.
    for kind in cases(["schema", "document"]) {
        let create = |more: &str| {
            format!("SELECT passage.create_store('later_{kind}', distributed => '{kind}'{more})")
        };
        coordinator.execute(&create("")).await;
        coordinator.execute(&create(", dimensions => 3")).await;
        let embeddings = format!(
            "SELECT count(*) FROM citus_tables WHERE table_name = 'later_{kind}.embeddings'::regclass"
        );
        assert_eq!(coordinator.query_text(&embeddings).await, "1");
        let view = format!("SELECT count(*) FROM later_{kind}.chunks_embedded");
        assert_eq!(citus.nodes[1].query_text(&view).await, "0");
    }
}

#[tokio::test]
async fn schema_based_sharding_leaves_no_store_half_distributed() {
    let Some(citus) = Citus::start(DIMENSIONS).await else { return };
    let coordinator = citus.coordinator();
    let sharding = "SET citus.enable_schema_based_sharding = on";
    coordinator
        .execute_as(SUPERUSER, "ALTER DATABASE passage SET citus.enable_schema_based_sharding = on")
        .await;
    assert_eq!(
        coordinator.query_text("SHOW citus.enable_schema_based_sharding").await,
        "on",
        "{sharding}"
    );
    for (store, layout) in cases([("a", "NULL"), ("b", "'schema'"), ("c", "'document'")]) {
        let create = format!(
            "SELECT passage.create_store('{store}', dimensions => 3, distributed => {layout})"
        );
        coordinator.execute(&create).await;
        let ingest =
            format!("SELECT outcome FROM passage.ingest('x.md', 'text', store => '{store}')");
        assert_eq!(coordinator.query_text(&ingest).await, "added");
    }
    let schemas = coordinator
        .query_lines("SELECT schemaid::regnamespace FROM pg_dist_schema ORDER BY 1")
        .await;
    assert_eq!(schemas, ["tenant", "b"]);
    // Tables that a function creates in a schema of Citus would stay on the coordinator.
    coordinator.execute("CREATE SCHEMA d").await;
    let error =
        coordinator.error("SELECT passage.create_store('d', distributed => 'schema')").await;
    assert_eq!(error.message(), "schema \"d\" is distributed by Citus, but its tables are not");
    let error = coordinator.error("SELECT passage.create_store('d')").await;
    assert_eq!(error.message(), "schema \"d\" is distributed by Citus, but its tables are not");
}
