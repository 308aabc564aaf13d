//! Lists, versions and patterns in filters, and the errors of unknown values.

use passage_tests::Cluster;
use passage_tests::cluster::SUPERUSER;

/// A store with three collections, of which two have several versions.
async fn library() -> Cluster {
    let cluster = Cluster::start().await;
    cluster
        .execute(
            "INSERT INTO rag.documents (collection, version, uri, media_type, orphaned_at)
            SELECT collection, version, collection || version || '.md', media_type, orphaned_at::timestamptz
            FROM (VALUES ('guide', '8.9', 'text/markdown', NULL), ('guide', '8.10', 'text/markdown', NULL),
                ('guide', '9.0-rc1', 'text/markdown', NULL), ('guide', '10', 'text/markdown', '2026-01-01'),
                ('api', '2', 'text/x-python', NULL), ('api', '10', 'text/x-rust', NULL), ('', '', 'text/plain', NULL)
            ) AS d (collection, version, media_type, orphaned_at);
            INSERT INTO rag.chunks (document_id, ordinal, kind, content)
            SELECT id, n, (ARRAY['prose', 'code', 'data'])[n + 1], 'word' FROM rag.documents, generate_series(0, 2) AS n;
            ANALYZE",
        )
        .await;
    cluster
}

/// Returns the documents and kinds that a filter selects.
async fn found(cluster: &Cluster, filter: &str) -> String {
    let sql = format!(
        "SELECT coalesce(string_agg(DISTINCT uri, ' ' ORDER BY uri), '') || ' ' || coalesce(string_agg(DISTINCT kind, ','), '')
        FROM passage.search_hits('word', max_hits => 100, filter => '{filter}') JOIN rag.chunks ON id = chunk_id"
    );
    cluster.query_text(&sql).await
}

#[tokio::test]
async fn a_list_means_any_of_its_values() {
    let cluster = library().await;
    for (filter, expected) in [
        (r#"{"collection": ["api", ""]}"#, ".md api10.md api2.md code,data,prose"),
        (r#"{"collection": "api", "kind": ["code", "data"]}"#, "api10.md api2.md code,data"),
        (r#"{"version": ["8.9", "10"]}"#, "api10.md guide8.9.md code,data,prose"),
        (r#"{"media_type": ["text/x-*", "text/plain"]}"#, ".md api10.md api2.md code,data,prose"),
        (r#"{"uri": ["api2.md", "guide8.9.md"], "kind": ["prose"]}"#, "api2.md guide8.9.md prose"),
        (
            r#"{"uri": ["guide10.md", "api2.md"], "kind": "data", "include_orphaned": true}"#,
            "api2.md guide10.md data",
        ),
    ] {
        assert_eq!(found(&cluster, filter).await, expected, "{filter}");
    }
    // Of an empty list nothing is allowed.
    for key in ["collection", "version", "media_type", "uri", "kind"] {
        let sql = format!(
            "SELECT count(*) FROM passage.search_hits('word', filter => '{{\"{key}\": []}}')"
        );
        assert_eq!(cluster.query_text(&sql).await, "0", "{key}");
    }
    let sql = "SELECT string_agg(DISTINCT uri, ' ' ORDER BY uri)
        FROM passage.fragments('word', max_fragments => 50, filter => '{\"uri\": [\"api2.md\", \"guide8.9.md\"]}')";
    assert_eq!(cluster.query_text(sql).await, "api2.md guide8.9.md");
}

#[tokio::test]
async fn latest_is_the_highest_version_of_each_collection() {
    let cluster = library().await;
    for (filter, expected) in [
        (r#"{"version": "latest"}"#, ".md api10.md guide9.0-rc1.md code,data,prose"),
        (r#"{"version": "latest", "collection": "guide", "kind": "code"}"#, "guide9.0-rc1.md code"),
        (
            r#"{"version": "latest", "collection": ["guide", "api"], "include_orphaned": true, "kind": "code"}"#,
            "api10.md guide10.md code",
        ),
        (r#"{"version": "8.*", "kind": "code"}"#, "guide8.10.md guide8.9.md code"),
        (
            r#"{"version": ["latest", "8.9", "2*"], "kind": "code"}"#,
            ".md api10.md api2.md guide8.9.md guide9.0-rc1.md code",
        ),
        (
            r#"{"version": "*", "kind": "code"}"#,
            ".md api10.md api2.md guide8.10.md guide8.9.md guide9.0-rc1.md code",
        ),
        (r#"{"version": "8_*%", "kind": ["code", "prose"]}"#, ""),
    ] {
        assert_eq!(found(&cluster, filter).await.trim(), expected, "{filter}");
    }
    // The arguments have the same meaning.
    for call in [
        "search('word', filter => passage.filter(version => 'latest'), collection => 'guide')",
        "fragments('word', filter => passage.filter(version => 'latest'), collection => 'guide')",
    ] {
        let sql = format!("SELECT string_agg(DISTINCT uri, ' ') FROM passage.{call}");
        assert_eq!(cluster.query_text(&sql).await, "guide9.0-rc1.md", "{call}");
    }
    cluster.execute("UPDATE rag.documents SET uri = 'a.md'").await;
    let sql = "SELECT count(*) > 0 FROM passage.outline('a.md', collection => 'guide', version => 'latest')";
    assert_eq!(cluster.query_text(sql).await, "t");
    // A version of this name is the highest.
    cluster
        .execute(
            "UPDATE rag.documents SET version = 'latest', uri = 'named.md' WHERE version = '8.9'",
        )
        .await;
    assert_eq!(
        found(&cluster, r#"{"version": "latest", "collection": "guide"}"#).await,
        "named.md code,data,prose"
    );
}

#[tokio::test]
async fn latest_is_the_highest_version_that_the_caller_may_see() {
    let cluster = library().await;
    cluster
        .execute_as(
            SUPERUSER,
            "CREATE ROLE reader LOGIN; GRANT USAGE ON SCHEMA rag TO reader; GRANT SELECT ON ALL TABLES IN SCHEMA rag TO reader;
            ALTER TABLE rag.documents ENABLE ROW LEVEL SECURITY;
            CREATE POLICY released ON rag.documents TO reader USING (version <> '9.0-rc1')",
        )
        .await;
    let sql = "SELECT string_agg(DISTINCT uri, ' ') FROM passage.search_hits('word', filter => '{\"version\": \"latest\", \"collection\": \"guide\"}')";
    assert_eq!(cluster.query_text_as("reader", sql).await, "guide8.10.md");
}

#[tokio::test]
async fn unknown_values_are_errors_with_the_valid_ones() {
    let cluster = Cluster::start().await;
    for (filter, message, hint) in [
        (
            r#"{"kind": ["prose", "verse"]}"#,
            r#"unrecognized value for "kind": "verse""#,
            "\"api-reference\"",
        ),
        (r#"{"media_type": "markdown"}"#, "\"markdown\"", "text/markdown"),
        (
            r#"{"collection": ["a", 1]}"#,
            r#""collection" in "filter" must be a string or a list of strings"#,
            "Pass",
        ),
        (
            r#"{"metadata": {"year": {"$gt": [1]}}}"#,
            r#""$gt" for key "year" in "metadata" must be a number, a date or a text"#,
            "operators",
        ),
        (
            r#"{"metadata": {"year": {"$gt": 1, "$less": 2}}}"#,
            r#"unrecognized operator "$less" for key "year" in "metadata""#,
            "\"$lt\"",
        ),
    ] {
        for function in ["search", "search_hits", "fragments"] {
            let error = cluster
                .error(&format!("SELECT * FROM passage.{function}('word', filter => '{filter}')"))
                .await;
            assert_eq!(error.code().code(), "22023", "{error}");
            assert!(error.message().contains(message), "{error}");
            assert!(error.hint().is_some_and(|text| text.contains(hint)), "{error:?}");
        }
    }
    let error = cluster
        .error("SELECT * FROM passage.search('word', filter => passage.filter(kind => 'verse'))")
        .await;
    assert_eq!(error.code().code(), "22023");
}
