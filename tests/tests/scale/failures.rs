//! Writes while shards move, and while a worker is killed.

use crate::citus::{Citus, DIMENSIONS, STORES};
use crate::writing::check_states;
use passage_tests::cases;
use passage_tests::cluster::SUPERUSER;
use passage_tests::wait::PATIENCE;
use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// The modes of transfer of the shards that move, one after the other.
const MODES: [&str; 5] =
    ["block_writes", "force_logical", "block_writes", "force_logical", "block_writes"];

#[tokio::test]
async fn no_write_is_lost_while_shards_move() {
    let Some(citus) = Citus::start(DIMENSIONS).await else { return };
    let (done, count) = (AtomicBool::new(false), AtomicUsize::new(0));
    let text = |number: usize, round: usize| {
        format!("# Page {number}\n\nround {round}\n\n## More\n\ntext")
    };
    // Each node writes documents of its own, so the last write of each is known.
    let write = async |node: usize, store: &str| {
        let client = citus.nodes[node].client().await;
        let ingest = format!("SELECT outcome FROM passage.ingest($1, $2, store => '{store}')");
        let ingest = client.prepare(&ingest).await.unwrap();
        let mut written = HashMap::new();
        let mut retries = 0;
        for round in 0.. {
            if done.load(Ordering::Relaxed) && round > 3 {
                break;
            }
            for number in (node..30).step_by(3) {
                let uri = format!("page/{number}");
                // A client repeats a write that failed because of a move.
                let begun = Instant::now();
                while let Err(error) = client.query(&ingest, &[&uri, &text(number, round)]).await {
                    let code = error.code().expect("the server answers").code().to_owned();
                    let is_retryable = code.starts_with("40") || code == "55P03";
                    assert!(is_retryable && begun.elapsed() < PATIENCE, "{store}: {error:?}");
                    retries += 1;
                }
                written.insert(uri, round);
                count.fetch_add(1, Ordering::Relaxed);
            }
        }
        (written, retries)
    };
    let moves = async {
        citus.move_shards(&MODES).await;
        done.store(true, Ordering::Relaxed);
    };
    let (a, b, c, d, ()) = tokio::join!(
        write(0, "spread"),
        write(1, "spread"),
        write(2, "spread"),
        write(0, "tenant"),
        moves
    );
    println!("{count:?} writes, retries: {} {} {} {}", a.1, b.1, c.1, d.1);
    assert!(count.load(Ordering::Relaxed) > 100, "{count:?} writes");
    for (store, written) in [("spread", vec![a.0, b.0, c.0]), ("tenant", vec![d.0])] {
        let written: HashMap<_, _> = written.into_iter().flatten().collect();
        for node in &citus.nodes {
            let documents = format!("SELECT count(*) FROM {store}.documents");
            assert_eq!(node.query_text(&documents).await, written.len().to_string(), "{store}");
            for (uri, round) in &written {
                let number = uri.rsplit('/').next().unwrap().parse().unwrap();
                let content = format!(
                    "SELECT string_agg(content, '' ORDER BY ordinal) FROM {store}.chunks WHERE document_id = (SELECT id FROM {store}.documents WHERE uri = '{uri}')"
                );
                assert_eq!(node.query_text(&content).await, text(number, *round), "{store} {uri}");
            }
            let problems = format!(
                "SELECT * FROM passage.check_store('{store}', true) WHERE problem !~ 'embedding'"
            );
            let problems = node.query_lines(&problems).await;
            assert!(problems.is_empty(), "{store}: {problems:?}");
        }
    }
}

#[tokio::test]
async fn a_worker_killed_during_an_ingest_leaves_whole_documents() {
    let Some(mut citus) = Citus::start(DIMENSIONS).await else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let count = 1500;
    for number in 0..count {
        let words = "several words of a text. ".repeat(40);
        let text = format!("# Page {number}\n\n{words}\n\n## More\n\n{words}\n");
        std::fs::write(folder.path().join(format!("{number}.md")), text).unwrap();
    }
    let program = |citus: &Citus, store: &str| {
        let mut program = citus.coordinator().client_program();
        program.args(["ingest", ".", "--no-embed", "--store", store]).current_dir(folder.path());
        program
    };
    let running = program(&citus, "spread").output();
    let watch = async {
        let client = citus.coordinator().client().await;
        let begun = Instant::now();
        loop {
            let row = client.query_one("SELECT count(*) FROM spread.documents", &[]).await.unwrap();
            let written: i64 = row.get(0);
            if written > 50 {
                assert!(written < count, "the client has written all documents before the kill");
                citus.nodes[2].destroy();
                return;
            }
            assert!(begun.elapsed() < PATIENCE, "{written} documents");
        }
    };
    let (output, ()) = tokio::join!(running, watch);
    let output = output.unwrap();
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert!(!output.status.success(), "{stderr}");
    assert!(output.status.code().is_some(), "no signal ended the client");
    assert!(!stderr.contains("panicked"), "{stderr}");

    citus.nodes[2].start_again().await;
    let coordinator = citus.coordinator();
    let begun = Instant::now();
    let problems = "SELECT * FROM passage.check_store('spread', true) WHERE problem !~ 'embedding'";
    let client = coordinator.client().await;
    let problems = loop {
        match crate::nodes::rows(&client, problems).await {
            Ok(problems) => break problems,
            Err(error) => assert!(begun.elapsed() < PATIENCE, "{error}"),
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    };
    assert!(problems.is_empty(), "{problems:?}");
    // Citus completes the transactions that the kill has interrupted, else once a minute.
    coordinator.execute_as(SUPERUSER, "SELECT recover_prepared_transactions()").await;
    let written = coordinator.query_text("SELECT count(*) FROM spread.documents").await;
    assert!((50..count).contains(&written.parse().unwrap()), "{written} documents");
    let whole = "SELECT count(*) FROM spread.documents AS d WHERE chunk_count > 1 AND chunk_count = (SELECT count(*) FROM spread.chunks AS c WHERE c.document_id = d.id)";
    assert_eq!(coordinator.query_text(whole).await, written);

    for store in cases(STORES) {
        let output = program(&citus, store).output().await.unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }
    assert_eq!(coordinator.query_text(whole).await, count.to_string());
    check_states(&citus, "a second ingest").await;
}

/// The session on the node that a shard moves to reads the shard on that node as soon as it is there.
#[tokio::test]
async fn writers_on_the_node_that_a_shard_moves_to_wait_for_it() {
    let Some(citus) = Citus::start(DIMENSIONS).await else { return };
    let done = AtomicBool::new(false);
    let write = async |node: usize| {
        let client = citus.nodes[node].client().await;
        let ingest =
            client.prepare("SELECT outcome FROM passage.ingest($1, $2, store => 'spread')");
        let ingest = ingest.await.unwrap();
        let mut written = 0;
        let mut errors = HashMap::new();
        while !done.load(Ordering::Relaxed) {
            for number in 0..12 {
                let (uri, text) =
                    (format!("{node}/{number}"), format!("# Page\n\nround {written}"));
                match client.query(&ingest, &[&uri, &text]).await {
                    Ok(_) => written += 1,
                    Err(error) => {
                        *errors
                            .entry(format!("{:?}", error.as_db_error().unwrap()))
                            .or_insert(0) += 1;
                    }
                }
            }
        }
        (written, errors)
    };
    let moves = async {
        for _ in 0..8 {
            citus.move_shards(&["block_writes"; 8]).await;
        }
        done.store(true, Ordering::Relaxed);
    };
    let (a, b, ()) = tokio::join!(write(1), write(2), moves);
    println!("{} and {} writes, errors: {:?} {:?}", a.0, b.0, a.1, b.1);
    assert!(a.0 > 100 && b.0 > 100, "{} and {} writes", a.0, b.0);
    assert!(a.1.is_empty() && b.1.is_empty(), "{:?} {:?}", a.1, b.1);
}
