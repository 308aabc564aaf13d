//! Pages and sitemaps of a real server, fetched again only when they changed.

use crate::web_site::{Page, Site};
use crate::{
    RunOutput, Sources, assert_sound, next_transaction, run_client, text_cluster, text_of,
};
use passage_tests::Cluster;
use passage_tests::cases;

const SITEMAP: &str = "<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>\
    <url><loc>{site}/docs/a.html</loc></url><url><loc>/docs/b.md?x=1&amp;y=2</loc></url>\
    <url><loc>{site}/docs/logo.png</loc></url></urlset>";

/// A site of two pages and a picture.
fn site() -> Site {
    let site = Site::new();
    let html = "<title>A</title><main><h1>A</h1><p>Caf\u{e9}. <a href=b.md>b</a></main>";
    let latin1: Vec<u8> = html.chars().map(|char| char as u8).collect();
    let a = Page::new(200, latin1).with("Content-Type", "text/html; charset=ISO-8859-1");
    site.page("/docs/a.html", a.with("ETag", "\"a1\""));
    let b = Page::new(200, "# B\n\nOne.\n").with("Content-Type", "text/plain; charset=utf-8");
    site.page("/docs/b.md?x=1&y=2", b.with("Last-Modified", "Mon, 01 Jan 2024 00:00:00 GMT"));
    site.page("/docs/logo.png", Page::new(200, "\0").with("Content-Type", "image/png"));
    site.page("/docs/sitemap.xml", Page::new(200, SITEMAP).with("Content-Type", "text/xml"));
    site
}

async fn ingest_text(cluster: &Cluster, options: &[&str]) -> RunOutput {
    run_client(cluster, ["ingest", "--no-embed", "--allow-private"].iter().chain(options)).await
}

async fn sync(cluster: &Cluster, options: &[&str]) -> RunOutput {
    run_client(cluster, ["sync", "--no-embed", "--allow-private"].iter().chain(options)).await
}

#[tokio::test]
async fn the_pages_of_a_sitemap_are_loaded_and_fetched_again_only_when_they_changed() {
    let (cluster, site) = (text_cluster().await, site());
    let sitemap = format!("{}/docs/sitemap.xml", site.url);
    let first = ingest_text(&cluster, &[&sitemap]).await;
    assert!(first.stdout.starts_with("2 documents added, 1 skipped"), "{}", first.stderr);
    let rows = "SELECT uri, title, media_type, source_media_type FROM rag.documents ORDER BY uri";
    let url = &site.url;
    assert_eq!(
        cluster.query_lines(rows).await,
        [
            format!("{url}/docs/a.html|A|text/markdown|text/html"),
            format!("{url}/docs/b.md?x=1&y=2|B|text/markdown|"),
        ]
    );
    let text = text_of(&cluster, &format!("{url}/docs/a.html")).await;
    assert!(text.contains(&format!("Caf\u{e9}. [b]({url}/docs/b.md)")), "{text}");
    let asked = ["/docs/a.html", "/docs/b.md?x=1&y=2", "/docs/logo.png", "/docs/sitemap.xml"];
    assert_eq!(site.requests(), asked);

    // The server sends no unchanged page, and the client writes nothing.
    let next = next_transaction(&cluster).await;
    let second = ingest_text(&cluster, &[&sitemap]).await;
    assert!(second.stdout.starts_with("0 documents added, 2 unchanged"), "{}", second.stdout);
    let conditional = ["/docs/a.html etag", "/docs/b.md?x=1&y=2 date"];
    assert_eq!(site.requests()[..2], conditional);
    assert_eq!(next_transaction(&cluster).await, next);

    let b = Page::new(200, "# B\n\nTwo.\n").with("Last-Modified", "Tue, 02 Jan 2024 00:00:00 GMT");
    site.page("/docs/b.md?x=1&y=2", b);
    let third = ingest_text(&cluster, &[&sitemap]).await;
    assert!(third.stdout.starts_with("0 documents added, 1 replaced, 1 unchanged"));
    assert_eq!(text_of(&cluster, &format!("{url}/docs/b.md?x=1&y=2")).await, "# B\n\nTwo.\n");

    // Other options need the pages themselves, even if the server has nothing new.
    site.requests();
    let other = ingest_text(&cluster, &[&sitemap, "--metadata", "team=docs"]).await;
    assert!(other.stdout.starts_with("0 documents added, 2 replaced"), "{}", other.stdout);
    assert_eq!(site.requests(), asked);
    assert_sound(&cluster).await;
}

#[tokio::test]
async fn a_server_that_lies_about_changes_loses_no_document() {
    let (cluster, site) = (text_cluster().await, Site::new());
    let address = format!("{}/a.md", site.url);
    // A page that the store does not have cannot be unchanged.
    site.page("/a.md", Page::new(304, ""));
    let run = sync(&cluster, &[&address, "--grace", "0"]).await;
    run.assert_refusal("/a.md: the server answered 304", "run the command again");

    // Weak validators are returned as they are.
    let text = |text: &str| Page::new(200, text).with("ETag", "W/\"1\"");
    site.page("/a.md", text("# A\n\nOne.\n"));
    assert_eq!(sync(&cluster, &[&address]).await.code, Some(0));
    site.requests();
    // The server says 304, whatever its page is now.
    site.page("/a.md", text("# A\n\nTwo.\n"));
    let run = sync(&cluster, &[&address, "--grace", "0"]).await;
    assert!(run.stdout.starts_with("0 documents added, 1 unchanged"), "{}", run.stdout);
    assert_eq!(site.requests(), ["/a.md etag"]);

    // A run with another converter needs the page, and so does the next one without.
    for (options, outcome) in [
        (&["--convert", "pdf=pdftotext {} -"][..], "1 replaced"),
        (&[], "1 replaced"),
        (&[], "1 unchanged"),
    ] {
        let options: Vec<_> = [&*address].iter().chain(options).copied().collect();
        let run = ingest_text(&cluster, &options).await;
        assert!(run.stdout.contains(outcome), "{options:?}: {} {}", run.stdout, run.stderr);
    }
    assert_eq!(site.requests(), ["/a.md", "/a.md", "/a.md etag"]);
    assert_eq!(text_of(&cluster, &address).await, "# A\n\nTwo.\n");
    cluster.execute("DELETE FROM rag.documents").await;
    let run = sync(&cluster, &[&address]).await;
    assert!(run.stdout.starts_with("1 document added"), "{} {}", run.stdout, run.stderr);
    assert_eq!(site.requests(), ["/a.md"]);

    // An orphaned document is restored by a 304.
    cluster.execute("UPDATE rag.documents SET orphaned_at = now()").await;
    let run = sync(&cluster, &[&address]).await;
    assert!(run.stdout.contains("1 restored"), "{} {}", run.stdout, run.stderr);
    assert_eq!(site.requests(), ["/a.md etag"]);
}

#[tokio::test]
async fn a_removed_page_fails_an_ingest_and_is_orphaned_by_sync() {
    let (cluster, site) = (text_cluster().await, site());
    let sitemap = format!("{}/docs/sitemap.xml", site.url);
    assert_eq!(sync(&cluster, &[&sitemap]).await.code, Some(0));
    site.page("/docs/a.html", Page::new(410, ""));
    let removed = format!("{}/docs/a.html", site.url);
    ingest_text(&cluster, &[&removed])
        .await
        .assert_refusal(&format!("page not found: {removed}"), "passage sync");

    let synced = sync(&cluster, &[&sitemap]).await;
    assert_eq!(synced.code, Some(0), "{}", synced.stderr);
    assert!(synced.stderr.contains(&format!("orphaned {removed}: its source no longer exists")));

    // A failing server or an incomplete sitemap proves nothing about removed pages.
    site.page("/docs/b.md?x=1&y=2", Page::new(503, ""));
    let trouble = sync(&cluster, &[&sitemap, "--grace", "0"]).await;
    trouble.assert_refusal("b.md?x=1&y=2: the server answered 503", "run the command again");
    assert!(trouble.stdout.contains("1 removed"), "{}", trouble.stdout);
    site.page("/docs/sitemap.xml", Page::new(404, ""));
    let trouble = sync(&cluster, &[&sitemap, "--grace", "0"]).await;
    trouble.assert_refusal("no document was orphaned or removed", "Fix");
    let uris = cluster.query_lines("SELECT uri FROM rag.documents").await;
    assert_eq!(uris, [format!("{}/docs/b.md?x=1&y=2", site.url)]);
}

#[tokio::test]
async fn nested_sitemaps_are_followed_within_one_host_and_without_cycles() {
    let (cluster, site) = (text_cluster().await, site());
    let index = "<sitemapindex><sitemap><loc>/docs/sitemap.xml</loc></sitemap>\
        <sitemap><loc>/sitemap.xml</loc></sitemap>\
        <sitemap><loc>http://example.invalid/sitemap.xml</loc></sitemap></sitemapindex>";
    site.page("/sitemap.xml", Page::new(200, index));
    let address = format!("{}/sitemap.xml", site.url);
    let run = ingest_text(&cluster, &[&address, "--include", "*.md", "--include", "a.html"]).await;
    let skipped = "skipped http://example.invalid/sitemap.xml is on another host";
    assert!(run.stderr.contains(skipped), "{}", run.stderr);
    run.assert_refusal("sitemaps are nested more than twice", "by their addresses");
    assert!(run.stdout.starts_with("2 documents added, 2 skipped"), "{}", run.stdout);
    assert!(!site.requests().contains(&"/docs/logo.png".to_owned()));
}

#[tokio::test]
async fn a_failing_page_is_reported_and_the_others_are_loaded() {
    let (cluster, site) = (text_cluster().await, site());
    let url = &site.url;
    site.page("/loop", Page::new(302, "").with("Location", "/loop"));
    site.page("/moved", Page::new(301, "").with("Location", "/docs/a.html"));
    let long = vec![b'x'; (64 << 20) + 1];
    site.page("/long.txt", Page::new(200, long));
    site.page("/short.md", Page::new(200, "# Short\n").with("Content-Length", "100"));
    let at = |path: &str| format!("{url}{path}");
    // The client retries while the server is busy for a moment, and gives up if it stays busy.
    let busy = || Page::new(503, "").with("Retry-After", "0");
    site.page("/busy.md", busy().then(Page::new(429, "").then(Page::new(200, "# Busy\n"))));
    site.page("/always.md", busy());
    site.page("/later.md", Page::new(429, "").with("Retry-After", "3600"));
    let paths = [
        "/loop",
        "/long.txt",
        "/short.md",
        "/docs/logo.png",
        "/moved",
        "/busy.md",
        "/always.md",
        "/later.md",
    ]
    .map(at);
    let run = ingest_text(&cluster, &paths.each_ref().map(|path| &**path)).await;
    run.assert_refusal(&format!("cannot fetch {url}/loop: more than 10 redirects"), "address");
    run.assert_refusal("/long.txt is larger than 64 MB", "Download it");
    run.assert_refusal(&format!("cannot fetch {url}/short.md: "), "address");
    run.assert_refusal("/docs/logo.png is not text but image/png", "Convert it");
    run.assert_refusal(
        &format!("cannot fetch {url}/always.md: the server answered 503"),
        "address",
    );
    run.assert_refusal(&format!("cannot fetch {url}/later.md: the server answered 429"), "address");
    assert!(run.stdout.starts_with("2 documents added, 6 failed"), "{}", run.stdout);
    let asked = |path: &str, requests: &[String]| {
        requests.iter().filter(|request| *request == path).count()
    };
    let requests = site.requests();
    let often = ["/busy.md", "/always.md", "/later.md"].map(|path| asked(path, &requests));
    assert_eq!(often, [3, 4, 1]);
    // Links are relative to the page's address after redirects; its uri is the requested address.
    let text = text_of(&cluster, &at("/moved")).await;
    assert!(text.contains(&at("/docs/b.md")), "{text}");

    let nobody = ingest_text(&cluster, &["http://127.0.0.1:9/a.md"]).await;
    nobody.assert_refusal("cannot fetch http://127.0.0.1:9/a.md: ", "Check the address");
}

#[tokio::test]
async fn compressed_pages_are_decompressed_and_the_password_goes_to_its_server_only() {
    let (cluster, site) = (text_cluster().await, site());
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    std::io::Write::write_all(&mut encoder, b"# Packed\n").unwrap();
    let packed = Page::new(200, encoder.finish().unwrap()).with("Content-Encoding", "gzip");
    site.page("/packed.md", packed);
    let with_password = site.url.replace("http://", "http://me:xyzzy-hunter2@");
    let address = format!("{with_password}/packed.md#part");
    let run = ingest_text(&cluster, &[&address]).await;
    assert!(!run.stderr.contains("hunter2"), "{}", run.stderr);
    assert_eq!(text_of(&cluster, &format!("{}/packed.md", site.url)).await, "# Packed\n");
    assert_eq!(site.requests(), ["/packed.md authorized"]);
    let none = format!("{with_password}/none.md");
    ingest_text(&cluster, &[&none]).await.assert_refusal("/none.md", "Check the address");
}

#[tokio::test]
async fn an_invalid_address_is_refused() {
    let cluster = text_cluster().await;
    let sources = Sources::with([("a.md", "# A\n")]);
    for address in cases(["http://", "https://exa mple.org/"]) {
        let run = ingest_text(&cluster, &[address, &sources.book()]).await;
        run.assert_refusal(&format!("cannot fetch {address}: "), "Check the address");
    }
}
