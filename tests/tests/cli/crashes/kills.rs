//! Fifty times `kill -9`, of the client and of the server: each document is of one version, no chunk
//! is without a document, and the next run completes the rest.
//!
//! Each run ingests a new version of all documents. It is killed when a number of them are new, another
//! number each time. The next run does not first complete the former one.

use crate::{Sources, assert_sound, ingest_text, text_cluster, until_disconnected};
use passage_tests::Cluster;
use passage_tests::wait::{PATIENCE, within};
use std::fmt::Write;
use std::process::Stdio;
use std::time::Instant;
use tokio::process::Child;
use tokio_postgres::Client;

const KILLS: usize = 50;

/// The least number of kills that find some documents new and others old. The test kills more often until
/// it has them, because on a busy machine a run may end too early or too late.
const HALFWAY: usize = KILLS / 2;

/// The number of documents, enough for several transactions.
const DOCUMENTS: usize = 300;

fn name(document: usize) -> String {
    format!("{document:03}.md")
}

/// Returns the text of a document. Its first part is the same in each version, the others are not.
fn text(document: usize, version: usize) -> String {
    let mut text = format!("# {document}\n\n{}\n", "Of every version. ".repeat(12));
    for part in 0..2 + (document + version) % 3 {
        let words = format!("Part {part} of version {version}. ").repeat(12);
        write!(text, "\n## Part {part}\n\n{words}\n").unwrap();
    }
    text
}

fn write_all(sources: &Sources, version: usize) {
    for document in 0..DOCUMENTS {
        sources.write(&name(document), text(document, version));
    }
}

/// Starts a run that stores the version in the metadata of each document.
fn start(cluster: &Cluster, sources: &Sources, version: usize) -> Child {
    let metadata = format!("{{\"version\": {version}}}");
    let mut command = cluster.client_program();
    command.args(["ingest", "--quiet", "--no-embed", "--metadata", &metadata, &sources.book()]);
    command.stdin(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
}

/// Waits until a number of documents are of a version, or the client has ended.
async fn until(session: &Client, child: &mut Child, version: usize, documents: usize) {
    let sql = "SELECT count(*) FROM rag.documents WHERE metadata ->> 'version' = $1";
    let (version, documents) = (version.to_string(), documents as i64);
    let begun = Instant::now();
    while session.query_one(sql, &[&version]).await.unwrap().get::<_, i64>(0) < documents {
        assert!(begun.elapsed() < PATIENCE, "the client does not write {documents} documents");
        if child.try_wait().unwrap().is_some() {
            return;
        }
    }
}

/// Returns how many documents are of the last version. Fails unless each document is of one version,
/// the one in its metadata, and each chunk has its document.
async fn count_of_last(cluster: &Cluster, last: usize) -> usize {
    let rows = cluster
        .client()
        .await
        .query(
            "SELECT uri, (metadata ->> 'version')::int, chunk_count, (SELECT count(*)::int FROM rag.chunks \
             WHERE document_id = documents.id), (SELECT string_agg(content, '' ORDER BY ordinal) \
             FROM rag.chunks WHERE document_id = documents.id) FROM rag.documents ORDER BY uri",
            &[],
        )
        .await
        .unwrap();
    let mut count = 0;
    for row in rows {
        let (uri, version): (String, i32) = (row.get(0), row.get(1));
        let document = uri["book/".len()..].trim_end_matches(".md").parse().unwrap();
        let stored: String = row.get(4);
        assert!(stored == text(document, version as usize), "{uri} is not of version {version}");
        assert_eq!(row.get::<_, i32>(2), row.get::<_, i32>(3), "{uri}");
        count += usize::from(version as usize == last);
    }
    let orphans =
        "SELECT count(*) FROM rag.chunks WHERE document_id NOT IN (SELECT id FROM rag.documents)";
    assert_eq!(cluster.query_text(orphans).await, "0");
    count
}

/// Kills fifty runs, and more until enough of them were in the middle. Then completes a last run.
async fn kill_runs(mut cluster: Cluster, kill: impl AsyncFn(&mut Cluster, Child)) {
    let sources = Sources::new();
    let (mut version, mut halfway) = (0, 0);
    while version < KILLS || halfway < HALFWAY {
        assert!(version < 4 * KILLS, "only {halfway} of {version} kills were in the middle");
        write_all(&sources, version);
        let session = cluster.client().await;
        let mut child = start(&cluster, &sources, version);
        // None at first, nearly all at last.
        let documents = version % KILLS * (DOCUMENTS - 100) / KILLS;
        until(&session, &mut child, version, documents).await;
        kill(&mut cluster, child).await;
        let count = count_of_last(&cluster, version).await;
        halfway += usize::from((1..DOCUMENTS).contains(&count));
        version += 1;
    }

    let last = version - 1;
    let metadata = format!("{{\"version\": {last}}}");
    let run = ingest_text(&cluster, &["--metadata", &metadata, &sources.book()]).await;
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    assert_eq!(count_of_last(&cluster, last).await, DOCUMENTS);
    assert_sound(&cluster).await;
}

#[tokio::test]
async fn fifty_kills_of_the_client_leave_every_document_of_one_version() {
    let kill = async |cluster: &mut Cluster, mut child: Child| {
        child.kill().await.unwrap();
        until_disconnected(cluster).await;
    };
    kill_runs(text_cluster().await, kill).await;
}

#[tokio::test]
async fn fifty_kills_of_the_server_leave_every_document_of_one_version() {
    let kill = async |cluster: &mut Cluster, mut child: Child| {
        cluster.destroy();
        // The client reports the lost connection and ends.
        within("the client ends", child.wait()).await.unwrap();
        cluster.start_again().await;
    };
    kill_runs(text_cluster().await, kill).await;
}
