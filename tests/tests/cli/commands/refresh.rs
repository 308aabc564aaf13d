//! The recipe for a refresh by cron and systemd: its command lines run, and systemd accepts its units.

use crate::text_cluster;
use crate::web_site::{Page, Site};
use passage_tests::cluster::client_path;
use passage_tests::markdown::Page as Document;
use passage_tests::{Cluster, path_with};
use std::collections::HashMap;
use std::fs;
use tempfile::TempDir;
use tokio::process::Command;

const RECIPE: &str = "docs/recipes/refresh.md";

fn site() -> Site {
    let site = Site::new();
    let page = |links: &str| {
        Page::new(200, format!("<h1>Page</h1>{links}"))
            .with("Content-Type", "text/html")
            .with("ETag", "\"1\"")
    };
    site.page("/docs/", page("<a href=a.html>a</a>"));
    site.page("/docs/a.html", page(""));
    site
}

/// Runs a command line of the recipe with these variables. Its site is on this machine, and nothing is embedded.
async fn run(cluster: &Cluster, site: &Site, cache: &TempDir, line: &str) -> String {
    let line = line
        .replace("https://example.com", &site.url)
        .replace("/tmp/", &format!("{}/", cache.path().display()))
        .replace("passage sync", "passage sync --no-embed --allow-private")
        .replace("/usr/local/bin/passage", "passage");
    let mut shell = Command::new("sh");
    shell.args(["-c", &line]).env_clear().env("XDG_CACHE_HOME", cache.path());
    shell.env("PATH", path_with(client_path().parent())).env("DATABASE_URL", cluster.url());
    let output = shell.output().await.unwrap();
    assert!(output.status.success(), "{line}\n{}", String::from_utf8_lossy(&output.stderr));
    format!(
        "{}{}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    )
}

#[tokio::test]
async fn the_command_lines_of_cron_and_systemd_refresh_a_site_without_output() {
    let recipe = Document::read(RECIPE);
    let table = recipe.blocks_of("## cron", "text").concat();
    let (variables, jobs): (Vec<_>, Vec<_>) = table.lines().partition(|line| {
        line.split_once('=').is_some_and(|(name, _)| {
            name.chars().all(|char| char.is_ascii_uppercase() || char == '_')
        })
    });
    assert_eq!(variables.len(), 2, "{variables:?}");
    let [job] = jobs[..] else { panic!("{jobs:?}") };
    let fields: Vec<_> = job.splitn(6, ' ').collect();
    assert!(fields[..5].iter().all(|field| *field == "*" || field.parse::<u8>().is_ok()), "{job}");

    let units = recipe.blocks_of("## systemd", "ini");
    let service = units[0].lines().find_map(|line| line.strip_prefix("ExecStart=")).unwrap();
    for line in [fields[5], service] {
        let (cluster, site, cache) = (text_cluster().await, site(), tempfile::tempdir().unwrap());
        for conditions in ["", " etag"] {
            assert_eq!(run(&cluster, &site, &cache, line).await, "");
            let requests = ["/docs/", "/docs/a.html"].map(|path| format!("{path}{conditions}"));
            assert_eq!(site.requests(), requests, "{line}");
        }
        assert_eq!(cluster.query_text("SELECT count(*) FROM rag.documents").await, "2");
    }
}

#[tokio::test]
async fn systemd_accepts_the_units_of_the_recipe() {
    let cluster = text_cluster().await;
    let folder = tempfile::tempdir().unwrap();
    let units = Document::read(RECIPE).blocks_of("## systemd", "ini");
    let names = ["passage-refresh.service", "passage-refresh.timer"];
    let paths: HashMap<_, _> = names.iter().map(|name| (name, folder.path().join(name))).collect();
    for (name, unit) in names.iter().zip(&units) {
        let program = client_path().display().to_string();
        fs::write(&paths[name], unit.replace("/usr/local/bin/passage", &program)).unwrap();
    }
    let mut command = Command::new("systemd-analyze");
    command.args(["verify", "--man=no"]).args(names.iter().map(|name| &paths[name]));
    if let Ok(output) = command.output().await {
        let stderr = String::from_utf8_lossy(&output.stderr);
        let complaints: Vec<_> =
            stderr.lines().filter(|line| line.contains("passage-refresh")).collect();
        assert!(complaints.is_empty(), "{complaints:?}");
        assert!(output.status.success(), "{stderr}");
    } else {
        let why = "there is no systemd-analyze";
        cluster.installation().report_skipped("the units of the recipe", why);
    }
}
