//! The examples of `--help`, which a shell runs unchanged.

use crate::web_site::{Page, Site};
use crate::{Sources, text_cluster};
use passage_tests::cluster::client_path;
use passage_tests::{cases, path_with};
use std::fs;
use tokio::process::Command;

/// Returns the examples of a command, without those that do not end.
async fn examples(command: &str) -> Vec<String> {
    let output = Command::new(client_path()).args([command, "--help"]).output().await.unwrap();
    let help = String::from_utf8(output.stdout).unwrap();
    let (_, examples) = help.split_once("Examples:\n").expect("there are examples");
    let lines = examples.lines().map(str::trim).filter(|line| !line.is_empty());
    lines.filter(|line| !line.contains("--watch")).map(ToOwned::to_owned).collect()
}

#[tokio::test]
async fn every_example_runs() {
    let cluster = text_cluster().await;
    let site = Site::new();
    site.page("/guide.html", Page::new(200, "<h1>Guide</h1>").with("Content-Type", "text/html"));
    let map = "<urlset><url><loc>/docs/a.md</loc></url><url><loc>/b.md</loc></url></urlset>";
    site.page("/sitemap.xml", Page::new(200, map));
    site.page("/docs/a.md", Page::new(200, "# A\n"));
    site.page("/b.md", Page::new(200, "# B\n"));
    site.page("/llms.txt", Page::new(200, "- [a](/docs/a.md)\n"));
    site.page("/docs/", Page::new(200, "<a href=a.md>a</a>").with("Content-Type", "text/html"));

    let sources = Sources::new();
    let home = sources.0.path();
    let line = "{\"uri\": \"a\", \"text\": \"A\"}\n";
    for (name, text) in [
        ("docs/guide.md", "# Guide\n"),
        ("docs/old.md", "# Old\n"),
        ("docs/older.md", "# Older\n"),
        ("README.md", "# Read\n"),
        ("click/docs/a.md", "# Click\n"),
        ("src/pkg/a.py", "a = 1\n"),
        ("guide.md", "# Guide\n\nHere.\n"),
        ("notes/a.txt", "a\n"),
        ("notes.jsonl", line),
    ] {
        fs::create_dir_all(home.join(name).parent().unwrap()).unwrap();
        fs::write(home.join(name), text).unwrap();
    }
    let gzip = |bytes: &[u8]| {
        let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
        std::io::Write::write_all(&mut gzip, bytes).unwrap();
        gzip.finish().unwrap()
    };
    fs::write(home.join("documents.jsonl.gz"), gzip(line.as_bytes())).unwrap();
    let mut tar = tar::Builder::new(Vec::new());
    tar.append_path_with_name(home.join("guide.md"), "guide.md").unwrap();
    fs::write(home.join("click-8.1.tar.gz"), gzip(&tar.into_inner().unwrap())).unwrap();
    let mut zip = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    zip.start_file("page.md", zip::write::SimpleFileOptions::default()).unwrap();
    fs::write(home.join("pages.zip"), zip.finish().unwrap().into_inner()).unwrap();

    let path = path_with(client_path().parent());
    let mut count = 0;
    for command in cases(["ingest", "sync", "reindex", "remove"]) {
        for example in examples(command).await {
            let example = example.replace("https://example.com", &site.url);
            // Loading a model takes a second for each example and is tested elsewhere, and no user answers
            // questions here.
            let example = example
                .replace("passage ingest", "passage ingest --no-embed --allow-private")
                .replace("passage sync", "passage sync --no-embed --allow-private")
                .replace("docs/older.md", "docs/older.md --yes");
            let mut shell = Command::new("sh");
            shell.args(["-c", &example]).current_dir(home).env("PATH", &path).env("HOME", home);
            shell.env("DATABASE_URL", cluster.url());
            let output = shell.output().await.unwrap();
            let stderr = String::from_utf8_lossy(&output.stderr);
            assert!(output.status.success(), "{example}\n{stderr}");
            count += 1;
        }
    }
    assert!(count >= 21, "{count}");
}
