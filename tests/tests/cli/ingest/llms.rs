//! `llms.txt` and `llms-full.txt` of a site as sources.

use crate::web_site::{Page, Site};
use crate::{RunOutput, run_client, text_cluster, text_of};
use passage_tests::Cluster;

const INDEX: &str = "# Project\n\n> A project.\n\n## Docs\n\n- [A]({site}/docs/a.md): first\n- [A](/docs/a.md#part)\n\
    - [Elsewhere](http://example.invalid/x.md)\n- [All](/llms-full.txt)\n\n## Optional\n\n- [B](docs/b.md)\n";

fn site() -> Site {
    let site = Site::new();
    site.page("/llms.txt", Page::new(200, INDEX).with("Content-Type", "text/plain"));
    site.page("/docs/a.md", Page::new(200, "# A\n\nOne.\n").with("ETag", "\"a\""));
    site.page("/docs/b.md", Page::new(200, "# B\n\nTwo.\n").with("ETag", "\"b\""));
    site
}

async fn run(cluster: &Cluster, site: &Site, command: &str, arguments: &[&str]) -> RunOutput {
    let arguments: Vec<_> =
        arguments.iter().map(|text| text.replace("{site}", &site.url)).collect();
    let options = [command, "--no-embed", "--allow-private"].map(ToOwned::to_owned);
    let all: Vec<_> = options.into_iter().chain(arguments).collect();
    run_client(cluster, all.iter().map(String::as_str)).await
}

async fn paths(cluster: &Cluster, site: &Site) -> Vec<String> {
    let sql = "SELECT uri FROM rag.documents WHERE orphaned_at IS NULL ORDER BY uri";
    let uris = cluster.query_lines(sql).await;
    uris.iter().map(|uri| uri.strip_prefix(&site.url).unwrap().to_owned()).collect()
}

#[tokio::test]
async fn the_links_of_an_llms_txt_are_pages_of_the_source() {
    let (cluster, site) = (text_cluster().await, site());
    let arguments = ["{site}/llms.txt", "--grace", "0"];
    let first = run(&cluster, &site, "sync", &arguments).await;
    assert!(first.stdout.starts_with("2 documents added, 1 skipped"), "{}", first.stderr);
    assert!(first.stderr.contains("skipped http://example.invalid/x.md is on another host"));
    assert_eq!(paths(&cluster, &site).await, ["/docs/a.md", "/docs/b.md"]);
    site.requests();
    let second = run(&cluster, &site, "sync", &arguments).await;
    assert!(second.stdout.starts_with("0 documents added, 2 unchanged"), "{}", second.stdout);
    assert_eq!(site.requests(), ["/docs/a.md etag", "/docs/b.md etag", "/llms.txt"]);

    // A list that cannot be read, or a page instead of it, proves nothing about its pages.
    let page = Page::new(200, "<!doctype html><p>Not found").with("Content-Type", "text/html");
    for (wrong, cause) in [
        (page, "/llms.txt: the server sent a page of HTML"),
        (Page::new(404, ""), "page not found"),
        (Page::new(200, "# Nothing\n"), "it lists no page of its own server"),
    ] {
        site.page("/llms.txt", wrong);
        let refused = run(&cluster, &site, "sync", &arguments).await;
        refused.assert_refusal(cause, "no document was orphaned or removed");
    }
    site.page("/llms.txt", Page::new(200, INDEX));
    let arguments = ["{site}/llms.txt", "--grace", "0", "--skip-optional"];
    let without = run(&cluster, &site, "sync", &arguments).await;
    assert!(without.stdout.contains("1 unchanged, 1 removed"), "{}", without.stdout);
    assert_eq!(paths(&cluster, &site).await, ["/docs/a.md"]);
}

#[tokio::test]
async fn an_llms_full_txt_is_divided_at_its_pages() {
    let (cluster, site) = (text_cluster().await, site());
    let full = "# A\nSource: {site}/docs/a.md\n\nOne.\n\n# X\nSource: http://example.invalid/x\n\nNo.\n\n\
        # B\nSource: {site}/docs/b.md\n\n## Setup\n\nTwo.\n";
    site.page("/llms-full.txt", Page::new(200, full).with("ETag", "\"full\""));
    let arguments = ["{site}/llms-full.txt", "--grace", "0"];
    for outcome in ["2 documents added, 1 skipped", "0 documents added, 2 unchanged, 1 skipped"] {
        let loaded = run(&cluster, &site, "sync", &arguments).await;
        assert!(loaded.stdout.starts_with(outcome), "{} {}", loaded.stdout, loaded.stderr);
    }
    assert!(site.requests().iter().all(|request| request == "/llms-full.txt"));
    let b = format!("{}/docs/b.md", site.url);
    assert_eq!(text_of(&cluster, &b).await, format!("# B\nSource: {b}\n\n## Setup\n\nTwo."));
    let sql = "SELECT title, media_type FROM rag.documents ORDER BY uri";
    assert_eq!(cluster.query_lines(sql).await, ["A|text/markdown", "B|text/markdown"]);

    // Without marks it is one document. It is read again whole, since an earlier run may have stored it as a page.
    site.page("/llms-full.txt", Page::new(200, "# All\n\nText.\n").with("ETag", "\"all\""));
    let one = run(&cluster, &site, "sync", &arguments).await;
    assert!(one.stdout.starts_with("1 document added, 2 removed"), "{} {}", one.stdout, one.stderr);
    site.requests();
    let same = run(&cluster, &site, "sync", &arguments).await;
    assert!(same.stdout.starts_with("0 documents added, 1 unchanged"), "{}", same.stdout);
    assert_eq!(site.requests(), ["/llms-full.txt"]);
    assert_eq!(paths(&cluster, &site).await, ["/llms-full.txt"]);
}
