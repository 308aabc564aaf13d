//! Installation of an edition in a database that has none.

use super::{copy_extension, editions, offered_folder, succeed};
use crate::run_client;
use passage_tests::Cluster;
use passage_tests::cases;
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
