/*!
Adopted stores against a store of our own with the same rows.

A table of LangChain is adopted, and its chunks are also copied into a store. Three other ways show what a view can
do: views that number the rows by a window function, the same with indexes, and a side table that is joined.

All calls run in a loop of PL/pgSQL, without the round trip to the client.
*/

mod layouts;

use std::time::{Duration, Instant};

use passage_tests::Cluster;
use tokio_postgres::Client;

use crate::expand::load::server;
use crate::rounds::{Figures, ROUNDS, few_turns, turns};
use crate::table::{Bar, Table};

/// Chunks of a document.
const CHUNKS: usize = 10;

/// The time that `adopt` may take for a row.
const BAR: Duration = Duration::from_micros(100);

/// A call for a store, and how many of them a round has.
type Call = (&'static str, &'static str, i32);

const CALLS: [Call; 9] = [
    (
        "`expand_context`, `auto`",
        "SELECT count(*) FROM ids, passage.expand_context(ids.id, store => 'STORE') WHERE ids.i = $1",
        100,
    ),
    (
        "`expand_context`, `adjacent`",
        "SELECT count(*) FROM ids, passage.expand_context(ids.id, 'adjacent', store => 'STORE') WHERE ids.i = $1",
        100,
    ),
    (
        "`reassemble`, ten hits",
        "SELECT count(*) FROM (SELECT array_agg(id) AS ids FROM ids WHERE i BETWEEN $1 AND $1 + 9) AS ten, passage.reassemble(ten.ids, store => 'STORE')",
        50,
    ),
    (
        "`search_hits` by words",
        "SELECT count(*) FROM words, passage.search_hits(word, store => 'STORE') WHERE words.i = $1",
        40,
    ),
    (
        "`search_hits` by embedding",
        "SELECT count(*) FROM vectors, passage.search_hits(embedding => vector, store => 'STORE') WHERE vectors.i = $1",
        40,
    ),
    (
        "`search` by words",
        "SELECT count(*) FROM words, passage.search(word, store => 'STORE') WHERE words.i = $1",
        40,
    ),
    (
        "`search` by both",
        "SELECT count(*) FROM words JOIN vectors USING (i), passage.search(word, vector, store => 'STORE') WHERE i = $1",
        40,
    ),
    (
        "`fragments`",
        "SELECT count(*) FROM words, passage.fragments(word, store => 'STORE') WHERE words.i = $1",
        20,
    ),
    (
        "`outline`",
        "SELECT count(*) FROM passage.outline(uri => '/data/' || $1 || '.md', store => 'STORE')",
        40,
    ),
];

/// The calls that all layouts are compared by.
const COMPARED: [usize; 3] = [0, 3, 6];

/// Measures 100,000 rows: every call, other ways to show the table as a store, and writing.
pub async fn measure(table: &mut Table) {
    let Some((mut cluster, client)) = load(table, "100,000 rows", 10_000).await else { return };
    run(&client, layouts::WRITTEN).await;
    run(&client, layouts::OTHERS).await;
    reading(table, &client, "adopted against own").await;
    // A call by views that number the rows takes seconds, thousands of times as long.
    for (layout, calls, rounds) in [("plain", 1, 1), ("indexed", 1, 1), ("joined", 20, ROUNDS)] {
        for call in COMPARED {
            let (name, call, _) = CALLS[call];
            let figures = compare(&client, call, ("own", layout), calls, rounds).await;
            let what = format!("{name}, {} against own", layouts::describe(layout));
            table.times(&what, figures, Bar::None);
        }
    }
    for (way, by_row) in [("one statement", false), ("ten statements", true)] {
        let extra = writing(&client, by_row).await;
        let what = format!("ten chunks of a new document in {way}: time over the bare INSERT");
        table.late(&what, extra, Duration::from_millis(5));
    }
    cluster.stop();
}

/// Measures 1,000,000 rows: adopting, and every call.
pub async fn measure_million(table: &mut Table) {
    let Some((mut cluster, client)) = load(table, "1,000,000 rows", 100_000).await else { return };
    reading(table, &client, "adopted against own, 1,000,000 rows").await;
    cluster.stop();
}

/// Loads the table and its stores into a new server, and measures that. Returns nothing without pgvector.
async fn load(table: &mut Table, rows: &str, documents: usize) -> Option<(Cluster, Client)> {
    let mut cluster = Cluster::bare().await;
    if cluster.lacks_vector("benchmarks of adopted stores") {
        return None;
    }
    server::configure(&mut cluster).await;
    cluster.execute_as(passage_tests::cluster::SUPERUSER, "CREATE EXTENSION vector").await;
    cluster.execute("CREATE EXTENSION pg_passage CASCADE").await;
    let client = cluster.client().await;
    run(&client, &layouts::source(documents)).await;
    run(&client, "SET maintenance_work_mem = '2GB'").await;

    let begun = Instant::now();
    run(&client, "SELECT passage.adopt('docs', 'adopted')").await;
    let adopting = begun.elapsed();
    table.late(&format!("`adopt`, {rows}"), adopting, BAR * (documents * CHUNKS) as u32);
    run(&client, "SELECT passage.create_store('own', 64)").await;
    let begun = Instant::now();
    run(&client, layouts::COPY).await;
    let copying = begun.elapsed();
    let seconds = |time: Duration| format!("{:.1} s", time.as_secs_f64());
    let figures = Figures::new(&[(copying.as_secs_f64(), adopting.as_secs_f64())]);
    let what = format!("`adopt`, {rows}, against INSERT into a store of our own");
    table.row(&what, seconds(copying), seconds(adopting), figures, Bar::None);
    run(&client, layouts::INDEXES).await;
    run(&client, "VACUUM ANALYZE").await;
    Some((cluster, client))
}

/// Compares every call on the adopted store and our own.
async fn reading(table: &mut Table, client: &Client, stores: &str) {
    run(client, layouts::ARGUMENTS).await;
    for (name, call, calls) in CALLS {
        let figures = compare(client, call, ("own", "adopted"), calls, ROUNDS).await;
        table.times(&format!("{name}, {stores}"), figures, Bar::AtMost(1.5));
    }
}

async fn run(client: &Client, sql: &str) {
    client.batch_execute(sql).await.expect("the statements are valid");
}

/// Compares a call on two stores.
async fn compare(
    client: &Client,
    call: &str,
    (floor, ours): (&str, &str),
    calls: i32,
    rounds: usize,
) -> Figures {
    let timed = async |store: &str| {
        let row = client
            .query_one("SELECT pg_temp.timed($1, $2)", &[&call.replace("STORE", store), &calls])
            .await;
        row.expect("the server answers").get::<_, f64>(0)
    };
    few_turns(rounds, async |_| timed(floor).await, async |_| timed(ours).await).await
}

/// Returns the median time that the triggers add to ten rows of a new document.
async fn writing(client: &Client, by_row: bool) -> Duration {
    let write = async |table: &str, round: usize| {
        let row = client
            .query_one(
                "SELECT pg_temp.written($1, $2, $3)",
                &[&table, &by_row, &(round as i32 + if by_row { 100 } else { 0 })],
            )
            .await;
        row.expect("the server answers").get::<_, f64>(0)
    };
    let figures =
        turns(async |round| write("bare", round).await, async |round| write("kept", round).await)
            .await;
    Duration::from_secs_f64((figures.ours - figures.floor).max(0.0) / 1e6)
}
