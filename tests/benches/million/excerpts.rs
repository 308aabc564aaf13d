//! Fragments of one large document, and of the whole store.

use passage::source::SourceDocument;
use uuid::Uuid;

use super::load::STORE;
use super::session::{Question, Session};
use crate::corpus;
use crate::rounds::Times;
use crate::table::Table;

/// The large document, and its size in bytes.
const URI: &str = "megabyte.md";
const BYTES: usize = 1_000_000;

/// The number of its own phrases that are searched in it.
const PHRASES: usize = 50;

const TIMES: usize = 3;

/// The largest median time of the calls in milliseconds.
const IN_DOCUMENT: f64 = 10.0;
const IN_STORE: f64 = 40.0;

pub async fn measure(session: &Session, questions: &[Question], table: &mut Table) {
    let (document, bytes) = document(session).await;
    let phrases = phrases(session, document).await;
    let sql = "SELECT * FROM passage.fragments($1, document_id => $2)";
    let statement = session.prepare(sql).await;
    let ask = async |at: usize| session.ask(&statement, &[&phrases[at], &document]).await;
    let times = Times::of(phrases.len(), TIMES, ask).await;
    let what =
        format!("`fragments` of a document of {bytes} bytes, {} phrases of it", phrases.len());
    table.latency(&what, None, &times, 50, IN_DOCUMENT);

    for (what, sql) in [
        ("by text", "SELECT * FROM passage.fragments($1)"),
        ("hybrid", "SELECT * FROM passage.fragments($1, $2)"),
    ] {
        let statement = session.prepare(sql).await;
        let ask = async |at: usize| {
            let Question { text, embedding } = &questions[at];
            match what {
                "hybrid" => session.ask(&statement, &[text, embedding]).await,
                _ => session.ask(&statement, &[text]).await,
            }
        };
        let times = Times::of(questions.len(), TIMES, ask).await;
        let what = format!("`fragments` of the whole store, {what}, {} questions", questions.len());
        table.latency(&what, None, &times, 50, IN_STORE);
    }
}

/// Returns the large document: real Markdown files, concatenated.
pub fn large() -> SourceDocument {
    let mut text = corpus::markdown().concat();
    text.truncate(text.floor_char_boundary(BYTES));
    SourceDocument::bytes(URI, text)
}

/// Returns the large document and its stored bytes.
async fn document(session: &Session) -> (Uuid, i64) {
    let sql = format!(
        "SELECT document_id, sum(octet_length(content)) FROM {STORE}.chunks WHERE document_id = \
         (SELECT id FROM {STORE}.documents WHERE uri = '{URI}' ORDER BY id LIMIT 1) GROUP BY document_id"
    );
    let row = &session.query(&sql).await[0];
    (row.get(0), row.get(1))
}

/// Returns six words each of a number of its chunks, spread over the document.
async fn phrases(session: &Session, document: Uuid) -> Vec<String> {
    let sql = format!(
        "SELECT substring(content FROM '(?:[A-Za-z]+[^A-Za-z]+){{5}}[A-Za-z]+') \
         FROM {STORE}.chunks WHERE document_id = '{document}' ORDER BY ordinal"
    );
    let phrases: Vec<_> = session.query(&sql).await.iter().filter_map(|row| row.get(0)).collect();
    let step = (phrases.len() / PHRASES).max(1);
    phrases.into_iter().step_by(step).take(PHRASES).collect()
}
