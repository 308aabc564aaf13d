//! Data in base64, such as the images at the end of an exported document, stays in its text and gets no embedding.

use super::embed::{MISSING, empty_store, run};
use crate::Sources;
use crate::embedding_service::Service;
use std::fmt::Write;

const LINE: &str = "iVBORw0KGgoAAAANSUhEUgAAAB4AAAAeCAYAAAA7MK6iAAAACXBIWXMAAAsTAAALEwEA";
const PROBLEMS: &str = "SELECT count(*) FROM passage.check_store(data => true)";

/// A document with text and an image.
fn document(words: &str) -> String {
    let image = LINE.repeat(200);
    format!(
        "# Shop\n\nThe logo is a red basket: ![][logo]\n\n{words}\n\n[logo]: <data:image/png;base64,{image}>\n"
    )
}

#[tokio::test]
async fn data_in_base64_gets_no_embedding() {
    let Some(cluster) = empty_store("data in base64 gets no embedding").await else { return };
    let service = Service::good(64).await;
    let sources = Sources::with([("shop.md", document("It opens at nine."))]);
    let ingest = run(&cluster, &service, &["ingest", &sources.book()]).await;
    assert_eq!(ingest.code, Some(0), "{}", ingest.stderr);
    let embedded = service.texts();
    assert!(embedded.iter().any(|text| text.contains("red basket")), "{embedded:?}");
    let noise = embedded.iter().filter(|text| text.matches(LINE).count() > 2);
    assert!(noise.count() <= 1, "only a chunk with text has a part of the image");
    let missing: u64 = cluster.query_text(MISSING).await.parse().unwrap();
    assert!(missing > 10, "{missing}");
    let content = "SELECT string_agg(content, '' ORDER BY ordinal) FROM rag.chunks";
    assert_eq!(cluster.query_text(content).await, document("It opens at nine."));

    // Nothing counts these chunks as incomplete.
    assert_eq!(cluster.query_text(PROBLEMS).await, "0");
    let embed = run(&cluster, &service, &["embed"]).await;
    assert_eq!((embed.code, service.texts().len()), (Some(0), embedded.len()), "{}", embed.stderr);
    let again = run(&cluster, &service, &["ingest", &sources.book()]).await;
    assert!(again.stdout.contains("unchanged"), "{}{}", again.stdout, again.stderr);
    sources.write("shop.md", document("It opens at ten."));
    let changed = run(&cluster, &service, &["ingest", &sources.book()]).await;
    assert_eq!(changed.code, Some(0), "{}", changed.stderr);
    assert!(service.texts().len() <= embedded.len() + 2, "only the changed chunks are embedded");
    let reindex = run(&cluster, &service, &["reindex"]).await;
    assert_eq!(reindex.code, Some(0), "{}", reindex.stderr);
    assert_eq!(cluster.query_text(PROBLEMS).await, "0");
}

/// A store whose chunks of words were never embedded reports them alone.
#[tokio::test]
async fn only_chunks_of_words_lack_an_embedding() {
    let Some(cluster) = empty_store("only chunks of words lack an embedding").await else { return };
    let mut values = String::from("(0, 'The logo is a red basket.')");
    for ordinal in 1..=5 {
        write!(values, ", ({ordinal}, '{}')", LINE.repeat(3)).unwrap();
    }
    let sql = format!(
        "WITH document AS (INSERT INTO rag.documents (uri) VALUES ('shop') RETURNING id) \
         INSERT INTO rag.chunks (document_id, ordinal, content) \
         SELECT document.id, given.* FROM document, (VALUES {values}) AS given"
    );
    cluster.execute(&sql).await;
    let problem = "SELECT coalesce(max(problem), '') FROM passage.check_store(data => true) \
                   WHERE problem LIKE 'chunks without an embedding%'";
    assert_eq!(cluster.query_text(problem).await, "chunks without an embedding: 1 of 6");
    let service = Service::good(64).await;
    let embed = run(&cluster, &service, &["embed"]).await;
    assert_eq!((embed.code, service.texts().len()), (Some(0), 1), "{}", embed.stderr);
    assert_eq!(cluster.query_text(problem).await, "");
}
