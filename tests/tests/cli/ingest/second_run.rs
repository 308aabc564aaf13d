//! The second run: it writes nothing for unchanged documents, and only the change for the others.

use crate::{
    Sources, assert_sound, ingest_text, lacks_embedding, next_transaction, run_client,
    text_cluster, text_of, until_disconnected,
};
use passage_tests::{Cluster, fixture};
use std::fmt::Write;

/// The rows of all tables with their physical position and the transaction that wrote them.
const ROWS: &str = "
    SELECT 'documents', ctid, xmin, id FROM rag.documents UNION ALL
    SELECT 'chunks', ctid, xmin, id FROM rag.chunks UNION ALL
    SELECT 'settings', ctid, xmin, NULL FROM rag.settings ORDER BY 1, 2";

const EMBEDDINGS: &str =
    "SELECT chunk_id, ctid, xmin, embedding FROM rag.embeddings ORDER BY chunk_id";

/// A document of ten sections, each long enough for its own chunk.
pub fn book(changed: Option<usize>) -> String {
    let mut text = "# Book\n".to_owned();
    for section in 0..10 {
        let words = format!("Section {section} says a word about number {section}. ").repeat(12);
        let more = if changed == Some(section) { "This sentence is new. " } else { "" };
        write!(text, "\n## Section {section}\n\n{more}{words}\n").unwrap();
    }
    text
}

#[tokio::test]
async fn a_second_run_writes_nothing() {
    let cluster = text_cluster().await;
    let sources = Sources::with([("a.md", book(None)), ("b.md", String::new())]);
    let paths = [&*sources.book(), fixture!("client/garden")];
    assert_eq!(ingest_text(&cluster, &paths).await.code, Some(0));
    let (rows, next) = (cluster.query_lines(ROWS).await, next_transaction(&cluster).await);
    assert!(rows.len() > 20);

    let run = ingest_text(&cluster, &paths).await;
    assert!(
        run.stdout.starts_with("0 documents added, 6 unchanged; 0 chunks, 0 embedded"),
        "{}",
        run.stdout
    );
    // Not even a transaction that was rolled back.
    assert_eq!(next_transaction(&cluster).await, next);
    assert_eq!(cluster.query_lines(ROWS).await, rows);
}

#[tokio::test]
async fn a_second_run_embeds_nothing() {
    let cluster = Cluster::start().await;
    if lacks_embedding(&cluster, "a second run embeds nothing") {
        return;
    }
    let sources = Sources::with([("a.md", "# A\n\nOne.\n"), ("b.md", "# B\n\nTwo.\n")]);
    let first = run_client(&cluster, ["ingest", &sources.book()]).await;
    assert!(
        first.stdout.starts_with("2 documents added; 2 chunks, 2 embedded"),
        "{}",
        first.stdout
    );
    let (rows, next) = (cluster.query_lines(EMBEDDINGS).await, next_transaction(&cluster).await);

    let second = run_client(&cluster, ["ingest", &sources.book()]).await;
    assert!(
        second.stdout.starts_with("0 documents added, 2 unchanged; 0 chunks, 0 embedded"),
        "{}",
        second.stdout
    );
    assert_eq!(next_transaction(&cluster).await, next);
    assert_eq!(cluster.query_lines(EMBEDDINGS).await, rows);
}

#[tokio::test]
async fn an_edit_replaces_its_document_and_keeps_unchanged_chunks() {
    let cluster = text_cluster().await;
    let sources = Sources::with([("a.md", book(None)), ("b.md", book(None))]);
    ingest_text(&cluster, &[&sources.book()]).await;
    let all = |uri: &str| {
        format!(
            "SELECT chunks.id, chunks.xmin, content FROM rag.chunks \
             JOIN rag.documents ON documents.id = document_id WHERE uri = '{uri}' ORDER BY ordinal"
        )
    };
    let ids =
        |rows: &[String]| -> Vec<String> { rows.iter().map(|row| row[..36].into()).collect() };
    let (before, other) = (
        cluster.query_lines(&all("book/a.md")).await,
        cluster.query_lines(&all("book/b.md")).await,
    );

    sources.write("a.md", book(Some(4)));
    let run = ingest_text(&cluster, &[&sources.book()]).await;
    let chunks = before.len();
    let kept = format!("replaced book/a.md: {chunks} chunks, {} kept", chunks - 1);
    assert!(run.stderr.contains(&kept), "{kept}\n{}", run.stderr);
    assert_eq!(text_of(&cluster, "book/a.md").await, book(Some(4)));

    let after = cluster.query_lines(&all("book/a.md")).await;
    let new: Vec<_> =
        (0..after.len()).filter(|&index| ids(&after)[index] != ids(&before)[index]).collect();
    let [new] = new[..] else { panic!("not one new chunk: {new:?}") };
    assert!(after[new].contains("This sentence is new."));
    // Chunks before the edit are not written; those after it get new positions.
    assert_eq!(after[..new], before[..new]);
    assert_eq!(cluster.query_lines(&all("book/b.md")).await, other);
    assert_sound(&cluster).await;
}

#[tokio::test]
async fn an_edit_embeds_only_new_chunks() {
    let cluster = Cluster::start().await;
    if lacks_embedding(&cluster, "an edit embeds only new chunks") {
        return;
    }
    let sources = Sources::with([("a.md", book(None))]);
    let first = run_client(&cluster, ["ingest", &sources.book()]).await;
    assert!(first.stdout.contains("; 10 chunks, 10 embedded"), "{}", first.stdout);
    let before = cluster.query_lines(EMBEDDINGS).await;

    sources.write("a.md", book(Some(4)));
    let second = run_client(&cluster, ["ingest", &sources.book()]).await;
    assert!(second.stdout.contains("; 10 chunks, 1 embedded"), "{}", second.stdout);
    let after = cluster.query_lines(EMBEDDINGS).await;
    assert_eq!(after.len(), 10);
    // The embeddings are not even written again, although five of the chunks have moved.
    assert_eq!(after.iter().filter(|row| before.contains(row)).count(), 9);
    assert_sound(&cluster).await;
}

#[tokio::test]
async fn a_new_title_or_new_metadata_is_a_change() {
    let cluster = text_cluster().await;
    let sources = Sources::with([("a.md", book(None))]);
    for options in [&[][..], &["--title", "Other"], &["--metadata", "{\"a\": 1}"]] {
        let path = sources.book();
        let run = ingest_text(&cluster, &[options, &[&*path]].concat()).await;
        assert!(!run.stdout.contains("unchanged"), "{options:?}: {}", run.stdout);
    }
    let row = "SELECT title, metadata FROM rag.documents";
    assert_eq!(cluster.query_lines(row).await, ["Book|{\"a\": 1}"]);
    assert_eq!(text_of(&cluster, "book/a.md").await, book(None));
}

/// A document of a thousand chunks, optionally with one edited paragraph.
fn thousand(edited: Option<usize>) -> String {
    let mut text = "# Thousand\n".to_owned();
    for section in 0..1000 {
        let words = format!("Section {section} says a word about number {section}. ").repeat(9);
        let more = if edited == Some(section) { "It is a new word. " } else { "" };
        write!(text, "\n## Section {section}\n\n{words}{more}\n").unwrap();
    }
    text
}

/// Returns how many rows of `embeddings` were ever inserted and updated; each is an entry of its index.
async fn embeddings_written(cluster: &Cluster) -> Vec<i64> {
    // A session reports its statistics at its end at the latest.
    until_disconnected(cluster).await;
    let sql = "SELECT n_tup_ins, n_tup_upd FROM pg_stat_user_tables \
        WHERE schemaname = 'rag' AND relname = 'embeddings'";
    let row = cluster.client().await.query_one(sql, &[]).await.unwrap();
    vec![row.get(0), row.get(1)]
}

#[tokio::test]
async fn an_edited_paragraph_of_a_thousand_chunks_costs_at_most_three_embeddings() {
    let cluster = Cluster::start().await;
    if lacks_embedding(&cluster, "an edited paragraph costs at most three embeddings") {
        return;
    }
    let sources = Sources::with([("a.md", thousand(None))]);
    let book = sources.book();
    // Embedding all chunks would take minutes. The client only checks whether embeddings exist.
    run_client(
        &cluster,
        ["ingest", "--no-embed", "--sizer", "wordpieces", "--overlap", "12", &book],
    )
    .await;
    let vectors = "INSERT INTO rag.embeddings SELECT chunks.id, document_id, \
        (SELECT array_agg(sin(ordinal * dimension)) FROM generate_series(1, 384) AS dimension)::real[]::vector \
        FROM rag.chunks";
    cluster.execute(vectors).await;
    let model = "INSERT INTO rag.settings (key, value) VALUES ('model', '\"sentence-transformers/all-MiniLM-L6-v2\"')";
    cluster.execute(model).await;
    let ingest = ["ingest", "--overlap", "12", &book];
    let first = run_client(&cluster, ingest).await;
    assert!(first.stdout.contains(" 1 unchanged; 0 chunks, 0 embedded"), "{}", first.stdout);
    let chunks = "SELECT id, ctid, xmin FROM rag.chunks ORDER BY ordinal";
    let before = cluster.query_lines(chunks).await;
    let (vectors, written) =
        (cluster.query_lines(EMBEDDINGS).await, embeddings_written(&cluster).await);

    sources.write("a.md", thousand(Some(500)));
    let second = run_client(&cluster, ingest).await;
    // The edited chunk, and the next one, whose preamble repeats the end of it.
    assert!(second.stdout.contains("; 1000 chunks, 2 embedded"), "{}", second.stdout);
    let after = embeddings_written(&cluster).await;
    assert_eq!((after[0] - written[0], after[1] - written[1]), (2, 0));
    let kept = cluster.query_lines(EMBEDDINGS).await;
    assert_eq!(kept.iter().filter(|row| vectors.contains(row)).count(), 998);
    let moved = cluster.query_lines(chunks).await;
    assert_eq!(moved[..500], before[..500]);
    let ids = |rows: &[String]| rows.iter().map(|row| row[..36].to_owned()).collect::<Vec<_>>();
    assert_eq!(ids(&moved[501..]), ids(&before[501..]));
    assert_sound(&cluster).await;
}

/// Returns the vector index of the store, if it exists.
pub const INDEX: &str = "SELECT pg_get_indexdef(indexrelid) FROM pg_index JOIN pg_class ON pg_class.oid = indexrelid \
    JOIN pg_am ON pg_am.oid = relam WHERE amname = 'hnsw' AND indrelid = 'rag.embeddings'::regclass";

/// Creates the trigger `bare`, which fails if an embedding is inserted while the vector index exists.
pub const FAIL_WITH_INDEX: &str =
    "CREATE FUNCTION public.bare() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        IF EXISTS (SELECT FROM pg_class WHERE relname = 'embeddings_embedding_idx') THEN
            RAISE 'there is an index';
        END IF;
        RETURN NEW;
    END $$;
    CREATE TRIGGER bare BEFORE INSERT ON rag.embeddings
        FOR EACH ROW EXECUTE FUNCTION public.bare()";

#[tokio::test]
async fn a_first_load_builds_the_vector_index_after_the_rows() {
    let cluster = Cluster::start().await;
    if lacks_embedding(&cluster, "a first load builds the vector index after the rows") {
        return;
    }
    let [index] = &cluster.query_lines(INDEX).await[..] else { panic!("a store has an index") };
    let sources = Sources::with([("a.md", book(None))]);
    cluster.execute(FAIL_WITH_INDEX).await;
    let first = run_client(&cluster, ["ingest", &sources.book()]).await;
    assert_eq!(first.code, Some(0), "{}", first.stderr);
    assert!(
        first.stderr.contains("building the vector index of 10 embeddings"),
        "{}",
        first.stderr
    );
    assert_eq!(cluster.query_lines(INDEX).await, [&**index]);
    cluster.execute("DROP TRIGGER bare ON rag.embeddings").await;

    // A store with rows keeps its index during a load.
    sources.write("a.md", book(Some(3)));
    let second = run_client(&cluster, ["ingest", &sources.book()]).await;
    assert!(!second.stderr.contains("vector index"), "{}", second.stderr);
    assert_eq!(cluster.query_lines(INDEX).await, [&**index]);

    // An interrupted run leaves the index to the next run, and searches work without it.
    cluster.execute("DROP INDEX rag.embeddings_embedding_idx").await;
    let search = run_client(&cluster, ["search", "--mode", "vector", "number 7"]).await;
    assert_eq!(search.code, Some(0), "{}", search.stderr);
    assert!(search.stdout.contains("book/a.md"), "{}", search.stdout);
    let third = run_client(&cluster, ["ingest", &sources.book()]).await;
    assert!(third.stderr.contains("building the vector index of"), "{}", third.stderr);
    assert_eq!(cluster.query_lines(INDEX).await, [&**index]);
}

#[tokio::test]
async fn a_custom_vector_index_is_left_unchanged() {
    let cluster = Cluster::start().await;
    if lacks_embedding(&cluster, "a custom vector index is left unchanged") {
        return;
    }
    cluster
        .execute(
            "DROP INDEX rag.embeddings_embedding_idx;
            CREATE INDEX embeddings_embedding_idx ON rag.embeddings
                USING hnsw (embedding vector_cosine_ops) WITH (m = 8)",
        )
        .await;
    let index = cluster.query_lines(INDEX).await;
    let sources = Sources::with([("a.md", "# A\n\nOne.\n")]);
    let run = run_client(&cluster, ["ingest", &sources.book()]).await;
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    assert!(!run.stderr.contains("vector index"), "{}", run.stderr);
    assert_eq!(cluster.query_lines(INDEX).await, index);
}
