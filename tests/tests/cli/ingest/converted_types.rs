//! Programs of `--convert` for images, archives and unknown types, JSON lines that they write, and what they get of the
//! environment; with `sync`, `--watch` and `reindex`.

use crate::office_documents as documents;
use crate::{RunOutput, Sources, assert_sound, run_client, text_cluster, text_of};
use passage_tests::Cluster;
use passage_tests::markdown::Page;
use passage_tests::wait::until;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Stdio;
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::Command;

/// Writes a script into the folder of the sources, and returns its path. Each run adds a line to the file `runs`.
fn script(sources: &Sources, text: &str) -> String {
    let path = sources.0.path().join("convert");
    let text = format!("#!/bin/sh\necho run >>\"$(dirname \"$0\")/runs\"\n{text}");
    fs::write(&path, text).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o700)).unwrap();
    path.to_str().unwrap().to_owned()
}

fn runs(sources: &Sources) -> usize {
    fs::read_to_string(sources.0.path().join("runs")).unwrap_or_default().lines().count()
}

/// Returns the program with a cache of its own.
fn client(cluster: &Cluster, sources: &Sources, arguments: &[&str]) -> Command {
    let mut command = cluster.client_program();
    command.env("XDG_CACHE_HOME", sources.0.path()).args(arguments);
    command
}

async fn run(cluster: &Cluster, sources: &Sources, arguments: &[&str]) -> RunOutput {
    RunOutput::of(&mut client(cluster, sources, arguments)).await
}

#[tokio::test]
async fn a_program_gets_no_password_and_no_key() {
    let cluster = text_cluster().await;
    let sources = Sources::with([("a.xyz", "text")]);
    let convert = format!("xyz={}", script(&sources, "env | sed 's/^/- /'\n"));
    let mut command = client(
        &cluster,
        &sources,
        &["ingest", "--no-embed", "--convert", &convert, "--convert-env", "OCR_KEY"],
    );
    let secrets =
        ["PGPASSWORD", "PGAPPNAME", "PASSAGE_API_KEY", "OPENAI_API_KEY", "AWS_SECRET_ACCESS_KEY"];
    command.envs(secrets.map(|name| (name, "xyzzy-hunter2"))).env("OCR_KEY", "named");
    command.env("LC_ALL", "C.UTF-8").env("TMPDIR", sources.0.path()).arg(sources.book());
    let loaded = RunOutput::of(&mut command).await;
    assert_eq!(loaded.code, Some(0), "{}", loaded.stderr);
    let text = text_of(&cluster, "book/a.xyz").await;
    for name in ["OCR_KEY=named", ""] {
        let arguments = ["ingest", "--no-embed", "--convert-env", name, &sources.book()];
        let refused = RunOutput::of(&mut client(&cluster, &sources, &arguments)).await;
        refused.assert_refusal("takes names of environment variables", "write its name");
        assert!(!refused.stderr.contains("named"), "{}", refused.stderr);
    }
    for name in secrets.iter().chain(&["DATABASE_URL", "hunter2"]) {
        assert!(!text.contains(name), "{name}: {text}");
    }
    for variable in
        ["- PATH=", "- LC_ALL=C.UTF-8\n", "- TMPDIR=", "- OCR_KEY=named\n", "- XDG_CACHE_HOME="]
    {
        assert!(text.contains(variable), "{variable}: {text}");
    }
}

/// Returns the environment of the process that converts a document of `client`, as soon as there is one.
fn environment_of_child(client: u32) -> Option<String> {
    let processes = fs::read_dir("/proc").ok()?.flatten().map(|entry| entry.path());
    let read = |path: &Path, name| fs::read_to_string(path.join(name)).unwrap_or_default();
    let mut children = processes.filter(|path| {
        read(path, "status").contains(&format!("\nPPid:\t{client}\n"))
            && read(path, "cmdline").contains("__convert")
    });
    children.next().map(|path| read(&path, "environ")).filter(|text| !text.is_empty())
}

#[tokio::test]
async fn the_process_that_converts_a_pdf_gets_no_password_and_no_key() {
    let cluster = text_cluster().await;
    let page = |number: usize| {
        let line = |line: usize| (10.0, 50.0, 10.0 * line as f64, "A line of a page");
        (0..70 + number % 2).map(line).collect::<Vec<_>>()
    };
    let sources =
        Sources::with([("a.pdf", documents::pdf_of(&(0..400).map(page).collect::<Vec<_>>()))]);
    let mut command = client(&cluster, &sources, &["ingest", "--no-embed", &sources.book()]);
    command.env("PGPASSWORD", "xyzzy-hunter2").env("PASSAGE_API_KEY", "xyzzy-hunter2");
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let id = child.id().unwrap();
    let mut environment = None;
    until("a process converts the document", async || {
        environment = environment_of_child(id);
        environment.is_some()
    })
    .await;
    let environment = environment.unwrap();
    assert!(environment.contains("PATH="), "{environment}");
    assert!(!environment.contains("DATABASE_URL") && !environment.contains("hunter2"));
    assert!(child.wait().await.unwrap().success());
}

#[tokio::test]
async fn json_lines_of_a_program_have_pages_and_metadata_that_a_reindex_keeps() {
    let cluster = text_cluster().await;
    let paragraph = "The quorum of this page decides. ".repeat(30);
    let record = |page: u32, head: &str| {
        format!(
            "{{\"text\": \"# {head}\\n\\n{paragraph}\\n\", \"title\": \"{head}\", \
             \"metadata\": {{\"page\": {page}, \"author\": \"Ada {page}\"}}}}\n"
        )
    };
    let sources = Sources::with([("a.scan", "x"), ("b.folder", "x"), ("c.bad", "x")]);
    let lines = [record(1, "First"), record(4, "Second")].concat();
    fs::write(sources.0.path().join("lines"), &lines).unwrap();
    fs::write(
        sources.0.path().join("bad"),
        format!("{lines}{{\"text\": \"xyzzy-hunter2\", \"n\": 1}}\n"),
    )
    .unwrap();
    let program = script(&sources, "cat \"$(dirname \"$0\")/$1\" >\"$2\"\n");
    let stdout = format!("scan={program} lines /dev/stdout");
    let (file, bad) = (
        format!("folder={program} lines {{output}}/a.jsonl"),
        format!("bad={program} bad /dev/stdout"),
    );
    let book = sources.book();
    let options = [
        "--convert",
        &stdout,
        "--convert",
        &file,
        "--convert",
        &bad,
        "--metadata",
        "author=me",
        &book,
    ];
    let loaded = run(&cluster, &sources, &[&["ingest", "--no-embed"], &options[..]].concat()).await;
    let defect = "wrote JSON lines whose line 3 is not a record with a text";
    loaded.assert_refusal(defect, "Run the program of --convert");
    assert!(!loaded.stderr.contains("hunter2"), "{}", loaded.stderr);
    assert!(loaded.stdout.starts_with("2 documents added, 1 failed"), "{}", loaded.stdout);
    let pages = "SELECT section[1] || '|' || min((metadata ->> 'page')::int) || '|' || max((metadata ->> 'page')::int) \
        FROM rag.chunks GROUP BY document_id, section[1] ORDER BY document_id, 1";
    let expected = ["First|1|1", "Second|4|4", "First|1|1", "Second|4|4"];
    assert_eq!(cluster.query_lines(pages).await, expected);
    // Metadata of the command line takes precedence.
    let of_documents = "SELECT DISTINCT title || '|' || (metadata ->> 'author') FROM rag.documents";
    assert_eq!(cluster.query_lines(of_documents).await, ["First|me"]);
    let citation = "SELECT citations -> 0 -> 'page' FROM passage.search('quorum decides', max_tokens => 200) LIMIT 1";
    assert!(["1", "4"].contains(&&*cluster.query_text(citation).await));

    let sizes =
        ["reindex", "--no-embed", "--collection", "", "--sizer", "characters", "--max-size", "400"];
    let reindexed = run(&cluster, &sources, &sizes).await;
    assert_eq!(reindexed.code, Some(0), "{}", reindexed.stderr);
    assert_eq!(cluster.query_lines(pages).await, expected);
    assert_eq!(cluster.query_lines(of_documents).await, ["First|me"]);
    assert_sound(&cluster).await;
}

#[tokio::test]
async fn the_records_of_the_guide_are_a_document_with_pages() {
    let cluster = text_cluster().await;
    let guide = Page::read("docs/guides/documents.md");
    let sources =
        Sources::with([("a.scan", guide.blocks_of("### Records of pages", "json").concat())]);
    let loaded = run(
        &cluster,
        &sources,
        &["ingest", "--no-embed", "--convert", "scan=cat {}", &sources.book()],
    )
    .await;
    assert_eq!(loaded.code, Some(0), "{}", loaded.stderr);
    let documents = "SELECT title || '|' || (metadata ->> 'author') FROM rag.documents";
    assert_eq!(cluster.query_lines(documents).await, ["Guide|Ada"]);
    let text = text_of(&cluster, "book/a.scan").await;
    assert_eq!(text, "# Setup\n\nInstall it.\n\n# Use\n\nRun it.");
    let chunks =
        "SELECT section[1] || '|' || (metadata ->> 'page') FROM rag.chunks ORDER BY ordinal";
    assert_eq!(cluster.query_lines(chunks).await, ["Setup|1", "Use|2"]);
}

#[tokio::test]
async fn images_archives_and_unknown_files_of_folders_and_archives_are_converted() {
    let cluster = text_cluster().await;
    let sources = Sources::with([
        ("scan.PNG", b"\x89PNG\r\n\x1a\n\0".to_vec()),
        ("other.jpg", b"\xff\xd8\xff\0".to_vec()),
        ("bundle.zip", b"PK\x03\x04\0".to_vec()),
        ("model.dwg", b"AC1032\0".to_vec()),
    ]);
    let program = script(&sources, "printf '# %s\\n\\nText.\\n' \"${1##*.}\"\n");
    let converts = ["png", "zip", "dwg"].map(|kind| format!("{kind}={program} {{}}"));
    let mut arguments = vec!["ingest", "--no-embed"];
    for convert in &converts {
        arguments.extend(["--convert", convert]);
    }
    let book = sources.book();
    let loaded = run(&cluster, &sources, &[&arguments[..], &[&book]].concat()).await;
    assert_eq!(loaded.code, Some(0), "{}", loaded.stderr);
    assert!(loaded.stdout.starts_with("3 documents added, 1 skipped"), "{}", loaded.stdout);
    assert_eq!(text_of(&cluster, "book/scan.PNG").await, "# png\n\nText.\n");

    let archive = sources.0.path().join("files.tar");
    let mut tar = tar::Builder::new(fs::File::create(&archive).unwrap());
    tar.append_path_with_name(format!("{book}/scan.PNG"), "in/scan.png").unwrap();
    tar.append_path_with_name(format!("{book}/other.jpg"), "in/other.jpg").unwrap();
    tar.finish().unwrap();
    let loaded =
        run(&cluster, &sources, &[&arguments[..], &[archive.to_str().unwrap()]].concat()).await;
    assert!(
        loaded.stdout.starts_with("1 document added, 1 skipped"),
        "{} {}",
        loaded.stdout,
        loaded.stderr
    );
    assert_eq!(text_of(&cluster, "files.tar/in/scan.png").await, "# png\n\nText.\n");

    // Without programs, only their names are known.
    let cluster = text_cluster().await;
    let loaded = run(&cluster, &sources, &["ingest", "--no-embed", &book]).await;
    assert!(
        loaded.stdout.starts_with("0 documents added, 3 skipped, 1 failed"),
        "{}",
        loaded.stdout
    );
}

#[tokio::test]
async fn sync_watch_and_reindex_run_a_program_only_for_changed_documents() {
    let cluster = text_cluster().await;
    let pdf = |text: &str| documents::pdf_of(&[vec![(10.0, 50.0, 700.0, text)]]);
    let sources = Sources::with([
        ("a.pdf", pdf("One")),
        ("b.pdf", pdf("Two")),
        ("c.png", b"\x89PNG".to_vec()),
    ]);
    let program = script(&sources, "printf '# Converted\\n\\n%s\\n' \"$(cksum <\"$1\")\"\n");
    let (of_pdf, of_png) = (format!("pdf={program} {{}}"), format!("png={program} {{}}"));
    let (book, grace) = (sources.book(), ["--grace", "0"]);
    let options = ["--no-embed", "--convert", &of_pdf, "--convert", &of_png, &book];
    let sync = [&["sync"], &grace[..], &options[..]].concat();
    assert!(run(&cluster, &sources, &sync).await.stdout.starts_with("3 documents added"));
    assert_eq!(runs(&sources), 3);
    let same = run(&cluster, &sources, &sync).await;
    assert!(same.stdout.starts_with("0 documents added, 3 unchanged"), "{}", same.stdout);
    sources.write("a.pdf", pdf("Three"));
    fs::remove_file(format!("{book}/b.pdf")).unwrap();
    let changed = run(&cluster, &sources, &sync).await;
    assert!(changed.stdout.contains("1 replaced, 1 unchanged, 1 removed"), "{}", changed.stdout);
    assert_eq!(runs(&sources), 4);

    // A reindex splits the text of the store, without the file and the program.
    let text = text_of(&cluster, "book/a.pdf").await;
    let sizes = ["--collection", "", "--sizer", "characters", "--max-size", "500"];
    let reindexed = run_client(&cluster, [&["reindex", "--no-embed"], &sizes[..]].concat()).await;
    assert_eq!(reindexed.code, Some(0), "{}", reindexed.stderr);
    assert_eq!(text_of(&cluster, "book/a.pdf").await, text);
    let same = run(&cluster, &sources, &sync).await;
    assert!(same.stdout.starts_with("0 documents added, 2 unchanged"), "{}", same.stdout);
    assert_eq!(runs(&sources), 4);

    let mut command = client(&cluster, &sources, &[&["ingest", "--watch"], &options[..]].concat());
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
    let mut wait = async |line: &str| crate::until_line(&mut lines, line).await;
    wait("watching for changes").await;
    sources.write("c.png", b"\x89PNG changed");
    wait("replaced book/c.png").await;
    sources.write("d.png", b"\x89PNG");
    wait("added book/d.png").await;
    child.kill().await.unwrap();
    // The bytes of `d.png` are those that `c.png` had, so its text comes from the cache.
    assert_eq!(runs(&sources), 5);
    assert_sound(&cluster).await;
}
