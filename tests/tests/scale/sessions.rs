//! Sessions on a worker, and the locks that commands leave.

use crate::citus::{Citus, MODEL_DIMENSIONS, STORES};
use crate::nodes::rows;
use passage_tests::cases;

#[tokio::test]
async fn a_transaction_on_each_node_sees_the_rows_that_it_has_written() {
    let Some(citus) = Citus::start(MODEL_DIMENSIONS).await else {
        return;
    };
    for (index, node) in citus.nodes.iter().enumerate() {
        for store in cases(["tenant", "spread"]) {
            let client = node.client().await;
            let text = async |sql: &str| {
                let sql = sql.replace("$STORE", store);
                rows(&client, &sql).await.unwrap_or_else(|error| panic!("{sql}: {error}"))
            };
            client.batch_execute("BEGIN").await.unwrap();
            for n in 1..20 {
                text(&format!("SELECT passage.ingest('new/{n}', E'# Title\\n\\nnovelty {n}\\n\\n## More\\n\\nword{n}', store => '$STORE')")).await;
            }
            let count = "SELECT count(*) FROM passage.search('novelty', max_passages => 50, store => '$STORE')";
            assert_eq!(text(count).await, ["19"], "{store} on node {index}");
            for n in 1..20 {
                let outline =
                    format!("SELECT count(*) FROM passage.outline('new/{n}', store => '$STORE')");
                assert_ne!(text(&outline).await, ["0"], "{store} on node {index}: {n}");
                let fragments =
                    format!("SELECT uri FROM passage.fragments('word{n}', store => '$STORE')");
                assert_eq!(text(&fragments).await, [format!("new/{n}")], "{store} on node {index}");
            }
            // After another write of the same document, and after one by plain SQL.
            text("SELECT passage.ingest('new/1', 'replacement', store => '$STORE')").await;
            assert_eq!(text(count).await, ["18"], "{store} on node {index}");
            text("DELETE FROM $STORE.documents WHERE uri = 'new/2'").await;
            assert_eq!(text(count).await, ["17"], "{store} on node {index}");
            text("SAVEPOINT before").await;
            text("SELECT passage.remove('new/3', store => '$STORE')").await;
            assert_eq!(text(count).await, ["16"], "{store} on node {index}");
            text("ROLLBACK TO before").await;
            assert_eq!(text(count).await, ["17"], "{store} on node {index}");
            let other = count.replace("$STORE", store);
            let other = citus.nodes[(index + 1) % 3].query_text(&other).await;
            assert_eq!(other, "0", "{store}: another session sees nothing");
            client.batch_execute("ROLLBACK").await.unwrap();
            assert_eq!(text(count).await, ["0"], "{store} on node {index}");
        }
    }
}

#[tokio::test]
async fn embed_leaves_no_advisory_locks_on_any_node() {
    let Some(citus) = Citus::start(MODEL_DIMENSIONS).await else { return };
    let folder = tempfile::tempdir().unwrap();
    for number in 0..40 {
        let text = format!("# Page {number}\n\nfirst\n\n## More\n\nsecond of {number}\n");
        std::fs::write(folder.path().join(format!("{number}.md")), text).unwrap();
    }
    for (index, store) in STORES.into_iter().enumerate() {
        for command in cases([vec!["ingest", ".", "--no-embed"], vec!["embed"]]) {
            let mut program =
                citus.nodes[if store == "plain" { 0 } else { index }].client_program();
            program.args(command).args(["--store", store]).current_dir(folder.path());
            let output = program.output().await.expect("passage runs");
            assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        }
        let embedded = format!("SELECT count(*) FROM {store}.embeddings");
        assert_eq!(citus.coordinator().query_text(&embedded).await, "40", "{store}");
        for (index, node) in citus.nodes.iter().enumerate() {
            let locks = "SELECT pid || ' ' || classid || ' ' || objid || ' ' || mode FROM pg_locks WHERE locktype = 'advisory'";
            let locks = node.query_lines(locks).await;
            assert!(locks.is_empty(), "{store} on node {index}: {locks:?}");
        }
    }
}
