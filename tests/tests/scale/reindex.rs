//! Reindexing a whole store: in layout `schema` as on one server, in layout `document` refused.

use crate::citus::{Citus, MODEL_DIMENSIONS, STORES};
use crate::commands::run;
use crate::nodes::rows;
use crate::writing::check_state;
use passage_tests::cases;
use passage_tests::cluster::SUPERUSER;
use std::fmt::Write;
use std::process::Stdio;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// The stores that a reindex replaces.
const REPLACEABLE: [&str; 2] = ["plain", "tenant"];

/// Documents whose chunks depend on the sizes of the splitter.
async fn fill(citus: &Citus, documents: usize) {
    for store in cases(STORES) {
        let client = citus.coordinator().client().await;
        let ingest = format!("SELECT outcome FROM passage.ingest($1, $2, store => '{store}')");
        let ingest = client.prepare(&ingest).await.unwrap();
        for document in 0..documents {
            let mut text = format!("# Page {document}\n");
            for sentence in 0..60 {
                write!(text, "\nSentence {sentence} of page {document} has lexeme{document}.\n")
                    .unwrap();
            }
            let uri = format!("page/{document}");
            client.query_one(&ingest, &[&uri, &text]).await.unwrap();
        }
    }
}

/// The customizations of a store, without its name.
fn customizations(store: &str) -> String {
    format!(
        "SELECT replace(line, '{store}', 'STORE') AS line FROM (
            SELECT relname || ' ' || relacl::text || coalesce(obj_description(oid, 'pg_class'), '') || relrowsecurity || coalesce(reloptions::text, '') FROM pg_class WHERE relnamespace = '{store}'::regnamespace AND relkind IN ('r', 'v')
            UNION ALL SELECT relname || ' ' || attname || ' ' || attacl::text FROM pg_attribute JOIN pg_class ON pg_class.oid = attrelid WHERE relnamespace = '{store}'::regnamespace AND attacl IS NOT NULL
            UNION ALL SELECT pg_get_indexdef(indexrelid) FROM pg_index JOIN pg_class ON pg_class.oid = indrelid WHERE relnamespace = '{store}'::regnamespace
            UNION ALL SELECT polname || polcmd::text || pg_get_expr(polqual, polrelid) || polroles::regrole[]::text FROM pg_policy JOIN pg_class ON pg_class.oid = polrelid WHERE relnamespace = '{store}'::regnamespace
            UNION ALL SELECT nspname || nspacl::text || obj_description(oid, 'pg_namespace') FROM pg_namespace WHERE nspname = '{store}'
            UNION ALL SELECT concat_ws(' ', name, base, before) FROM passage.strategies('{store}')) AS found (line) ORDER BY 1"
    )
}

#[tokio::test]
async fn a_store_on_one_node_is_reindexed_with_its_customizations() {
    let Some(citus) = Citus::start(MODEL_DIMENSIONS).await else { return };
    fill(&citus, 12).await;
    let coordinator = citus.coordinator();
    coordinator.execute_as(SUPERUSER, "CREATE ROLE reader LOGIN").await;
    for store in REPLACEABLE {
        for statement in [
            "GRANT USAGE ON SCHEMA $STORE TO reader",
            "GRANT SELECT ON $STORE.documents, $STORE.chunks_embedded TO reader",
            "GRANT SELECT (id, content) ON $STORE.chunks TO reader",
            "CREATE INDEX own ON $STORE.documents (media_type, title)",
            "COMMENT ON SCHEMA $STORE IS 'the pages'",
            "COMMENT ON TABLE $STORE.chunks IS 'parts of pages'",
            "CREATE POLICY everybody ON $STORE.documents FOR SELECT TO reader USING (uri LIKE 'page/%')",
            "CREATE POLICY everybody ON $STORE.chunks FOR SELECT TO reader USING (true)",
            "CREATE POLICY everybody ON $STORE.embeddings FOR SELECT TO reader USING (true)",
            "ALTER TABLE $STORE.documents ENABLE ROW LEVEL SECURITY",
            "ALTER TABLE $STORE.chunks ENABLE ROW LEVEL SECURITY",
            "ALTER TABLE $STORE.embeddings ENABLE ROW LEVEL SECURITY",
            "ALTER TABLE $STORE.chunks SET (fillfactor = 90)",
            "INSERT INTO $STORE.strategies (name, base, before, after) VALUES ('wide', 'none', 3, 3)",
            "UPDATE $STORE.chunks SET metadata = metadata || '{\"seen\": true}' WHERE ordinal = 0",
        ] {
            coordinator.execute(&statement.replace("$STORE", store)).await;
        }
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    for store in STORES {
        run(coordinator, store, path, "embed").await.unwrap();
    }
    let before = coordinator.query_lines(&customizations("tenant")).await;
    for arguments in cases([
        "reindex --max-size 90 --drop-former",
        "reindex --max-size 60 --embedding-type halfvec --language german --drop-former",
    ]) {
        let plain = run(coordinator, "plain", path, arguments).await;
        let distributed = run(coordinator, "tenant", path, arguments).await;
        assert_eq!(distributed, plain, "{arguments}");
        assert!(plain.is_ok(), "{plain:?}");
        // The store that documents are distributed in has the former chunks, so it is not compared.
        check_state(&citus, "tenant", arguments).await;
        let expected = coordinator.query_lines(&customizations("plain")).await;
        assert!(expected.len() > 20, "{expected:#?}");
        assert_eq!(coordinator.query_lines(&customizations("tenant")).await, expected);
        let check = "SELECT * FROM passage.check_store('tenant', true)";
        assert_eq!(coordinator.query_lines(check).await, [""; 0], "{arguments}");
    }
    assert_eq!(before.len(), coordinator.query_lines(&customizations("tenant")).await.len());
    // Each node has the new tables under the name of the store, and no other ones.
    for node in &citus.nodes {
        let schemas = "SELECT nspname FROM pg_namespace WHERE nspname LIKE 'tenant%'";
        assert_eq!(node.query_lines(schemas).await, ["tenant"]);
        let search = "SELECT count(*) > 0 FROM passage.search('lexeme7', store => 'tenant')";
        assert_eq!(node.query_text(search).await, "t");
    }
    let locks = "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND classid <> 0";
    for node in &citus.nodes {
        assert_eq!(node.query_text_as(SUPERUSER, locks).await, "0");
    }
}

#[tokio::test]
async fn a_reindex_says_which_stores_and_nodes_it_needs() {
    let Some(citus) = Citus::start(MODEL_DIMENSIONS).await else {
        return;
    };
    fill(&citus, 2).await;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    for (node, store, reason) in cases([
        (
            0,
            "spread",
            "store \"STORE\" is distributed by document, so no other store can replace it at once",
        ),
        (
            1,
            "spread",
            "store \"STORE\" is distributed by document, so no other store can replace it at once",
        ),
        (1, "tenant", "store \"STORE\" can be reindexed only on the coordinator of Citus"),
    ]) {
        for command in cases(["reindex", "reindex --dry-run"]) {
            let reindex = run(&citus.nodes[node], store, path, command).await;
            assert!(reindex.as_ref().is_err_and(|error| error.contains(reason)), "{reindex:?}");
        }
    }
    let dry = run(citus.coordinator(), "tenant", path, "reindex --max-size 60 --dry-run").await;
    assert_eq!(
        dry,
        run(citus.coordinator(), "plain", path, "reindex --max-size 60 --dry-run").await
    );
    assert!(dry.is_ok(), "{dry:?}");
    // Nothing of it is left.
    let schemas = "SELECT count(*) FROM pg_namespace WHERE nspname LIKE '%_reindex'";
    for node in &citus.nodes {
        assert_eq!(node.query_text(schemas).await, "0");
    }
}

#[tokio::test]
async fn readers_and_writers_of_each_node_go_on_during_a_reindex() {
    let Some(citus) = Citus::start(MODEL_DIMENSIONS).await else {
        return;
    };
    fill(&citus, 40).await;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let (done, answers) = (AtomicBool::new(false), AtomicUsize::new(0));
    let read = async |node: usize| {
        let client = citus.nodes[node].client().await;
        let mut failures = Vec::new();
        while !done.load(Ordering::Relaxed) {
            for query in [
                "SELECT DISTINCT uri FROM passage.search('lexeme7', store => 'tenant')",
                "SELECT uri FROM passage.fragments('lexeme7', store => 'tenant') LIMIT 1",
            ] {
                match rows(&client, query).await {
                    Ok(rows) => assert_eq!(rows, ["page/7"], "{query}"),
                    Err(error) => failures.push(error),
                }
                answers.fetch_add(1, Ordering::Relaxed);
            }
        }
        failures
    };
    let write = async |node: usize| {
        let client = citus.nodes[node].client().await;
        let mut written = Vec::new();
        let mut failures = Vec::new();
        while !done.load(Ordering::Relaxed) {
            let uri = format!("new/{node}/{}", written.len() + failures.len());
            let ingest = format!(
                "SELECT outcome FROM passage.ingest('{uri}', '# New' || E'\\n\\ntext of {uri}', store => 'tenant')"
            );
            match rows(&client, &ingest).await {
                Ok(_) => written.push(uri),
                Err(error) => failures.push(error),
            }
            tokio::time::sleep(std::time::Duration::from_millis(200)).await;
        }
        (written, failures)
    };
    let reindex = async {
        for size in [90, 60, 90] {
            let command = format!("reindex --max-size {size} --no-embed --drop-former");
            run(citus.coordinator(), "tenant", path, &command).await.unwrap();
        }
        done.store(true, Ordering::Relaxed);
    };
    let ((), read, written) =
        tokio::join!(reindex, async { tokio::join!(read(0), read(1), read(2)) }, async {
            tokio::join!(write(0), write(1))
        });
    assert!(answers.load(Ordering::Relaxed) > 100);
    let read = [read.0, read.1, read.2].concat();
    assert!(read.is_empty(), "{read:?}");
    for (written, failures) in [written.0, written.1] {
        assert!(failures.is_empty(), "{failures:?}");
        for uri in written {
            let count = format!("SELECT count(*) FROM tenant.documents WHERE uri = '{uri}'");
            assert_eq!(citus.coordinator().query_text(&count).await, "1", "{uri}");
        }
    }
}

#[tokio::test]
async fn a_killed_reindex_leaves_the_store_and_the_next_one_continues() {
    let Some(citus) = Citus::start(MODEL_DIMENSIONS).await else {
        return;
    };
    fill(&citus, 60).await;
    let coordinator = citus.coordinator();
    let folder = tempfile::tempdir().unwrap();
    let arguments = "reindex --max-size 60 --no-embed --drop-former";
    let made = "SELECT count(*) FROM tenant_reindex.made";
    let client = citus.nodes[1].client().await;
    let mut counts = vec![0];
    // Each run is killed after the last one's documents and some more.
    for more in cases([1, 5, 15]) {
        let mut reindex = coordinator.client_program();
        reindex.args(arguments.split(' ')).args(["--store", "tenant"]);
        let mut reindex = reindex.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        let least = counts.last().unwrap() + more;
        let count = loop {
            let count = rows(&client, made).await;
            let count = count.map_or(0, |count| count[0].parse::<usize>().unwrap());
            if count >= least {
                break count;
            }
            assert!(reindex.try_wait().unwrap().is_none(), "it ends after {least} documents");
        };
        reindex.kill().await.unwrap();
        counts.push(count);
        check_state(&citus, "tenant", "killed").await;
    }
    for store in REPLACEABLE {
        run(coordinator, store, folder.path(), arguments).await.unwrap();
    }
    check_state(&citus, "tenant", arguments).await;
    let prepared = "SELECT count(*) FROM pg_prepared_xacts";
    for node in &citus.nodes {
        assert_eq!(node.query_text_as(SUPERUSER, prepared).await, "0");
    }
}
