//! Installation of an edition in a database that has none.

use super::{copy_extension, editions, offered_folder, succeed};
use crate::{RunOutput, run_client};
use passage_tests::Cluster;
use passage_tests::cases;
use passage_tests::cluster::SUPERUSER;
use std::fs;

/// The guide with the output of `passage init`.
const GUIDE: &str = include_str!("../../../../../docs/guides/managed.md");

/// A server that offers `pg_passage` only as `control` says; `None` does not offer it.
async fn server(control: Option<&str>) -> Option<Cluster> {
    let cluster = Cluster::bare().await;
    let folder = offered_folder(&cluster).await?;
    if let Some(control) = control {
        copy_extension(&cluster, &folder, "pg_passage");
        let file = folder.join("pg_passage.control");
        let text = fs::read_to_string(&file).unwrap();
        let (key, _) = control.split_once(" = ").unwrap();
        let lines: Vec<_> =
            text.lines().filter(|line| !line.starts_with(key)).chain([control]).collect();
        fs::write(file, lines.join("\n") + "\n").unwrap();
    }
    Some(cluster)
}

#[tokio::test]
async fn init_installs_the_sql_edition_where_the_server_does_not_offer_the_extension() {
    for (control, message) in cases([
        (None, "extension \"pg_passage\" is not available"),
        (Some("trusted = false"), "permission denied to create extension \"pg_passage\""),
        (Some("module_pathname = '$libdir/missing'"), "could not access file"),
    ]) {
        let Some(cluster) = server(control).await else { return };
        let native = run_client(&cluster, ["init", "--no-embed", "--edition", "native"]).await;
        assert_eq!(native.code, Some(1), "{}", native.stderr);
        assert!(
            native.stderr.contains(message)
                || native.stderr.contains("not installed on the server"),
            "{}",
            native.stderr
        );
        assert_eq!(editions(&cluster).await, "/f");
        let output = succeed(&cluster, &["init", "--no-embed"]).await;
        let lines: Vec<_> = output.lines().collect();
        assert!(
            lines[0].starts_with(
                "the database has the SQL edition of pg_passage, version 0.2.0, because"
            ),
            "{output}"
        );
        assert!(lines[0].contains(message), "{output}");
        assert!(
            lines[1].starts_with("it lacks ")
                && lines[1].ends_with("passage init --edition native"),
            "{output}"
        );
        assert_eq!(lines.len(), 3, "{output}");
        if control.is_none() {
            assert!(GUIDE.contains(&lines[..2].join("\n")), "the guide lacks {output}");
        }
        assert_eq!(editions(&cluster).await, "/t");
        let output = succeed(&cluster, &["init", "--no-embed", "--store", "second"]).await;
        assert_eq!(output.lines().count(), 1, "{output}");
    }
}

#[tokio::test]
async fn init_prefers_the_native_extension() {
    let cluster = Cluster::bare().await;
    let output = succeed(&cluster, &["init", "--no-embed", "--json"]).await;
    assert!(output.contains("\"installed\":\"native\""), "{output}");
    assert_eq!(editions(&cluster).await, "0.2.0/f");
}

#[tokio::test]
async fn of_two_installations_at_once_the_second_waits_for_the_first() {
    for edition in cases(["sql", "native"]) {
        let cluster = Cluster::bare().await;
        let first = ["init", "--no-embed", "--edition", edition, "--store", "first"];
        let second = ["init", "--no-embed", "--edition", edition, "--store", "second"];
        tokio::join!(succeed(&cluster, &first), succeed(&cluster, &second));
        assert_eq!(cluster.query_text("SELECT count(*) FROM passage.stores()").await, "2");
    }
}

#[tokio::test]
async fn a_schema_that_another_program_or_an_unfinished_installation_left_is_named_with_the_remedy()
{
    for edition in cases(["auto", "sql", "native"]) {
        let cluster = Cluster::bare().await;
        cluster.execute("CREATE SCHEMA passage").await;
        run_client(&cluster, ["init", "--no-embed", "--edition", edition])
            .await
            .assert_refusal("schema \"passage\" already exists", "Rename the schema");
        assert_eq!(editions(&cluster).await, "/f");
        cluster.execute("DROP SCHEMA IF EXISTS passage, _passage CASCADE").await;
        succeed(&cluster, &["init", "--no-embed", "--edition", edition]).await;
    }
}

/// Runs the client as a role that logs in.
async fn run_as(cluster: &Cluster, role: &str, arguments: &[&str]) -> RunOutput {
    let mut program = cluster.client_program();
    RunOutput::of(program.env("DATABASE_URL", cluster.url_as(role)).args(arguments)).await
}

#[tokio::test]
async fn a_role_uses_the_sql_edition_of_the_owner_of_the_database_in_a_store_of_its_own() {
    let cluster = Cluster::bare().await;
    succeed(&cluster, &["init", "--no-embed", "--edition", "sql"]).await;
    let roles = "CREATE ROLE tenant LOGIN; GRANT CREATE ON DATABASE passage TO tenant";
    cluster.execute_as(SUPERUSER, roles).await;

    // By the client.
    let folder = cluster.folder().join("notes");
    fs::create_dir(&folder).unwrap();
    fs::write(folder.join("tea.md"), "# Tea\n\nTea needs hot water.\n").unwrap();
    let folder = folder.to_str().unwrap();
    let commands: [&[&str]; 6] = [
        &["init", "--no-embed", "--store", "tenant"],
        &["init", "--no-embed", "--store", "tenant"],
        &["ingest", "--no-embed", "--store", "tenant", folder],
        &["reindex", "--no-embed", "--store", "tenant", "--max-size", "100"],
        &["doctor", "--no-embed", "--store", "tenant"],
        &["remove", "--store", "tenant", "no such document"],
    ];
    for arguments in commands {
        let run = run_as(&cluster, "tenant", arguments).await;
        assert!(!run.stderr.contains("belongs to"), "{arguments:?}: {}", run.stderr);
        assert!(arguments[0] == "remove" || run.code == Some(0), "{arguments:?}: {}", run.stderr);
    }

    // By SQL.
    for sql in cases([
        "SELECT count(*) FROM passage.create_store('tenant')",
        "SELECT count(*) FROM passage.upgrade_store('tenant')",
        "SELECT document_id FROM passage.ingest('milk.md', '# Milk', store => 'tenant')",
        "SELECT count(*) FROM passage.remove('milk.md', store => 'tenant')",
    ]) {
        cluster.query_text_as("tenant", sql).await;
    }

    // The functions stay those of their owner.
    for arguments in cases([["upgrade"], ["init"]]) {
        let edition: &[&str] =
            if arguments == ["init"] { &["--no-embed", "--edition", "native"] } else { &[] };
        let arguments = [&arguments, edition, &["--store", "tenant"]].concat();
        let run = run_as(&cluster, "tenant", &arguments).await;
        run.assert_refusal("belongs to the role \"owner\"", "Connect as \"owner\"");
    }
}

#[tokio::test]
async fn functions_of_another_role_in_the_schemas_of_the_edition_are_not_trusted() {
    let cluster = Cluster::bare().await;
    succeed(&cluster, &["init", "--no-embed", "--edition", "sql"]).await;
    let roles = "CREATE ROLE tenant LOGIN; GRANT CREATE ON DATABASE passage TO tenant; CREATE ROLE mallory LOGIN;
        GRANT CREATE, USAGE ON SCHEMA passage TO mallory";
    cluster.execute_as(SUPERUSER, roles).await;
    cluster.query_text_as("tenant", "SELECT count(*) FROM passage.create_store('tenant')").await;
    let trap = "CREATE FUNCTION passage.trap(text) RETURNS boolean LANGUAGE sql IMMUTABLE AS 'SELECT true'";
    cluster.execute_as("mallory", trap).await;
    let table = "ALTER TABLE tenant.documents ADD CONSTRAINT trapped CHECK (passage.trap(uri))";
    cluster.execute_as("tenant", table).await;
    let error = cluster.error_as("tenant", "SELECT passage.create_store('tenant')").await;
    assert_eq!(error.message(), "a table of store \"tenant\" runs code of role \"mallory\"");
    run_as(&cluster, "tenant", &["init", "--no-embed", "--store", "tenant"])
        .await
        .assert_refusal("belongs to the role \"mallory\"", "Connect as \"mallory\"");
}
