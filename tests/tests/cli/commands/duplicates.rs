//! `passage duplicates`.

use crate::text_cluster;
use passage_tests::Cluster;
use serde_json::Value;

/// Returns the shared percent and the file names of each pair, the smaller document first.
async fn pairs(cluster: &Cluster, options: &[&str]) -> Vec<(i64, String, String)> {
    let arguments = [&["duplicates", "--json"], options].concat();
    let output = cluster.passage(arguments).await;
    let pair = |line: &str| {
        let pair: Value = serde_json::from_str(line).unwrap();
        let name = |at: usize| {
            let uri = pair["documents"][at]["uri"].as_str().unwrap();
            uri.rsplit('/').next().unwrap().to_owned()
        };
        ((pair["share"].as_f64().unwrap() * 100.0).floor() as i64, name(1), name(0))
    };
    output.lines().map(pair).collect()
}

#[tokio::test]
async fn duplicates_shows_the_documents_that_another_one_contains() {
    let cluster = text_cluster().await;
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
    let part = |number: usize| {
        let words = ["amber", "basil", "cedar", "dahlia", "elder", "fennel", "ginger", "hazel"];
        let text: String = (0..60)
            .map(|at| words[(number * 7 + at * (number + 3)) % 8].to_owned() + " ")
            .collect();
        format!("# Part {number}\n\n{number} {text}\n\n")
    };
    let parts: Vec<String> = (1..=5).map(part).collect();
    write("whole.md", &parts.concat());
    write("copy.md", &parts.concat().to_uppercase().replace("\n\n", "\n\n\n"));
    write("most.md", &[parts[..4].concat(), part(9)].concat());
    write("one.md", &parts[0]);
    write("other.md", &part(8));
    let load = ["ingest", "--no-embed", folder.path().to_str().unwrap(), "--collection", "herbs"];
    cluster.passage(load).await;
    let found = pairs(&cluster, &[]).await;
    let mut equal = vec![&*found[0].1, &*found[0].2];
    equal.sort_unstable();
    assert_eq!((found[0].0, equal), (100, vec!["copy.md", "whole.md"]), "{found:?}");
    // One part is wholly in three documents, and four fifths of one are in two.
    let count = |name: &str, least: i64| {
        found.iter().filter(|(share, smaller, _)| smaller == name && *share >= least).count()
    };
    assert_eq!(count("one.md", 100), 3, "{found:?}");
    assert!(
        found.iter().all(|(_, one, other)| one != "other.md" && other != "other.md"),
        "{found:?}"
    );
    assert_eq!(pairs(&cluster, &["--min-share", "100", "--limit", "2"]).await.len(), 2);
    assert!(pairs(&cluster, &["--collection", "trees"]).await.is_empty());

    let text = cluster.passage(["duplicates"]).await;
    assert!(text.contains("100 %  herbs ") && text.contains("  in  herbs "), "{text}");

    // Versions of a collection are meant to be alike, and another collection is not.
    cluster.passage([&load[..], &["--version", "2"]].concat()).await;
    assert_eq!(pairs(&cluster, &[]).await.len(), 2 * found.len());
    let name = [&load[..4], &["trees"]].concat();
    cluster.passage(name).await;
    assert!(pairs(&cluster, &[]).await.len() > 3 * found.len());
}

/// With all pairs there would be 19,900.
#[tokio::test]
async fn a_text_in_many_documents_makes_few_pairs() {
    let cluster = text_cluster().await;
    let client = cluster.client().await;
    client
        .batch_execute(
            "INSERT INTO rag.documents (id, uri) SELECT ('00000000-0000-4000-8000-' || lpad(n::text, 12, '0'))::uuid, n || '.txt' FROM generate_series(1, 200) n;
             INSERT INTO rag.chunks (document_id, ordinal, content) SELECT id, 0, 'Licensed to you.' FROM rag.documents",
        )
        .await
        .unwrap();
    assert_eq!(pairs(&cluster, &["--limit", "100000"]).await.len(), 199);
}
