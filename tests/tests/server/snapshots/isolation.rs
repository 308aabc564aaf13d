//! Calls during repeated loads of a document: each call sees a single version of it.

use passage_tests::Cluster;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use tokio_postgres::Client;
use uuid::Uuid;

const DOCUMENT: &str = "aaaaaaaa-0000-0000-8000-000000000000";

/// The number of calls.
const CALLS: usize = 10_000;

/// Replaces the document by another version: other contents, other ordinals of the same chunks, other
/// containers, and more or fewer chunks.
async fn load(client: &mut Client, version: i32) {
    let transaction = client.transaction().await.unwrap();
    transaction.execute("DELETE FROM rag.chunks", &[]).await.unwrap();
    let chunks = 30 + version % 20;
    let insert = "INSERT INTO rag.chunks (id, document_id, ordinal, unit, kind, section, content)
        SELECT ('aaaaaaaa-0000-0000-0000-' || lpad(chunk::text, 12, '0'))::uuid, $1, (chunk + $2 % 7) % $3,
            CASE (chunk + $2 % 7) % $3 % 10 WHEN 0 THEN 'container' ELSE 'member' END, 'code',
            (ARRAY['A', 'B' || (chunk + $2 % 7) % $3 / 10, 'm' || chunk])[:CASE (chunk + $2 % 7) % $3 % 10 WHEN 0 THEN 2 ELSE 3 END],
            'v' || $2 || E'\\n'
        FROM generate_series(0, $3 - 1) AS chunk";
    let document = Uuid::parse_str(DOCUMENT).unwrap();
    transaction.execute(insert, &[&document, &version, &chunks]).await.unwrap();
    let update = "UPDATE rag.documents SET title = 'v' || $2::integer WHERE id = $1";
    transaction.execute(update, &[&document, &version]).await.unwrap();
    transaction.commit().await.unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn each_of_ten_thousand_calls_sees_one_version_of_a_document_that_is_replaced() {
    let cluster = Cluster::start().await;
    let mut writer = cluster.client().await;
    let insert = format!(
        "INSERT INTO rag.documents (id, uri, media_type) VALUES ('{DOCUMENT}', 'a.rs', 'text/x-rust')"
    );
    writer.batch_execute(&insert).await.unwrap();
    load(&mut writer, 0).await;
    let done = Arc::new(AtomicBool::new(false));
    let ended = Arc::clone(&done);
    let loading = tokio::spawn(async move {
        let mut version = 0;
        while !ended.load(Ordering::Relaxed) {
            version += 1;
            load(&mut writer, version).await;
        }
        version
    });

    let reader = cluster.client().await;
    let versions = "SELECT count(*), count(DISTINCT told), max(told) FROM (
        SELECT title FROM passage.reassemble($1, NULL, $2, output => '{\"gaps\": \"none\", \"max_distance\": \"document\"}')
        UNION ALL
        SELECT line FROM passage.reassemble($1, NULL, $2, output => '{\"gaps\": \"none\", \"max_distance\": \"document\"}'),
            regexp_split_to_table(rtrim(content, E'\\n'), E'\\n') AS line
        UNION ALL
        SELECT rtrim(content, E'\\n') FROM passage.expand_contexts($1, NULL, $2)
    ) AS seen (told)";
    let versions = reader.prepare(versions).await.unwrap();
    let strategies =
        ["auto", "hierarchical", "broad", "adjacent", "merge", "section", "document", "reassembly"];
    let mut seen = std::collections::HashSet::new();
    // Each statement makes three calls.
    for call in 0..CALLS.div_ceil(3) {
        let chunk = |n: usize| {
            Uuid::from_u128((0xaaaa_aaaa << 96) + u128::from_str_radix(&n.to_string(), 16).unwrap())
        };
        let hits = [chunk(call % 29), chunk(call * 7 % 29)];
        let strategy = strategies[call % strategies.len()];
        let row = reader.query_one(&versions, &[&&hits[..], &strategy]).await.unwrap();
        let (lines, different, version): (i64, i64, Option<String>) =
            (row.get(0), row.get(1), row.get(2));
        assert!(lines > 2, "{strategy} finds its hits");
        assert_eq!(different, 1, "{strategy} mixes versions");
        seen.extend(version);
    }
    done.store(true, Ordering::Relaxed);
    let versions = loading.await.unwrap();
    assert!(versions > 100, "only {versions} versions were loaded");
    assert!(seen.len() > 100, "only {} versions were seen", seen.len());
}
