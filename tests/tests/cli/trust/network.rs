//! Addresses that the client does not fetch from: private ones, and other servers than the named one.
//! Passwords go over encrypted connections only.

use crate::web_site::{Page, Site};
use crate::{RunOutput, ingest_text, run_client, text_cluster};
use passage_tests::Cluster;
use passage_tests::cases;
use std::fmt::Write;
use std::net::ToSocketAddrs;

async fn ingest_anywhere(cluster: &Cluster, addresses: &[&str]) -> RunOutput {
    run_client(cluster, ["ingest", "--no-embed", "--allow-private"].iter().chain(addresses)).await
}

/// Returns whether the system knows the host: one without /etc/hosts does not know `localhost`.
fn resolves(host: &str) -> bool {
    !host.eq_ignore_ascii_case("localhost") || (host, 80).to_socket_addrs().is_ok()
}

#[tokio::test]
async fn a_private_address_is_refused_in_any_notation_unless_it_is_allowed() {
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
            refused.assert_refusal(" is not public", "use --allow-private");
        } else {
            assert_eq!(refused.code, Some(1), "{host}: {}", refused.stderr);
        }
    }
    // Some systems do not resolve this name.
    let dotted = format!("http://localhost.:{port}/a.md");
    assert_eq!(ingest_text(&cluster, &[&dotted]).await.code, Some(1));
    assert_eq!(site.requests(), [""; 0]);
    let mut allowed = 0;
    for host in hosts[..5].iter().filter(|host| resolves(host)) {
        let address = format!("http://{host}:{port}/a.md");
        let run = ingest_anywhere(&cluster, &[&address]).await;
        assert_eq!(run.code, Some(0), "{host}: {}", run.stderr);
        allowed += 1;
    }
    assert_eq!(site.requests().len(), allowed);
}

#[tokio::test]
async fn a_proxy_is_not_used_for_addresses_that_the_client_cannot_check() {
    let (cluster, proxy) = (text_cluster().await, Site::new());
    proxy.page("http://example.invalid/a.md", Page::new(200, "# A\n"));
    for variable in cases(["http_proxy", "ALL_PROXY"]) {
        let mut program = cluster.client_program();
        program.env(variable, &proxy.url);
        let refused =
            RunOutput::of(program.args(["ingest", "--no-embed", "http://example.invalid/a.md"]))
                .await;
        refused.assert_refusal("the environment names a proxy", "use --allow-private");
    }
    assert_eq!(proxy.requests(), [""; 0]);
    let mut program = cluster.client_program();
    program.env("http_proxy", &proxy.url);
    program.args(["ingest", "--no-embed", "--allow-private", "http://example.invalid/a.md"]);
    let run = RunOutput::of(&mut program).await;
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    assert_eq!(proxy.requests(), ["http://example.invalid/a.md"]);
}

#[tokio::test]
async fn redirects_and_sitemaps_to_another_server_are_not_followed() {
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
    // A redirect that leads to another server by a page of the same one.
    site.page("/twice", Page::new(307, "").with("Location", "/port"));
    let mut listed = String::new();
    for (path, location, differs) in &elsewhere {
        site.page(path, Page::new(302, "").with("Location", location));
        let refused = ingest_anywhere(&cluster, &[&format!("{}{path}", site.url)]).await;
        let (target, _) = location.split_once('?').unwrap_or((location, ""));
        refused.assert_refusal(
            &format!("{path} redirects to {target}, {differs}"),
            "If you trust the target",
        );
        write!(listed, "<url><loc>{path}</loc></url><url><loc>{location}</loc></url>").unwrap();
    }
    let twice = ingest_anywhere(&cluster, &[&format!("{}/twice", site.url)]).await;
    twice.assert_refusal("/twice redirects to ", "If you trust the target");

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
    let run = ingest_anywhere(&cluster, &[&format!("{}/sitemap.xml", site.url)]).await;
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    assert!(
        run.stdout.starts_with("1 document added, 10 skipped"),
        "{}\n{}",
        run.stdout,
        run.stderr
    );
    for (path, location, differs) in &elsewhere {
        let (target, _) = location.split_once('?').unwrap_or((location, ""));
        for said in [
            format!("skipped {}{path} redirects to {target}, {differs}\n", site.url),
            format!("skipped {target} is {differs}\n"),
        ] {
            assert!(run.stderr.contains(&said), "{said}\n{}", run.stderr);
        }
    }
    assert_eq!(other.requests(), [""; 0]);
    assert!(!run.stderr.contains("hunter2"), "{}", run.stderr);
}

#[tokio::test]
async fn a_page_that_moved_to_another_server_does_not_count_as_removed() {
    let (cluster, site, other) = (text_cluster().await, Site::new(), Site::new());
    let map = "<urlset><url><loc>/a.md</loc></url><url><loc>/b.md</loc></url></urlset>";
    site.page("/sitemap.xml", Page::new(200, map));
    for path in ["/a.md", "/b.md"] {
        site.page(path, Page::new(200, format!("# {path}\n")));
    }
    let sitemap = format!("{}/sitemap.xml", site.url);
    let sync = ["sync", "--no-embed", "--allow-private", "--grace", "0", &sitemap];
    assert_eq!(run_client(&cluster, sync).await.code, Some(0));
    site.page("/a.md", Page::new(302, "").with("Location", &format!("{}/login", other.url)));
    let synced = run_client(&cluster, sync).await;
    assert_eq!(synced.code, Some(0), "{}", synced.stderr);
    assert!(synced.stdout.contains("1 unchanged, 1 skipped"), "{}", synced.stdout);
    assert_eq!(cluster.query_text("SELECT count(*) FROM rag.documents").await, "2");

    // A sitemap on another server proves nothing about removed pages.
    let away = Page::new(302, "").with("Location", &format!("{}/sitemap.xml", other.url));
    site.page("/sitemap.xml", away);
    let synced = run_client(&cluster, sync).await;
    synced.assert_refusal("/sitemap.xml redirects to ", "If you trust the target");
    synced.assert_refusal("no document was orphaned or removed", "Fix");
    // Neither does a sitemap that may not be fetched.
    let refused = run_client(&cluster, ["sync", "--no-embed", "--grace", "0", &sitemap]).await;
    refused.assert_refusal("its address 127.0.0.1 is not public", "use --allow-private");
    refused.assert_refusal("no document was orphaned or removed", "Fix");
    assert_eq!(cluster.query_text("SELECT count(*) FROM rag.documents").await, "2");
    assert_eq!(other.requests(), [""; 0]);
}

#[tokio::test]
async fn a_compressed_page_that_is_too_large_is_rejected() {
    let (cluster, site) = (text_cluster().await, Site::new());
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    for _ in 0..65 {
        std::io::Write::write_all(&mut gzip, &vec![b' '; 1 << 20]).unwrap();
    }
    let bomb = gzip.finish().unwrap();
    assert!(bomb.len() < 100_000, "{}", bomb.len());
    site.page("/bomb.md", Page::new(200, bomb.clone()).with("Content-Encoding", "gzip"));
    let run = ingest_anywhere(&cluster, &[&format!("{}/bomb.md", site.url)]).await;
    run.assert_refusal("/bomb.md is larger than 64 MB", "Download it");
    // The same bytes as a compressed file: a sitemap with a wrong beginning.
    site.page("/sitemap.xml.gz", Page::new(200, bomb));
    let run = ingest_anywhere(&cluster, &[&format!("{}/sitemap.xml.gz", site.url)]).await;
    assert_eq!(run.code, Some(1), "{}", run.stdout);
}

#[tokio::test]
async fn a_password_is_sent_over_plain_http_only_to_the_loopback_interface() {
    let (cluster, site) = (text_cluster().await, Site::new());
    site.page("/a.md", Page::new(200, "# A\n"));
    let port = site.url.rsplit(':').next().unwrap();
    for address in cases([
        "http://me:xyzzy-hunter2@example.invalid/a.md",
        "http://xyzzy-hunter2@10.0.0.1/a.md",
    ]) {
        let refused = ingest_anywhere(&cluster, &[address]).await;
        refused.assert_refusal("its password would be sent over plain http", "with https");
    }
    // A proxy would read the password.
    let proxy = Site::new();
    let mut program = cluster.client_program();
    program.env("http_proxy", &proxy.url);
    program.args(["ingest", "--no-embed", "--allow-private"]);
    program.arg(format!("http://me:xyzzy-hunter2@localhost:{port}/a.md"));
    let run = RunOutput::of(&mut program).await;
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    assert_eq!((proxy.requests(), site.requests()), (vec![], vec!["/a.md authorized".into()]));

    let from = "http://me:xyzzy-hunter2@example.invalid/model";
    let to = tempfile::tempdir().unwrap();
    let to = to.path().to_str().unwrap();
    let fetched = crate::run_client(&cluster, ["model", "fetch", "--from", from, "--to", to]).await;
    fetched.assert_refusal("would be sent over unencrypted HTTP", "--from");
}
