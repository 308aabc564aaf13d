//! Adopted stores through a transaction pooler, in which two clients share one connection of the server.

use passage_tests::Cluster;
use passage_tests::cluster::{OWNER, Pooler};
use std::process::Stdio;
use tokio::io::AsyncWriteExt;
use tokio_postgres::types::{ToSql, Type};
use tokio_postgres::{Client, NoTls};

const TABLE: &str = "
    CREATE TABLE parts (number bigint PRIMARY KEY, page text, position integer, headings text[], body text, embedding vector(3));
    CREATE INDEX ON parts USING hnsw (embedding vector_cosine_ops)";

const ADOPT: &str = "SELECT count(*)::text FROM passage.adopt('parts', 'shop', content => 'body', document => 'page',
    ordinal => 'position', section => 'headings', embedding => 'embedding')";

/// The connection, and the state that a call may leave in it. The pooler itself sets five settings for each client.
const STATE: &str = "
    SELECT concat_ws(' ', pg_backend_pid(), current_user, pg_my_temp_schema(), (
        SELECT string_agg(name || '=' || setting, ' ' ORDER BY name) FROM pg_settings
        WHERE source = 'session' AND name <> ALL ('{application_name,client_encoding,DateStyle,standard_conforming_strings,TimeZone}')
    ), (SELECT count(*) FROM pg_locks WHERE pid = pg_backend_pid() AND locktype = 'advisory'),
        (SELECT count(*) FROM pg_prepared_statements), (SELECT count(*) FROM pg_cursors WHERE is_holdable))";

type Parameter<'p> = (&'p (dyn ToSql + Sync), Type);

/// Runs a statement as drivers do that prepare none, and returns the first column of its rows.
async fn run(client: &Client, sql: &str, parameters: &[Parameter<'_>]) -> Vec<String> {
    let rows = client.query_typed(sql, parameters).await;
    let rows = rows.unwrap_or_else(|error| panic!("{sql}: {error:?}"));
    rows.iter().map(|row| row.get(0)).collect()
}

async fn search(client: &Client, words: &str) -> Vec<String> {
    let sql = "SELECT source_id FROM passage.search_hits($1, store => 'shop', max_hits => 100)";
    run(client, sql, &[(&words, Type::TEXT)]).await
}

async fn nearest(client: &Client, embedding: [f32; 3]) -> Vec<String> {
    let sql = "SELECT source_id FROM passage.search_hits(embedding => $1, store => 'shop', max_hits => 1)";
    run(client, sql, &[(&embedding.as_slice(), Type::FLOAT4_ARRAY)]).await
}

/// Returns the ids of a chunk and its neighbors, in the order of the document.
async fn neighbors(client: &Client, id: &str) -> Vec<String> {
    let sql = "SELECT source_id FROM passage.expand_context(passage.chunk_id('shop', $1), 'adjacent', limits => passage.limits(before => 1, after => 1),
        store => 'shop') ORDER BY ordinal";
    run(client, sql, &[(&id, Type::TEXT)]).await
}

async fn connect(pooler: &Pooler) -> Client {
    let (client, connection) =
        pooler.config(OWNER).connect(NoTls).await.expect("the pooler accepts");
    tokio::spawn(connection);
    client
}

/// Loads two rows of a page by COPY, through the pooler.
async fn copy(cluster: &Cluster, pooler: &Pooler) {
    let mut psql = cluster.program("psql");
    psql.args(["-X", "-q", "-v", "ON_ERROR_STOP=1", "-c", "COPY parts FROM STDIN", "-d"]);
    let mut child = psql.arg(pooler.url_as(OWNER)).stdin(Stdio::piped()).spawn().unwrap();
    let rows = "4\tcoffee\t0\t{Coffee}\tAn espresso needs pressure.\t[0,1,1]\n\
        5\tcoffee\t1\t{Coffee}\tA filter needs time.\t[1,0,1]\n";
    child.stdin.take().expect("it is piped").write_all(rows.as_bytes()).await.unwrap();
    assert!(child.wait().await.unwrap().success());
}

/// Writes a page of ten chunks, one in each transaction. After each one, the client reads the page.
async fn write_and_read(client: &Client, page: &str, first: i64) {
    for position in 0..10_i32 {
        let number = first + i64::from(position);
        let insert = "INSERT INTO parts SELECT $1, $2, $3, ARRAY[$2], format('Step %s of the %s.', $3, $2), '[1,2,3]'";
        run(client, insert, &[(&number, Type::INT8), (&page, Type::TEXT), (&position, Type::INT4)])
            .await;
        let mut found = search(client, page).await;
        found.sort();
        let expected: Vec<_> = (first..=number).map(|number| number.to_string()).collect();
        assert_eq!(found, expected);
        let around: Vec<_> = (first.max(number - 1)..=number).map(|id| id.to_string()).collect();
        assert_eq!(neighbors(client, &number.to_string()).await, around);
    }
}

#[tokio::test]
async fn clients_that_share_a_connection_write_and_read_an_adopted_table() {
    let cluster = Cluster::start().await;
    let what = "an adopted table through a transaction pooler";
    if cluster.lacks_vector(what) {
        return;
    }
    let settings = "pool_mode = transaction\ndefault_pool_size = 1";
    let Some(pooler) = cluster.pooler(what, settings).await else { return };
    cluster.execute(TABLE).await;
    let (writer, reader) = (connect(&pooler).await, connect(&pooler).await);
    let state = run(&reader, STATE, &[]).await;
    let unchanged = async || {
        assert_eq!(run(&writer, STATE, &[]).await, state);
        assert_eq!(run(&reader, STATE, &[]).await, state);
    };

    run(&writer, ADOPT, &[]).await;
    unchanged().await;

    let insert =
        "INSERT INTO parts VALUES (1, 'tea', 0, '{Tea}', 'Tea needs hot water.', '[1,0,0]'),
        (2, 'tea', 1, '{Tea,Green}', 'Green tea needs less heat.', '[0,1,0]'),
        (3, 'tea', 2, '{Tea,Black}', 'Black tea needs boiling water.', '[0,0,1]')";
    run(&writer, insert, &[]).await;
    assert_eq!(search(&reader, "boiling").await, ["3"]);
    assert_eq!(nearest(&reader, [0.0, 0.0, 1.0]).await, ["3"]);
    assert_eq!(neighbors(&reader, "3").await, ["2", "3"]);
    unchanged().await;

    let update = "UPDATE parts SET body = 'Black tea goes with milk.', position = -1, embedding = '[1,1,0]' WHERE number = 3";
    run(&writer, update, &[]).await;
    assert_eq!(search(&reader, "boiling").await, [""; 0]);
    assert_eq!(search(&reader, "milk").await, ["3"]);
    assert_eq!(nearest(&reader, [1.0, 1.0, 0.1]).await, ["3"]);
    assert_eq!(neighbors(&reader, "3").await, ["3", "1"]);
    unchanged().await;

    copy(&cluster, &pooler).await;
    assert_eq!(search(&reader, "espresso").await, ["4"]);
    assert_eq!(neighbors(&reader, "4").await, ["4", "5"]);
    unchanged().await;

    // A failed statement and a rollback change nothing.
    assert!(writer.query_typed(insert, &[]).await.is_err());
    writer.batch_execute("BEGIN; DELETE FROM parts").await.unwrap();
    assert_eq!(search(&writer, "milk").await, [""; 0]);
    writer.batch_execute("ROLLBACK").await.unwrap();
    assert_eq!(search(&reader, "milk").await, ["3"]);
    unchanged().await;

    run(&writer, "DELETE FROM parts WHERE page = 'tea'", &[]).await;
    assert_eq!(search(&reader, "tea").await, [""; 0]);
    assert_eq!(nearest(&reader, [0.0, 1.0, 0.0]).await, ["4"]);
    unchanged().await;

    tokio::join!(write_and_read(&writer, "kettle", 100), write_and_read(&reader, "samovar", 200));
    unchanged().await;

    // The connection has cached the former store of that name.
    run(&writer, "SELECT passage.unadopt('shop')", &[]).await;
    run(&writer, &ADOPT.replace("'position'", "'-position'"), &[]).await;
    assert_eq!(neighbors(&reader, "4").await, ["5", "4"]);
    assert_eq!(search(&reader, "espresso").await, ["4"]);
    unchanged().await;
}
