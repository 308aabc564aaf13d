//! SQL functions through a transaction pooler: eight clients on two connections to the server get the rows of a
//! direct connection, whatever store the session has served before.

use passage_tests::Cluster;
use passage_tests::cluster::{OWNER, Pooler};
use std::sync::Arc;
use tokio::task::JoinSet;
use tokio_postgres::{Client, NoTls};

/// Two stores of the same names and columns, with other texts. The second one is of views, without levels.
const STORES: &str = "
    SELECT passage.create_store('first'), passage.create_store('second');
    SELECT passage.ingest('a.md', '# Kettle' || E'\n\nThe kettle boils water.\n\n## Lid\n\nThe lid keeps steam.\n', store => 'first');
    SELECT passage.ingest('b.md', '# Pot' || E'\n\nThe pot brews tea from water.\n', store => 'first');
    SELECT passage.ingest('a.md', '# Harbor' || E'\n\nThe harbor has deep water.\n\n## Pier\n\nThe pier keeps boats.\n', store => 'second');
    SELECT passage.ingest('c.md', '# Boat' || E'\n\nA boat needs water below the keel.\n\n## Mast\n\nThe mast.\n', store => 'second');
    CREATE SCHEMA third;
    CREATE VIEW third.documents AS SELECT id, uri, collection FROM second.documents;
    CREATE VIEW third.chunks AS SELECT id, document_id, ordinal, section, content, tsv FROM second.chunks";

/// The calls, in which STORE is an argument. The rows do not depend on the order in which clients call.
const CALLS: [&str; 6] = [
    "SELECT search::text FROM passage.search('water'STORE) AS search",
    "SELECT search::text FROM passage.search('keeps', strategy => 'broad', max_passages => 1STORE) AS search",
    "SELECT fragments::text FROM passage.fragments('water'STORE) AS fragments",
    "SELECT fragments::text FROM passage.fragments(uri => 'a.md', return_full => trueSTORE) AS fragments",
    "SELECT context::text FROM passage.search_hits('water'STORE) AS hit,
        passage.expand_context(hit.chunk_id, 'document'STORE) AS context ORDER BY 1",
    "SELECT passage::text FROM passage.reassemble(ARRAY(SELECT chunk_id FROM passage.search_hits('water'STORE)), strategy => 'section'STORE) AS passage",
];

const NAMES: [&str; 3] = ["first", "second", "third"];

/// Returns the statement of a call that names the store by an argument, or leaves it to the setting.
fn call(number: usize, store: Option<&str>) -> String {
    let argument = store.map(|store| format!(", store => '{store}'")).unwrap_or_default();
    CALLS[number].replace("STORE", &argument)
}

async fn rows(client: &Client, sql: &str) -> Vec<String> {
    let rows = client.query_typed(sql, &[]).await;
    let rows = rows.unwrap_or_else(|error| panic!("{sql}: {error:?}"));
    rows.iter().map(|row| row.get(0)).collect()
}

async fn connect(pooler: &Pooler) -> Client {
    let (client, connection) =
        pooler.config(OWNER).connect(NoTls).await.expect("the pooler accepts");
    tokio::spawn(connection);
    client
}

/// Makes each call in each store, by argument and by setting, beginning with another one for each client.
async fn compare(client: Client, first: usize, expected: Arc<Vec<Vec<String>>>) {
    for step in 0..10 * NAMES.len() * CALLS.len() {
        let (store, number) = ((first + step) % NAMES.len(), (first + step * 5) % CALLS.len());
        let expected = &expected[store * CALLS.len() + number];
        let name = NAMES[store];
        if (first + step).is_multiple_of(2) {
            assert_eq!(&rows(&client, &call(number, Some(name))).await, expected, "{name}");
        } else {
            client
                .batch_execute(&format!("BEGIN; SET LOCAL passage.store = {name}"))
                .await
                .unwrap();
            assert_eq!(&rows(&client, &call(number, None)).await, expected, "{name}");
            client.batch_execute("COMMIT").await.unwrap();
        }
    }
}

#[tokio::test]
async fn functions_return_the_rows_of_a_direct_connection_through_a_transaction_pooler() {
    let cluster = Cluster::start().await;
    let what = "SQL functions through a transaction pooler";
    let settings = "pool_mode = transaction\ndefault_pool_size = 2";
    let Some(pooler) = cluster.pooler(what, settings).await else { return };
    cluster.execute(STORES).await;
    let mut expected = Vec::new();
    for store in NAMES {
        for number in 0..CALLS.len() {
            let rows = cluster.query_lines(&call(number, Some(store))).await;
            assert!(!rows.is_empty(), "{store}, call {number}");
            expected.push(rows);
        }
    }
    let expected = Arc::new(expected);
    let mut clients = JoinSet::new();
    for first in 0..8 {
        clients.spawn(compare(connect(&pooler).await, first, Arc::clone(&expected)));
    }
    clients.join_all().await;

    // Another session replaces a store that the sessions of the pool have cached.
    cluster
        .execute(
            "BEGIN; ALTER SCHEMA first RENAME TO former; ALTER SCHEMA second RENAME TO first;
             ALTER SCHEMA former RENAME TO second; COMMIT",
        )
        .await;
    let calls = CALLS.len();
    let (first, rest) = expected.split_at(calls);
    let swapped = Arc::new([&rest[..calls], first, &rest[calls..]].concat());
    let mut clients = JoinSet::new();
    for first in 0..8 {
        clients.spawn(compare(connect(&pooler).await, first, Arc::clone(&swapped)));
    }
    clients.join_all().await;
    let left = "SELECT coalesce(string_agg(name, ' '), '') || (SELECT count(*) FROM pg_prepared_statements) \
        FROM pg_settings WHERE source = 'session' AND (name LIKE 'passage.%' OR name LIKE 'hnsw.%')";
    for _ in 0..4 {
        assert_eq!(rows(&connect(&pooler).await, left).await, ["0"]);
    }
}
