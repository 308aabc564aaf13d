//! The commands of the client on both layouts.

use crate::citus::{Citus, MODEL_DIMENSIONS, STORES};
use crate::writing::check_states;
use passage_tests::Cluster;
use passage_tests::cases;
use passage_tests::cluster::SUPERUSER;
use std::fs;
use std::path::Path;
use tokio::process::Command;

/// Runs a command on a node and returns its output without times and names of stores, or its error.
pub async fn run(
    node: &Cluster,
    store: &str,
    folder: &Path,
    command: &str,
) -> Result<String, String> {
    let mut program: Command = node.client_program();
    program.args(command.split(' ')).args(["--store", store]).current_dir(folder);
    let output = program.output().await.expect("passage runs");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("output is UTF-8");
    // A document can contain the name of a store, so all names are replaced in each output.
    let nameless = |text: &str| {
        STORES.iter().fold(text.to_owned(), |text, store| text.replace(store, "STORE"))
    };
    if !output.status.success() {
        return Err(nameless(&text(output.stderr)));
    }
    let is_stable = |line: &&str| !line.contains(" in ") && !line.starts_with("size ");
    let output = text(output.stdout);
    let mut lines: Vec<_> = output.lines().filter(is_stable).map(nameless).collect();
    // Documents are loaded in parallel.
    lines.sort();
    Ok(lines.join("\n"))
}

/// Runs a command on the three stores, each layout from another node, and compares output and rows.
async fn compare(citus: &Citus, folder: &Path, step: usize, command: &str) {
    let expected = run(citus.coordinator(), STORES[0], folder, command).await;
    let expected = expected.unwrap_or_else(|error| panic!("{command}: {error}"));
    for (index, store) in STORES.iter().enumerate().skip(1) {
        let node = &citus.nodes[(index + step) % citus.nodes.len()];
        let actual = run(node, store, folder, command).await;
        let actual = actual.unwrap_or_else(|error| panic!("{command} of {store}: {error}"));
        assert_eq!(actual, expected, "{command} of {store}");
    }
    check_states(citus, command).await;
}

#[tokio::test]
async fn every_command_leaves_the_rows_of_a_plain_store() {
    let Some(citus) = Citus::start(MODEL_DIMENSIONS).await else { return };
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    for name in
        ["docs/faq.md", "docs/concepts.md", "docs/guides/security.md", "core/split/src/id.rs"]
    {
        fs::copy(root.join(name), path.join(name.rsplit('/').next().unwrap())).unwrap();
    }
    let mut step = 0;
    let mut next = || {
        step += 1;
        step
    };
    for (store, layout) in cases([("first", "schema"), ("second", "document")]) {
        let init = format!("init --distributed {layout}");
        assert!(run(citus.coordinator(), store, path, &init).await.is_ok(), "{layout}");
        let loaded = run(citus.coordinator(), store, path, "ingest faq.md").await;
        assert!(loaded.is_ok(), "{loaded:?}");
        let placement = format!("SELECT _passage.store_placement('{store}') ->> 'distributed'");
        assert_eq!(citus.nodes[1].query_text(&placement).await, layout);
    }
    compare(&citus, path, next(), "ingest faq.md id.rs --no-embed").await;
    compare(&citus, path, next(), "embed").await;
    compare(&citus, path, next(), "ingest . --collection all").await;
    compare(&citus, path, next(), "ingest . --collection all").await;
    compare(&citus, path, next(), "search how_is_a_store_dropped --json --limit 3").await;
    compare(&citus, path, next(), "fragments privileges --json").await;
    compare(&citus, path, next(), "outline faq.md").await;
    compare(&citus, path, next(), "export --collection all").await;
    let one = "SELECT id FROM plain.chunks ORDER BY id LIMIT 1";
    let one = citus.coordinator().query_text(one).await;
    compare(&citus, path, next(), &format!("context {one} --json")).await;

    let faq = fs::read_to_string(path.join("faq.md")).unwrap();
    fs::write(path.join("faq.md"), format!("# New\n\nfirst\n\n{faq}")).unwrap();
    fs::remove_file(path.join("security.md")).unwrap();
    compare(&citus, path, next(), "sync . --collection all").await;
    compare(&citus, path, next(), "reindex --collection all --max-size 60").await;
    compare(&citus, path, next(), "remove faq.md id.rs --yes").await;
    compare(&citus, path, next(), "remove --collection all --yes").await;

    // On one node after the other.
    let allow = "SET citus.enable_ddl_propagation = off; ALTER ROLE owner SET citus.allow_nested_distributed_execution = on";
    for allowing in 0..citus.nodes.len() {
        let doctor = run(citus.coordinator(), STORES[1], path, "doctor").await.unwrap();
        let line = doctor.lines().find(|line| line.starts_with("warning citus")).unwrap();
        for (index, node) in citus.nodes.iter().enumerate() {
            let is_named = line.contains(&format!("{}:5432", node.folder().display()));
            assert_eq!(is_named, index >= allowing, "{line}");
        }
        citus.nodes[allowing].execute_as(SUPERUSER, allow).await;
    }
    let doctor = run(citus.coordinator(), "spread", path, "doctor").await.unwrap();
    assert!(doctor.contains("a session keeps 1 connection to a node with 4 shards"), "{doctor}");
    for node in &citus.nodes {
        let keep = "ALTER SYSTEM SET citus.max_cached_conns_per_worker = 2";
        node.execute_as(SUPERUSER, keep).await;
        node.execute_as(SUPERUSER, "SELECT pg_reload_conf()").await;
    }
    for store in &STORES[1..] {
        let doctor = run(citus.coordinator(), store, path, "doctor").await;
        assert!(doctor.is_ok_and(|output| output.contains("no problems found")), "{store}");
        let status = run(citus.coordinator(), store, path, "status").await;
        assert!(status.is_ok(), "{status:?}");
    }
}
