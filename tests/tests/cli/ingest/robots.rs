//! robots.txt: which pages of a server are fetched, how often, and what a broken file means.

use crate::web_site::{Page, Site};
use crate::{RunOutput, run_client, text_cluster};
use passage_tests::Cluster;
use std::time::{Duration, Instant};

/// A site of three pages in a sitemap.
fn site() -> Site {
    let site = Site::new();
    for path in ["/a.md", "/private/b.md", "/c.md"] {
        site.page(path, Page::new(200, format!("# {path}\n")).with("ETag", &format!("\"{path}\"")));
    }
    let urls = "<url><loc>/a.md</loc></url><url><loc>/private/b.md</loc></url><url><loc>/c.md?x=1</loc></url>";
    site.page("/sitemap.xml", Page::new(200, format!("<urlset>{urls}</urlset>")));
    site.page("/c.md?x=1", Page::new(200, "# C\n"));
    site
}

async fn load(cluster: &Cluster, command: &str, site: &Site, paths: &[&str]) -> RunOutput {
    let addresses: Vec<_> = paths.iter().map(|path| format!("{}{path}", site.url)).collect();
    let addresses = addresses.iter().map(String::as_str);
    let options = [command, "--no-embed", "--allow-private"];
    run_client(cluster, options.into_iter().chain(addresses)).await
}

async fn ingest(cluster: &Cluster, site: &Site, paths: &[&str]) -> RunOutput {
    load(cluster, "ingest", site, paths).await
}

#[tokio::test]
async fn pages_that_robots_txt_disallows_are_not_fetched_by_any_way() {
    let (cluster, site) = (text_cluster().await, site());
    let rules = "User-agent: other\nDisallow: /\n\nUser-agent: *\nDisallow: /\n\n\
        User-agent: PASSAGE\nDisallow: /private/\nDisallow: /*?x=\nAllow: /private/c\n";
    site.page("/robots.txt", Page::new(200, rules));
    site.page("/moved", Page::new(301, "").with("Location", "/private/b.md"));
    let run = ingest(&cluster, &site, &["/private/b.md", "/moved", "/a.md", "/sitemap.xml"]).await;
    let disallowed = "the robots.txt of its server disallows it";
    for path in ["/private/b.md", "/moved"] {
        let cause = format!("cannot fetch {}{path}: {disallowed}", site.url);
        run.assert_refusal(&cause, "Ask the owner of the server to allow the agent passage");
    }
    for path in ["/private/b.md", "/c.md?x=1"] {
        let skipped = format!("skipped {}{path}: {disallowed}; ask the owner", site.url);
        assert!(run.stderr.contains(&skipped), "{}", run.stderr);
    }
    // Two inputs name the page `a.md`.
    assert!(run.stdout.starts_with("1 document added, 2 skipped, 3 failed"), "{}", run.stdout);
    // One file for four inputs.
    assert_eq!(site.robots_requests(), 1);
    // Two inputs are read at the same time, so the page may be stored when the sitemap leads to it.
    let requests = site.requests();
    let mut requests: Vec<_> = requests.iter().map(|it| it.trim_end_matches(" etag")).collect();
    requests.sort_unstable();
    assert_eq!(requests, ["/a.md", "/a.md", "/moved", "/sitemap.xml"]);

    site.page("/robots.txt", Page::new(200, "User-agent: *\nDisallow: /*.xml$\n"));
    let run = load(&cluster, "sync", &site, &["/sitemap.xml"]).await;
    run.assert_refusal(disallowed, "no document was orphaned or removed");
}

#[tokio::test]
async fn documents_of_pages_that_are_disallowed_later_stay() {
    let (cluster, site) = (text_cluster().await, site());
    assert_eq!(load(&cluster, "sync", &site, &["/sitemap.xml"]).await.code, Some(0));
    site.page("/robots.txt", Page::new(200, "User-agent: *\nDisallow: /private/\n"));
    let sitemap = format!("{}/sitemap.xml", site.url);
    let sync = ["sync", "--no-embed", "--allow-private", "--grace", "0", &sitemap];
    let run = run_client(&cluster, sync).await;
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    assert_eq!(cluster.query_text("SELECT count(*) FROM rag.documents").await, "3");
}

#[tokio::test]
async fn a_missing_or_strange_robots_txt_allows_pages_and_a_failing_server_does_not() {
    let (cluster, other) = (text_cluster().await, Site::new());
    other.page("/rules.txt", Page::new(200, "User-agent: passage\nDisallow: /private/\n"));
    let to = |path: &str| Page::new(302, "").with("Location", path);
    let padding = "# a comment of forty bytes for padding.\n".repeat(16_000);
    let rules = "User-agent: *\nDisallow: /private/\n";
    let binary: Vec<u8> = (0..=255).cycle().take(4_096).collect();
    let busy = Page::new(503, "").with("Retry-After", "0").then(Page::new(200, rules));
    for (name, page, is_allowed) in [
        ("missing", Page::new(404, rules), true),
        ("forbidden", Page::new(403, rules), true),
        ("without rules", Page::new(200, ""), true),
        ("binary", Page::new(200, binary), true),
        ("a page", Page::new(200, "<!doctype html><p>Disallow: /private/</p>"), true),
        ("a rule beyond 500 KiB", Page::new(200, format!("{padding}{rules}")), true),
        ("a rule before 500 KiB", Page::new(200, format!("{rules}{padding}")), false),
        ("a byte order mark", Page::new(200, format!("\u{feff}{rules}")), false),
        ("busy at first", busy, false),
        ("redirected without end", to("/robots.txt"), true),
        ("redirected to an address without a host", to("data:,"), true),
        ("redirected to a file", to("file:///etc/passwd"), true),
        ("redirected to another server", to(&format!("{}/rules.txt", other.url)), false),
    ] {
        let site = site();
        site.page("/robots.txt", page);
        let run = ingest(&cluster, &site, &["/private/b.md", "/a.md"]).await;
        let expected = if is_allowed { "2 documents added" } else { "1 document added, 1 failed" };
        assert!(run.stdout.starts_with(expected), "{name}: {}\n{}", run.stdout, run.stderr);
    }
    for status in [429, 500, 503] {
        let site = site();
        site.page("/robots.txt", Page::new(status, "").with("Retry-After", "0"));
        let run = ingest(&cluster, &site, &["/a.md", "/sitemap.xml"]).await;
        let cause = format!("/a.md: the robots.txt of its server: the server answered {status}");
        run.assert_refusal(&cause, "run the command again");
        assert_eq!(site.requests(), [""; 0]);
    }
}

#[tokio::test]
async fn requests_are_as_far_apart_as_crawl_delay_says() {
    let (cluster, site) = (text_cluster().await, site());
    site.page("/robots.txt", Page::new(200, "User-agent: *\nCrawl-delay: 0.5\n"));
    let start = Instant::now();
    let run = ingest(&cluster, &site, &["/sitemap.xml"]).await;
    assert!(run.stdout.starts_with("3 documents added"), "{}", run.stderr);
    // The sitemap and three pages.
    assert!(start.elapsed() >= Duration::from_millis(1_500), "{:?}", start.elapsed());
}
