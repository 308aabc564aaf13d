//! Failed inputs: the client reports each with its place and a remedy, and loads the others.

use crate::{
    RunOutput, SECRET, Sources, assert_sound, ingest_text, next_transaction, run_client,
    text_cluster, text_of,
};
use passage_tests::wait::until;
use std::fs;
use std::io::{Cursor, Write};
use std::os::unix::fs::PermissionsExt;

#[tokio::test]
async fn a_file_that_is_not_text_is_reported_and_the_others_are_loaded() {
    let cluster = text_cluster().await;
    let sources = Sources::with([
        ("a.md", format!("# A\n\n{SECRET}\n").into_bytes()),
        (
            "latin1.md",
            format!("# {SECRET}\n\nCaf\u{e9}\n").chars().map(|char| char as u8).collect(),
        ),
        ("nul.md", format!("{SECRET} \0\n").into_bytes()),
        ("utf16.txt", "hidden".encode_utf16().flat_map(u16::to_le_bytes).collect()),
        ("z.md", b"# Z\n".to_vec()),
    ]);
    let gone = format!("{}/gone.md", sources.book());
    let run = ingest_text(&cluster, &[&gone, &sources.book()]).await;

    let convert = "Convert it to text in UTF-8";
    run.assert_refusal("latin1.md is not UTF-8: line 3, byte 20 of the file", convert);
    run.assert_refusal("nul.md contains a NUL byte: line 1, byte 14 of the file", convert);
    // A byte order mark would show its encoding.
    run.assert_refusal("utf16.txt contains a NUL byte: line 1, byte 1 of the file", convert);
    run.assert_refusal("gone.md: No such file", "Check that it exists");
    assert!(run.stdout.starts_with("2 documents added, 4 failed; 2 chunks"), "{}", run.stdout);
    let uris = "SELECT uri FROM rag.documents ORDER BY uri";
    assert_eq!(cluster.query_lines(uris).await, ["book/a.md", "book/z.md"]);
    assert_sound(&cluster).await;
}

#[tokio::test]
async fn a_page_that_is_too_large_to_convert_is_reported_and_the_others_are_loaded() {
    let cluster = text_cluster().await;
    let sources = Sources::with([
        ("a.md", b"# A\n".to_vec()),
        ("bomb.html", format!("<table>{}", "<tr><td>".repeat(1_500_000)).into_bytes()),
        ("long.html", "words ".repeat(6_000_000).into_bytes()),
        ("z.html", b"<h1>Z</h1>".to_vec()),
    ]);
    let run = ingest_text(&cluster, &[&sources.book()]).await;
    let split = "Split it into several pages, or ingest it without conversion with --media-type text/plain.";
    let nodes = "an HTML page must have at most 2000000 elements, attributes and texts";
    run.assert_refusal(&format!("bomb.html: {nodes}"), split);
    run.assert_refusal("long.html: an HTML page must have at most 33554432 bytes", split);
    assert!(run.stdout.starts_with("2 documents added, 2 failed"), "{}", run.stdout);
    assert_sound(&cluster).await;
}

/// A zip and a tar.gz whose content is much larger than the archive.
fn archive_bombs() -> [(&'static str, Vec<u8>); 2] {
    let spaces = vec![b' '; 70 << 20];
    let mut zip = zip::ZipWriter::new(Cursor::new(Vec::new()));
    zip.start_file("a.md", zip::write::SimpleFileOptions::default()).unwrap();
    zip.write_all(&spaces).unwrap();
    let mut header = tar::Header::new_gnu();
    header.set_size(spaces.len() as u64);
    header.set_mode(0o644);
    let gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    let mut tar = tar::Builder::new(gzip);
    tar.append_data(&mut header, "a.md", &*spaces).unwrap();
    let tar = tar.into_inner().unwrap().finish().unwrap();
    [("bomb.zip", zip.finish().unwrap().into_inner()), ("bomb.tar.gz", tar)]
}

#[tokio::test]
async fn an_archive_bomb_is_reported_and_the_others_are_loaded() {
    let cluster = text_cluster().await;
    let sources = Sources::with([("z.md", b"# Z\n".to_vec())]);
    let bombs = archive_bombs().map(|(name, bytes)| {
        assert!(bytes.len() < 100_000, "{name}: {}", bytes.len());
        sources.write(name, bytes)
    });
    let z = format!("{}/z.md", sources.book());
    let run = ingest_text(&cluster, &[&bombs[0], &bombs[1], &z]).await;
    let reason = "it unpacks to more than 200 times its size, in a.md";
    run.assert_refusal(&format!("bomb.zip: {reason}"), "");
    run.assert_refusal(&format!("bomb.tar.gz: {reason}"), "");
    assert!(run.stdout.starts_with("1 document added, "), "{}", run.stdout);
    assert_sound(&cluster).await;
}

#[tokio::test]
async fn an_unreadable_file_leaves_its_document_unchanged() {
    let cluster = text_cluster().await;
    let sources = Sources::with([("a.md", "# A\n\nGood.\n")]);
    ingest_text(&cluster, &[&sources.book()]).await;
    let next = next_transaction(&cluster).await;
    sources.write("a.md", b"# A\n\nBad: \xe9.\n");
    let run = ingest_text(&cluster, &[&sources.book()]).await;
    run.assert_refusal("a.md is not UTF-8: line 3, byte 10", "to text in UTF-8");
    assert_eq!(text_of(&cluster, "book/a.md").await, "# A\n\nGood.\n");
    assert_eq!(next_transaction(&cluster).await, next);
}

#[tokio::test]
async fn a_file_that_vanishes_after_the_walk_is_reported_and_the_others_are_loaded() {
    let cluster = text_cluster().await;
    let sources = Sources::with([("a.md", "# A\n"), ("b.md", "# B\n"), ("c.md", "# C\n")]);
    // The client reads the stored documents after it has found all files and before it reads one.
    let holder = cluster.client().await;
    holder.batch_execute("BEGIN; LOCK TABLE rag.documents").await.unwrap();
    let mut program = cluster.client_program();
    program.args(["ingest", "--no-embed", &sources.book()]);
    let running = tokio::spawn(async move { RunOutput::of(&mut program).await });
    let waits = "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'passage' \
         AND wait_event_type = 'Lock' AND query LIKE 'SELECT uri%documents%'";
    until("the client reads the stored documents", async || cluster.query_text(waits).await == "1")
        .await;
    fs::remove_file(format!("{}/b.md", sources.book())).unwrap();
    holder.batch_execute("COMMIT").await.unwrap();

    let run = running.await.unwrap();
    run.assert_refusal("b.md: No such file", "Check that it exists");
    assert!(run.stdout.starts_with("2 documents added, 1 failed"), "{}", run.stdout);
    let uris = "SELECT uri FROM rag.documents ORDER BY uri";
    assert_eq!(cluster.query_lines(uris).await, ["book/a.md", "book/c.md"]);
    assert_sound(&cluster).await;
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_read_error_is_reported_and_the_others_are_loaded() {
    let cluster = text_cluster().await;
    let sources = Sources::with([("a.md", "# A\n")]);
    // The memory of a process can be opened as a file, but its first page is unreadable.
    let run = ingest_text(&cluster, &["/proc/self/mem", &sources.book()]).await;
    run.assert_refusal("/proc/self/mem: Input/output error", "permission to read it");
    assert!(run.stdout.starts_with("1 document added, 1 failed"), "{}", run.stdout);
    assert_sound(&cluster).await;
}

#[tokio::test]
async fn files_and_folders_without_read_permission_are_reported() {
    let cluster = text_cluster().await;
    let sources = Sources::with([("a.md", "# A\n"), ("closed/b.md", "# B\n"), ("c.md", "# C\n")]);
    for name in ["closed", "c.md"] {
        let path = format!("{}/{name}", sources.book());
        fs::set_permissions(path, fs::Permissions::from_mode(0o000)).unwrap();
    }
    if fs::read(format!("{}/c.md", sources.book())).is_ok() {
        let what = "files and folders without read permission are reported";
        cluster.installation().report_skipped(what, "root may read everything");
        return;
    }
    let run = ingest_text(&cluster, &[&sources.book()]).await;
    run.assert_refusal("c.md: Permission denied", "permission to read it");
    run.assert_refusal("closed: Permission denied", "permission to read it");
    assert!(run.stdout.starts_with("1 document added, 2 failed"), "{}", run.stdout);
    // The temporary folder can only be removed with permissions.
    let closed = format!("{}/closed", sources.book());
    fs::set_permissions(closed, fs::Permissions::from_mode(0o700)).unwrap();
}

#[tokio::test]
async fn a_broken_link_is_skipped_in_a_folder_and_reported_when_named() {
    let cluster = text_cluster().await;
    let sources = Sources::with([("a.md", "# A\n")]);
    let link = format!("{}/link.md", sources.book());
    std::os::unix::fs::symlink("nothing.md", &link).unwrap();
    assert_eq!(ingest_text(&cluster, &[&sources.book()]).await.code, Some(0));
    ingest_text(&cluster, &[&link])
        .await
        .assert_refusal("link.md: No such file", "Check that it exists");
}

#[tokio::test]
async fn the_second_of_two_files_with_one_uri_is_reported() {
    let cluster = text_cluster().await;
    let (one, other) =
        (Sources::with([("a.md", "# One\n")]), Sources::with([("a.md", "# Other\n")]));
    let run = ingest_text(&cluster, &[&one.book(), &other.book(), &one.book()]).await;
    run.assert_refusal("has the same uri as another file: \"book/a.md\"", "--collection");
    assert!(run.stdout.starts_with("1 document added, 1 failed"), "{}", run.stdout);
    assert_eq!(text_of(&cluster, "book/a.md").await, "# One\n");
}

#[tokio::test]
async fn a_document_that_the_server_rejects_fails_alone() {
    let cluster = text_cluster().await;
    let sources = Sources::with([("a.md", format!("# A\n\n{SECRET}\n")), ("b.md", "# B\n".into())]);
    cluster
        .execute("ALTER TABLE rag.chunks ADD CONSTRAINT polite CHECK (content NOT LIKE '%hunter%')")
        .await;
    let run = run_client(&cluster, ["ingest", "--no-embed", &sources.book()]).await;
    run.assert_refusal("book/a.md: new row for relation \"chunks\" violates", "See the log");
    assert!(run.stdout.starts_with("1 document added, 1 failed; 1 chunk,"), "{}", run.stdout);
    assert_eq!(cluster.query_lines("SELECT uri FROM rag.documents").await, ["book/b.md"]);
    assert_sound(&cluster).await;
}

#[tokio::test]
async fn quiet_runs_print_errors() {
    let cluster = text_cluster().await;
    let sources = Sources::with([("a.md", "# A\n"), ("b.md", "\0")]);
    let mut program = cluster.client_program();
    let run =
        RunOutput::of(program.args(["ingest", "--quiet", "--no-embed", &sources.book()])).await;
    run.assert_refusal("b.md contains a NUL byte: line 1, byte 0", "to text in UTF-8");
    assert_eq!((&*run.stdout, run.stderr.lines().count()), ("", 2), "{}", run.stderr);
}
