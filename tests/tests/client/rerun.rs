//! The second run: nothing for what is as it was, and no more than the change for what is not.

use crate::{
    Sources, ingest_text, is_sound, lacks_embedding, next_write, ran, text_cluster, text_of,
    until_alone,
};
use passage_tests::{Cluster, fixture};
use std::fmt::Write;

/// The rows of all tables, each with where and by whom it was written.
const ROWS: &str = "
    SELECT 'documents', ctid, xmin, id FROM rag.documents UNION ALL
    SELECT 'chunks', ctid, xmin, id FROM rag.chunks UNION ALL
    SELECT 'settings', ctid, xmin, NULL FROM rag.settings ORDER BY 1, 2";

const EMBEDDINGS: &str =
    "SELECT chunk_id, ctid, xmin, embedding FROM rag.embeddings ORDER BY chunk_id";

/// A document of ten sections, each long enough for a chunk of its own.
fn book(changed: Option<usize>) -> String {
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
    let (rows, next) = (cluster.query_lines(ROWS).await, next_write(&cluster).await);
    assert!(rows.len() > 20);

    let ran = ingest_text(&cluster, &paths).await;
    assert!(
        ran.stdout.starts_with("0 documents added, 6 unchanged; 0 chunks, 0 embedded"),
        "{}",
        ran.stdout
    );
    // Not even a transaction that came to nothing.
    assert_eq!(next_write(&cluster).await, next);
    assert_eq!(cluster.query_lines(ROWS).await, rows);
}

#[tokio::test]
async fn a_second_run_embeds_nothing() {
    let cluster = Cluster::start().await;
    if lacks_embedding(&cluster, "a second run embeds nothing") {
        return;
    }
    let sources = Sources::with([("a.md", "# A\n\nOne.\n"), ("b.md", "# B\n\nTwo.\n")]);
    let first = ran(&cluster, ["ingest", &sources.book()]).await;
    assert!(
        first.stdout.starts_with("2 documents added; 2 chunks, 2 embedded"),
        "{}",
        first.stdout
    );
    let (rows, next) = (cluster.query_lines(EMBEDDINGS).await, next_write(&cluster).await);

    let second = ran(&cluster, ["ingest", &sources.book()]).await;
    assert!(
        second.stdout.starts_with("0 documents added, 2 unchanged; 0 chunks, 0 embedded"),
        "{}",
        second.stdout
    );
    assert_eq!(next_write(&cluster).await, next);
    assert_eq!(cluster.query_lines(EMBEDDINGS).await, rows);
}

#[tokio::test]
async fn an_edit_replaces_its_document_and_keeps_the_chunks_it_did_not_touch() {
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
    let ran = ingest_text(&cluster, &[&sources.book()]).await;
    let chunks = before.len();
    let kept = format!("replaced book/a.md: {chunks} chunks, {} kept", chunks - 1);
    assert!(ran.stderr.contains(&kept), "{kept}\n{}", ran.stderr);
    assert_eq!(text_of(&cluster, "book/a.md").await, book(Some(4)));

    let after = cluster.query_lines(&all("book/a.md")).await;
    let new: Vec<_> =
        (0..after.len()).filter(|&place| ids(&after)[place] != ids(&before)[place]).collect();
    let [new] = new[..] else { panic!("not one new chunk: {new:?}") };
    assert!(after[new].contains("This sentence is new."));
    // What stands before the edit is not even written; what stands behind it has moved.
    assert_eq!(after[..new], before[..new]);
    assert_eq!(cluster.query_lines(&all("book/b.md")).await, other);
    is_sound(&cluster).await;
}

#[tokio::test]
async fn an_edit_embeds_only_the_chunks_that_are_new() {
    let cluster = Cluster::start().await;
    if lacks_embedding(&cluster, "an edit embeds only the chunks that are new") {
        return;
    }
    let sources = Sources::with([("a.md", book(None))]);
    let first = ran(&cluster, ["ingest", &sources.book()]).await;
    assert!(first.stdout.contains("; 10 chunks, 10 embedded"), "{}", first.stdout);
    let before = cluster.query_lines(EMBEDDINGS).await;

    sources.write("a.md", book(Some(4)));
    let second = ran(&cluster, ["ingest", &sources.book()]).await;
    assert!(second.stdout.contains("; 10 chunks, 1 embedded"), "{}", second.stdout);
    let after = cluster.query_lines(EMBEDDINGS).await;
    assert_eq!(after.len(), 10);
    // Not only as they were: not written again, though five of the chunks have moved.
    assert_eq!(after.iter().filter(|row| before.contains(row)).count(), 9);
    is_sound(&cluster).await;
}

#[tokio::test]
async fn a_new_title_or_new_metadata_is_a_change() {
    let cluster = text_cluster().await;
    let sources = Sources::with([("a.md", book(None))]);
    for options in [&[][..], &["--title", "Other"], &["--metadata", "{\"a\": 1}"]] {
        let path = sources.book();
        let ran = ingest_text(&cluster, &[options, &[&*path]].concat()).await;
        assert!(!ran.stdout.contains("unchanged"), "{options:?}: {}", ran.stdout);
    }
    let row = "SELECT title, metadata FROM rag.documents";
    assert_eq!(cluster.query_lines(row).await, ["Book|{\"a\": 1}"]);
    assert_eq!(text_of(&cluster, "book/a.md").await, book(None));
}

/// A document of a thousand chunks, of which one paragraph may be edited.
fn thousand(edited: Option<usize>) -> String {
    let mut text = "# Thousand\n".to_owned();
    for section in 0..1000 {
        let words = format!("Section {section} says a word about number {section}. ").repeat(9);
        let more = if edited == Some(section) { "It is a new word. " } else { "" };
        write!(text, "\n## Section {section}\n\n{words}{more}\n").unwrap();
    }
    text
}

/// What was ever inserted into the table of embeddings, and so into its index, and what updated.
async fn embeddings_written(cluster: &Cluster) -> Vec<i64> {
    // Sessions count what they did at their end at the latest.
    until_alone(cluster).await;
    let sql = "SELECT n_tup_ins, n_tup_upd FROM pg_stat_user_tables \
        WHERE schemaname = 'rag' AND relname = 'embeddings'";
    let row = cluster.client().await.query_one(sql, &[]).await.unwrap();
    vec![row.get(0), row.get(1)]
}

#[tokio::test]
async fn an_edited_paragraph_of_a_thousand_chunks_costs_no_more_than_three_embeddings() {
    let cluster = Cluster::start().await;
    if lacks_embedding(&cluster, "an edited paragraph costs no more than three embeddings") {
        return;
    }
    let sources = Sources::with([("a.md", thousand(None))]);
    let book = sources.book();
    // To embed all of it would take minutes. Those who come after see vectors and ask no more.
    ran(&cluster, ["ingest", "--no-embed", "--sizer", "wordpieces", "--overlap", "12", &book])
        .await;
    let vectors = "INSERT INTO rag.embeddings SELECT chunks.id, document_id, \
        (SELECT array_agg(sin(ordinal * dimension)) FROM generate_series(1, 384) AS dimension)::real[]::vector \
        FROM rag.chunks";
    cluster.execute(vectors).await;
    let ingest = ["ingest", "--overlap", "12", &book];
    let first = ran(&cluster, ingest).await;
    assert!(first.stdout.contains("; 1000 chunks, 0 embedded"), "{}{}", first.stdout, first.stderr);
    let chunks = "SELECT id, ctid, xmin FROM rag.chunks ORDER BY ordinal";
    let before = cluster.query_lines(chunks).await;
    let (vectors, written) =
        (cluster.query_lines(EMBEDDINGS).await, embeddings_written(&cluster).await);

    sources.write("a.md", thousand(Some(500)));
    let second = ran(&cluster, ingest).await;
    // Its own, and that of the next one, before which the end of it is repeated.
    assert!(second.stdout.contains("; 1000 chunks, 2 embedded"), "{}", second.stdout);
    let after = embeddings_written(&cluster).await;
    assert_eq!((after[0] - written[0], after[1] - written[1]), (2, 0));
    let kept = cluster.query_lines(EMBEDDINGS).await;
    assert_eq!(kept.iter().filter(|row| vectors.contains(row)).count(), 998);
    let moved = cluster.query_lines(chunks).await;
    assert_eq!(moved[..500], before[..500]);
    let ids = |rows: &[String]| rows.iter().map(|row| row[..36].to_owned()).collect::<Vec<_>>();
    assert_eq!(ids(&moved[501..]), ids(&before[501..]));
    is_sound(&cluster).await;
}

/// The vector index of the store, if it has one.
const INDEX: &str = "SELECT pg_get_indexdef(indexrelid) FROM pg_index JOIN pg_class ON pg_class.oid = indexrelid \
    JOIN pg_am ON pg_am.oid = relam WHERE amname = 'hnsw' AND indrelid = 'rag.embeddings'::regclass";

#[tokio::test]
async fn a_first_load_builds_the_vector_index_after_the_rows() {
    let cluster = Cluster::start().await;
    if lacks_embedding(&cluster, "a first load builds the vector index after the rows") {
        return;
    }
    let [index] = &cluster.query_lines(INDEX).await[..] else { panic!("a store has an index") };
    let sources = Sources::with([("a.md", book(None))]);
    // While rows come there is no index, or this would fail.
    cluster
        .execute(
            "CREATE FUNCTION public.bare() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
                IF EXISTS (SELECT FROM pg_class WHERE relname = 'embeddings_embedding_idx') THEN
                    RAISE 'there is an index';
                END IF;
                RETURN NEW;
            END $$;
            CREATE TRIGGER bare BEFORE INSERT ON rag.embeddings
                FOR EACH ROW EXECUTE FUNCTION public.bare()",
        )
        .await;
    let first = ran(&cluster, ["ingest", &sources.book()]).await;
    assert_eq!(first.code, Some(0), "{}", first.stderr);
    assert!(
        first.stderr.contains("building the vector index of 10 embeddings"),
        "{}",
        first.stderr
    );
    assert_eq!(cluster.query_lines(INDEX).await, [&**index]);
    cluster.execute("DROP TRIGGER bare ON rag.embeddings").await;

    // Rows that are there keep theirs.
    sources.write("a.md", book(Some(3)));
    let second = ran(&cluster, ["ingest", &sources.book()]).await;
    assert!(!second.stderr.contains("vector index"), "{}", second.stderr);
    assert_eq!(cluster.query_lines(INDEX).await, [&**index]);

    // A run that was broken off leaves it to the next one, and searches go on.
    cluster.execute("DROP INDEX rag.embeddings_embedding_idx").await;
    let search = ran(&cluster, ["search", "--mode", "vector", "number 7"]).await;
    assert_eq!(search.code, Some(0), "{}", search.stderr);
    assert!(search.stdout.contains("book/a.md"), "{}", search.stdout);
    let third = ran(&cluster, ["ingest", &sources.book()]).await;
    assert!(third.stderr.contains("building the vector index of"), "{}", third.stderr);
    assert_eq!(cluster.query_lines(INDEX).await, [&**index]);
}

#[tokio::test]
async fn an_index_of_ones_own_is_left_as_it_is() {
    let cluster = Cluster::start().await;
    if lacks_embedding(&cluster, "an index of one's own is left as it is") {
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
    let ran = ran(&cluster, ["ingest", &sources.book()]).await;
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    assert!(!ran.stderr.contains("vector index"), "{}", ran.stderr);
    assert_eq!(cluster.query_lines(INDEX).await, index);
}
