//! `passage ingest --convert`: programs of the user that convert documents, their cache, and how they fail.

use crate::office_documents as documents;
use crate::{RunOutput, Sources, run_client, text_cluster, text_of};
use passage_tests::Cluster;
use passage_tests::wait::until;
use std::fs;
use std::path::Path;

/// A script that counts its runs in the file `runs` beside it, and writes a heading with the size of the document.
const SCRIPT: &str = "#!/bin/sh
echo run >>\"$(dirname \"$0\")/runs\"
printf '# Converted\\n\\nThe document has %s bytes.\\n' \"$(wc -c <\"$1\")\"
";

/// Writes a script into the folder of the sources, and returns its path.
fn script(sources: &Sources, name: &str, text: &str) -> String {
    use std::os::unix::fs::PermissionsExt;
    let path = sources.0.path().join(name);
    fs::write(&path, text).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o700)).unwrap();
    path.to_str().unwrap().to_owned()
}

/// Runs an ingest with the cache in the folder of the sources.
async fn ingest(cluster: &Cluster, sources: &Sources, arguments: &[&str]) -> RunOutput {
    let mut command = cluster.client_program();
    fs::create_dir_all(sources.0.path().join("cache")).unwrap();
    command.env("XDG_CACHE_HOME", sources.0.path().join("cache"));
    RunOutput::of(command.args(["ingest", "--no-embed"]).args(arguments)).await
}

fn runs(sources: &Sources) -> usize {
    fs::read_to_string(sources.0.path().join("runs")).unwrap_or_default().lines().count()
}

#[tokio::test]
async fn a_program_converts_documents_of_its_type_and_runs_once_for_each() {
    let cluster = text_cluster().await;
    let sources = Sources::with([
        ("a.pdf", documents::pdf()),
        // The content decides, not the name.
        ("b.bin.txt", documents::pdf_of(&[vec![(10.0, 50.0, 700.0, "Other text")]])),
        ("c.docx", documents::docx()),
        ("d.md", b"# D\n".to_vec()),
    ]);
    let convert = format!("pdf={} {{}}", script(&sources, "convert", SCRIPT));
    let run = ingest(&cluster, &sources, &["--convert", &convert, &sources.book()]).await;
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    assert_eq!(runs(&sources), 2);
    let size = documents::pdf().len();
    let text = format!("# Converted\n\nThe document has {size} bytes.\n");
    assert_eq!(text_of(&cluster, "book/a.pdf").await, text);
    assert!(text_of(&cluster, "book/c.docx").await.starts_with("# Cluster guide\n"));
    let types = "SELECT media_type || '|' || source_media_type FROM rag.documents WHERE uri = 'book/b.bin.txt'";
    assert_eq!(cluster.query_text(types).await, "text/markdown|application/pdf");

    // The document is unchanged, so not even the cache is read.
    let run = ingest(&cluster, &sources, &["--convert", &convert, &sources.book()]).await;
    assert!(run.stdout.starts_with("0 documents added, 4 unchanged"), "{}", run.stdout);
    // In another collection the text comes from the cache.
    let other = ["--collection", "other", "--convert", &convert, &sources.book()];
    let run = ingest(&cluster, &sources, &other).await;
    assert!(run.stdout.starts_with("4 documents added"), "{}", run.stdout);
    assert_eq!(runs(&sources), 2);
    // Another command line has other results.
    let run =
        ingest(&cluster, &sources, &["--convert", &format!("{convert} -x"), &sources.book()]).await;
    assert_eq!((run.code, runs(&sources)), (Some(0), 4), "{}", run.stderr);
    // Without the program, the client's own converter.
    let run = ingest(&cluster, &sources, &[&sources.book()]).await;
    assert!(run.stdout.starts_with("0 documents added, 2 replaced, 2 unchanged"), "{}", run.stdout);

    let reindex = run_client(&cluster, ["reindex", "--no-embed"]).await;
    assert_eq!(reindex.code, Some(0), "{}", reindex.stderr);
}

#[tokio::test]
async fn a_program_reads_standard_input_and_writes_html_or_a_file() {
    let cluster = text_cluster().await;
    let page = "<html><body><main><h1>Page</h1><table><tr><td>a</td></tr></table><p>From a program.</p></main></body></html>";
    let sources = Sources::with([("a.xyz", "first"), ("b.pages", "second"), ("c.key", "third")]);
    let stdin = format!("xyz={}", script(&sources, "stdin", "#!/bin/sh\necho '# From'; cat\n"));
    let html = script(&sources, "html", &format!("#!/bin/sh\necho '{page}'\n"));
    let file = script(&sources, "file", "#!/bin/sh\ncp \"$1\" \"$2/result.md\"\n");
    let (html, file) = (format!("pages={html} {{}}"), format!("key={file} {{}} {{output}}"));
    let arguments = ["--convert", &stdin, "--convert", &html, "--convert", &file, &sources.book()];
    let run = ingest(&cluster, &sources, &arguments).await;
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    assert_eq!(text_of(&cluster, "book/a.xyz").await, "# From\nfirst");
    let text = text_of(&cluster, "book/b.pages").await;
    assert!(text.starts_with("# Page\n") && text.ends_with("From a program.\n"), "{text}");
    assert_eq!(text_of(&cluster, "book/c.key").await, "third");
}

#[tokio::test]
async fn a_program_that_fails_costs_one_document_and_its_words_are_not_shown() {
    let cluster = text_cluster().await;
    let names = ["fail", "silent", "missing", "slow"];
    let sources = Sources::with(
        names.map(|name| (format!("a.{name}"), "text")).iter().map(|(name, text)| (&**name, *text)),
    );
    sources.write("z.md", "# Z\n");
    let fail = format!(
        "fail={} {{}}",
        script(&sources, "fail", "#!/bin/sh\necho xyzzy-hunter2 >&2; exit 3\n")
    );
    let silent = format!("silent={} {{}}", script(&sources, "silent", "#!/bin/sh\n"));
    // A process that the program starts keeps its output open.
    let slow = format!(
        "slow={} {{}}",
        script(
            &sources,
            "slow",
            "#!/bin/sh\nsleep 600 & echo $! >\"$(dirname \"$0\")/sleeper\"; wait\n"
        )
    );
    let missing = "missing=/no/such/program {}";
    let mut arguments = vec!["--convert-timeout", "1"];
    for program in [&fail, &silent, &slow, missing] {
        arguments.extend(["--convert", program]);
    }
    let book = sources.book();
    arguments.push(&book);
    let run = ingest(&cluster, &sources, &arguments).await;
    for (cause, remedy) in [
        ("a.fail cannot be converted: ", "Run the program of --convert"),
        ("a.silent cannot be converted: ", "Run the program of --convert"),
        ("a.missing cannot be converted: /no/such/program does not start", "Install the program"),
        ("a.slow cannot be converted within 1 seconds", "raise --convert-timeout"),
    ] {
        run.assert_refusal(cause, remedy);
    }
    assert!(run.stdout.starts_with("1 document added, 4 failed"), "{}", run.stdout);
    let sleeper = fs::read_to_string(sources.0.path().join("sleeper")).unwrap();
    let status = format!("/proc/{}/status", sleeper.trim());
    let ended =
        async || fs::read_to_string(&status).map_or(true, |text| text.contains("State:\tZ"));
    until("the processes of a slow program end", ended).await;

    let usage = ingest(&cluster, &sources, &["--convert", "markitdown {}", &book]).await;
    usage.assert_refusal("names no type and program", "--convert 'pdf=markitdown {}'");
    let usage = ingest(&cluster, &sources, &["--convert", "image/png=cat {}", &book]).await;
    usage.assert_refusal("no files of the media type image/png", "--convert 'png=tesseract {} -'");
    assert_eq!(usage.code, Some(2));
}

#[tokio::test]
async fn programs_come_from_the_configuration_of_the_user_and_not_from_the_working_folder() {
    let cluster = text_cluster().await;
    let sources = Sources::with([("a.pdf", documents::pdf())]);
    let program = script(&sources, "convert", SCRIPT);
    let file = sources.0.path().join("passage.toml");
    fs::write(&file, format!("[convert]\npdf = \"{program} {{}}\"\n")).unwrap();
    let ingest = |config: Option<&Path>| {
        let mut command = cluster.client_program();
        command.current_dir(sources.0.path()).env("XDG_CACHE_HOME", sources.0.path());
        command.args(["ingest", "--no-embed", "book"]);
        command.args(config.map(|path| ["--config", path.to_str().unwrap()]).into_iter().flatten());
        async move { RunOutput::of(&mut command).await }
    };
    ingest(None).await.assert_refusal("cannot be set by a file in the working folder", "--config");
    assert_eq!(runs(&sources), 0);
    let run = ingest(Some(&file)).await;
    assert_eq!((run.code, runs(&sources)), (Some(0), 1), "{}", run.stderr);
}
