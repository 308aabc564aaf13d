//! Shards that move, a worker that is killed, and policies.

use crate::citus::{Citus, DIMENSIONS};
use crate::nodes::rows;
use passage_tests::cluster::SUPERUSER;
use passage_tests::wait::PATIENCE;
use passage_tests::{Cluster, cases};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Instant;

/// Ingests documents of a few chunks into both layouts.
async fn fill(citus: &Citus) {
    for store in ["tenant", "spread"] {
        citus.ingest_pages(store).await;
    }
}

const QUERIES: [&str; 3] = [
    "SELECT uri, content FROM passage.search('common lexeme7', store => '$STORE')",
    "SELECT outline, chunks FROM passage.outline('page/3', store => '$STORE')",
    "SELECT uri, content FROM passage.fragments('lexeme9', store => '$STORE')",
];

#[tokio::test]
async fn answers_stay_the_same_while_shards_move() {
    let Some(citus) = Citus::start(DIMENSIONS).await else { return };
    fill(&citus).await;
    let coordinator = citus.coordinator();
    let mut expected = Vec::new();
    for store in cases(["tenant", "spread"]) {
        for query in QUERIES {
            let query = query.replace("$STORE", store);
            let answer = coordinator.query_lines(&query).await;
            assert!(!answer.is_empty(), "{query}");
            expected.push((query, answer));
        }
    }
    let (done, count) = (AtomicBool::new(false), AtomicUsize::new(0));
    let read = async {
        let clients = [citus.nodes[0].client().await, citus.nodes[1].client().await];
        while !done.load(Ordering::Relaxed) {
            for (query, expected) in &expected {
                for client in &clients {
                    assert_eq!(rows(client, query).await.as_ref(), Ok(expected), "{query}");
                    count.fetch_add(1, Ordering::Relaxed);
                }
            }
        }
    };
    let moves = async {
        citus.move_shards(&["block_writes"; 5]).await;
        done.store(true, Ordering::Relaxed);
    };
    tokio::join!(read, moves);
    assert!(count.load(Ordering::Relaxed) > 20, "{count:?} answers");
}

#[tokio::test]
async fn a_killed_worker_costs_errors_and_no_rows() {
    let Some(mut citus) = Citus::start(DIMENSIONS).await else { return };
    fill(&citus).await;
    let search = QUERIES[0].replace("$STORE", "spread");
    let counts = "SELECT documents, chunks FROM passage.store_stats('spread') LIMIT 1";
    let (answer, before) = (
        citus.coordinator().query_lines(&search).await,
        citus.coordinator().query_lines(counts).await,
    );
    citus.nodes[2].destroy();
    let client = citus.coordinator().client().await;
    assert!(rows(&client, &search).await.is_err());
    let mut written = 0;
    for n in 100..120 {
        let ingest = format!(
            "SELECT chunks FROM passage.ingest('page/{n}', E'# Page\\n\\nwritten\\n\\n## More\\n\\nanother', store => 'spread')"
        );
        // A document on the other worker is written.
        if let Ok(rows) = rows(&client, &ingest).await {
            written += rows.len();
        }
    }
    citus.nodes[2].start_again().await;
    let begun = Instant::now();
    while rows(&client, &search).await.is_err() {
        assert!(begun.elapsed() < PATIENCE, "the worker is back");
    }
    // No document is there without its chunks.
    let halves =
        "SELECT count(*) FROM passage.check_store('spread', true) WHERE problem !~ 'embedding'";
    assert_eq!(citus.coordinator().query_text(halves).await, "0");
    let after = citus.coordinator().query_lines(counts).await;
    let documents =
        |counts: &[String]| counts[0].split('|').next().unwrap().parse::<usize>().unwrap();
    assert_eq!(documents(&after), documents(&before) + written);
    for uri in 100..120 {
        let remove =
            format!("SELECT documents FROM passage.remove('page/{uri}', store => 'spread')");
        citus.coordinator().query_text(&remove).await;
    }
    assert_eq!(citus.coordinator().query_lines(&search).await, answer);
}

#[tokio::test]
async fn policies_hold_on_the_shards() {
    let Some(citus) = Citus::start(DIMENSIONS).await else { return };
    let coordinator = citus.coordinator();
    for store in cases(["tenant", "spread"]) {
        let template = format!("SELECT * FROM passage.create_store('{store}', dry_run => true)");
        let template = coordinator.query_lines(&template).await.pop().unwrap();
        let template = template.lines().map(|line| line.trim_start_matches("--"));
        let statements: Vec<_> = template
            .filter(|line| line.ends_with(';') && !line.contains("GRANT "))
            .map(str::to_owned)
            .collect();
        assert_eq!(statements.len(), 9, "{statements:#?}");
        for statement in &statements {
            coordinator.execute(statement).await;
        }
    }
    for role in ["alice", "bob"] {
        coordinator.execute_as(SUPERUSER, &format!("CREATE ROLE {role} LOGIN")).await;
    }
    for store in cases(["tenant", "spread"]) {
        coordinator.execute(&format!("GRANT USAGE ON SCHEMA {store} TO alice, bob")).await;
        coordinator
            .execute(&format!("GRANT ALL ON ALL TABLES IN SCHEMA {store} TO alice, bob"))
            .await;
        for role in cases(["alice", "bob"]) {
            let ingest = format!(
                "SELECT outcome FROM passage.ingest('{role}/note', 'a note of {role}', store => '{store}')"
            );
            // Citus writes to a table of one shard by COPY, which policies forbid to all but the owner.
            if store == "spread" {
                assert_eq!(coordinator.query_text_as(role, &ingest).await, "added");
                continue;
            }
            coordinator.execute(&ingest).await;
            for (table, id) in [("documents", "id"), ("chunks", "document_id")] {
                let give = format!(
                    "UPDATE {store}.{table} SET reader = '{role}' WHERE {id} = (SELECT id FROM {store}.documents WHERE uri = '{role}/note')"
                );
                coordinator.execute(&give).await;
            }
        }
        for node in &citus.nodes {
            for role in cases(["alice", "bob"]) {
                for read in cases([
                    "search('note', store => '$STORE')",
                    "fragments('note', store => '$STORE')",
                ]) {
                    let query =
                        format!("SELECT uri FROM passage.{}", read.replace("$STORE", store));
                    assert_eq!(
                        node.query_lines_as(role, &query).await,
                        [format!("{role}/note")],
                        "{store}"
                    );
                }
                let other = if role == "alice" { "bob" } else { "alice" };
                let outline =
                    format!("SELECT * FROM passage.outline('{other}/note', store => '{store}')");
                assert!(node.query_lines_as(role, &outline).await.is_empty());
            }
        }
    }
}

#[tokio::test]
async fn functions_take_rows_of_their_own_store() {
    let Some(citus) = Citus::start(DIMENSIONS).await else {
        return;
    };
    fill(&citus).await;
    for store in cases(["tenant", "spread"]) {
        for query in [
            "SELECT count(*) > 0 FROM passage.reassemble(ARRAY(SELECT id FROM $STORE.chunks ORDER BY id LIMIT 5), store => '$STORE')",
            "SELECT count(*) > 4 FROM (SELECT id FROM $STORE.chunks ORDER BY id LIMIT 5) AS hit CROSS JOIN LATERAL passage.expand_context(hit.id, 'broad', store => '$STORE')",
            "SELECT count(*) > 0 FROM passage.search_hits('common', store => '$STORE') AS hit JOIN $STORE.chunks ON chunks.id = hit.chunk_id",
            "SELECT count(*) > 0 FROM (SELECT array_agg(chunk_id) AS ids FROM passage.search_hits('common', store => '$STORE')) AS hits, passage.reassemble(hits.ids, store => '$STORE')",
        ] {
            let query = query.replace("$STORE", store);
            for node in &citus.nodes {
                assert_eq!(node.query_text(&query).await, "t", "{query}");
            }
        }
    }
}

#[tokio::test]
async fn a_transaction_sees_the_rows_that_it_has_written() {
    let Some(citus) = Citus::start(DIMENSIONS).await else { return };
    for store in cases(["tenant", "spread"]) {
        let client = citus.coordinator().client().await;
        client.batch_execute("BEGIN").await.unwrap();
        for n in 1..20 {
            let ingest =
                format!("SELECT passage.ingest('new/{n}', 'a new text {n}', store => '{store}')");
            rows(&client, &ingest).await.unwrap();
        }
        let search = format!(
            "SELECT count(*) FROM passage.search('text', max_passages => 50, store => '{store}')"
        );
        assert_eq!(rows(&client, &search).await.unwrap(), ["19"], "{store}");
        client.batch_execute("ROLLBACK").await.unwrap();
        assert_eq!(rows(&client, &search).await.unwrap(), ["0"], "{store}");
    }
}

#[tokio::test]
async fn a_shard_without_a_key_is_an_error() {
    let Some(citus) = Citus::start(DIMENSIONS).await else { return };
    fill(&citus).await;
    let coordinator = citus.coordinator();
    let search = QUERIES[0].replace("$STORE", "spread");
    let check = "SELECT * FROM passage.check_store('spread')";
    let answer = coordinator.query_lines(&search).await;
    coordinator.execute("TRUNCATE spread.shard_keys").await;
    let error = coordinator.error(&search).await;
    assert_eq!(error.message(), "a shard of store \"spread\" has no key in table \"shard_keys\"");
    let remedy = error.hint().unwrap().split_once("run ").unwrap().1;
    coordinator.execute(remedy).await;
    assert_eq!(coordinator.query_lines(&search).await, answer);

    coordinator.execute("DROP TABLE spread.shard_keys").await;
    assert!(!citus.nodes[1].query_lines(check).await.is_empty());
    coordinator.execute("SELECT passage.upgrade_store('spread')").await;
    assert!(coordinator.query_lines(check).await.is_empty());
    for node in &citus.nodes {
        assert_eq!(node.query_lines(&search).await, answer);
    }
}

/// Returns the lengths of the statements with a call of `shard_rows` that the workers log during a query on the coordinator, in
/// bytes.
async fn sent(citus: &Citus, query: &str) -> Vec<usize> {
    let lengths = |worker: &Cluster| -> Vec<usize> {
        let log = worker.whole_log();
        log.lines().filter(|line| line.contains("_passage.shard_rows(")).map(str::len).collect()
    };
    let workers = &citus.nodes[1..];
    let before: Vec<_> = workers.iter().map(|worker| lengths(worker).len()).collect();
    assert!(!citus.coordinator().query_lines(query).await.is_empty(), "{query}");
    let new = workers.iter().zip(before).map(|(worker, before)| lengths(worker).split_off(before));
    let mut sent: Vec<usize> = new.flatten().collect();
    sent.sort_unstable();
    sent
}

#[tokio::test]
async fn a_shard_gets_no_more_if_there_are_many() {
    let Some(citus) = Citus::start(DIMENSIONS).await else { return };
    let client = citus.coordinator().client().await;
    let create = "SET citus.shard_count = 128; SELECT passage.create_store('many', dimensions => 32, distributed => 'document')";
    client.batch_execute(create).await.unwrap();
    for store in ["spread", "many"] {
        citus.ingest_pages(store).await;
    }
    for worker in &citus.nodes[1..] {
        worker.execute_as(SUPERUSER, "ALTER SYSTEM SET log_statement = 'all'").await;
        worker.execute_as(SUPERUSER, "SELECT pg_reload_conf()").await;
    }
    for query in cases([
        "SELECT outline FROM passage.outline('page/3', store => '$STORE')",
        "SELECT uri FROM passage.search('lexeme7', store => '$STORE')",
    ]) {
        let few = sent(&citus, &query.replace("$STORE", "spread")).await;
        let many = sent(&citus, &query.replace("$STORE", "many")).await;
        assert!(few.len() >= 8 && many.len() >= 128, "{query}: {few:?} {many:?}");
        // Most statements are those that all shards get.
        let median = |lengths: &[usize]| lengths[lengths.len() / 2];
        assert!(median(&many) < median(&few) + 100, "{query}: {few:?} {many:?}");
    }
    // The collection, version and uri of a document lead to one shard. An inserted document has an id of its own.
    let one = "SELECT outline FROM passage.outline('page/3', collection => '', version => '', store => 'many')";
    let to_one = sent(&citus, one).await;
    assert!(to_one.len() <= 4, "{to_one:?}");
    citus
        .coordinator()
        .execute("INSERT INTO many.documents (uri, chunk_count) VALUES ('own', 1)")
        .await;
    citus.coordinator().execute("INSERT INTO many.chunks (id, document_id, ordinal, content) SELECT id, id, 0, 'own text' FROM many.documents WHERE uri = 'own'").await;
    let own = one.replace("page/3", "own");
    assert_eq!(citus.coordinator().query_lines(&own).await.len(), 1);
}

#[tokio::test]
async fn a_transaction_older_than_a_move_is_told_to_begin_again() {
    let Some(citus) = Citus::start(DIMENSIONS).await else { return };
    fill(&citus).await;
    let search = QUERIES[0].replace("$STORE", "spread");
    let expected = citus.coordinator().query_lines(&search).await;
    for node in &citus.nodes {
        let client = node.client().await;
        client.batch_execute("BEGIN ISOLATION LEVEL REPEATABLE READ").await.unwrap();
        // Each node has the snapshot of its first statement.
        assert_eq!(rows(&client, &search).await.as_ref(), Ok(&expected));
        client.batch_execute("COMMIT; BEGIN ISOLATION LEVEL REPEATABLE READ").await.unwrap();
        let key = rows(&client, "SELECT count(*) FROM spread.settings").await.unwrap();
        assert_eq!(key.len(), 1);
        citus.move_shards(&["block_writes"; 9]).await;
        match rows(&client, &search).await {
            Ok(answer) => assert_eq!(answer, expected),
            Err(error) => {
                assert_eq!(error, "a shard of store \"spread\" moved during the transaction");
            }
        }
        client.batch_execute("ROLLBACK").await.unwrap();
        assert_eq!(rows(&client, &search).await.as_ref(), Ok(&expected));
    }
}
