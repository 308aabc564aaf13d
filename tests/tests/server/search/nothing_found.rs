//! Notices of a search that finds nothing: names that the store does not have, and queries without words.

use super::indexes::notices;
use passage_tests::Cluster;
use passage_tests::cluster::SUPERUSER;

async fn library() -> Cluster {
    let cluster = Cluster::start().await;
    cluster
        .execute_as(
            SUPERUSER,
            "INSERT INTO rag.documents (collection, version, uri) VALUES ('guide', '8.9', 'handbook/logging.md'),
                ('guide', '8.10', 'handbook/backup.md'), ('api', '2', 'src/store.ts'), ('secret', '1', 'secret/plan.md');
            INSERT INTO rag.chunks (document_id, ordinal, content) SELECT id, 0, 'word' FROM rag.documents;
            CREATE ROLE reader LOGIN; GRANT reader TO owner; GRANT USAGE ON SCHEMA rag TO reader; GRANT SELECT ON ALL TABLES IN SCHEMA rag TO reader;
            ALTER TABLE rag.documents ENABLE ROW LEVEL SECURITY;
            CREATE POLICY public_only ON rag.documents TO reader USING (collection <> 'secret')",
        )
        .await;
    cluster
}

const SEARCHES: [&str; 3] = ["search", "search_hits", "fragments"];

#[tokio::test]
async fn missing_names_are_reported_with_similar_ones() {
    let cluster = library().await;
    for (filter, expected) in [
        (r#"{"collection": "giude"}"#, r#"no document has collection "giude""#),
        (r#"{"collection": "giude"}"#, r#"Perhaps you mean "guide"."#),
        (r#"{"collection": ["zzzzzzzzzz"]}"#, r#"Documents have "api", "guide", "secret"."#),
        (r#"{"collection": "guide", "version": "8.11"}"#, r#"no document has version "8.11""#),
        (r#"{"collection": "guide", "version": "8.11"}"#, r#"Documents have "8.10", "8.9"."#),
        (r#"{"uri": "logging.md"}"#, r#"no document has uri "logging.md""#),
        (r#"{"uri": "logging.md"}"#, r#"Perhaps you mean "handbook/logging.md"."#),
        (r#"{"uri": ["handbok/backup.md", "x"]}"#, r#"Perhaps you mean "handbook/backup.md"."#),
        (
            r#"{"metadata": {"year": {"$gtee": 5}}}"#,
            r#""$gtee" in "metadata" is not an operator, so it was compared as a key"#,
        ),
        (r#"{"metadata": {"year": {"$gtee": 5}}}"#, r#"Perhaps you mean "$gte"."#),
    ] {
        for function in SEARCHES {
            let notices = notices(
                &cluster,
                &format!("SELECT * FROM passage.{function}('word', filter => '{filter}')"),
            )
            .await;
            assert!(notices.contains(expected), "{function} {filter}: {notices}");
        }
    }
}

#[tokio::test]
async fn names_that_a_policy_hides_are_not_reported() {
    let cluster = library().await;
    for filter in
        [r#"{"collection": "secrets"}"#, r#"{"uri": "plan.md"}"#, r#"{"uri": "secret/plan.md"}"#]
    {
        let sql =
            format!("SET ROLE reader; SELECT * FROM passage.search('word', filter => '{filter}')");
        let notices = notices(&cluster, &sql).await;
        assert!(notices.contains("no document has"), "{notices}");
        assert!(
            !notices.contains(r#""secret""#)
                && !notices.contains("HINT:  Perhaps you mean \"secret"),
            "{notices}"
        );
    }
}

#[tokio::test]
async fn queries_without_words_are_reported() {
    let cluster = library().await;
    for (query, expected) in [
        ("the of and", "the query has only stop words"),
        ("-\"other word\"", "the query has only exclusions"),
    ] {
        for function in SEARCHES {
            let notices =
                notices(&cluster, &format!("SELECT * FROM passage.{function}('{query}')")).await;
            assert!(notices.contains(expected), "{function} {query}: {notices}");
        }
    }
}

#[tokio::test]
async fn a_search_with_results_reports_nothing() {
    let cluster = library().await;
    for call in [
        "'word', filter => '{\"collection\": [\"guide\", \"giude\"]}'",
        "'word', filter => '{\"version\": [\"8.9\", \"7\"]}'",
        "''",
        "NULL",
    ] {
        for function in SEARCHES {
            let notices =
                notices(&cluster, &format!("SELECT * FROM passage.{function}({call})")).await;
            assert_eq!(notices, "", "{function} {call}");
        }
    }
}
