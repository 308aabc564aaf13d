//! Boundaries: markers in documents, and the pattern of `--split-at`.

use crate::{Sources, assert_sound, ingest_text, run_client, text_cluster};
use passage_tests::cases;
use passage_tests::cluster::client_path;
use std::fs;
use tokio::process::Command;

const MINUTES: &str =
    "=== March\nThe hive is quiet.\n\n=== April\nBees fly.\n\n<!-- passage: split -->\nMites.\n";

const CONTENTS: &str = "SELECT content FROM rag.chunks ORDER BY ordinal";
const PATTERN: &str =
    "SELECT coalesce(value ->> 'split_at', 'none') FROM rag.settings WHERE key = 'chunk_sizes'";

#[tokio::test]
async fn a_store_records_the_pattern_and_refuses_another_one() {
    let cluster = text_cluster().await;
    let sources = Sources::with([("minutes.txt", MINUTES)]);
    let book = sources.book();
    let ingest =
        async |options: &[&str]| ingest_text(&cluster, &[options, &[&*book]].concat()).await;
    let run = ingest(&["--split-at", "^=== ", "--max-size", "300"]).await;
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    let parts = MINUTES.replace("=== April", "|=== April").replace("Mites", "|Mites");
    let count = "SELECT string_agg(content, '|' ORDER BY ordinal) FROM rag.chunks";
    assert_eq!(cluster.query_text(count).await, parts);
    assert_eq!(cluster.query_text(PATTERN).await, "^=== ");

    for options in [&[][..], &["--split-at", "^=== "], &["--max-size", "300"]] {
        let run = ingest(options).await;
        assert!(run.stdout.contains(", 1 unchanged;"), "{options:?}: {}{}", run.stdout, run.stderr);
    }
    for pattern in cases(["^---", ""]) {
        let run = ingest(&["--split-at", pattern]).await;
        run.assert_refusal(
            "store \"rag\" has chunks of 60 to 300 characters, preferably 180, divided at \"^=== \", not of ",
            "Or run passage reindex with these options",
        );
    }
    // The marker remains, and the sizes stay those of the store.
    let run = run_client(&cluster, ["reindex", "--split-at", "", "--drop-former"]).await;
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    assert_eq!(cluster.query_lines(CONTENTS).await.len(), 2);
    assert_eq!(cluster.query_text(PATTERN).await, "none");
    let sizes = "SELECT value ->> 'max_size' FROM rag.settings WHERE key = 'chunk_sizes'";
    assert_eq!(cluster.query_text(sizes).await, "300");
    let run = ingest(&[]).await;
    assert!(run.stdout.contains(", 1 unchanged;"), "{}{}", run.stdout, run.stderr);
    assert_sound(&cluster).await;
}

#[tokio::test]
async fn reindex_splits_without_the_offsets_of_a_call_which_divides_again() {
    let cluster = text_cluster().await;
    let ingest = "SELECT outcome || ' ' || chunks FROM passage.ingest('minutes.txt', 'One. Two. Three.', \
        splitting => passage.splitting(split_offsets => '{5, 10}'))";
    assert_eq!(cluster.query_text(ingest).await, "added 3");
    for options in cases([&["--collection", ""][..], &["--drop-former"]]) {
        let run = run_client(&cluster, [&["reindex"], options].concat()).await;
        assert_eq!(run.code, Some(0), "{}", run.stderr);
        assert_eq!(cluster.query_lines(CONTENTS).await, ["One. Two. Three."]);
        assert_sound(&cluster).await;
        assert_eq!(cluster.query_text(ingest).await, "replaced 3");
        assert_eq!(cluster.query_text(ingest).await, "unchanged 3");
    }
    assert_sound(&cluster).await;
}

#[tokio::test]
async fn an_invalid_pattern_is_a_usage_error() {
    let sources = Sources::with([("minutes.txt", MINUTES)]);
    let file = format!("{}/minutes.txt", sources.book());
    let split = async |pattern: &str| {
        let mut command = Command::new(client_path());
        command.args(["split", "--sizer", "characters", "--split-at", pattern, &file]);
        command.output().await.unwrap()
    };
    for (pattern, reason) in
        cases([("^(", "unclosed group"), (r"\w{1000}", "it is too large when compiled")])
    {
        let output = split(pattern).await;
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{stderr}");
        assert!(stderr.contains(reason), "{stderr}");
    }
    // A file in the working folder may set it for split alone.
    fs::write(sources.0.path().join("passage.toml"), "split-at = \"^===\"\n").unwrap();
    let mut command = Command::new(client_path());
    command.current_dir(sources.0.path()).args(["split", "--sizer", "characters", "--json", &file]);
    let output = command.output().await.unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stdout).lines().count(), 3);
}
