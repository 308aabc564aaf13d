/*!
How soon a call over a million chunks ends at its timeout.

A call first runs to its end, then several times with a `statement_timeout`, at equal steps of the measured time.
The delay is the time from the timeout to the error, or to the end of a call that ends before it notices.
*/

use std::time::{Duration, Instant};

use passage_tests::Cluster;
use tokio_postgres::Client;
use tokio_postgres::error::SqlState;
use uuid::Uuid;

use crate::expand::load::{Shape, chunk_id};
use crate::table::Table;

/// The number of timeouts of each call.
const TIMEOUTS: u32 = 20;

/// The largest delay of the error.
const MAX_DELAY: Duration = Duration::from_millis(100);

/// Measures each function that can return the whole document.
pub async fn measure(cluster: &Cluster, shape: &Shape, table: &mut Table) {
    let client = cluster.client().await;
    let set = format!("SET passage.store = '{}'", shape.store);
    client.batch_execute(&set).await.expect("the setting exists");
    let (document, member) = (shape.document(0), shape.text.hit());
    let [head, member] = [0, member].map(|ordinal| chunk_id(document, ordinal));
    for (name, sql) in calls(head, member, shape.chunks) {
        let whole = run(&client, &sql, shape.chunks).await;
        let (mut worst, mut at) = (Duration::ZERO, Duration::ZERO);
        for step in 1..=TIMEOUTS {
            let timeout = Duration::from_millis((whole * step / (TIMEOUTS + 1)).as_millis() as u64);
            let late = lateness(&client, &sql, timeout).await;
            if late > worst {
                (worst, at) = (late, timeout);
            }
        }
        let what =
            format!("{name}, a document of a million chunks: the latest of {TIMEOUTS} timeouts");
        table.late(&what, worst, MAX_DELAY);
        let (whole, at) = (whole.as_secs_f64(), at.as_secs_f64());
        table.note(format!("{name} takes {whole:.1} s; the latest was that at {at:.1} s"));
    }
}

/// The calls, each of which counts the returned chunks.
fn calls(head: Uuid, member: Uuid, chunks: usize) -> [(String, String); 6] {
    let max_chunks = format!("max_chunks => {chunks}");
    let rows = |strategy: &str, hit: Uuid, more: &str| {
        let all = format!("{max_chunks}, max_tokens => 0");
        let call = format!("expand_context('{hit}', '{strategy}', {all}{more})");
        (format!("`{strategy}`"), format!("SELECT count(content) FROM passage.{call}"))
    };
    let call = |function: &str, count: &str| {
        let call = format!(
            "{function}('{{{member}}}', NULL, 'document', max_tokens => 0, limits => passage.limits({max_chunks}))"
        );
        (format!("`{function}` by `document`"), format!("SELECT {count} FROM passage.{call}"))
    };
    [
        rows("document", member, ""),
        rows("section", head, ""),
        rows("hierarchical", member, ""),
        rows("merge", member, ", limits => passage.limits(threshold => 0)"),
        call("explain_context", "count(*)"),
        call("reassemble", "sum(cardinality(chunk_ids))"),
    ]
}

/// Runs a call to its end twice, and returns the shorter time.
async fn run(client: &Client, sql: &str, chunks: usize) -> Duration {
    set_timeout(client, Duration::ZERO).await;
    let mut fastest = Duration::MAX;
    for _ in 0..2 {
        let begun = Instant::now();
        let row = client.query_one(sql, &[]).await.expect("the call is valid");
        fastest = fastest.min(begun.elapsed());
        assert_eq!(row.get::<_, i64>(0), chunks as i64, "{sql}");
    }
    fastest
}

/// Runs a call with a timeout, and returns the delay.
async fn lateness(client: &Client, sql: &str, timeout: Duration) -> Duration {
    set_timeout(client, timeout).await;
    let begun = Instant::now();
    let result = client.simple_query(sql).await;
    let took = begun.elapsed();
    if let Err(error) = result {
        assert_eq!(error.code(), Some(&SqlState::QUERY_CANCELED), "{error}");
    }
    took.saturating_sub(timeout)
}

/// Sets the timeout; zero means none.
async fn set_timeout(client: &Client, timeout: Duration) {
    let set = format!("SET statement_timeout = {}", timeout.as_millis());
    // The timeout of the last call also applies to this statement.
    while let Err(error) = client.batch_execute(&set).await {
        assert_eq!(error.code(), Some(&SqlState::QUERY_CANCELED), "{error}");
    }
}
