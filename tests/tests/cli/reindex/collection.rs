//! `passage reindex` of a collection: documents are split and embedded again from their stored text,
//! while others read and write them.

use crate::embedding_service::{Reply, Service};
use crate::{
    RunOutput, Sources, assert_sound, ingest_text, next_transaction, run_client, text_cluster,
    text_of, until_disconnected,
};
use passage_tests::cases;
use passage_tests::wait::{until, within};
use passage_tests::{Cluster, fixture};
use std::fmt::Write;
use std::process::Stdio;
use tokio::process::Command;

pub const CHUNKS: &str = "SELECT uri, chunks.id, ordinal, level, section, path, kind, unit, content, preamble, tokens, \
    start_byte, end_byte, first_line, last_line, chunks.metadata FROM rag.chunks \
    JOIN rag.documents ON documents.id = document_id ORDER BY uri, ordinal";

/// The columns of a document except its content hash.
pub const DOCUMENTS: &str = "SELECT id, collection, version, uri, title, media_type, source_media_type, chunk_count, \
    orphaned_at, metadata, ingested_at FROM rag.documents ORDER BY id";

const EMBEDDINGS: &str = "SELECT chunk_id, ctid, xmin FROM rag.embeddings ORDER BY chunk_id";
pub const MISSING: &str = "SELECT count(*) FROM rag.chunks LEFT JOIN rag.embeddings ON chunk_id = chunks.id WHERE chunk_id IS NULL";

/// Merges each document into one chunk, as another splitter may have done.
pub const MERGE: &str = "
    CREATE TEMPORARY TABLE merged AS
        SELECT document_id, string_agg(content, '' ORDER BY ordinal) AS content FROM rag.chunks GROUP BY 1;
    DELETE FROM rag.chunks;
    INSERT INTO rag.chunks (document_id, ordinal, section, content, start_byte, end_byte, first_line, last_line)
        SELECT document_id, 0, '{Old}', content, 0, octet_length(content), 1, 1 FROM merged;
    UPDATE rag.documents SET chunk_count = 1 WHERE chunk_count > 0;";

pub fn book(sections: usize) -> String {
    let mut text = "# Book\n".to_owned();
    for section in 0..sections {
        let words = format!("Section {section} says a word about number {section}. ").repeat(12);
        write!(text, "\n## Section {section}\n\n{words}\n").unwrap();
    }
    text
}

async fn reindex(cluster: &Cluster, arguments: &[&str]) -> RunOutput {
    run_client(cluster, ["reindex", "--collection", ""].iter().chain(arguments)).await
}

/// The client with a service in its environment.
pub fn with(cluster: &Cluster, service: &Service, arguments: &[&str]) -> Command {
    let mut program = cluster.client_program();
    program.env("PASSAGE_EMBED_URL", service.url()).env("PASSAGE_EMBED_MODEL", "tiny");
    program.args(arguments);
    program
}

/// A store with embeddings of the books, made by a service that has stopped since.
pub async fn embedded(what: &str, sources: &Sources) -> Option<Cluster> {
    let cluster = Cluster::start().await;
    if cluster.lacks_vector(what) {
        return None;
    }
    cluster.execute("DROP SCHEMA rag CASCADE; SELECT passage.create_store(dimensions => 64)").await;
    let service = Service::good(64).await;
    let ingest = RunOutput::of(&mut with(&cluster, &service, &["ingest", &sources.book()])).await;
    assert_eq!(ingest.code, Some(0), "{}", ingest.stderr);
    Some(cluster)
}

#[tokio::test]
async fn reindex_of_a_document_gives_the_same_rows_as_ingest() {
    let cluster = text_cluster().await;
    let sources = Sources::with([("a.md", book(10)), ("empty.md", String::new())]);
    let paths = [&*sources.book(), fixture!("client/garden")];
    assert_eq!(ingest_text(&cluster, &paths).await.code, Some(0));
    cluster.execute("UPDATE rag.documents SET orphaned_at = now() WHERE uri = 'book/a.md'; ANALYZE rag.chunks").await;
    let (chunks, documents) =
        (cluster.query_lines(CHUNKS).await, cluster.query_lines(DOCUMENTS).await);
    assert!(chunks.len() > 20);
    cluster.execute(MERGE).await;
    assert!(cluster.query_lines(CHUNKS).await.len() < 10);

    let next = next_transaction(&cluster).await;
    let dry = reindex(&cluster, &["--dry-run"]).await;
    assert!(dry.stderr.contains("would rewrite book/a.md: "), "{}", dry.stderr);
    assert!(
        dry.stdout.starts_with("dry run, nothing written: 5 documents rewritten, 1 unchanged"),
        "{}",
        dry.stdout
    );
    assert_eq!(next_transaction(&cluster).await, next);

    let done = reindex(&cluster, &[]).await;
    assert!(done.stdout.starts_with("5 documents rewritten, 1 unchanged; "), "{}", done.stdout);
    assert_eq!(cluster.query_lines(CHUNKS).await, chunks);
    assert_eq!(cluster.query_lines(DOCUMENTS).await, documents, "marks, times and metadata stay");
    assert_sound(&cluster).await;

    let next = next_transaction(&cluster).await;
    let again = reindex(&cluster, &["--json", "--quiet"]).await;
    let said: serde_json::Value = serde_json::from_str(&again.stdout).unwrap();
    assert_eq!((&said["rewritten"], &said["unchanged"]), (&0.into(), &6.into()), "{said}");
    assert_eq!(again.stderr, "");
    assert_eq!(next_transaction(&cluster).await, next);

    // After a reindex the next ingest compares the sources once more and finds no difference.
    let ingest = ingest_text(&cluster, &paths).await;
    assert!(
        ingest.stdout.starts_with("0 documents added, 5 unchanged, 1 restored"),
        "{}",
        ingest.stdout
    );
    assert_eq!(cluster.query_lines(CHUNKS).await, chunks);
    let ingest = ingest_text(&cluster, &paths).await;
    assert!(ingest.stdout.starts_with("0 documents added, 6 unchanged"), "{}", ingest.stdout);
}

#[tokio::test]
async fn reindex_keeps_the_ids_of_unchanged_chunks() {
    let cluster = text_cluster().await;
    let sources = Sources::with([("a.md", book(10))]);
    assert_eq!(ingest_text(&cluster, &[&sources.book()]).await.code, Some(0));
    let ids = "SELECT string_agg(id::text, ' ' ORDER BY ordinal) FROM rag.chunks";
    cluster.execute("UPDATE rag.chunks SET id = gen_random_uuid()").await;
    let before = cluster.query_text(ids).await;
    let done = reindex(&cluster, &["--overlap", "60"]).await;
    assert!(done.stdout.starts_with("1 document rewritten; "), "{}", done.stdout);
    assert_eq!(cluster.query_text(ids).await, before);
    let overlapping = "SELECT count(*) > 5 FROM rag.chunks WHERE preamble LIKE '%says a word%'";
    assert_eq!(cluster.query_text(overlapping).await, "t");
    assert_eq!(text_of(&cluster, "book/a.md").await, book(10));
    assert_sound(&cluster).await;

    // An id that another chunk has already is not used twice.
    cluster.execute("DELETE FROM rag.documents").await;
    assert_eq!(ingest_text(&cluster, &[&sources.book()]).await.code, Some(0));
    let chunks = cluster.query_lines(CHUNKS).await;
    cluster
        .execute(
            "CREATE TEMPORARY TABLE other AS SELECT id FROM rag.chunks WHERE ordinal = 3; \
             UPDATE rag.chunks SET id = gen_random_uuid(), section = '{Other}' WHERE ordinal = 3; \
             UPDATE rag.chunks SET id = (SELECT id FROM other) WHERE ordinal = 2",
        )
        .await;
    assert_eq!(reindex(&cluster, &[]).await.code, Some(0));
    assert_eq!(cluster.query_lines(CHUNKS).await, chunks);
}

#[tokio::test]
async fn reindex_skips_documents_without_spans_and_refuses_usage_errors() {
    let cluster = text_cluster().await;
    cluster
        .execute(
            "INSERT INTO rag.documents (uri, collection) VALUES ('sql', 'mine'); \
             INSERT INTO rag.chunks (document_id, ordinal, content) SELECT id, n, 'chunk ' || n FROM rag.documents, generate_series(0, 4) AS n",
        )
        .await;
    let chunks = cluster.query_lines(CHUNKS).await;
    let done = run_client(&cluster, ["reindex", "--collection", "mine"]).await;
    assert!(done.stdout.starts_with("0 documents rewritten, 1 left; 0 chunks"), "{}", done.stdout);
    assert!(done.stderr.contains("left sql: "), "{}", done.stderr);
    assert_eq!(cluster.query_lines(CHUNKS).await, chunks);

    let name = "Run passage status to list the collections";
    run_client(&cluster, ["reindex", "--collection", "other"])
        .await
        .assert_refusal("no document is in the collection \"other\"", name);
    run_client(&cluster, ["reindex", "--collection", "mine", "--version", "2"])
        .await
        .assert_refusal("\"mine\"", name);
    run_client(&cluster, ["reindex", "--collection", "mine", "--store", "none"])
        .await
        .assert_refusal("\"none\"", "passage init --store none");
    for options in cases([["--version", "2"], ["--embedding-type", "byte"]]) {
        assert_eq!(run_client(&cluster, ["reindex"].iter().chain(&options)).await.code, Some(2));
    }
}

#[tokio::test]
async fn readers_of_a_reindexed_collection_never_wait_and_read_whole_documents() {
    let cluster = text_cluster().await;
    let texts: Vec<_> = (0..40).map(|number| (format!("{number}.md"), book(number))).collect();
    let sources = Sources::with(texts.iter().map(|(name, text)| (&**name, text)));
    assert_eq!(ingest_text(&cluster, &[&sources.book()]).await.code, Some(0));
    let text = "SELECT string_agg(md5(text), ' ' ORDER BY id) FROM (SELECT document_id AS id, \
                string_agg(content, '' ORDER BY ordinal) AS text FROM rag.chunks GROUP BY 1) AS texts";
    let before = cluster.query_text(text).await;
    cluster.execute(MERGE).await;
    let count = "SELECT count(*) FROM rag.chunks";
    let merged = cluster.query_text(count).await;

    // A lock on one document stops the run in the middle of its work.
    let holder = cluster.client().await;
    let hold = "BEGIN; SELECT id FROM rag.documents WHERE uri = 'book/29.md' FOR UPDATE";
    holder.batch_execute(hold).await.unwrap();
    let mut program = cluster.client_program();
    program.args(["reindex", "--collection", "", "--jobs", "1", "--quiet"]);
    let mut running = program.spawn().unwrap();
    let waits = "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'passage' AND wait_event_type = 'Lock'";
    let is_blocked = async || {
        assert!(running.try_wait().unwrap().is_none(), "reindex ended without the locked document");
        cluster.query_text(waits).await != "0"
    };
    until("reindex waits for the locked document", is_blocked).await;
    let reader = cluster.client().await;
    reader.batch_execute("SET lock_timeout = 1").await.unwrap();
    let during: String = reader.query_one(text, &[]).await.unwrap().get(0);
    assert_eq!(during, before);
    let between = cluster.query_text(count).await;
    assert_ne!(between, merged, "some are new");
    holder.batch_execute("COMMIT").await.unwrap();

    assert!(within("reindex ends", running.wait()).await.unwrap().success());
    assert_eq!(cluster.query_text(text).await, before);
    assert_ne!(cluster.query_text(count).await, between, "and others were old");
    assert_sound(&cluster).await;
}

#[tokio::test]
async fn reindex_embeds_only_new_chunks_and_keeps_the_other_rows() {
    let sources = Sources::with([("a.md", book(10))]);
    let Some(cluster) = embedded("only what is new is embedded", &sources).await else { return };
    let chunks = cluster.query_lines(CHUNKS).await;
    let rows = cluster.query_lines(EMBEDDINGS).await;
    // Two chunks are merged, and another one loses its embedding.
    cluster
        .execute(
            "CREATE TEMPORARY TABLE removed AS SELECT * FROM rag.chunks WHERE ordinal = 5; DELETE FROM rag.chunks WHERE ordinal = 5; \
             UPDATE rag.chunks SET content = content || (SELECT content FROM removed), end_byte = (SELECT end_byte FROM removed) WHERE ordinal = 4; \
             UPDATE rag.chunks SET ordinal = ordinal - 1 WHERE ordinal > 5; \
             DELETE FROM rag.embeddings WHERE chunk_id = (SELECT id FROM rag.chunks WHERE ordinal = 7)",
        )
        .await;
    let service = Service::good(64).await;
    let done =
        RunOutput::of(&mut with(&cluster, &service, &["reindex", "--collection", "", "--quiet"]))
            .await;
    assert_eq!((done.code, &*done.stdout), (Some(0), ""), "{}", done.stderr);
    assert_eq!(service.texts().len(), 3, "{:?}", service.texts());
    assert_eq!(cluster.query_lines(CHUNKS).await, chunks);
    assert_eq!(cluster.query_text(MISSING).await, "0");
    let kept = cluster.query_lines(EMBEDDINGS).await;
    assert_eq!(kept.iter().filter(|row| rows.contains(row)).count(), rows.len() - 3);
    assert_sound(&cluster).await;

    let next = next_transaction(&cluster).await;
    let mut other = with(&cluster, &service, &["reindex", "--collection", ""]);
    RunOutput::of(other.env("PASSAGE_EMBED_MODEL", "other")).await.assert_refusal(
        "holds embeddings of tiny (64 dimensions), not of other",
        "Name the store's model",
    );
    assert_eq!(next_transaction(&cluster).await, next);
}

#[tokio::test]
async fn reindex_keeps_what_others_write_in_the_meantime() {
    let sources = Sources::with([("a.md", book(10))]);
    let Some(cluster) = embedded("reindex keeps what others write in the meantime", &sources).await
    else {
        return;
    };
    cluster.execute(MERGE).await;
    let url = cluster.url();
    // While the service has the texts, another session writes one more chunk.
    let service = Service::start(move |_, asked| {
        if !asked.is_first() {
            let more = "INSERT INTO rag.chunks (document_id, ordinal, content, start_byte, end_byte, first_line, last_line) \
                SELECT document_id, 1, E'\\n## Late\\n\\nIt came meanwhile.\\n', end_byte, end_byte + 29, 1, 1 FROM rag.chunks \
                WHERE ordinal = 0 AND NOT EXISTS (SELECT FROM rag.chunks WHERE ordinal > 0)";
            let written =
                std::process::Command::new(passage_tests::cluster::Installation::find().bin("psql"))
                    .args(["-Xq", &url, "-c", more])
                    .status();
            assert!(written.unwrap().success());
        }
        Reply::Embeddings(64)
    })
    .await;
    let done = RunOutput::of(&mut with(&cluster, &service, &["reindex", "--collection", ""])).await;
    assert_eq!(done.code, Some(0), "{}", done.stderr);
    let text = format!("{}\n## Late\n\nIt came meanwhile.\n", book(10));
    assert_eq!(text_of(&cluster, "book/a.md").await, text);
    let late = "SELECT count(*) FROM rag.chunks WHERE section @> '{Late}'";
    assert_eq!(cluster.query_text(late).await, "1");
    assert_eq!(cluster.query_text(MISSING).await, "0");
    let mut texts = service.texts();
    let asked = texts.len();
    texts.sort();
    texts.dedup();
    assert_eq!(texts.len(), asked, "nothing is embedded twice");
    assert_sound(&cluster).await;
}

#[tokio::test]
async fn the_next_reindex_completes_one_that_was_killed() {
    let sources = Sources::with([("a.md", book(20)), ("b.md", book(30)), ("c.md", book(10))]);
    let Some(cluster) = embedded("a run that was killed is made good", &sources).await else {
        return;
    };
    let chunks = cluster.query_lines(CHUNKS).await;
    cluster.execute(MERGE).await;
    // After some texts the service does not answer any more.
    let stuck = Service::start(
        |number, _| if number < 10 { Reply::Embeddings(64) } else { Reply::Silence },
    )
    .await;
    let arguments = [
        "reindex",
        "--collection",
        "",
        "--embed-batch",
        "4",
        "--embed-concurrency",
        "1",
        "--jobs",
        "1",
    ];
    let mut killed = with(&cluster, &stuck, &arguments)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    until("the service gets its 11th request", async || stuck.seen().len() >= 11).await;
    killed.kill().await.unwrap();
    until_disconnected(&cluster).await;
    for (uri, text) in
        cases([("book/a.md", book(20)), ("book/b.md", book(30)), ("book/c.md", book(10))])
    {
        assert_eq!(text_of(&cluster, uri).await, text);
    }
    assert_ne!(cluster.query_lines(CHUNKS).await, chunks);

    let service = Service::good(64).await;
    let done = RunOutput::of(&mut with(&cluster, &service, &arguments)).await;
    assert_eq!(done.code, Some(0), "{}", done.stderr);
    assert_eq!(cluster.query_lines(CHUNKS).await, chunks);
    assert_eq!(cluster.query_text(MISSING).await, "0");
    assert_sound(&cluster).await;
}
