//! The sessions behind a transaction pooler: their state after a command, and what other clients meet meanwhile.

use passage_tests::cluster::{OWNER, Pooler};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tokio::task::JoinSet;
use tokio_postgres::{Client, NoTls};

/// The state that a client may leave in a session: role, settings, locks, prepared statements, cursors, channels.
/// The pooler itself sets five settings for each client.
const STATE: &str = "SELECT concat_ws('|', current_user, session_user, current_setting('row_security'), \
    current_setting('synchronous_commit'), current_setting('plan_cache_mode'), current_setting('search_path'), \
    (SELECT string_agg(name, ' ') FROM pg_settings WHERE source = 'session' AND name <> ALL \
        ('{application_name,client_encoding,DateStyle,standard_conforming_strings,TimeZone}')), \
    (SELECT count(*) FROM pg_locks WHERE pid = pg_backend_pid() AND locktype = 'advisory'), \
    (SELECT count(*) FROM pg_prepared_statements), (SELECT count(*) FROM pg_cursors WHERE name <> ''), \
    (SELECT count(*) FROM pg_listening_channels()), pg_my_temp_schema())";

/// The state of a fresh session.
const CLEAN: &str = "owner|owner|on|on|auto|\"$user\", public|0|0|0|0|0";

async fn connect(pooler: &Pooler) -> Client {
    let (client, connection) =
        pooler.config(OWNER).connect(NoTls).await.expect("the pooler accepts");
    tokio::spawn(connection);
    client
}

async fn state(client: &Client) -> String {
    let rows = client.query_typed(STATE, &[]).await.expect("the pooler answers");
    rows[0].get(0)
}

/// Checks that both sessions of a pool of two are as fresh ones.
pub async fn assert_clean(pooler: &Pooler, after: &str) {
    // Two open transactions use two sessions.
    let (first, second) = (connect(pooler).await, connect(pooler).await);
    for client in [&first, &second] {
        client.batch_execute("BEGIN").await.expect("a session is free");
    }
    for client in [&first, &second] {
        assert_eq!(state(client).await, CLEAN, "after {after}");
    }
    for client in [&first, &second] {
        client.batch_execute("COMMIT").await.expect("it ends");
    }
}

/// Other clients of a pooler, which check at each statement that their session is as a fresh one.
pub struct Bystanders {
    clients: JoinSet<usize>,
    is_over: Arc<AtomicBool>,
}

impl Bystanders {
    pub async fn start(pooler: &Pooler, count: usize) -> Self {
        let (mut clients, is_over) = (JoinSet::new(), Arc::new(AtomicBool::new(false)));
        for _ in 0..count {
            let (client, is_over) = (connect(pooler).await, Arc::clone(&is_over));
            clients.spawn(async move {
                let mut checks = 0;
                while !is_over.load(Ordering::Relaxed) {
                    assert_eq!(state(&client).await, CLEAN, "a client met state of another one");
                    checks += 1;
                    tokio::time::sleep(Duration::from_millis(5)).await;
                }
                checks
            });
        }
        Self { clients, is_over }
    }

    /// Ends the clients, and returns how often they have checked.
    pub async fn end(self) -> usize {
        self.is_over.store(true, Ordering::Relaxed);
        self.clients.join_all().await.into_iter().sum()
    }
}
