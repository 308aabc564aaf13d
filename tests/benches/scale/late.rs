/*!
How soon a call over a million chunks ends when it is told to.

A call is first run to its end, then again and again with a `statement_timeout`, the timeouts lying
at equal steps all over the time that it took. Late is what passes between the timeout and the
error; of a call that ends well before it notices, what passes until that end.
*/

use std::time::{Duration, Instant};

use passage_tests::Cluster;
use tokio_postgres::Client;
use tokio_postgres::error::SqlState;
use uuid::Uuid;

use crate::expand::load::{Shape, chunk_id};
use crate::table::Table;

/// Timeouts of each call.
const TIMEOUTS: u32 = 20;

/// How late the error may come.
const MOST: Duration = Duration::from_millis(100);

/// Measures each way to ask for all of the document.
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
        table.late(&what, worst, MOST);
        let (whole, at) = (whole.as_secs_f64(), at.as_secs_f64());
        table.note(format!("{name} takes {whole:.1} s; the latest was that at {at:.1} s"));
    }
}

/// The calls, each counting the chunks that came.
fn calls(head: Uuid, member: Uuid, chunks: usize) -> [(String, String); 6] {
    let most = format!("max_chunks => {chunks}");
    let rows = |strategy: &str, hit: Uuid, more: &str| {
        let call = format!("expand_context('{hit}', '{strategy}', {most}{more})");
        (format!("`{strategy}`"), format!("SELECT count(content) FROM passage.{call}"))
    };
    let call = |function: &str, count: &str| {
        let call = format!("{function}('{{{member}}}', NULL, 'document', {most})");
        (format!("`{function}` by `document`"), format!("SELECT {count} FROM passage.{call}"))
    };
    [
        rows("document", member, ""),
        rows("section", head, ""),
        rows("hierarchical", member, ""),
        rows("merge", member, ", threshold => 0"),
        call("explain_context", "count(*)"),
        call("reassemble", "sum(cardinality(chunk_ids))"),
    ]
}

/// Runs a call to its end, twice, and returns how long it took when it was faster.
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

/// Runs a call with a timeout and returns by how much it outlived that.
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

/// Sets the timeout; zero is none.
async fn set_timeout(client: &Client, timeout: Duration) {
    let set = format!("SET statement_timeout = {}", timeout.as_millis());
    // That of the last call holds for this statement, too.
    while let Err(error) = client.batch_execute(&set).await {
        assert_eq!(error.code(), Some(&SqlState::QUERY_CANCELED), "{error}");
    }
}
