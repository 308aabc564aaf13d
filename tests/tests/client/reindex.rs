//! `passage reindex`: a collection is split and embedded anew from what the store has, while
//! others read and write it.

use crate::service::{Reply, Service};
use crate::{
    Ran, Sources, ingest_text, is_sound, next_write, ran, text_cluster, text_of, until_alone,
};
use passage_tests::{Cluster, fixture};
use std::fmt::Write;
use std::process::Stdio;
use tokio::process::Command;

pub const CHUNKS: &str = "SELECT uri, chunks.id, ordinal, level, section, path, kind, unit, content, preamble, tokens, \
    start_byte, end_byte, first_line, last_line, chunks.metadata FROM rag.chunks \
    JOIN rag.documents ON documents.id = document_id ORDER BY uri, ordinal";

/// All of a document but what it was made from.
pub const DOCUMENTS: &str = "SELECT id, collection, version, uri, title, media_type, source_media_type, chunk_count, \
    orphaned_at, metadata, ingested_at FROM rag.documents ORDER BY id";

const EMBEDDINGS: &str = "SELECT chunk_id, ctid, xmin FROM rag.embeddings ORDER BY chunk_id";
pub const MISSING: &str = "SELECT count(*) FROM rag.chunks LEFT JOIN rag.embeddings ON chunk_id = chunks.id WHERE chunk_id IS NULL";

/// Makes of each document one chunk, as another splitter may have done.
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

async fn reindex(cluster: &Cluster, arguments: &[&str]) -> Ran {
    ran(cluster, ["reindex", "--collection", ""].iter().chain(arguments)).await
}

/// The client with a service named by its environment.
pub fn with(cluster: &Cluster, service: &Service, arguments: &[&str]) -> Command {
    let mut program = cluster.client_program();
    program.env("PASSAGE_EMBED_URL", service.url()).env("PASSAGE_EMBED_MODEL", "tiny");
    program.args(arguments);
    program
}

/// A store with embeddings of the books, made by a service that is gone.
pub async fn embedded(what: &str, sources: &Sources) -> Option<Cluster> {
    let cluster = Cluster::start().await;
    if cluster.lacks_vector(what) {
        return None;
    }
    cluster.execute("DROP SCHEMA rag CASCADE; SELECT passage.create_store(dimensions => 64)").await;
    let service = Service::good(64).await;
    let ingest = Ran::of(&mut with(&cluster, &service, &["ingest", &sources.book()])).await;
    assert_eq!(ingest.code, Some(0), "{}", ingest.stderr);
    Some(cluster)
}

#[tokio::test]
async fn a_document_that_was_split_otherwise_comes_out_as_ingest_would_make_it() {
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

    let next = next_write(&cluster).await;
    let dry = reindex(&cluster, &["--dry-run"]).await;
    assert!(dry.stderr.contains("would rewrite book/a.md: "), "{}", dry.stderr);
    assert!(
        dry.stdout
            .starts_with("nothing was written; it would be: 5 documents rewritten, 1 unchanged"),
        "{}",
        dry.stdout
    );
    assert_eq!(next_write(&cluster).await, next);

    let done = reindex(&cluster, &[]).await;
    assert!(done.stdout.starts_with("5 documents rewritten, 1 unchanged; "), "{}", done.stdout);
    assert_eq!(cluster.query_lines(CHUNKS).await, chunks);
    assert_eq!(cluster.query_lines(DOCUMENTS).await, documents, "marks, times and metadata stay");
    is_sound(&cluster).await;

    let next = next_write(&cluster).await;
    let again = reindex(&cluster, &["--json", "--quiet"]).await;
    let said: serde_json::Value = serde_json::from_str(&again.stdout).unwrap();
    assert_eq!((&said["rewritten"], &said["unchanged"]), (&0.into(), &6.into()), "{said}");
    assert_eq!(again.stderr, "");
    assert_eq!(next_write(&cluster).await, next);

    // What was read from the sources is compared once more, and found to be the same.
    let ingest = ingest_text(&cluster, &paths).await;
    assert!(
        ingest.stdout.starts_with("0 documents added, 5 replaced, 1 unchanged"),
        "{}",
        ingest.stdout
    );
    assert_eq!(cluster.query_lines(CHUNKS).await, chunks);
    let ingest = ingest_text(&cluster, &paths).await;
    assert!(ingest.stdout.starts_with("0 documents added, 6 unchanged"), "{}", ingest.stdout);
}

#[tokio::test]
async fn chunks_that_come_out_the_same_keep_their_ids_whatever_they_are() {
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
    is_sound(&cluster).await;

    // An id that stands for another text than it was derived from is given to none twice.
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
async fn chunks_that_were_loaded_as_they_are_stay_and_wrong_calls_are_refused() {
    let cluster = text_cluster().await;
    cluster
        .execute(
            "INSERT INTO rag.documents (uri, collection) VALUES ('sql', 'mine'); \
             INSERT INTO rag.chunks (document_id, ordinal, content) SELECT id, n, 'chunk ' || n FROM rag.documents, generate_series(0, 4) AS n",
        )
        .await;
    let chunks = cluster.query_lines(CHUNKS).await;
    let done = ran(&cluster, ["reindex", "--collection", "mine"]).await;
    assert!(done.stdout.starts_with("0 documents rewritten, 1 left; 0 chunks"), "{}", done.stdout);
    assert!(done.stderr.contains("left sql: "), "{}", done.stderr);
    assert_eq!(cluster.query_lines(CHUNKS).await, chunks);

    let name = "Run passage status to list the collections";
    ran(&cluster, ["reindex", "--collection", "other"])
        .await
        .refuses("no document is in the collection \"other\"", name);
    ran(&cluster, ["reindex", "--collection", "mine", "--version", "2"])
        .await
        .refuses("\"mine\"", name);
    ran(&cluster, ["reindex", "--collection", "mine", "--store", "none"])
        .await
        .refuses("\"none\"", "passage init --store none");
    for options in [["--version", "2"], ["--embedding-type", "byte"]] {
        assert_eq!(ran(&cluster, ["reindex"].iter().chain(&options)).await.code, Some(2));
    }
}

#[tokio::test]
async fn readers_never_wait_and_find_each_document_whole() {
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

    // Somebody holds one document, so that the run stands in the middle of its work.
    let holder = cluster.client().await;
    let hold = "BEGIN; SELECT id FROM rag.documents WHERE uri = 'book/29.md' FOR UPDATE";
    holder.batch_execute(hold).await.unwrap();
    let mut program = cluster.client_program();
    program.args(["reindex", "--collection", "", "--jobs", "1", "--quiet"]);
    let mut running = program.spawn().unwrap();
    let waits = "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'passage' AND wait_event_type = 'Lock'";
    while cluster.query_text(waits).await == "0" {
        assert!(running.try_wait().unwrap().is_none(), "it ended without the document");
        tokio::time::sleep(std::time::Duration::from_millis(10)).await;
    }
    let reader = cluster.client().await;
    reader.batch_execute("SET lock_timeout = 1").await.unwrap();
    let found: String = reader.query_one(text, &[]).await.unwrap().get(0);
    assert_eq!(found, before);
    let between = cluster.query_text(count).await;
    assert_ne!(between, merged, "some are new");
    holder.batch_execute("COMMIT").await.unwrap();

    assert!(running.wait().await.unwrap().success());
    assert_eq!(cluster.query_text(text).await, before);
    assert_ne!(cluster.query_text(count).await, between, "and others were old");
    is_sound(&cluster).await;
}

#[tokio::test]
async fn only_what_is_new_is_embedded_and_the_rest_keeps_its_rows() {
    let sources = Sources::with([("a.md", book(10))]);
    let Some(cluster) = embedded("only what is new is embedded", &sources).await else { return };
    let chunks = cluster.query_lines(CHUNKS).await;
    let rows = cluster.query_lines(EMBEDDINGS).await;
    // Two chunks are one now, and another has lost its embedding.
    cluster
        .execute(
            "CREATE TEMPORARY TABLE gone AS SELECT * FROM rag.chunks WHERE ordinal = 5; DELETE FROM rag.chunks WHERE ordinal = 5; \
             UPDATE rag.chunks SET content = content || (SELECT content FROM gone), end_byte = (SELECT end_byte FROM gone) WHERE ordinal = 4; \
             UPDATE rag.chunks SET ordinal = ordinal - 1 WHERE ordinal > 5; \
             DELETE FROM rag.embeddings WHERE chunk_id = (SELECT id FROM rag.chunks WHERE ordinal = 7)",
        )
        .await;
    let service = Service::good(64).await;
    let done =
        Ran::of(&mut with(&cluster, &service, &["reindex", "--collection", "", "--quiet"])).await;
    assert_eq!((done.code, &*done.stdout), (Some(0), ""), "{}", done.stderr);
    assert_eq!(service.texts().len(), 3, "{:?}", service.texts());
    assert_eq!(cluster.query_lines(CHUNKS).await, chunks);
    assert_eq!(cluster.query_text(MISSING).await, "0");
    let kept = cluster.query_lines(EMBEDDINGS).await;
    assert_eq!(kept.iter().filter(|row| rows.contains(row)).count(), rows.len() - 3);
    is_sound(&cluster).await;

    let next = next_write(&cluster).await;
    let mut other = with(&cluster, &service, &["reindex", "--collection", ""]);
    Ran::of(other.env("PASSAGE_EMBED_MODEL", "other")).await.refuses(
        "holds embeddings of tiny (64 dimensions), not of other",
        "Name the store's model",
    );
    assert_eq!(next_write(&cluster).await, next);
}

#[tokio::test]
async fn what_others_write_meanwhile_is_not_lost() {
    let sources = Sources::with([("a.md", book(10))]);
    let Some(cluster) = embedded("what others write meanwhile is not lost", &sources).await else {
        return;
    };
    cluster.execute(MERGE).await;
    let url = cluster.url();
    // While the service has the texts, somebody writes one more chunk.
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
    let done = Ran::of(&mut with(&cluster, &service, &["reindex", "--collection", ""])).await;
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
    is_sound(&cluster).await;
}

#[tokio::test]
async fn a_run_that_was_killed_is_made_good_by_the_next() {
    let sources = Sources::with([("a.md", book(20)), ("b.md", book(30)), ("c.md", book(10))]);
    let Some(cluster) = embedded("a run that was killed is made good", &sources).await else {
        return;
    };
    let chunks = cluster.query_lines(CHUNKS).await;
    cluster.execute(MERGE).await;
    // After some texts nothing more is answered.
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
    while stuck.seen().len() < 11 {
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    }
    killed.kill().await.unwrap();
    until_alone(&cluster).await;
    for (uri, text) in [("book/a.md", book(20)), ("book/b.md", book(30)), ("book/c.md", book(10))] {
        assert_eq!(text_of(&cluster, uri).await, text);
    }
    assert_ne!(cluster.query_lines(CHUNKS).await, chunks);

    let service = Service::good(64).await;
    let done = Ran::of(&mut with(&cluster, &service, &arguments)).await;
    assert_eq!(done.code, Some(0), "{}", done.stderr);
    assert_eq!(cluster.query_lines(CHUNKS).await, chunks);
    assert_eq!(cluster.query_text(MISSING).await, "0");
    is_sound(&cluster).await;
}
