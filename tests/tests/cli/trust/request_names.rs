//! The names under which HTTP servers without a token can be called, on a real connection.

use crate::text_cluster;
use passage_tests::http_server::HttpServer;

/// Returns the request of a path with headers. The server closes the connection after its answer.
fn request(target: &str, version: &str, headers: &[&str]) -> String {
    let headers: String = headers.iter().flat_map(|header| [*header, "\r\n"]).collect();
    format!("GET {target} HTTP/{version}\r\n{headers}Connection: close\r\n\r\n")
}

#[tokio::test]
async fn servers_without_a_token_admit_only_requests_that_name_this_machine() {
    let cluster = text_cluster().await;
    let serve = HttpServer::start(cluster.client_program(), &["--no-embed"]).await;
    let mcp = HttpServer::start_mcp(cluster.client_program(), &["--no-embed"]).await;
    // The status of a request that is admitted: MCP has no such path, and no method GET without a session.
    for (server, path, admitted) in
        [(&serve, "/health", 200), (&mcp, "/nowhere", 404), (&mcp, "/mcp", 406)]
    {
        let absolute = |host: &str| format!("http://{host}{path}");
        let (own, evil) = ("Host: localhost:8642", "Host: evil.com");
        let origin = |origin: &str| format!("Origin: {origin}");
        let cases = [
            (path.to_owned(), "1.1", vec![own.to_owned()], admitted),
            (
                path.to_owned(),
                "1.1",
                vec!["host: [::1]".into(), origin("http://localhost:3000")],
                admitted,
            ),
            (path.to_owned(), "1.0", vec!["HOST: 127.0.0.1".into()], admitted),
            (absolute("127.0.0.1:80"), "1.1", vec![own.into()], admitted),
            (absolute("localhost"), "1.0", vec![], admitted),
            (path.to_owned(), "1.0", vec![], 403),
            (path.to_owned(), "1.1", vec![], 403),
            (path.to_owned(), "1.1", vec!["Host:".into()], 403),
            (path.to_owned(), "1.1", vec![evil.into()], 403),
            (path.to_owned(), "1.1", vec!["Host: [::1].evil.com".into()], 403),
            (path.to_owned(), "1.1", vec!["Host: localhost:80.evil.com".into()], 403),
            (path.to_owned(), "1.1", vec!["Host: localhost@evil.com".into()], 403),
            (path.to_owned(), "1.1", vec!["Host: evil.com@localhost".into()], 403),
            (path.to_owned(), "1.1", vec!["Host: localhost.".into()], 403),
            (path.to_owned(), "1.1", vec!["Host: [::1%25lo]".into()], 403),
            (path.to_owned(), "1.1", vec!["Host: localhost, evil.com".into()], 403),
            (path.to_owned(), "1.1", vec![own.into(), own.into()], 400),
            (path.to_owned(), "1.1", vec![own.into(), evil.into()], 400),
            (path.to_owned(), "1.1", vec![evil.into(), own.into()], 400),
            (absolute("evil.com"), "1.1", vec![own.into()], 403),
            (absolute("localhost"), "1.1", vec![evil.into()], 403),
            (absolute("localhost@evil.com"), "1.1", vec![own.into()], 403),
            (absolute("[::1].evil.com"), "1.1", vec![own.into()], 403),
            (path.to_owned(), "1.1", vec![own.into(), origin("null")], 403),
            (path.to_owned(), "1.1", vec![own.into(), origin("http://[::1].evil.com")], 403),
            (path.to_owned(), "1.1", vec![own.into(), origin("http://localhost:80.evil.com")], 403),
            (
                path.to_owned(),
                "1.1",
                vec![own.into(), origin("http://localhost"), origin("http://evil.com")],
                403,
            ),
            (path.to_owned(), "1.1", vec![own.into(), origin("http://localhost@evil.com")], 403),
        ];
        for (target, version, headers, expected) in cases {
            let headers: Vec<&str> = headers.iter().map(|header: &String| &**header).collect();
            let status = server.status(&request(&target, version, &headers)).await;
            // A request line without an address is refused before its name is read.
            let is_refused = expected == 403 && status == 400 && target.starts_with("http");
            assert!(
                status == expected || is_refused,
                "{target} HTTP/{version} {headers:?}: {status}"
            );
        }
    }
    serve.stop().await;
    mcp.stop().await;
}

#[tokio::test]
async fn a_server_with_a_token_has_any_name_but_only_one() {
    let cluster = text_cluster().await;
    let token = "0123456789abcdef";
    let mut program = cluster.client_program();
    let server = HttpServer::start(
        {
            program.env("PASSAGE_TOKEN", token);
            program
        },
        &["--no-embed"],
    )
    .await;
    let authorization = format!("Authorization: Bearer {token}");
    for (hosts, expected) in [
        (&["Host: search.example"][..], 200),
        (&["Host: search.example", "Host: search.example"], 400),
        (&["Host: localhost", "Host: search.example"], 400),
    ] {
        let headers = [hosts, &[&authorization]].concat();
        assert_eq!(server.status(&request("/store", "1.1", &headers)).await, expected, "{hosts:?}");
    }
    server.stop().await;
}
