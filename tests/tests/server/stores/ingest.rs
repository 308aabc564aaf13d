//! `passage.ingest` in SQL: it writes the same rows as the client, concurrently with other writers, and keeps embeddings.

use passage_tests::Cluster;
use passage_tests::cases;
use passage_tests::cluster::{OWNER, is_sql_edition};
use std::path::Path;
use tokio_postgres::Client;

/// Documents of every type except source code, by their names among the fixtures of core.
const FILES: [&str; 15] = [
    "README.md",
    "agents.mdx",
    "ai.json",
    "debian.csv",
    "either.rst",
    "half.toml",
    "licence.txt",
    "nbconvert.ipynb",
    "pgbouncer.ini",
    "signature.xml",
    "simplelogger.properties",
    "synopsis.html",
    "synopsis.md",
    "syntax.adoc",
    "walkdir.yml",
];

/// Returns whether `passage.ingest` splits a document. The SQL edition splits Markdown and plain text.
fn is_split(name: &&str) -> bool {
    !is_sql_edition() || [".md", ".mdx", ".txt"].iter().any(|ending| name.ends_with(ending))
}

fn fixtures() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../core/split/tests/fixtures"))
}

fn fixture(name: &str) -> String {
    std::fs::read_to_string(fixtures().join(name)).unwrap()
}

/// A server with the stores `rag` and `by_sql`, both without embeddings.
async fn two_stores() -> Cluster {
    let cluster = Cluster::bare().await;
    cluster.install_as(OWNER).await;
    cluster.execute("SELECT passage.create_store(), passage.create_store('by_sql')").await;
    cluster
}

/// Runs the client on a document in a folder of its own, without a model.
async fn by_client(cluster: &Cluster, name: &str, more: &[&str]) {
    let fixed = ["ingest", "--no-embed", "--sizer", "characters", "--uri", name];
    let path = fixtures().join(name);
    let path = path.to_str().unwrap();
    cluster.passage(fixed.iter().chain(more).chain([&path])).await;
}

/// Returns every column of documents and chunks except times, one line for each row.
async fn rows(cluster: &Cluster, store: &str) -> Vec<String> {
    let sql = format!(
        "SELECT to_jsonb(documents) - 'ingested_at' FROM {store}.documents ORDER BY id \
         UNION ALL SELECT to_jsonb(chunks) FROM {store}.chunks"
    )
    .replace(" ORDER BY id ", " ");
    let mut rows = cluster.query_lines(&sql).await;
    rows.sort();
    rows
}

#[tokio::test]
async fn client_and_sql_write_the_same_rows_for_a_document() {
    let cluster = two_stores().await;
    let client = cluster.client().await;
    let files: Vec<&str> = FILES.into_iter().filter(is_split).collect();
    for name in cases(files.clone()) {
        by_client(&cluster, name, &[]).await;
        let sql = "SELECT outcome FROM passage.ingest($1, $2, store => 'by_sql')";
        let row = client.query_one(sql, &[&name, &fixture(name)]).await.unwrap();
        assert_eq!(row.get::<_, &str>(0), "added");
    }
    let expected = rows(&cluster, "rag").await;
    let rows_of_each = if is_sql_edition() { 3 } else { 5 };
    assert!(expected.len() >= rows_of_each * files.len(), "{}", expected.len());
    assert_eq!(rows(&cluster, "by_sql").await, expected);

    // Metadata that the client gets by options are the same, too. A store has one overlap.
    cluster
        .execute("SELECT passage.create_store('options'), passage.create_store('sql_options')")
        .await;
    let options = [
        ("--store", "options"),
        ("--media-type", "text/plain"),
        ("--title", "A \"title\" {of} ours"),
        ("--kind", "api-reference"),
        ("--overlap", "40"),
        ("--base-url", "https://example.org/x/"),
        ("--metadata", r#"{"bbb": {"y": [1.5, null], "x": "\u00e9"}, "a": true}"#),
        ("--collection", "books"),
        ("--version", "1.0"),
    ];
    let mut documents = vec![("README.md", "none"), ("synopsis.html", "--media-type")];
    documents.retain(|(name, _)| is_split(name));
    for (name, left_out) in cases(documents.clone()) {
        let given = options.iter().filter(|(option, _)| *option != left_out);
        let given: Vec<_> = given.flat_map(|(option, value)| [*option, *value]).collect();
        by_client(&cluster, name, &given).await;
        let media_type = (left_out == "none").then_some("text/plain");
        let sql = format!(
            "SELECT outcome FROM passage.ingest($1, $2, $3, title => '{}', kind => 'api-reference', splitting => passage.splitting(overlap => 40), \
             base_url => 'https://example.org/x/', metadata => '{}', collection => 'books', version => '1.0', \
             store => 'sql_options')",
            options[2].1, options[6].1
        );
        client.query_one(&sql, &[&name, &fixture(name), &media_type]).await.unwrap();
    }
    let more = rows(&cluster, "options").await;
    assert!(more.len() > 2 * documents.len(), "{}", more.len());
    assert_eq!(rows(&cluster, "sql_options").await, more);

    // So each finds the documents of the other unchanged.
    for name in files {
        let mut program = cluster.client_program();
        program.args(["ingest", "--no-embed", "--store", "by_sql", "--uri", name]);
        let output = program.arg(fixtures().join(name)).output().await.unwrap();
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert!(stderr.contains("unchanged"), "{name}: {stderr}");
        let sql = "SELECT outcome FROM passage.ingest($1, $2)";
        let row = client.query_one(sql, &[&name, &fixture(name)]).await.unwrap();
        assert_eq!(row.get::<_, &str>(0), "unchanged", "{name}");
    }
}

#[tokio::test]
async fn an_unchanged_document_writes_nothing() {
    let cluster = two_stores().await;
    let client = cluster.client().await;
    let sql = "SELECT outcome FROM passage.ingest($1, $2)";
    let (name, text) = ("README.md", fixture("README.md"));
    client.query_one(sql, &[&name, &text]).await.unwrap();
    let next = "SELECT pg_snapshot_xmax(pg_current_snapshot())";
    let before = cluster.query_text(next).await;
    let row = client.query_one(sql, &[&name, &text]).await.unwrap();
    assert_eq!(row.get::<_, &str>(0), "unchanged");
    assert_eq!(cluster.query_text(next).await, before);
}

/// Returns the text of a document, of which one part depends on the version.
fn version(document: usize, version: usize) -> String {
    let words = format!("Document {document} has much to say. ").repeat(40);
    format!("# {document}\n\n{words}\n\n## Version\n\nThis is {version}.\n\n## End\n\n{words}\n")
}

const DOCUMENTS: usize = 12;

/// Ingests all documents in a version, beginning with another one each time, and returns the actions.
async fn write_all(client: &Client, number: usize, from: usize) -> Vec<String> {
    let mut outcomes = Vec::new();
    for index in 0..DOCUMENTS {
        let document = (index + from) % DOCUMENTS;
        let sql = "SELECT outcome FROM passage.ingest($1, $2)";
        let row =
            client.query_one(sql, &[&format!("{document}.md"), &version(document, number)]).await;
        outcomes.push(row.unwrap().get(0));
    }
    outcomes
}

/// Lets eight sessions write all documents at once, each in its version.
async fn eight_sessions(cluster: &Cluster, version_of: fn(usize) -> usize) -> Vec<String> {
    let mut running = Vec::new();
    for session in 0..8 {
        let client = cluster.client().await;
        running.push(tokio::spawn(async move {
            write_all(&client, version_of(session), session).await
        }));
    }
    let mut outcomes = Vec::new();
    for session in running {
        outcomes.extend(session.await.unwrap());
    }
    let problems = cluster.query_lines("SELECT * FROM passage.check_store(data => true)").await;
    assert!(problems.is_empty(), "{problems:?}");
    outcomes
}

#[tokio::test]
async fn eight_sessions_that_write_the_same_documents_all_succeed() {
    let cluster = two_stores().await;
    let count = |outcomes: &[String], outcome: &str| {
        outcomes.iter().filter(|what| *what == outcome).count()
    };
    for (what, version_of) in cases([("added", (|_| 1) as fn(usize) -> usize), ("replaced", |_| 2)])
    {
        let outcomes = eight_sessions(&cluster, version_of).await;
        assert_eq!(count(&outcomes, what), DOCUMENTS);
        assert_eq!(count(&outcomes, "unchanged"), 7 * DOCUMENTS);
    }
    // Of several versions one wins, as a whole.
    for _ in 0..3 {
        eight_sessions(&cluster, |session| 10 + session).await;
        for document in 0..DOCUMENTS {
            let sql = format!(
                "SELECT string_agg(content, '' ORDER BY ordinal) FROM rag.chunks \
                 WHERE document_id = (SELECT id FROM rag.documents WHERE uri = '{document}.md')"
            );
            let text = cluster.query_text(&sql).await;
            assert!(
                (10..18).any(|number| text == version(document, number)),
                "{document}:\n{text}"
            );
        }
    }
}

#[tokio::test]
async fn client_and_sql_write_the_same_document_concurrently() {
    let cluster = two_stores().await;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("0.md");
    let path = path.to_str().unwrap();
    let client = cluster.client().await;
    for round in 0..5 {
        std::fs::write(path, version(0, 100 + round)).unwrap();
        let arguments = ["ingest", "--no-embed", "--sizer", "characters", "--uri", "0.md", path];
        let text = version(0, 200 + round);
        let by_sql = async {
            client.query_one("SELECT outcome FROM passage.ingest('0.md', $1)", &[&text]).await
        };
        let (row, _) = tokio::join!(by_sql, cluster.passage(arguments));
        row.unwrap();
        let problems = cluster.query_lines("SELECT * FROM passage.check_store(data => true)").await;
        assert!(problems.is_empty(), "{problems:?}");
        let stored = "SELECT string_agg(content, '' ORDER BY ordinal) FROM rag.chunks";
        let stored = cluster.query_text(stored).await;
        assert!([100, 200].iter().any(|number| stored == version(0, number + round)), "{stored}");
    }
}

#[tokio::test]
async fn an_edit_keeps_the_embeddings_of_unchanged_chunks() {
    let cluster = Cluster::start().await;
    if cluster.lacks_vector("an edit from SQL keeps embeddings") {
        return;
    }
    cluster.execute("SELECT passage.create_store('small', dimensions => 2)").await;
    let ingest = |text: &str, title: &str| {
        let text = text.replace('\'', "''");
        format!(
            "SELECT kept || ' ' || moved || ' ' || added || ' ' || removed \
             FROM passage.ingest('a.md', '{text}', title => '{title}', splitting => passage.splitting(max_size => 60), store => 'small')"
        )
    };
    let part = |n: usize| format!("## Part {n}\n\nThis is what part {n} says of itself.\n\n");
    let text: String = (0..20).map(part).collect();
    cluster.execute(&ingest(&text, "T")).await;
    cluster
        .execute("INSERT INTO small.embeddings SELECT id, document_id, '[1,2]' FROM small.chunks")
        .await;
    let embeddings = "SELECT count(*) || ' ' || count(*) FILTER (WHERE xmin::text = \
         (SELECT min(xmin::text::bigint) FROM small.embeddings)::text) FROM small.embeddings";
    let stats = "SELECT chunks || ' ' || embedded || ' ' || missing FROM passage.store_stats('small') \
         WHERE collection IS NULL";
    assert_eq!(cluster.query_text(stats).await, "20 20 0");

    // One paragraph gets another length: one chunk is replaced, the later ones move.
    let edited = text.replace("what part 7 says", "all that part 7 says");
    assert_eq!(cluster.query_text(&ingest(&edited, "T")).await, "19 12 1 1");
    assert_eq!(cluster.query_text(embeddings).await, "19 19");
    assert_eq!(cluster.query_text(stats).await, "20 19 1");

    // A new title changes every preamble, and preambles are embedded.
    assert_eq!(cluster.query_text(&ingest(&edited, "U")).await, "20 20 0 0");
    assert_eq!(cluster.query_text(stats).await, "20 0 20");
}

#[tokio::test]
async fn an_edit_at_the_beginning_of_a_long_document_moves_all_of_its_chunks() {
    let cluster = two_stores().await;
    let ingest = |begin: &str| {
        format!(
            "SELECT kept || ' ' || moved || ' ' || added || ' ' || removed FROM passage.ingest('a.md', \
             {begin} || (SELECT string_agg(E'## Part ' || n || E'\\n\\nText.\\n\\n', '' ORDER BY n) \
             FROM generate_series(1, 2500) AS n), splitting => passage.splitting(max_size => 40))"
        )
    };
    assert_eq!(cluster.query_text(&ingest("''")).await, "0 0 2500 0");
    // Each chunk takes the ordinal of the next one.
    let new = "E'## New\\n\\nText.\\n\\n'";
    assert_eq!(cluster.query_text(&ingest(new)).await, "2500 2500 1 0");
    let ordinals = "SELECT count(DISTINCT ordinal) || ' ' || min(ordinal) || ' ' || max(ordinal) \
         FROM rag.chunks";
    assert_eq!(cluster.query_text(ordinals).await, "2501 0 2500");
}
