//! The SQL edition as an extension of `pg_tle`, and as a package of `dbdev`.

use super::{editions, offered_folder, succeed};
use crate::run_client;
use passage_tests::Cluster;
use passage_tests::cluster::SUPERUSER;
use passage_tests::fixture;
use std::fs;
use std::process::Command;

/// The signature of `pg_tle`, which only registers the script. `CREATE EXTENSION` of a server with `pg_tle` runs it as the one
/// of a file.
const REGISTER: &str = "
    CREATE SCHEMA pgtle;
    CREATE TABLE pgtle.registered (name text, version text, description text, ext text, requires text[]);
    CREATE FUNCTION pgtle.install_extension(name text, version text, description text, ext text, requires text[] DEFAULT NULL)
    RETURNS boolean LANGUAGE sql AS $$ INSERT INTO pgtle.registered VALUES (name, version, description, ext, requires) RETURNING true $$";

/// Runs `install-script --edition sql` with other arguments. Returns its output.
fn install_script(arguments: &[&str]) -> String {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../ground/build/install-script");
    let output = Command::new(script).args(["--edition", "sql"]).args(arguments).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

#[tokio::test]
async fn the_edition_is_an_extension_for_a_role_without_superuser() {
    let cluster = Cluster::bare().await;
    let Some(folder) = offered_folder(&cluster).await else { return };
    cluster.execute(REGISTER).await;
    cluster.execute(&install_script(&["--for", "pg_tle"])).await;
    let registered = "SELECT concat(name, ' ', version, ' ', requires) FROM pgtle.registered";
    assert_eq!(cluster.query_text(registered).await, "pg_passage 0.2.0 {ltree}");
    let script = cluster.query_text("SELECT ext FROM pgtle.registered").await;
    install_script(&["--for", "dbdev", folder.to_str().unwrap()]);
    let file = folder.join("pg_passage--0.2.0.sql");
    assert_eq!(fs::read_to_string(&file).unwrap().trim(), script.trim());
    // As pg_tle and dbdev create it.
    let control = folder.join("pg_passage.control");
    let text = fs::read_to_string(&control).unwrap();
    fs::write(control, text + "superuser = false\n").unwrap();
    cluster.execute("CREATE EXTENSION pg_passage CASCADE").await;
    assert_eq!(editions(&cluster).await, "0.2.0/t");

    succeed(&cluster, &["init", "--no-embed"]).await;
    succeed(&cluster, &["ingest", "--no-embed", fixture!("handbook")]).await;
    let status = succeed(&cluster, &["status"]).await;
    assert!(status.contains("SQL, without "), "{status}");
    let found = succeed(&cluster, &["search", "backup"]).await;
    assert!(found.contains("backup.md"), "{found}");
    let upgraded = succeed(&cluster, &["upgrade"]).await;
    assert!(upgraded.contains("version 0.2.0 (SQL edition) already"), "{upgraded}");
    run_client(&cluster, ["init", "--no-embed", "--edition", "native"])
        .await
        .assert_refusal("the extension pg_passage of pg_tle", "Drop them");
    cluster.execute("DROP EXTENSION pg_passage CASCADE").await;
    succeed(&cluster, &["init", "--no-embed", "--edition", "sql"]).await;
    let found = succeed(&cluster, &["search", "backup"]).await;
    assert!(found.contains("backup.md"), "{found}");
}

#[tokio::test]
async fn an_extension_of_another_role_in_place_of_the_native_one_is_not_trusted() {
    let cluster = Cluster::bare().await;
    let Some(folder) = offered_folder(&cluster).await else { return };
    let script = "CREATE SCHEMA passage; CREATE SCHEMA _passage; GRANT USAGE ON SCHEMA _passage TO PUBLIC;
        CREATE FUNCTION _passage.store_must_exist(name) RETURNS void LANGUAGE plpgsql AS 'BEGIN RAISE EXCEPTION ''it ran''; END';";
    fs::write(folder.join("pg_passage--0.2.0.sql"), script).unwrap();
    let control = "default_version = '0.2.0'\nsuperuser = false\n";
    fs::write(folder.join("pg_passage.control"), control).unwrap();
    cluster
        .execute_as(SUPERUSER, "CREATE ROLE eve LOGIN; GRANT CREATE ON DATABASE passage TO eve")
        .await;
    cluster.execute_as("eve", "CREATE EXTENSION pg_passage").await;
    run_client(&cluster, ["status"])
        .await
        .assert_refusal("belongs to the role \"eve\"", "Connect as \"eve\"");
}
