//! Fifty times `kill -9`, of the client and of the server: whatever the moment, every document is
//! wholly of one version, nothing is left that belongs to no document, and the next run completes.
//!
//! Each run is of a new version of all documents. The blow falls when so many of them are new, a
//! different number each time, and what the runs before left undone stays undone.

use crate::{Sources, ingest_text, is_sound, text_cluster, until_alone};
use passage_tests::Cluster;
use passage_tests::wait::{PATIENCE, within};
use std::fmt::Write;
use std::process::Stdio;
use std::time::Instant;
use tokio::process::Child;
use tokio_postgres::Client;

const KILLS: usize = 50;

/// How many of them at least find some documents new and others not; there are more kills until
/// so many have, since a busy machine may give the client all its time, or none.
const HALFWAY: usize = KILLS / 2;

/// Documents: several transactions' worth.
const DOCUMENTS: usize = 300;

fn name(document: usize) -> String {
    format!("{document:03}.md")
}

/// The text of a document: its first part stays, the others are of a version, and so is their number.
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

/// Starts a run that says of each document which version it is.
fn start(cluster: &Cluster, sources: &Sources, version: usize) -> Child {
    let metadata = format!("{{\"version\": {version}}}");
    let mut command = cluster.client_program();
    command.args(["ingest", "--quiet", "--no-embed", "--metadata", &metadata, &sources.book()]);
    command.stdin(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
}

/// Waits until so many documents are of a version, or the client is through.
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

/// Fails unless each document is wholly of one version, the one that it says it is of, and nothing
/// belongs to none; tells how many are of the last version.
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

/// Strikes fifty runs, and more until enough blows fell in the middle; lets the last one be.
async fn strike(mut cluster: Cluster, blow: impl AsyncFn(&mut Cluster, Child)) {
    let sources = Sources::new();
    let (mut version, mut halfway) = (0, 0);
    while version < KILLS || halfway < HALFWAY {
        assert!(version < 4 * KILLS, "of {version} blows only {halfway} fell in the middle");
        write_all(&sources, version);
        let session = cluster.client().await;
        let mut child = start(&cluster, &sources, version);
        // Nothing yet at first, and nearly all at last.
        let documents = version % KILLS * (DOCUMENTS - 100) / KILLS;
        until(&session, &mut child, version, documents).await;
        blow(&mut cluster, child).await;
        let count = count_of_last(&cluster, version).await;
        halfway += usize::from((1..DOCUMENTS).contains(&count));
        version += 1;
    }

    let last = version - 1;
    let metadata = format!("{{\"version\": {last}}}");
    let ran = ingest_text(&cluster, &["--metadata", &metadata, &sources.book()]).await;
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    assert_eq!(count_of_last(&cluster, last).await, DOCUMENTS);
    is_sound(&cluster).await;
}

#[tokio::test]
async fn fifty_kills_of_the_client_leave_every_document_of_one_version() {
    let blow = async |cluster: &mut Cluster, mut child: Child| {
        child.kill().await.unwrap();
        until_alone(cluster).await;
    };
    strike(text_cluster().await, blow).await;
}

#[tokio::test]
async fn fifty_kills_of_the_server_leave_every_document_of_one_version() {
    let blow = async |cluster: &mut Cluster, mut child: Child| {
        cluster.destroy();
        // It says that the connection is lost, and ends.
        within("the client ends", child.wait()).await.unwrap();
        cluster.start_again().await;
    };
    strike(text_cluster().await, blow).await;
}
