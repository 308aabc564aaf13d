//! Where pages are not fetched from: private addresses, other servers than the one that is named,
//! and whoever would read a password on the way.

use crate::site::{Page, Site};
use crate::{Ran, ingest_text, ran, text_cluster};
use passage_tests::Cluster;
use std::fmt::Write;
use std::net::ToSocketAddrs;

async fn ingest_anywhere(cluster: &Cluster, addresses: &[&str]) -> Ran {
    ran(cluster, ["ingest", "--no-embed", "--allow-private"].iter().chain(addresses)).await
}

/// Returns whether the system knows the host: one without /etc/hosts does not know `localhost`.
fn resolves(host: &str) -> bool {
    !host.eq_ignore_ascii_case("localhost") || (host, 80).to_socket_addrs().is_ok()
}

#[tokio::test]
async fn a_private_address_is_refused_however_it_is_written_unless_it_is_allowed() {
    let (cluster, site) = (text_cluster().await, Site::new());
    site.page("/a.md", Page::new(200, "# A\n"));
    let port = site.url.rsplit(':').next().unwrap();
    let hosts = [
        "127.0.0.1",
        "127.1",
        "2130706433",
        "0x7f.1",
        "017700000001",
        "[::ffff:127.0.0.1]",
        "[::1]",
        "0.0.0.0",
        "localhost",
        "LOCALHOST",
        "10.0.0.1",
        "169.254.169.254",
        "[fd00:ec2::254]",
        "[64:ff9b::7f00:1]",
    ];
    for host in hosts {
        let address = format!("http://{host}:{port}/a.md");
        let refused = ingest_text(&cluster, &[&address]).await;
        if resolves(host) {
            refused.refuses(" is not public", "give --allow-private");
        } else {
            assert_eq!(refused.code, Some(1), "{host}: {}", refused.stderr);
        }
    }
    // Not every system resolves this name.
    let dotted = format!("http://localhost.:{port}/a.md");
    assert_eq!(ingest_text(&cluster, &[&dotted]).await.code, Some(1));
    assert_eq!(site.requests(), [""; 0]);
    let mut allowed = 0;
    for host in hosts[..5].iter().filter(|host| resolves(host)) {
        let address = format!("http://{host}:{port}/a.md");
        let ran = ingest_anywhere(&cluster, &[&address]).await;
        assert_eq!(ran.code, Some(0), "{host}: {}", ran.stderr);
        allowed += 1;
    }
    assert_eq!(site.requests().len(), allowed);
}

#[tokio::test]
async fn no_proxy_is_asked_for_addresses_that_could_not_be_checked() {
    let (cluster, proxy) = (text_cluster().await, Site::new());
    proxy.page("http://example.invalid/a.md", Page::new(200, "# A\n"));
    for variable in ["http_proxy", "ALL_PROXY"] {
        let mut program = cluster.client_program();
        program.env(variable, &proxy.url);
        let refused =
            Ran::of(program.args(["ingest", "--no-embed", "http://example.invalid/a.md"])).await;
        refused.refuses("the environment names a proxy", "give --allow-private");
    }
    assert_eq!(proxy.requests(), [""; 0]);
    let mut program = cluster.client_program();
    program.env("http_proxy", &proxy.url);
    program.args(["ingest", "--no-embed", "--allow-private", "http://example.invalid/a.md"]);
    let ran = Ran::of(&mut program).await;
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    assert_eq!(proxy.requests(), ["http://example.invalid/a.md"]);
}

#[tokio::test]
async fn no_redirect_and_no_sitemap_leads_to_another_server() {
    let (cluster, site, other) = (text_cluster().await, Site::new(), Site::new());
    let port = site.url.rsplit(':').next().unwrap().to_owned();
    other.page("/secret.md", Page::new(200, "# Secret\n"));
    other.page("/sitemap.xml", Page::new(200, "<urlset><url><loc>/secret.md</loc></url></urlset>"));
    let elsewhere = [
        ("/port", format!("{}/secret.md?token=xyzzy-hunter2", other.url), "on another port"),
        ("/host", format!("http://localhost:{port}/a.md"), "on another host"),
        ("/scheme", format!("https://127.0.0.1:{port}/a.md"), "under another scheme"),
        ("/file", "file:///etc/passwd".into(), "under another scheme"),
    ];
    site.page("/a.md", Page::new(200, "# A\n"));
    site.page("/moved", Page::new(301, "").with("Location", "/a.md"));
    // By way of its own page, too.
    site.page("/twice", Page::new(307, "").with("Location", "/port"));
    let mut listed = String::new();
    for (path, location, differs) in &elsewhere {
        site.page(path, Page::new(302, "").with("Location", location));
        let refused = ingest_anywhere(&cluster, &[&format!("{}{path}", site.url)]).await;
        let (target, _) = location.split_once('?').unwrap_or((location, ""));
        refused.refuses(&format!("{path} redirects to {target}, {differs}"), "if you trust it");
        write!(listed, "<url><loc>{path}</loc></url><url><loc>{location}</loc></url>").unwrap();
    }
    let twice = ingest_anywhere(&cluster, &[&format!("{}/twice", site.url)]).await;
    twice.refuses("/twice redirects to ", "if you trust it");

    let map = format!(
        "<urlset>{listed}<url><loc>/moved</loc></url><url><loc>//{}/secret.md</loc></url></urlset>",
        other.url.trim_start_matches("http://")
    );
    site.page("/pages.xml", Page::new(200, map));
    let index = format!(
        "<sitemapindex><sitemap><loc>/pages.xml</loc></sitemap>\
         <sitemap><loc>{}/sitemap.xml</loc></sitemap></sitemapindex>",
        other.url
    );
    site.page("/sitemap.xml", Page::new(200, index));
    let ran = ingest_anywhere(&cluster, &[&format!("{}/sitemap.xml", site.url)]).await;
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    assert!(
        ran.stdout.starts_with("1 document added, 10 skipped"),
        "{}\n{}",
        ran.stdout,
        ran.stderr
    );
    for (path, location, differs) in &elsewhere {
        let (target, _) = location.split_once('?').unwrap_or((location, ""));
        for said in [
            format!("skipped {}{path} redirects to {target}, {differs}\n", site.url),
            format!("skipped {target} is {differs}\n"),
        ] {
            assert!(ran.stderr.contains(&said), "{said}\n{}", ran.stderr);
        }
    }
    assert_eq!(other.requests(), [""; 0]);
    assert!(!ran.stderr.contains("hunter2"), "{}", ran.stderr);
}

#[tokio::test]
async fn a_page_that_moved_to_another_server_is_not_taken_for_gone() {
    let (cluster, site, other) = (text_cluster().await, Site::new(), Site::new());
    let map = "<urlset><url><loc>/a.md</loc></url><url><loc>/b.md</loc></url></urlset>";
    site.page("/sitemap.xml", Page::new(200, map));
    for path in ["/a.md", "/b.md"] {
        site.page(path, Page::new(200, format!("# {path}\n")));
    }
    let sitemap = format!("{}/sitemap.xml", site.url);
    let sync = ["sync", "--no-embed", "--allow-private", "--grace", "0", &sitemap];
    assert_eq!(ran(&cluster, sync).await.code, Some(0));
    site.page("/a.md", Page::new(302, "").with("Location", &format!("{}/login", other.url)));
    let synced = ran(&cluster, sync).await;
    assert_eq!(synced.code, Some(0), "{}", synced.stderr);
    assert!(synced.stdout.contains("1 unchanged, 1 skipped"), "{}", synced.stdout);
    assert_eq!(cluster.query_text("SELECT count(*) FROM rag.documents").await, "2");

    // A sitemap that is elsewhere says nothing of what is gone.
    let away = Page::new(302, "").with("Location", &format!("{}/sitemap.xml", other.url));
    site.page("/sitemap.xml", away);
    let synced = ran(&cluster, sync).await;
    synced.refuses("/sitemap.xml redirects to ", "if you trust it");
    synced.refuses("nothing was taken for gone", "Mend");
    // Neither does one that may not be asked.
    let refused = ran(&cluster, ["sync", "--no-embed", "--grace", "0", &sitemap]).await;
    refused.refuses("its address 127.0.0.1 is not public", "give --allow-private");
    refused.refuses("nothing was taken for gone", "Mend");
    assert_eq!(cluster.query_text("SELECT count(*) FROM rag.documents").await, "2");
    assert_eq!(other.requests(), [""; 0]);
}

#[tokio::test]
async fn a_page_that_unpacks_without_end_is_given_up() {
    let (cluster, site) = (text_cluster().await, Site::new());
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    for _ in 0..65 {
        std::io::Write::write_all(&mut gzip, &vec![b' '; 1 << 20]).unwrap();
    }
    let bomb = gzip.finish().unwrap();
    assert!(bomb.len() < 100_000, "{}", bomb.len());
    site.page("/bomb.md", Page::new(200, bomb.clone()).with("Content-Encoding", "gzip"));
    let ran = ingest_anywhere(&cluster, &[&format!("{}/bomb.md", site.url)]).await;
    ran.refuses("/bomb.md is larger than 64 MB", "Fetch it first");
    // Packed as a file, it is a sitemap that does not begin as one.
    site.page("/sitemap.xml.gz", Page::new(200, bomb));
    let ran = ingest_anywhere(&cluster, &[&format!("{}/sitemap.xml.gz", site.url)]).await;
    assert_eq!(ran.code, Some(1), "{}", ran.stdout);
}

#[tokio::test]
async fn a_password_is_sent_over_plain_http_to_this_machine_alone() {
    let (cluster, site) = (text_cluster().await, Site::new());
    site.page("/a.md", Page::new(200, "# A\n"));
    let port = site.url.rsplit(':').next().unwrap();
    for address in
        ["http://me:xyzzy-hunter2@example.invalid/a.md", "http://xyzzy-hunter2@10.0.0.1/a.md"]
    {
        let refused = ingest_anywhere(&cluster, &[address]).await;
        refused.refuses("its password would be sent over plain http", "with https");
    }
    // A proxy would read it.
    let proxy = Site::new();
    let mut program = cluster.client_program();
    program.env("http_proxy", &proxy.url);
    program.args(["ingest", "--no-embed", "--allow-private"]);
    program.arg(format!("http://me:xyzzy-hunter2@localhost:{port}/a.md"));
    let ran = Ran::of(&mut program).await;
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    assert_eq!((proxy.requests(), site.requests()), (vec![], vec!["/a.md authorized".into()]));

    let from = "http://me:xyzzy-hunter2@example.invalid/model";
    let to = tempfile::tempdir().unwrap();
    let to = to.path().to_str().unwrap();
    let fetched = crate::ran(&cluster, ["model", "fetch", "--from", from, "--to", to]).await;
    fetched.refuses("would be sent over unencrypted HTTP", "--from");
}
