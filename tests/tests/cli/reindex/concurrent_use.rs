//! Concurrent readers and writers of a store that `passage reindex` replaces, and the restart of a killed run.

use crate::embedding_service::{Reply, Service};
use crate::reindex::collection::{CHUNKS, MERGE, MISSING, book, embedded, with};
use crate::{
    RunOutput, Sources, assert_sound, ingest_text, run_client, text_cluster, text_of,
    until_disconnected, until_line,
};
use passage::store::{self, Store};
use passage_tests::wait::{until, within};
use std::process::Stdio;
use std::time::Duration;
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::time::sleep;

#[tokio::test]
async fn a_writer_of_the_former_store_does_not_write_into_the_new_one() {
    let sources = Sources::with([("a.md", book(3))]);
    let Some(cluster) = embedded("a writer of the former store", &sources).await else { return };
    let mut writer = Store::connect(&cluster.url(), "rag").await.unwrap();
    writer.expect_identity(writer.identity().await.unwrap());
    cluster.execute("DELETE FROM rag.embeddings").await;
    let mut cursor = store::ClaimCursor::default();
    let claimed = writer.claim(&mut cursor, 1, None).await.unwrap().unwrap();
    cluster.execute("CREATE TABLE public.kept AS SELECT * FROM rag.documents").await;
    let done = run_client(&cluster, ["reindex", "--no-embed"]).await;
    assert_eq!(done.code, Some(0), "{}", done.stderr);
    let embedded: Vec<_> = claimed.into_iter().map(|chunk| (chunk, vec![1.0; 64])).collect();
    let refused = writer.write_embeddings(&embedded).await.unwrap_err();
    assert!(
        matches!(refused, store::Error::StoreReplaced(ref store) if store == "rag"),
        "{refused}"
    );
    assert_eq!(cluster.query_text("SELECT count(*) FROM rag.embeddings").await, "0");
}

#[tokio::test]
async fn reindex_finds_changes_of_single_rows() {
    let sources = Sources::with([("a.md", book(6)), ("b.md", book(3)), ("c.md", book(2))]);
    let Some(cluster) = embedded("what is written to rows alone is found", &sources).await else {
        return;
    };
    let url = cluster.url();
    // At the first request for embeddings the shadow store has all documents.
    let service = Service::start(move |number, asked| {
        if number == 1 && !asked.is_first() {
            let of_document = "document_id = (SELECT id FROM rag.documents WHERE uri = ";
            let write = format!(
                "UPDATE rag.chunks SET content = content || 'Late.', end_byte = end_byte + 5 WHERE {of_document} 'book/a.md') AND ordinal = 5; \
                 DELETE FROM rag.chunks WHERE {of_document} 'book/b.md') AND ordinal = 2; \
                 UPDATE rag.documents SET title = 'Late' WHERE uri = 'book/c.md'"
            );
            let psql = passage_tests::cluster::Installation::find().bin("psql");
            let written = std::process::Command::new(psql).args(["-Xq", &url, "-c", &write]).status();
            assert!(written.unwrap().success());
        }
        Reply::Embeddings(32)
    })
    .await;
    let done =
        RunOutput::of(&mut with(&cluster, &service, &["reindex", "--embed-model", "other"])).await;
    assert_eq!(done.code, Some(0), "{}", done.stderr);
    assert!(service.texts().len() > 10);
    assert_eq!(text_of(&cluster, "book/a.md").await, book(6) + "Late.");
    assert!(book(3).starts_with(&text_of(&cluster, "book/b.md").await));
    assert_ne!(text_of(&cluster, "book/b.md").await, book(3));
    let late = "SELECT count(*) FROM rag.chunks WHERE preamble LIKE 'Late%'";
    assert_ne!(
        cluster.query_text(late).await,
        "0",
        "a new title is in what goes before its chunks"
    );
    assert_eq!(cluster.query_text(MISSING).await, "0");
}

#[tokio::test]
async fn concurrent_changes_are_in_the_new_store() {
    const DOCUMENTS: usize = 60;
    let cluster = text_cluster().await;
    let texts: Vec<_> =
        (0..DOCUMENTS).map(|number| (format!("{number}.md"), book(number % 7 + 1))).collect();
    let sources = Sources::with(texts.iter().map(|(name, text)| (&**name, text)));
    assert_eq!(ingest_text(&cluster, &[&sources.book()]).await.code, Some(0));
    cluster.execute(MERGE).await;

    let (stop, stopped) = tokio::sync::watch::channel(false);
    // Each writer has documents of its own, so it knows their state at the end.
    let writers = (0..4).map(|writer: usize| {
        let (stopped, connecting) = (stopped.clone(), cluster.url());
        tokio::spawn(async move {
            let client = connect(&connecting).await;
            let mut last = std::collections::BTreeMap::new();
            let mut round = 0;
            while !*stopped.borrow() || round <= 20 {
                let uri = format!("written/{writer}/{}.md", round % 5);
                match round % 4 {
                    0 | 1 => {
                        let text = book(round % 9 + 1);
                        let sql = "SELECT FROM passage.ingest($1, $2, 'text/markdown')";
                        client.query(sql, &[&uri, &text]).await.unwrap();
                        last.insert(uri, text);
                    }
                    2 => {
                        client.execute("DELETE FROM rag.documents WHERE uri = $1", &[&uri]).await.unwrap();
                        last.remove(&uri);
                    }
                    _ => {
                        // A change of one row by plain SQL.
                        let sql = "UPDATE rag.chunks SET content = content || '!', end_byte = end_byte + 1 \
                            WHERE id = (SELECT chunks.id FROM rag.chunks JOIN rag.documents ON documents.id = document_id \
                            WHERE uri = $1 ORDER BY ordinal DESC LIMIT 1)";
                        let uri = format!("written/{writer}/{}.md", (round + 2) % 5);
                        if client.execute(sql, &[&uri]).await.unwrap() > 0 {
                            last.get_mut(&uri).unwrap().push('!');
                        }
                    }
                }
                round += 1;
                sleep(Duration::from_millis(5)).await;
            }
            last
        })
    });
    let writers: Vec<_> = writers.collect();
    // Readers see the same whole documents all the time.
    let reader = {
        let (stopped, connecting) = (stopped.clone(), cluster.url());
        tokio::spawn(async move {
            let client = connect(&connecting).await;
            let sql = "SELECT count(DISTINCT document_id), md5(string_agg(content, '' ORDER BY uri, ordinal)) \
                FROM rag.chunks JOIN rag.documents ON documents.id = document_id WHERE uri LIKE 'book/%'";
            let search = "SELECT count(*) FROM passage.search('section', collection => '')";
            let first: String = client.query_one(sql, &[]).await.unwrap().get(1);
            let mut looks = 0;
            while !*stopped.borrow() || looks == 0 {
                let row = client.query_one(sql, &[]).await.unwrap();
                assert_eq!(row.get::<_, i64>(0), DOCUMENTS as i64);
                assert_eq!(row.get::<_, String>(1), first);
                assert!(client.query_one(search, &[]).await.unwrap().get::<_, i64>(0) > 0);
                looks += 1;
            }
        })
    };
    for _ in 0..3 {
        let done = run_client(&cluster, ["reindex", "--drop-former", "--quiet"]).await;
        assert_eq!((done.code, &*done.stderr), (Some(0), ""));
    }
    stop.send(true).unwrap();
    within("the reader ends", reader).await.unwrap();
    let mut uris = Vec::new();
    for writer in writers {
        let last = within("a writer ends", writer).await.unwrap();
        for (uri, text) in last {
            assert_eq!(text_of(&cluster, &uri).await, text, "{uri}");
            uris.push(uri);
        }
    }
    uris.extend(texts.iter().map(|(name, _)| format!("book/{name}")));
    uris.sort();
    let select_uris = "SELECT uri FROM rag.documents ORDER BY uri COLLATE \"C\"";
    assert_eq!(cluster.query_lines(select_uris).await, uris);
    assert_sound(&cluster).await;
}

async fn connect(url: &str) -> tokio_postgres::Client {
    let (client, connection) = tokio_postgres::connect(url, tokio_postgres::NoTls).await.unwrap();
    tokio::spawn(connection);
    client
}

#[tokio::test]
async fn an_open_transaction_keeps_reading_the_former_store_and_blocks_nobody() {
    let cluster = text_cluster().await;
    let sources = Sources::with([("a.md", book(4))]);
    assert_eq!(ingest_text(&cluster, &[&sources.book()]).await.code, Some(0));
    cluster.execute(MERGE).await;
    let holder = cluster.client().await;
    let count = "SELECT count(*) FROM rag.chunks";
    holder.batch_execute(&format!("BEGIN; {count}")).await.unwrap();
    let mut program = cluster.client_program();
    program.args(["reindex"]).stdout(Stdio::null()).stderr(Stdio::piped());
    let mut running = program.spawn().unwrap();
    let mut said = BufReader::new(running.stderr.take().unwrap()).lines();
    until_line(&mut said, "waiting for other transactions to end").await;
    // Readers and writers are served while reindex waits.
    let other = cluster.client().await;
    other.batch_execute("SET statement_timeout = '20s'").await.unwrap();
    other.query(count, &[]).await.unwrap();
    other
        .execute("UPDATE rag.documents SET title = 'Late' WHERE uri = 'book/a.md'", &[])
        .await
        .unwrap();
    assert_eq!(
        holder.query_one(count, &[]).await.unwrap().get::<_, i64>(0),
        1,
        "it is the former store"
    );
    holder.batch_execute("COMMIT").await.unwrap();
    let ended = async {
        while said.next_line().await.unwrap().is_some() {}
        running.wait().await.unwrap()
    };
    assert!(within("reindex ends", ended).await.success());
    assert_eq!(cluster.query_text("SELECT title FROM rag.documents").await, "Late");
    assert!(holder.query_one(count, &[]).await.unwrap().get::<_, i64>(0) > 1);
    assert_sound(&cluster).await;
}

#[tokio::test]
async fn a_reindex_continues_after_it_was_killed() {
    let sources = Sources::with([("a.md", book(60)), ("b.md", book(10))]);
    let Some(cluster) = embedded("a reindex continues after it was killed", &sources).await else {
        return;
    };
    let chunks = cluster.query_lines(CHUNKS).await;
    let stuck = Service::start(
        |number, _| if number < 10 { Reply::Embeddings(32) } else { Reply::Silence },
    )
    .await;
    let arguments =
        ["reindex", "--embed-batch", "1", "--embed-concurrency", "1", "--jobs", "1", "--quiet"];
    let mut killed = with(&cluster, &stuck, &arguments)
        .env("PASSAGE_EMBED_MODEL", "other")
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let written = "SELECT to_regclass('rag_reindex.embeddings') IS NOT NULL";
    let is_halfway = async || stuck.seen().len() >= 11 && cluster.query_text(written).await == "t";
    until("the service gets its 11th request", is_halfway).await;
    // A second run at the same time is refused.
    let second = RunOutput::of(&mut with(&cluster, &stuck, &["reindex", "--no-embed"])).await;
    second.assert_refusal("is already being reindexed", "Wait");
    let all = "SELECT count(*) FROM rag_reindex.embeddings";
    let has_embeddings = async || {
        assert!(killed.try_wait().unwrap().is_none(), "reindex ended");
        cluster.query_text(all).await != "0"
    };
    until("the shadow store has embeddings", has_embeddings).await;
    killed.kill().await.unwrap();
    until_disconnected(&cluster).await;
    let done = cluster
        .query_text(
            "SELECT count(*) FROM rag_reindex.embeddings \
        JOIN rag.documents ON documents.id = document_id WHERE uri = 'book/a.md'",
        )
        .await;
    assert_eq!(cluster.query_lines(CHUNKS).await, chunks, "the store is unchanged");

    let service = Service::good(32).await;
    let other = |arguments: &[&str]| {
        let mut program = with(&cluster, &service, arguments);
        program.env("PASSAGE_EMBED_MODEL", "other");
        program
    };
    RunOutput::of(&mut other(&["reindex", "--overlap", "20"])).await.assert_refusal(
        "\"rag_reindex\" belongs to a reindex with other options",
        "Use the options",
    );
    cluster.execute("DELETE FROM rag.documents WHERE uri = 'book/b.md'").await;
    let run = RunOutput::of(&mut other(&arguments)).await;
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    let left = chunks.iter().filter(|chunk| chunk.starts_with("book/a.md")).count();
    assert_eq!(
        service.texts().len() + done.parse::<usize>().unwrap(),
        left,
        "none is embedded twice"
    );
    assert_eq!(cluster.query_text(MISSING).await, "0");
    assert_eq!(cluster.query_text(crate::reindex::store::SCHEMAS).await, "rag rag_before");
    assert_eq!(text_of(&cluster, "book/a.md").await, book(60));
    assert_sound(&cluster).await;
}

#[tokio::test]
async fn a_reindex_starts_again_where_an_older_version_was_interrupted() {
    let sources = Sources::with([("a.md", "# A\n\nText.\n")]);
    let cluster = text_cluster().await;
    ingest_text(&cluster, &[&sources.book()]).await;
    // An interrupted reindex of an earlier client: its mark has no version.
    cluster.execute("SELECT passage.create_store('rag_reindex')").await;
    cluster
        .execute(
            "CREATE TABLE rag_reindex.made (document_id uuid PRIMARY KEY \
             REFERENCES rag_reindex.documents ON DELETE CASCADE, fingerprint uuid NOT NULL); \
             CREATE TABLE rag_reindex.leftover (); \
             INSERT INTO rag_reindex.settings (key, value) VALUES ('reindex', '{\"of\": 1}')",
        )
        .await;
    let arguments = ["reindex", "--no-embed", "--sizer", "characters", "--drop-former"];
    let run = run_client(&cluster, arguments).await;
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    assert_eq!(cluster.query_text(crate::reindex::store::SCHEMAS).await, "rag");
    assert_eq!(cluster.query_text("SELECT to_regclass('rag.leftover') IS NULL").await, "t");
    assert_eq!(text_of(&cluster, "book/a.md").await, "# A\n\nText.\n");
    assert_sound(&cluster).await;
}
