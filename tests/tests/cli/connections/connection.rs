//! The connection settings without a URL: the client reads those of libpq, as psql does.

use crate::{RunOutput, SECRET, text_cluster};
use passage_tests::Cluster;
use passage_tests::cases;
use passage_tests::cluster::{DATABASE, OWNER, SUPERUSER};
use passage_tests::wait::until;
use tokio::process::Command;

/// The client without connection settings.
fn alone(cluster: &Cluster, arguments: &[&str]) -> Command {
    let mut program = cluster.client_program();
    program.env_remove("DATABASE_URL").env("HOME", "/nowhere").args(arguments);
    program
}

#[tokio::test]
async fn the_client_reads_the_variables_of_libpq() {
    let cluster = text_cluster().await;
    let mut program = alone(&cluster, &["status", "--json"]);
    program.env("PGHOST", cluster.folder()).env("PGUSER", OWNER).env("PGDATABASE", DATABASE);
    program.env("PGAPPNAME", "mine").env("PGOPTIONS", "-c passage.store=rag");
    let run = RunOutput::of(&mut program).await;
    assert_eq!(run.code, Some(0), "{}", run.stderr);

    // psql and the client accept the same connection string.
    for conninfo in cases([
        format!(
            "host={} user={OWNER} dbname={DATABASE} sslmode=prefer",
            cluster.folder().display()
        ),
        format!(
            "postgresql://{OWNER}@/{DATABASE}?host={}&application_name=mine",
            cluster.folder().display()
        ),
    ]) {
        let run =
            RunOutput::of(&mut alone(&cluster, &["status", "--database-url", &conninfo])).await;
        assert_eq!(run.code, Some(0), "{}", run.stderr);
        let psql =
            RunOutput::of(cluster.program("psql").args(["-X", &conninfo, "-c", "SELECT 1"])).await;
        assert_eq!(psql.code, Some(0), "{}", psql.stderr);
    }
}

#[tokio::test]
async fn a_service_file_gives_the_connection_settings() {
    let cluster = text_cluster().await;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("services");
    let service = format!(
        "[elsewhere]\nhost=/nowhere\n\n[work]\nhost={}\nuser={OWNER}\ndbname={DATABASE}\npassword={SECRET}\n",
        cluster.folder().display()
    );
    std::fs::write(&path, service).unwrap();
    let mut named = alone(&cluster, &["status"]);
    let run = RunOutput::of(named.env("PGSERVICEFILE", &path).env("PGSERVICE", "work")).await;
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    let mut named = alone(&cluster, &["status", "--database-url", "service=work"]);
    assert_eq!(RunOutput::of(named.env("PGSERVICEFILE", &path)).await.code, Some(0));
    let mut named = alone(&cluster, &["status", "--database-url", "service=elsewhere user=me"]);
    let run = RunOutput::of(named.env("PGSERVICEFILE", &path)).await;
    run.assert_refusal("cannot connect to the server", "Check that the server runs");
    let mut named = alone(&cluster, &["status", "--database-url", "service=play"]);
    let run = RunOutput::of(named.env("PGSERVICEFILE", &path)).await;
    run.assert_refusal("no service file defines the service \"play\"", "Set DATABASE_URL");
}

#[tokio::test]
async fn the_client_connects_to_the_first_host_that_answers() {
    let cluster = text_cluster().await;
    let conninfo =
        format!("host=/nowhere,{} user={OWNER} dbname={DATABASE}", cluster.folder().display());
    let run = RunOutput::of(&mut alone(&cluster, &["status", "--database-url", &conninfo])).await;
    assert_eq!(run.code, Some(0), "{}", run.stderr);
}

#[tokio::test]
async fn the_client_tries_no_other_host_after_a_wrong_password() {
    let (strict, lenient) = (text_cluster().await, text_cluster().await);
    strict.execute_as(SUPERUSER, &format!("ALTER ROLE {OWNER} PASSWORD '{SECRET}'")).await;
    let rules = "local all postgres trust\nlocal all all scram-sha-256\n";
    std::fs::write(strict.folder().join("data/pg_hba.conf"), rules).unwrap();
    strict.execute_as(SUPERUSER, "SELECT pg_reload_conf()").await;
    let (first, second) = (strict.folder().display(), lenient.folder().display());
    let status = |hosts: String, password: &'static str| {
        let conninfo = format!("host={hosts} user={OWNER} dbname={DATABASE}");
        let mut program = alone(&lenient, &["status", "--database-url", &conninfo]);
        program.env("PGPASSWORD", password);
        async move { RunOutput::of(&mut program).await }
    };
    // The reload takes effect with the next session.
    let is_strict = async || status(format!("{first}"), "wrong").await.code != Some(0);
    until("the server asks for passwords", is_strict).await;
    lenient.execute_as(SUPERUSER, "ALTER SYSTEM SET log_connections = on").await;
    lenient.execute_as(SUPERUSER, "SELECT pg_reload_conf()").await;
    let asked = "application_name=passage";
    let logs_connections = async || {
        assert_eq!(status(format!("{second}"), "").await.code, Some(0));
        lenient.log().contains(asked)
    };
    until("the server logs connections", logs_connections).await;
    let before = lenient.log().matches(asked).count();
    status(format!("{first},{second}"), "wrong")
        .await
        .assert_refusal("password authentication failed", "Check the user and the password");
    let conninfo = format!("host={first},{second} user={OWNER} dbname={DATABASE}");
    let run = RunOutput::of(&mut alone(&lenient, &["status", "--database-url", &conninfo])).await;
    run.assert_refusal("password missing", "Set the password");
    assert_eq!(lenient.log().matches(asked).count(), before, "the second host was tried");

    // The client does try the other hosts if one does not exist or does not accept connections yet.
    assert_eq!(status(format!("/nowhere,{first}"), SECRET).await.code, Some(0));
    assert_eq!(status(format!("{first},{second}"), SECRET).await.code, Some(0));
}
