//! Misspelled words of a search: they are corrected by words of the store, and a notice names each of them.

use super::indexes::notices;
use passage_tests::Cluster;
use passage_tests::cluster::SUPERUSER;

const SEARCHES: [&str; 2] = ["search", "search_hits"];

async fn manual() -> Cluster {
    let cluster = Cluster::start().await;
    cluster
        .execute_as(
            SUPERUSER,
            "SELECT passage.ingest('encoding.md', E'# Encoding\n\nThe encoding of a binary file is configured once.');
            SELECT passage.ingest('lever.md', E'# Levers\n\nPull the lever of the machine.');
            SELECT passage.ingest('plan.md', E'# Plan\n\nThe acquisition of a vineyard.', collection => 'secret');
            CREATE ROLE reader LOGIN; GRANT USAGE ON SCHEMA rag TO reader; GRANT SELECT ON ALL TABLES IN SCHEMA rag TO reader",
        )
        .await;
    cluster
}

async fn uris(cluster: &Cluster, function: &str, query: &str) -> Vec<String> {
    cluster
        .query_lines(&format!("SELECT uri FROM passage.{function}('{query}') ORDER BY score DESC"))
        .await
}

#[tokio::test]
async fn a_misspelled_word_is_corrected_and_named() {
    let cluster = manual().await;
    for (query, misspelled, corrected) in [
        ("encodng", "encodng", "encoding"),
        ("binray file", "binray", "binary"),
        ("how is a binary file confgured", "confgured", "configured"),
        ("levrr", "levrr", "lever"),
    ] {
        for function in SEARCHES {
            let expected = if corrected == "lever" { "lever.md" } else { "encoding.md" };
            assert_eq!(uris(&cluster, function, query).await[0], expected, "{function} {query}");
            let sql = format!("SELECT * FROM passage.{function}('{query}')");
            let notices = notices(&cluster, &sql).await;
            let named = format!("no chunk has \"{misspelled}\", so \"{corrected}\" was searched");
            assert_eq!(notices.matches(&named).count(), 1, "{function} {query}: {notices}");
        }
    }
}

#[tokio::test]
async fn words_that_are_right_or_quoted_are_not_corrected() {
    let cluster = manual().await;
    for (query, count) in [
        ("encoding", 1),
        ("encodings", 1),
        ("\"encodng\"", 0),
        // Another word that differs in one letter of few.
        ("lexer machine", 1),
        ("zzzzzz", 0),
    ] {
        for function in SEARCHES {
            assert_eq!(uris(&cluster, function, query).await.len(), count, "{function} {query}");
            let sql = format!("SELECT * FROM passage.{function}('{query}')");
            let notices = notices(&cluster, &sql).await;
            assert!(!notices.contains("was searched"), "{function} {query}: {notices}");
        }
    }
}

#[tokio::test]
async fn words_that_a_policy_or_a_filter_hides_are_no_corrections() {
    let cluster = manual().await;
    let hidden =
        "SELECT * FROM passage.search('vinyard acquisitoin', filter => '{\"collection\": \"\"}')";
    assert!(!notices(&cluster, hidden).await.contains("was searched"));
    assert!(
        notices(&cluster, "SELECT * FROM passage.search('vinyard')").await.contains("vineyard")
    );
    cluster
        .execute_as(
            SUPERUSER,
            "ALTER TABLE rag.chunks ENABLE ROW LEVEL SECURITY;
            CREATE POLICY open ON rag.chunks TO reader USING (content NOT LIKE '%vineyard%')",
        )
        .await;
    for (query, expected) in [("vinyard", false), ("encodng", true)] {
        let sql = format!("SET ROLE reader; SELECT * FROM passage.search('{query}')");
        let notices = notices(&cluster, &sql).await;
        assert_eq!(notices.contains("was searched"), expected, "{query}: {notices}");
        assert!(!notices.contains("vineyard"), "{notices}");
    }
}

#[tokio::test]
async fn a_common_word_that_no_candidate_has_is_not_corrected() {
    let cluster = manual().await;
    // The search ranks the chunks with the rare word, and none of them has the common one.
    cluster
        .execute(
            "INSERT INTO rag.documents (id, uri) SELECT md5(n::text)::uuid, 'page ' || n FROM generate_series(1, 5000) AS n;
            INSERT INTO rag.chunks (document_id, ordinal, content) SELECT md5(n::text)::uuid, 0,
                CASE WHEN n <= 100 THEN 'quokka' WHEN n = 101 THEN 'matchine' ELSE 'machine number ' || n END FROM generate_series(1, 5000) AS n;
            ANALYZE rag.documents, rag.chunks",
        )
        .await;
    for function in SEARCHES {
        let sql = format!("SELECT * FROM passage.{function}('quokka machine')");
        assert_eq!(notices(&cluster, &sql).await, "", "{function}");
    }
}
