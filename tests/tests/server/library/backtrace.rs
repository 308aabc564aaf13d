//! Errors are the same on every server: no Rust backtrace takes the place of the DETAIL.

use passage_tests::Cluster;
use passage_tests::cases;
use tokio_postgres::error::DbError;

/// Statements whose errors are raised by Rust, by SPI, and by the server, with and without a DETAIL.
const ERRORS: [&str; 5] = [
    "SELECT * FROM passage.expand_context(NULL, 'nonsense')",
    "SELECT * FROM passage.search_hits('word', store => 'nowhere')",
    "SELECT * FROM passage.search_hits('word', filter => passage.filter(metadata => '{}', path => '!!'))",
    "SELECT passage.ingest('a.txt', 'word', collection => 'refused')",
    "SELECT _passage.encode_section(ARRAY['a']::text[]), 1 / 0",
];

#[tokio::test]
async fn an_error_has_no_backtrace_as_its_detail() {
    let plain = errors("0").await;
    let details = plain.iter().filter(|(_, detail, _)| detail.is_some()).count();
    assert!(details > 0, "an error has a DETAIL of its own: {plain:?}");
    assert_eq!(errors("1").await, plain);
    assert_eq!(errors("full").await, plain);
}

type ErrorText = (String, Option<String>, Option<String>);

async fn errors(backtrace: &str) -> Vec<ErrorText> {
    let cluster = Cluster::start_with(&[("RUST_BACKTRACE", backtrace)]).await;
    cluster.execute("ALTER TABLE rag.documents ADD CHECK (collection <> 'refused')").await;
    let mut said = Vec::new();
    for sql in cases(ERRORS) {
        let error: DbError = cluster.error(sql).await;
        let text = |text: Option<&str>| text.map(str::to_owned);
        // The DETAIL of a failing row contains the time.
        let detail = error.detail().map(|detail| {
            let end = detail.find(" 20").unwrap_or(detail.len());
            detail[..end].to_owned()
        });
        said.push((error.message().to_owned(), detail, text(error.hint())));
    }
    said
}
