//! Where the client goes if no URL says it: where psql goes.

use crate::{Ran, SECRET, text_cluster};
use passage_tests::Cluster;
use passage_tests::cluster::{DATABASE, OWNER, SUPERUSER};
use tokio::process::Command;

/// The client, with nothing said of a server.
fn alone(cluster: &Cluster, arguments: &[&str]) -> Command {
    let mut program = cluster.client_program();
    program.env_remove("DATABASE_URL").env("HOME", "/nowhere").args(arguments);
    program
}

#[tokio::test]
async fn the_variables_of_libpq_are_enough() {
    let cluster = text_cluster().await;
    let mut program = alone(&cluster, &["status", "--json"]);
    program.env("PGHOST", cluster.folder()).env("PGUSER", OWNER).env("PGDATABASE", DATABASE);
    program.env("PGAPPNAME", "mine").env("PGOPTIONS", "-c passage.store=rag");
    let ran = Ran::of(&mut program).await;
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);

    // psql and this client read one and the same line.
    for conninfo in [
        format!(
            "host={} user={OWNER} dbname={DATABASE} sslmode=prefer",
            cluster.folder().display()
        ),
        format!(
            "postgresql://{OWNER}@/{DATABASE}?host={}&application_name=mine",
            cluster.folder().display()
        ),
    ] {
        let ran = Ran::of(&mut alone(&cluster, &["status", "--database-url", &conninfo])).await;
        assert_eq!(ran.code, Some(0), "{}", ran.stderr);
        let psql = Ran::of(cluster.program("psql").args(["-X", &conninfo, "-c", "SELECT 1"])).await;
        assert_eq!(psql.code, Some(0), "{}", psql.stderr);
    }
}

#[tokio::test]
async fn a_service_has_a_name_for_all_of_it() {
    let cluster = text_cluster().await;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("services");
    let service = format!(
        "[elsewhere]\nhost=/nowhere\n\n[work]\nhost={}\nuser={OWNER}\ndbname={DATABASE}\npassword={SECRET}\n",
        cluster.folder().display()
    );
    std::fs::write(&path, service).unwrap();
    let mut named = alone(&cluster, &["status"]);
    let ran = Ran::of(named.env("PGSERVICEFILE", &path).env("PGSERVICE", "work")).await;
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    let mut named = alone(&cluster, &["status", "--database-url", "service=work"]);
    assert_eq!(Ran::of(named.env("PGSERVICEFILE", &path)).await.code, Some(0));
    let mut named = alone(&cluster, &["status", "--database-url", "service=elsewhere user=me"]);
    let ran = Ran::of(named.env("PGSERVICEFILE", &path)).await;
    ran.refuses("cannot connect to the server", "Check that the server runs");
    let mut named = alone(&cluster, &["status", "--database-url", "service=play"]);
    let ran = Ran::of(named.env("PGSERVICEFILE", &path)).await;
    ran.refuses("no service file defines the service \"play\"", "Set DATABASE_URL");
}

#[tokio::test]
async fn of_several_hosts_the_first_that_answers_is_taken() {
    let cluster = text_cluster().await;
    let conninfo =
        format!("host=/nowhere,{} user={OWNER} dbname={DATABASE}", cluster.folder().display());
    let ran = Ran::of(&mut alone(&cluster, &["status", "--database-url", &conninfo])).await;
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
}

#[tokio::test]
async fn after_a_refused_password_no_other_host_is_tried() {
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
        async move { Ran::of(&mut program).await }
    };
    // The reload takes effect with the next session.
    while status(format!("{first}"), "wrong").await.code == Some(0) {}
    lenient.execute_as(SUPERUSER, "ALTER SYSTEM SET log_connections = on").await;
    lenient.execute_as(SUPERUSER, "SELECT pg_reload_conf()").await;
    let asked = "application_name=passage";
    while !lenient.log().contains(asked) {
        assert_eq!(status(format!("{second}"), "").await.code, Some(0));
    }
    let before = lenient.log().matches(asked).count();
    status(format!("{first},{second}"), "wrong")
        .await
        .refuses("password authentication failed", "Check the user and the password");
    let conninfo = format!("host={first},{second} user={OWNER} dbname={DATABASE}");
    let ran = Ran::of(&mut alone(&lenient, &["status", "--database-url", &conninfo])).await;
    ran.refuses("password missing", "Set the password");
    assert_eq!(lenient.log().matches(asked).count(), before, "the second host was tried");

    // One that is not there, or not ready, leaves the others.
    assert_eq!(status(format!("/nowhere,{first}"), SECRET).await.code, Some(0));
    assert_eq!(status(format!("{first},{second}"), SECRET).await.code, Some(0));
}
