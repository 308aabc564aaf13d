//! Sources without a document: the reason, the exit code, and what sync does then.

use crate::{RunOutput, Sources, ingest_text, run_client, text_cluster};
use passage_tests::Cluster;
use passage_tests::cases;
use std::fs;
use std::io::{Cursor, Write};
use std::path::Path;

fn zip(members: &[&str]) -> Vec<u8> {
    let mut zip = zip::ZipWriter::new(Cursor::new(Vec::new()));
    for name in members {
        zip.start_file(*name, zip::write::SimpleFileOptions::default()).unwrap();
        zip.write_all(b"x").unwrap();
    }
    zip.finish().unwrap().into_inner()
}

async fn ingest(cluster: &Cluster, folder: &Path, arguments: &[&str]) -> RunOutput {
    let mut program = cluster.client_program();
    program.current_dir(folder).args(["ingest", "--no-embed"]).args(arguments);
    RunOutput::of(&mut program).await
}

#[tokio::test]
async fn a_source_without_a_document_says_why_and_exits_with_code_1() {
    let cluster = text_cluster().await;
    let sources = Sources::new();
    let root = sources.0.path();
    for (name, text) in [
        ("ignored/.gitignore", "*.md\n"),
        ("ignored/a.md", "# A\n"),
        ("ignored/b.md", "# B\n"),
        ("one/.gitignore", "*.md\n"),
        ("one/a.md", "# A\n"),
        ("pictures/a.png", "x"),
        ("pictures/b.jpg", "x"),
        ("hidden/.a.md", "# A\n"),
        ("mixed/a.png", "x"),
        ("mixed/.b.md", "x"),
        ("mixed/c.md", "x"),
        ("none.jsonl", ""),
        ("one.jsonl", "{\"uri\": \"a\", \"text\": \"A\"}\n"),
        ("a.md", "# A\n"),
    ] {
        fs::create_dir_all(root.join(name).parent().unwrap()).unwrap();
        fs::write(root.join(name), text).unwrap();
    }
    fs::create_dir_all(root.join("empty/inner")).unwrap();
    fs::create_dir_all(root.join("links")).unwrap();
    std::os::unix::fs::symlink("../a.md", root.join("links/a.md")).unwrap();
    fs::write(root.join("empty.zip"), zip(&[])).unwrap();
    fs::write(root.join("left.zip"), zip(&[".a.md", "b.png", "c.md"])).unwrap();
    for (arguments, cause, remedy) in cases([
        (&["empty"][..], "empty has no document to load: it is empty", "--allow-empty"),
        (
            &["ignored"],
            "ignored has no document to load: all 3 files are left out: 2 ignored by git, 1 hidden",
            "Remove the names from .gitignore",
        ),
        (
            &["one"],
            "one has no document to load: all 2 files are left out: 1 ignored by git, 1 hidden",
            "Remove the names from .gitignore",
        ),
        (
            &["pictures"],
            "pictures has no document to load: all 2 files are not text",
            "Convert the files to text",
        ),
        (
            &["hidden"],
            "hidden has no document to load: its only file is hidden",
            "Name the hidden files",
        ),
        (
            &["links"],
            "links has no document to load: its only file is a symbolic link or a device",
            "Name the targets",
        ),
        (
            &["mixed", "--include", "*.txt"],
            "mixed has no document to load: all 3 files are left out: 1 hidden, 2 excluded by --include or --exclude",
            "Check --include",
        ),
        (&["empty.zip"], "empty.zip has no document to load: it is empty", "--allow-empty"),
        (
            &["left.zip", "--exclude", "*.md"],
            "left.zip has no document to load: all 3 files are left out: 1 hidden, 1 excluded by --include or --exclude, 1 not text",
            "use --allow-empty",
        ),
        (
            &["ignored/*.md"],
            "ignored/*.md has no document to load: all 2 files are ignored by git",
            "Remove the names from .gitignore",
        ),
        (&["pictures/*.md"], "no files match the pattern \"pictures/*.md\"", "use --allow-empty"),
        (
            &["mixed/*.md", "--exclude", "c.*"],
            "mixed/*.md has no document to load: its only file is excluded by --include or --exclude",
            "Check --include",
        ),
        (
            &["a.md", "--exclude", "*.md"],
            "a.md has no document to load: --include or --exclude leaves out all of it",
            "Check --include",
        ),
        (
            &["none.jsonl", "--jsonl", "documents"],
            "none.jsonl has no document to load: it is empty",
            "--allow-empty",
        ),
        (
            &["one.jsonl", "--jsonl", "documents", "--exclude", "a"],
            "one.jsonl has no document to load: --include or --exclude leaves out all of it",
            "Check --include",
        ),
        (
            &["one.jsonl", "--jsonl", "chunks", "--exclude", "a"],
            "one.jsonl:1: \"content\" is missing",
            "one JSON object per line",
        ),
    ]) {
        let run = ingest(&cluster, root, arguments).await;
        run.assert_refusal(cause, remedy);
        assert_eq!(run.code, Some(1), "{arguments:?}");
        assert!(run.stdout.contains("1 failed"), "{}", run.stdout);
        if !arguments.contains(&"chunks") {
            let run = ingest(&cluster, root, &[arguments, &["--allow-empty"]].concat()).await;
            assert_eq!(run.code, Some(0), "{arguments:?}: {}", run.stderr);
        }
    }
    // Other sources of the same run are loaded, and a missing one is an error in any case.
    let run = ingest(&cluster, root, &["empty", "a.md"]).await;
    assert!(
        run.code == Some(1) && run.stdout.contains("1 document added, 1 failed"),
        "{}",
        run.stdout
    );
    let missing = ingest(&cluster, root, &["nowhere", "--allow-empty"]).await;
    missing.assert_refusal("cannot read nowhere", "Check that it exists");
    let missing = ingest(&cluster, root, &["nowhere/*.md", "--allow-empty"]).await;
    missing.assert_refusal("no files match the pattern", "Check the pattern");
}

#[tokio::test]
async fn sync_removes_nothing_if_a_source_is_empty_unless_that_is_allowed() {
    let cluster = text_cluster().await;
    let sources = Sources::with([("a.md", "# A\n"), ("b.md", "# B\n")]);
    ingest_text(&cluster, &[&sources.book()]).await;
    for name in ["a.md", "b.md"] {
        fs::remove_file(Path::new(&sources.book()).join(name)).unwrap();
    }
    let book = sources.book();
    let sync = ["sync", "--no-embed", "--grace", "0", &book];
    let run = run_client(&cluster, sync).await;
    run.assert_refusal("book has no document to load: it is empty", "use --allow-empty");
    run.assert_refusal("no document was orphaned or removed", "Fix the errors above");
    assert_eq!(cluster.query_text("SELECT count(*) FROM rag.documents").await, "2");
    let run = run_client(&cluster, [&sync[..], &["--allow-empty"]].concat()).await;
    assert!(
        run.code == Some(0) && run.stdout.contains("2 removed"),
        "{}{}",
        run.stdout,
        run.stderr
    );
    assert_eq!(cluster.query_text("SELECT count(*) FROM rag.documents").await, "0");
}
