//! A query that is the name of a section, a symbol or a file puts that unit in front.

use passage_tests::{Cluster, cases};

/// A handbook whose section `Log rotation` mentions its title once, a document that repeats these words, and a class.
async fn handbook() -> Cluster {
    let cluster = Cluster::start().await;
    cluster
        .execute(
            "INSERT INTO rag.documents (uri, media_type, title) VALUES
                ('handbook/logging.md', 'text/markdown', 'Logging'), ('notes.md', 'text/markdown', 'Notes'),
                ('src/user_service.ts', 'text/typescript', 'user_service.ts');
            INSERT INTO rag.chunks (document_id, ordinal, section, kind, preamble, content, tokens)
            SELECT d.id, c.ordinal, c.section, 'prose', concat_ws(E'\\n', d.title, array_to_string(c.section, E'\\n')), c.content, 20
            FROM rag.documents AS d JOIN (VALUES
                ('handbook/logging.md', 0, '{Logging}'::text[], 'How programs log.'),
                ('handbook/logging.md', 1, '{Logging,Log rotation}', 'Files are renamed at night.'),
                ('handbook/logging.md', 2, '{Logging,Log rotation}', 'Old ones are compressed, and a very long explanation of the compression follows here.'),
                ('handbook/logging.md', 3, '{Logging,Log rotation,Size}', 'A limit in bytes.'),
                ('notes.md', 0, '{Notes}', 'log rotation, log rotation, rotation of each log'),
                ('src/user_service.ts', 0, '{UserService}', 'class UserService'),
                ('src/user_service.ts', 1, '{UserService,getUser}', 'getUser(id) { return this.users.get(id) }'),
                ('src/user_service.ts', 2, '{UserService,setUser}', 'setUser(user) { this.getUser(user.id); getUser; getUser; getUser }')
            ) AS c (uri, ordinal, section, content) USING (uri);
            ANALYZE",
        )
        .await;
    cluster
}

/// Returns the document and the ordinal of each hit, best first.
async fn hits(cluster: &Cluster, query: &str) -> String {
    let sql = format!(
        "SELECT string_agg(left(uri, 1) || ordinal, ' ' ORDER BY rank)
        FROM passage.search_hits('{query}') JOIN rag.chunks AS c ON c.id = chunk_id"
    );
    cluster.query_text(&sql).await
}

#[tokio::test]
async fn the_section_that_a_query_names_comes_first_as_a_whole() {
    let cluster = handbook().await;
    for query in cases(["Log rotation", "log  rotation", "`Log rotation`:"]) {
        assert_eq!(hits(&cluster, query).await, "h1 h2 h3 n0 h0", "{query}");
    }
    // A query that has only words of the title is not its name.
    assert!(!hits(&cluster, "rotation of a log").await.starts_with("h1 h2"));
    let passages = cluster
        .query_text("SELECT string_agg(content, '|' ORDER BY rank) FROM passage.search('log rotation', strategy => 'none')")
        .await;
    let section = passages.split('|').next().unwrap_or_default();
    for text in ["Files are renamed", "Old ones are compressed", "A limit in bytes"] {
        assert!(section.contains(text), "{passages}");
    }
}

#[tokio::test]
async fn the_symbol_or_the_file_that_a_query_names_comes_first() {
    let cluster = handbook().await;
    for query in cases(["getUser", "getUser()", "UserService.getUser", "UserService::getUser"]) {
        assert!(hits(&cluster, query).await.starts_with("s1"), "{query}");
    }
    assert_eq!(hits(&cluster, "user_service.ts").await, "s0 s1 s2");
}

#[tokio::test]
async fn hits_of_a_named_unit_have_the_highest_scores() {
    let cluster = handbook().await;
    let scores = "SELECT count(*) || ' ' || bool_and(score < before) FROM (
        SELECT score, lag(score) OVER (ORDER BY rank) AS before FROM passage.search_hits('log rotation')) AS hit
        WHERE before IS NOT NULL";
    assert_eq!(cluster.query_text(scores).await, "4 true");
}
