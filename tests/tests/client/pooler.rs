//! A pooler between client and server: one that shares sessions is refused before anything is left
//! in them, one that keeps them is as good as a server.

use crate::{Ran, Sources, ingest_text, is_sound, next_write, text_cluster};
use passage_tests::cluster::{OWNER, SUPERUSER};
use tokio_postgres::NoTls;

const REFUSED: &str = "the connection goes through a transaction pooler";
const REMEDY: &str = "Connect to the server directly, or through a pool in session mode";

/// What a client may leave in a session: its role, its settings, its locks, its statements.
const LEFT: &str = "SELECT pid = pg_backend_pid(), current_user, current_setting('row_security'), \
    current_setting('synchronous_commit'), current_setting('plan_cache_mode'), current_setting('search_path'), \
    (SELECT count(*) FROM pg_locks WHERE locktype = 'advisory'), (SELECT count(*) FROM pg_prepared_statements) \
    FROM pg_stat_activity WHERE pid = pg_backend_pid()";

#[tokio::test]
async fn a_transaction_pooler_is_refused_and_nothing_is_left_in_its_sessions() {
    let cluster = text_cluster().await;
    let sources = Sources::with([("a.md", "# A\n\nA word.\n")]);
    let book = sources.book();
    assert_eq!(ingest_text(&cluster, &[&book]).await.code, Some(0));
    cluster.execute_as(SUPERUSER, "GRANT owner TO postgres").await;
    for settings in [
        "pool_mode = transaction\ndefault_pool_size = 1",
        "pool_mode = transaction",
        "pool_mode = transaction\nserver_round_robin = 1\nmin_pool_size = 2",
        "pool_mode = statement\nserver_round_robin = 1",
    ] {
        let what = "a transaction pooler is refused";
        let Some(pooler) = cluster.pooler(what, settings).await else { return };
        let next = next_write(&cluster).await;
        for arguments in [
            &["reindex", "--no-embed"][..],
            &["reindex", "--no-embed", "--collection", ""],
            &["ingest", "--no-embed", &book],
            &["init", "--no-embed"],
            &["search", "--mode", "text", "word"],
            &["status"],
        ] {
            let mut program = cluster.client_program();
            program.env("DATABASE_URL", pooler.url_as(SUPERUSER)).args(arguments);
            Ran::of(&mut program).await.refuses(REFUSED, REMEDY);
        }
        let mut program = cluster.client_program();
        program.env("DATABASE_URL", pooler.url_as(SUPERUSER)).args(["doctor", "--no-embed"]);
        let doctor = Ran::of(&mut program).await;
        assert_eq!(doctor.code, Some(1));
        assert!(
            doctor.stdout.contains(&format!("error   connection: {REFUSED}"))
                && doctor.stdout.contains(REMEDY),
            "{settings}: {}",
            doctor.stdout
        );
        assert_eq!(next_write(&cluster).await, next, "{settings}: something was written");

        // Whoever comes next finds the sessions as they were.
        for _ in 0..8 {
            let (client, connection) =
                pooler.config(SUPERUSER).connect(NoTls).await.expect("the pooler serves others");
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
}

#[tokio::test]
async fn through_a_pool_in_session_mode_all_works() {
    let cluster = text_cluster().await;
    let sources = Sources::with([("a.md", "# A\n\nA word.\n"), ("b.md", "# B\n")]);
    let what = "through a pool in session mode all works";
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
        let ran = Ran::of(&mut program).await;
        assert_eq!(ran.code, Some(0), "{arguments:?}: {}{}", ran.stdout, ran.stderr);
    }
    is_sound(&cluster).await;
}

#[tokio::test]
async fn options_that_a_pooler_does_not_take_are_explained() {
    let cluster = text_cluster().await;
    let what = "options that a pooler does not take are explained";
    let Some(pooler) = cluster.pooler(what, "pool_mode = session").await else { return };
    let mut program = cluster.client_program();
    program.env("DATABASE_URL", pooler.url_as(OWNER)).env("PGOPTIONS", "-c row_security=off");
    Ran::of(program.arg("status")).await.refuses("startup parameter", "A pooler may not support");
}
