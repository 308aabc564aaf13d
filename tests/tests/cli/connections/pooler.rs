//! A pooler between client and server. The reindex of a store refuses transaction mode before it leaves state in a
//! session. All commands work in session mode, and none in statement mode. `pooled_commands` has transaction mode.

use crate::{NEXT_TRANSACTION, RunOutput, Sources, assert_sound, ingest_text, text_cluster};
use passage_tests::cases;
use passage_tests::cluster::{OWNER, Pooler, SUPERUSER};
use tokio_postgres::NoTls;

const REFUSED: &str = "the connection goes through a transaction pooler";
const REMEDY: &str = "Connect to the server directly, or through a pool in session mode";

/// The state that a client may leave in a session: role, settings, locks, prepared statements.
const LEFT: &str = "SELECT pid = pg_backend_pid(), current_user, current_setting('row_security'), \
    current_setting('synchronous_commit'), current_setting('plan_cache_mode'), current_setting('search_path'), \
    (SELECT count(*) FROM pg_locks WHERE locktype = 'advisory'), (SELECT count(*) FROM pg_prepared_statements) \
    FROM pg_stat_activity WHERE pid = pg_backend_pid()";

/// Checks that the next clients of the pooler find the sessions unchanged.
async fn assert_unchanged(pooler: &Pooler, settings: &str) {
    for _ in 0..8 {
        let (client, connection) =
            pooler.config(SUPERUSER).connect(NoTls).await.expect("the pooler serves other clients");
        let driven = tokio::spawn(connection);
        let rows = client.simple_query(LEFT).await.unwrap();
        let left = rows.iter().find_map(|message| match message {
            tokio_postgres::SimpleQueryMessage::Row(row) => Some(
                (1..row.len())
                    .map(|at| row.get(at).unwrap_or_default())
                    .collect::<Vec<_>>()
                    .join("|"),
            ),
            _ => None,
        });
        assert_eq!(
            left.as_deref(),
            Some("postgres|on|on|auto|\"$user\", public|0|0"),
            "{settings}"
        );
        drop(client);
        driven.await.unwrap().unwrap();
    }
}

#[tokio::test]
async fn reindex_refuses_a_transaction_pooler_before_it_changes_anything() {
    let cluster = text_cluster().await;
    let sources = Sources::with([("a.md", "# A\n\nA word.\n")]);
    let book = sources.book();
    assert_eq!(ingest_text(&cluster, &[&book]).await.code, Some(0));
    cluster.execute_as(SUPERUSER, "GRANT owner TO postgres").await;
    for (settings, others, seconds) in cases([
        ("pool_mode = transaction\ndefault_pool_size = 1", 0, ""),
        ("pool_mode = transaction", 0, ""),
        ("pool_mode = transaction\nserver_round_robin = 1\nmin_pool_size = 2", 0, ""),
        // Others use the whole pool, or all of it but one connection, also for longer than the client waits.
        ("pool_mode = transaction\ndefault_pool_size = 2", 1, "0.3"),
        ("pool_mode = transaction\ndefault_pool_size = 2", 6, "0.3"),
        ("pool_mode = transaction\ndefault_pool_size = 2", 2, "4"),
    ]) {
        let what = "reindex refuses a transaction pooler";
        let Some(pooler) = cluster.pooler(what, settings).await else { return };
        let next = cluster.query_text(NEXT_TRANSACTION).await;
        let mut busy = tokio::task::JoinSet::new();
        for _ in 0..others {
            let config = pooler.config(SUPERUSER);
            busy.spawn(async move {
                let (client, connection) = config.connect(NoTls).await.unwrap();
                tokio::spawn(connection);
                let sleep = format!("BEGIN; SELECT pg_sleep({seconds}); COMMIT");
                while client.batch_execute(&sleep).await.is_ok() {}
            });
        }
        for arguments in
            cases([&["reindex", "--no-embed"][..], &["reindex", "--no-embed", "--dry-run"]])
        {
            // Each run waits for its turns.
            if others > 0 && arguments.contains(&"--dry-run") {
                continue;
            }
            let mut program = cluster.client_program();
            program.env("DATABASE_URL", pooler.url_as(SUPERUSER)).args(arguments);
            RunOutput::of(&mut program).await.assert_refusal(REFUSED, REMEDY);
        }
        busy.shutdown().await;
        assert_eq!(
            cluster.query_text(NEXT_TRANSACTION).await,
            next,
            "{settings}: something was written"
        );
        assert_unchanged(&pooler, settings).await;
    }
}

#[tokio::test]
async fn a_statement_pooler_is_refused_by_all_commands() {
    let cluster = text_cluster().await;
    let sources = Sources::with([("a.md", "# A\n\nA word.\n")]);
    let book = sources.book();
    assert_eq!(ingest_text(&cluster, &[&book]).await.code, Some(0));
    cluster.execute_as(SUPERUSER, "GRANT owner TO postgres").await;
    let settings = "pool_mode = statement\nserver_round_robin = 1";
    let what = "a statement pooler is refused";
    let Some(pooler) = cluster.pooler(what, settings).await else { return };
    let next = cluster.query_text(NEXT_TRANSACTION).await;
    let (refused, remedy) =
        (REFUSED.replace("transaction", "statement"), "pool_mode = transaction");
    for arguments in cases([
        &["reindex", "--no-embed"][..],
        &["reindex", "--no-embed", "--collection", ""],
        &["ingest", "--no-embed", &book],
        &["init", "--no-embed"],
        &["search", "--mode", "text", "word"],
        &["status"],
    ]) {
        let mut program = cluster.client_program();
        program.env("DATABASE_URL", pooler.url_as(SUPERUSER)).args(arguments);
        RunOutput::of(&mut program).await.assert_refusal(&refused, remedy);
    }
    let mut program = cluster.client_program();
    program.env("DATABASE_URL", pooler.url_as(SUPERUSER)).args(["doctor", "--no-embed"]);
    let doctor = RunOutput::of(&mut program).await;
    assert_eq!(doctor.code, Some(1));
    assert!(
        doctor.stdout.contains(&format!("error   connection: {refused}"))
            && doctor.stdout.contains(remedy),
        "{}",
        doctor.stdout
    );
    assert_eq!(cluster.query_text(NEXT_TRANSACTION).await, next, "something was written");
    assert_unchanged(&pooler, settings).await;
}

#[tokio::test]
async fn all_commands_work_through_a_session_pooler() {
    let cluster = text_cluster().await;
    let sources = Sources::with([("a.md", "# A\n\nA word.\n"), ("b.md", "# B\n")]);
    let what = "all commands work through a session pooler";
    let Some(pooler) = cluster.pooler(what, "pool_mode = session").await else { return };
    let book = sources.book();
    for arguments in [
        &["init", "--no-embed"][..],
        &["ingest", "--no-embed", &book],
        &["reindex", "--no-embed", "--drop-former"],
        &["reindex", "--no-embed", "--collection", ""],
        &["search", "--mode", "text", "word"],
        &["status"],
        &["doctor", "--no-embed"],
    ] {
        let mut program = cluster.client_program();
        program.env("DATABASE_URL", pooler.url_as(OWNER)).args(arguments);
        let run = RunOutput::of(&mut program).await;
        assert_eq!(run.code, Some(0), "{arguments:?}: {}{}", run.stdout, run.stderr);
    }
    assert_sound(&cluster).await;
}

#[tokio::test]
async fn connection_options_that_a_pooler_rejects_are_explained() {
    let cluster = text_cluster().await;
    let what = "connection options that a pooler rejects are explained";
    let Some(pooler) = cluster.pooler(what, "pool_mode = session").await else { return };
    let mut program = cluster.client_program();
    program.env("DATABASE_URL", pooler.url_as(OWNER)).env("PGOPTIONS", "-c row_security=off");
    RunOutput::of(program.arg("status"))
        .await
        .assert_refusal("startup parameter", "A pooler may not support");
}
