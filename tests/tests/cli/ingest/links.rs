//! `--follow-links`: which links of a page are followed, the same page under two addresses, and unchanged sites.

use crate::web_site::{Page, Site};
use crate::{RunOutput, run_client, text_cluster};
use passage_tests::{Cluster, cases};
use tempfile::TempDir;

/// A site, a server, and a cache folder.
struct Setup {
    cluster: Cluster,
    site: Site,
    cache: TempDir,
}

impl Setup {
    async fn new() -> Self {
        let cache = tempfile::tempdir().unwrap();
        Self { cluster: text_cluster().await, site: Site::new(), cache }
    }

    /// Sets a page of HTML with links, and an `ETag` of its content.
    fn page(&self, path: &str, links: &[&str]) {
        let links: Vec<_> = links.iter().map(|link| format!("<a href='{link}'>l</a>")).collect();
        self.html(path, "", &links.concat());
    }

    fn html(&self, path: &str, head: &str, body: &str) {
        let text = format!(
            "<title>{path}</title>{head}<main><h1>{path}</h1><p>Text of {path}.</p>{body}</main>"
        );
        let etag = format!("\"{}\"", text.len());
        let page = Page::new(200, text).with("Content-Type", "text/html").with("ETag", &etag);
        self.site.page(path, page);
    }

    async fn run(&self, command: &str, arguments: &[&str]) -> RunOutput {
        let mut program = self.cluster.client_program();
        program.env("XDG_CACHE_HOME", self.cache.path());
        program.args([command, "--no-embed", "--allow-private", "--follow-links"]);
        program.args(arguments.iter().map(|argument| argument.replace("{site}", &self.site.url)));
        RunOutput::of(&mut program).await
    }

    /// Returns the paths of all documents.
    async fn paths(&self) -> Vec<String> {
        let sql =
            "SELECT uri FROM rag.documents WHERE orphaned_at IS NULL ORDER BY uri COLLATE \"C\"";
        let uris = self.cluster.query_lines(sql).await;
        uris.iter().map(|uri| uri.strip_prefix(&self.site.url).unwrap().to_owned()).collect()
    }
}

#[tokio::test]
async fn links_are_followed_within_the_folder_the_depth_and_the_rules_of_the_site() {
    let setup = Setup::new().await;
    let other = Site::new();
    let external = format!("{}/docs/x.html", other.url);
    let links = [
        "a.html",
        "a.html#part",
        "/docs/a.html?page=2",
        "sub/b.md",
        "../blog/c.html",
        "/docsearch",
        &external,
        "//127.0.0.1:9/docs/y.html",
        "mailto:me@example.org",
        "javascript:alert(1)",
        "http://[",
        "logo.png",
        "private.html",
        "missing.html",
        "sitemap.xml",
        "away.html",
    ];
    setup.page("/docs/", &links);
    setup.page("/docs/a.html", &["/docs/", "deep1.html"]);
    setup.page("/docs/a.html?page=2", &[]);
    setup.page("/docs/deep1.html", &["deep2.html"]);
    setup.page("/docs/deep2.html", &["deep3.html"]);
    setup.page("/docs/deep3.html", &[]);
    setup.page("/blog/c.html", &[]);
    setup.html(
        "/docs/quiet.html",
        "<meta name=robots content='noindex,nofollow'>",
        "<a href=hidden1.html>h</a>",
    );
    setup.page("/docs/hidden1.html", &[]);
    setup.page("/docs/hidden2.html", &[]);
    let markdown = "# B\n\n[q](../quiet.html) <a rel=\"nofollow\" href=\"../hidden2.html\">h</a>\n";
    setup
        .site
        .page("/docs/sub/b.md", Page::new(200, markdown).with("Content-Type", "text/markdown"));
    setup.site.page("/docs/logo.png", Page::new(200, "\0").with("Content-Type", "image/png"));
    setup.site.page("/docs/sitemap.xml", Page::new(200, "<urlset></urlset>"));
    setup.site.page("/docs/away.html", Page::new(302, "").with("Location", &external));
    setup.site.page("/robots.txt", Page::new(200, "User-agent: *\nDisallow: /docs/private\n"));
    let run = setup.run("ingest", &["{site}/docs/", "--depth", "3"]).await;
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    let expected = [
        "/docs/",
        "/docs/a.html",
        "/docs/a.html?page=2",
        "/docs/deep1.html",
        "/docs/deep2.html",
        "/docs/quiet.html",
        "/docs/sub/b.md",
    ];
    assert_eq!(setup.paths().await, expected);
    let url = &setup.site.url;
    for skipped in [
        format!("skipped {url}/docs/logo.png: not text"),
        format!("skipped {url}/docs/private.html: the robots.txt of its server disallows it"),
        format!("skipped {url}/docs/missing.html: page not found, linked from {url}/docs/\n"),
        format!("skipped {url}/docs/sitemap.xml: a sitemap, not a page"),
        format!("skipped {url}/docs/away.html redirects to {external}, on another port"),
    ] {
        assert!(run.stderr.contains(&skipped), "{skipped}\n{}", run.stderr);
    }
    assert!(run.stdout.starts_with("7 documents added, 5 skipped"), "{}", run.stdout);
    let mut requests = setup.site.requests();
    requests.dedup();
    // Each address once, and no other.
    assert_eq!(requests.len(), expected.len() + 4, "{requests:?}");
    assert_eq!(other.requests(), [""; 0]);
}

#[tokio::test]
async fn a_page_with_two_addresses_is_one_document() {
    let setup = Setup::new().await;
    let to = |path: &str| Page::new(301, "").with("Location", path);
    setup.page(
        "/docs/",
        &["moved", "a.html", "index.html", "copy.html", "x.html", "out", "latest.html"],
    );
    setup.site.page("/docs/moved", to("a.html"));
    setup.site.page("/docs/out", to("/blog/"));
    setup.page("/docs/a.html", &[]);
    setup.page("/blog/", &[]);
    // The same bytes.
    let same = Page::new(200, "# Same\n").with("Content-Type", "text/markdown");
    setup.site.page("/docs/copy.html", same.clone());
    setup.site.page("/docs/index.html", same);
    // Two pages that name each other, and one that names a page outside of the folder.
    setup.html("/docs/x.html", "<link rel=canonical href=y.html>", "<a href=y.html>y</a>");
    setup.html("/docs/y.html", "<link rel=canonical href=x.html>", "");
    setup.html("/docs/latest.html", "<link rel=canonical href='/stable/latest.html'>", "");
    for _ in 0..2 {
        let run = setup.run("ingest", &["{site}/docs/"]).await;
        assert_eq!(run.code, Some(0), "{}", run.stderr);
        let expected =
            ["/docs/", "/docs/a.html", "/docs/index.html", "/docs/latest.html", "/docs/y.html"];
        assert_eq!(setup.paths().await, expected);
        for (page, other) in [("copy.html", "index.html"), ("x.html", "y.html")] {
            let url = format!("{}/docs", setup.site.url);
            let skipped = format!("skipped {url}/{page}: the same page as {url}/{other}");
            assert!(run.stderr.contains(&skipped), "{}", run.stderr);
        }
        let outside = "/docs/out redirects to ";
        assert!(run.stderr.contains(outside) && run.stderr.contains("outside of the prefix"));
    }
}

/// Each page that names another one is a document, unless the other one is.
#[tokio::test]
async fn a_page_whose_canonical_page_is_no_document_is_loaded() {
    let setup = Setup::new().await;
    let to = |path: &str| Page::new(301, "").with("Location", path);
    let naming = |canonical: &str| format!("<link rel=canonical href='{canonical}'>");
    // The start page names the folder, which redirects back to it.
    let links = "<a href=a/>a</a><a href=c>c</a><a href=gone.html>g</a><a href=ex.html>e</a>\
        <a href=private.html>p</a><a href=kept.html>k</a><a href=1.html>1</a>";
    setup.html("/docs/index.html", &naming("/docs/"), links);
    setup.site.page("/docs/", to("/docs/index.html"));
    // Slashes that do not match, in both orders.
    setup.html("/docs/a/", &naming("/docs/a"), "");
    setup.site.page("/docs/a", to("/docs/a/"));
    setup.site.page("/docs/c", to("/docs/d"));
    setup.html("/docs/d", &naming("/docs/c"), "");
    setup.html("/docs/gone.html", &naming("/docs/nowhere.html"), "");
    setup.html("/docs/ex.html", &naming("/docs/ex"), "");
    setup.html("/docs/private.html", &naming("/docs/secret/a"), "");
    setup.html("/docs/kept.html", &naming("/docs/kept"), "");
    setup.page("/docs/kept", &[]);
    // A ring of three pages.
    for (page, next) in [(1, 2), (2, 3), (3, 1)] {
        setup.html(&format!("/docs/{page}.html"), &naming(&format!("{next}.html")), "");
    }
    setup.site.page("/robots.txt", Page::new(200, "User-agent: *\nDisallow: /docs/secret\n"));
    let arguments = ["{site}/docs/index.html", "--exclude", "/docs/ex"];
    for _ in 0..2 {
        let run = setup.run("sync", &arguments).await;
        assert_eq!(run.code, Some(0), "{}", run.stderr);
        let paths = setup.paths().await;
        let expected = [
            "/docs/3.html",
            "/docs/a/",
            "/docs/d",
            "/docs/ex.html",
            "/docs/gone.html",
            "/docs/index.html",
            "/docs/kept",
            "/docs/private.html",
        ];
        // Of the ring, at least one page is a document.
        let others: Vec<_> = paths.iter().filter(|path| !expected.contains(&&***path)).collect();
        assert!(others.iter().all(|path| ["/docs/1.html", "/docs/2.html"].contains(&&***path)));
        assert!(expected.iter().all(|path| paths.contains(&(*path).to_owned())), "{paths:?}");
    }
}

#[tokio::test]
async fn a_redirect_leads_to_no_excluded_page() {
    let setup = Setup::new().await;
    setup.page("/docs/", &["new"]);
    setup.site.page("/docs/new", Page::new(302, "").with("Location", "/docs/drafts/x"));
    setup.page("/docs/drafts/x", &[]);
    let run = setup.run("ingest", &["{site}/docs/", "--exclude", "drafts/"]).await;
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    assert_eq!(setup.paths().await, ["/docs/"]);
}

/// The pages behind a page that was read before and cannot be read now are not missing.
#[tokio::test]
async fn a_sync_keeps_the_pages_behind_one_that_is_blocked_or_moved_away() {
    let setup = Setup::new().await;
    setup.page("/docs/", &["hub.html", "private/new.html"]);
    setup.page("/docs/hub.html", &["b.html"]);
    setup.page("/docs/b.html", &[]);
    assert_eq!(setup.run("sync", &["{site}/docs/"]).await.code, Some(0));
    let all = setup.paths().await;
    let login = Page::new(302, "").with("Location", "/login?token=xyzzy-hunter2");
    setup.page("/login?token=xyzzy-hunter2", &[]);
    let away = Page::new(302, "").with("Location", "https://sso.example.org/x?token=xyzzy-hunter2");
    for page in [login, away] {
        setup.site.page("/docs/hub.html", page);
        let run = setup.run("sync", &["{site}/docs/", "--grace", "0"]).await;
        run.assert_refusal("the links of this page are unknown", "no document was orphaned");
        assert!(!run.stderr.contains("hunter2"), "{}", run.stderr);
        assert_eq!(setup.paths().await, all);
    }
    setup.site.page("/robots.txt", Page::new(200, "User-agent: *\nDisallow: /docs/hub\n"));
    let run = setup.run("sync", &["{site}/docs/", "--grace", "0"]).await;
    run.assert_refusal("robots.txt of its server disallows it", "no document was orphaned");
    assert_eq!(setup.paths().await, all);

    // A page that was never read had no links, so others are removed.
    setup.site.page("/robots.txt", Page::new(200, "User-agent: *\nDisallow: /docs/private\n"));
    setup.page("/docs/hub.html", &[]);
    let run = setup.run("sync", &["{site}/docs/", "--grace", "0"]).await;
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    assert_eq!(setup.paths().await, ["/docs/", "/docs/hub.html"]);
}

#[tokio::test]
async fn an_unchanged_site_is_not_downloaded_and_its_links_are_still_followed() {
    let setup = Setup::new().await;
    setup.page("/docs/", &["a.html"]);
    setup.page("/docs/a.html", &["b.html"]);
    setup.page("/docs/b.html", &[]);
    assert_eq!(setup.run("sync", &["{site}/docs/"]).await.code, Some(0));
    setup.site.requests();
    let run = setup.run("sync", &["{site}/docs/", "--grace", "0"]).await;
    assert!(run.stdout.starts_with("0 documents added, 3 unchanged;"), "{}", run.stdout);
    assert_eq!(setup.site.requests(), ["/docs/ etag", "/docs/a.html etag", "/docs/b.html etag"]);

    // A page behind unchanged ones has changed, and leads to a new one.
    setup.page("/docs/b.html", &["c.html"]);
    setup.page("/docs/c.html", &[]);
    let run = setup.run("sync", &["{site}/docs/", "--grace", "0"]).await;
    assert!(run.stdout.starts_with("1 document added, 1 replaced, 2 unchanged"), "{}", run.stdout);
    setup.site.requests();

    // Without the links in the cache, the pages are needed. Their text is still unchanged.
    std::fs::remove_dir_all(setup.cache.path()).unwrap();
    let run = setup.run("sync", &["{site}/docs/", "--grace", "0"]).await;
    assert!(run.stdout.starts_with("0 documents added, 4 unchanged;"), "{}", run.stdout);
    assert!(setup.site.requests().iter().all(|request| !request.ends_with("etag")));

    // Nothing leads to the last two any more.
    setup.page("/docs/a.html", &[]);
    let run = setup.run("sync", &["{site}/docs/", "--grace", "0"]).await;
    assert!(run.stdout.contains("1 replaced, 1 unchanged, 2 removed"), "{}", run.stdout);
    assert_eq!(setup.paths().await, ["/docs/", "/docs/a.html"]);
}

#[tokio::test]
async fn a_sync_removes_nothing_if_links_are_unknown_or_left_out() {
    let setup = Setup::new().await;
    setup.page("/docs/", &["a.html", "z.html"]);
    setup.page("/docs/a.html", &["b.html"]);
    setup.page("/docs/b.html", &[]);
    setup.page("/docs/z.html", &[]);
    assert_eq!(setup.run("sync", &["{site}/docs/"]).await.code, Some(0));
    let all = setup.paths().await;
    assert_eq!(all.len(), 4);

    setup.site.page("/docs/a.html", Page::new(500, ""));
    let run = setup.run("sync", &["{site}/docs/", "--grace", "0"]).await;
    run.assert_refusal("a.html: the server answered 500", "run the command again");
    run.assert_refusal("the links of this page are unknown", "no document was orphaned or removed");
    assert_eq!(setup.paths().await, all);

    setup.page("/docs/a.html", &["b.html", "c.html"]);
    let run = setup.run("sync", &["{site}/docs/", "--grace", "0", "--max-pages", "2"]).await;
    run.assert_refusal("lead to more than 2 pages", "Raise --max-pages");
    run.assert_refusal("no document was orphaned", "Fix");
    assert_eq!(setup.paths().await, all);

    for page in [Page::new(404, ""), Page::new(302, "").with("Location", "/docs/home/")] {
        setup.site.page("/docs/", page);
        let run = setup.run("sync", &["{site}/docs/", "--grace", "0"]).await;
        run.assert_refusal("no document was orphaned", "Fix");
        assert_eq!(setup.paths().await, all);
    }
    // A page that is missing, and that nothing but the links of a page lead to, is removed.
    setup.page("/docs/", &["a.html"]);
    setup.site.page("/docs/b.html", Page::new(410, ""));
    let run = setup.run("sync", &["{site}/docs/", "--grace", "0"]).await;
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    assert_eq!(setup.paths().await, ["/docs/", "/docs/a.html"]);
}

#[tokio::test]
async fn traps_end_at_the_depth_and_at_the_number_of_pages() {
    let setup = Setup::new().await;
    // Each page leads to a longer address of itself.
    let mut path = "/docs/".to_owned();
    for _ in 0..8 {
        setup.page(&path, &["more/", "?order=1", "./"]);
        setup.page(&format!("{path}?order=1"), &["?order=1"]);
        path.push_str("more/");
    }
    let run = setup.run("ingest", &["{site}/docs/", "--depth", "2", "--exclude", "nothing"]).await;
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    assert_eq!(setup.paths().await.len(), 5);
    let many: Vec<_> = (0..30_000).map(|number| format!("{number}.html")).collect();
    setup.page("/many/", &many.iter().map(String::as_str).collect::<Vec<_>>());
    let run = setup.run("ingest", &["{site}/many/", "--max-pages", "20"]).await;
    run.assert_refusal("/many/ lead to more than 20 pages", "name a folder with --link-prefix");
    let requests = setup.site.requests();
    assert_eq!(requests.iter().filter(|request| request.starts_with("/many/")).count(), 20);
}

#[tokio::test]
async fn excluded_pages_are_not_fetched_and_a_password_goes_to_every_page_of_its_server() {
    let setup = Setup::new().await;
    setup.page("/docs/index.html", &["{site}/docs/a.md", "drafts/b.md", "/docs/c.html"]);
    setup.page("/docs/a.md", &[]);
    setup.page("/docs/c.html", &["a.md"]);
    let address =
        setup.site.url.replace("http://", "http://me:xyzzy-hunter2@") + "/docs/index.html";
    let arguments =
        [&*address, "--link-prefix", "/docs/", "--include", "*.md", "--exclude", "/docs/drafts/"];
    let run = setup.run("ingest", &arguments).await;
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    assert!(!run.stderr.contains("hunter2"), "{}", run.stderr);
    assert_eq!(setup.paths().await, ["/docs/a.md"]);
    assert_eq!(setup.site.requests(), ["/docs/a.md authorized", "/docs/index.html authorized"]);
}

#[tokio::test]
async fn a_start_page_that_does_not_fit_is_refused() {
    let setup = Setup::new().await;
    setup.page("/docs/index.html", &[]);
    setup.site.page("/docs", Page::new(301, "").with("Location", "/docs/index.html"));
    setup.site.page("/map", Page::new(200, "<urlset></urlset>"));
    let refused = setup.run("ingest", &["{site}/docs"]).await;
    let cause = format!("it redirects to {}/docs/index.html", setup.site.url);
    refused.assert_refusal(&cause, "Name the target");
    let refused = setup.run("ingest", &["{site}/map"]).await;
    refused.assert_refusal("it is a sitemap", "without --follow-links");
    let refused = setup.run("ingest", &["{site}/docs/index.html", "--link-prefix", "/api/"]).await;
    refused.assert_refusal("is not below the prefix /api/ of links", "Write --link-prefix");
    let address = format!("{}/docs/index.html", setup.site.url);
    let refused =
        run_client(&setup.cluster, ["sync", "--no-embed", "--follow-links", &address]).await;
    refused.assert_refusal("is not public; the links of this page are unknown", "--allow-private");
    refused.assert_refusal("no document was orphaned", "Fix");
    for path in cases(["handbook", "{site}/sitemap.xml"]) {
        let refused = setup.run("ingest", &[path]).await;
        refused.assert_refusal("--follow-links requires the address of a page", "Name a page");
    }
}
