//! Stores that releases themselves filled, restored from dumps and updated to the newest version.
//!
//! `tests/fixtures/released/` has a folder for each release, with dumps and with the rows that all reads returned.

use std::fs;
use std::path::{Path, PathBuf};

use super::{assert_same, catalog, release, without_former};
use passage_tests::Cluster;
use passage_tests::cluster::{OWNER, SUPERUSER};

const RELEASED: &str = passage_tests::fixture!("released");

/// Restores a dump in the database of the owner.
async fn restore(cluster: &Cluster, dump: &Path) {
    let dump = fs::read_to_string(dump).expect("the dump is readable");
    // The folder of the server is readable for the server's programs.
    let path = cluster.folder().join("dump.sql");
    fs::write(&path, dump).expect("the folder is writable");
    let path = path.to_str().expect("the path is UTF-8");
    cluster.run("psql", ["-X", "-q", "-v", "ON_ERROR_STOP=1", "-U", SUPERUSER, "-f", path]).await;
}

/// Starts a server with the roles of the dumps.
async fn server(with_vector: bool) -> Cluster {
    let cluster = Cluster::bare().await;
    let roles =
        format!("ALTER ROLE {OWNER} CREATEROLE; CREATE ROLE alice LOGIN; CREATE ROLE bob LOGIN");
    cluster.execute_as(SUPERUSER, &roles).await;
    if with_vector {
        cluster.execute_as(SUPERUSER, "CREATE EXTENSION vector").await;
    }
    cluster
}

/// Returns the rows of all reads as `## ROLE`, `# NAME` and the rows of each statement.
async fn reads(cluster: &Cluster, database: &str) -> Vec<String> {
    let path = format!("{RELEASED}/reads/{database}.sql");
    let file = fs::read_to_string(path).expect("the reads are readable");
    let mut lines = Vec::new();
    for role in [OWNER, "alice"] {
        lines.push(format!("## {role}"));
        for statement in file.split("\n\n").skip(1) {
            let (name, sql) = statement.split_once('\n').expect("a statement has a name");
            lines.push(name.replacen("-- ", "# ", 1));
            lines.extend(cluster.query_lines_as(role, sql).await);
        }
    }
    lines
}

/// Updates all stores of the owner.
async fn upgrade_stores(cluster: &Cluster) {
    let stores = "SELECT store FROM passage.stores() WHERE EXISTS (SELECT FROM pg_class
        WHERE relnamespace = (SELECT oid FROM pg_namespace WHERE nspname = store) AND relname = 'settings')";
    for store in cluster.query_lines(stores).await {
        let quoted = store.replace('\'', "''");
        cluster.execute(&format!("SELECT passage.upgrade_store('{quoted}')")).await;
        let again = format!("SELECT passage.upgrade_store('{quoted}')");
        assert_eq!(cluster.query_lines(&again).await, [""; 0], "{store}");
    }
}

/// The folders of the releases that have a frozen script.
fn releases() -> Vec<(String, PathBuf)> {
    let scripts = Path::new(env!("CARGO_MANIFEST_DIR")).join("../sql/releases");
    let names = fs::read_dir(scripts).expect("the releases are readable").map(|entry| {
        let name = entry.expect("the folder is readable").file_name().into_string().unwrap();
        name.trim_start_matches("pg_passage--").trim_end_matches(".sql").to_owned()
    });
    let mut releases: Vec<_> =
        names.map(|name| (name.clone(), Path::new(RELEASED).join(name))).collect();
    releases.sort();
    assert!(!releases.is_empty());
    releases
}

/// Columns that later versions added to the rows of the recorded reads.
const ADDED: [&str; 3] = ["source_id", "source_ids", "scope"];

/// Returns a row without the added columns, for comparison with a recorded row.
fn row(line: &str) -> String {
    let Ok(mut value) = serde_json::from_str::<serde_json::Value>(line) else { return line.into() };
    if let Some(columns) = value.as_object_mut() {
        columns.retain(|name, _| !ADDED.contains(&name.as_str()));
    }
    value.to_string()
}

/// Returns what changed in each read: the lines that are missing now, and those that are new.
fn changes(recorded: &[String], now: &[String]) -> Vec<String> {
    let parts = |lines: &[String]| {
        let mut parts: Vec<(String, Vec<String>)> = Vec::new();
        let mut role = String::new();
        for line in lines {
            if let Some(name) = line.strip_prefix("## ") {
                name.clone_into(&mut role);
            } else if let Some(name) = line.strip_prefix("# ") {
                parts.push((format!("# {role}: {name}"), Vec::new()));
            } else {
                parts.last_mut().expect("a read has a name").1.push(row(line));
            }
        }
        parts
    };
    let mut changes = Vec::new();
    let (recorded, now) = (parts(recorded), parts(now));
    assert_eq!(recorded.len(), now.len());
    for ((name, before), (_, after)) in recorded.into_iter().zip(now) {
        if before == after {
            continue;
        }
        changes.push(name);
        let missing = |these: &[String], those: &[String], mark: char| {
            let lines = these.iter().filter(|line| !those.contains(line));
            lines.map(|line| format!("{mark} {line}")).collect::<Vec<_>>()
        };
        changes.extend(missing(&before, &after, '-'));
        changes.extend(missing(&after, &before, '+'));
    }
    changes
}

/// Compares all reads with those of the release: only the changes in `DATABASE.changes` are allowed.
async fn compare(cluster: &Cluster, folder: &Path, database: &str, what: &str) {
    let recorded = fs::read_to_string(folder.join(database).with_extension("txt")).unwrap();
    let recorded: Vec<_> = recorded.lines().map(str::to_owned).collect();
    assert!(recorded.len() > 100);
    let found = changes(&recorded, &reads(cluster, database).await).join("\n") + "\n";
    let file = folder.join(database).with_extension("changes");
    if std::env::var_os("PASSAGE_WRITE_CHANGES").is_some() {
        fs::write(&file, &found).expect("the file is writable");
    }
    let allowed = fs::read_to_string(file).expect("the changes are readable");
    for (found, allowed) in found.lines().zip(allowed.lines()) {
        assert_eq!(found, allowed, "{what}: left: found; right: allowed");
    }
    assert_eq!(found.lines().count(), allowed.lines().count(), "{what}");
}

/// The databases of a release that this server can restore.
fn databases(cluster: &Cluster) -> &'static [&'static str] {
    // Other versions have other stemmers, so other words match.
    if cluster.installation().major() != 18 {
        let installation = cluster.installation();
        installation.report_skipped("stores of released versions", "reads are recorded on 18");
        &[]
    } else if cluster.lacks_vector("stores of released versions with embeddings") {
        &["words"]
    } else {
        &["words", "vectors"]
    }
}

#[tokio::test]
async fn stores_of_each_release_return_the_same_rows_after_an_update() {
    for (version, folder) in releases() {
        for database in databases(&server(false).await) {
            let cluster = server(*database == "vectors").await;
            cluster.execute("CREATE EXTENSION pg_passage CASCADE").await;
            let fresh = catalog(&cluster).await;
            release(&cluster, &version, "public").await;
            restore(&cluster, &folder.join(database).with_extension("sql")).await;
            cluster.execute_as(SUPERUSER, "ANALYZE").await;
            cluster.execute("ALTER EXTENSION pg_passage UPDATE").await;
            assert_same(&without_former(catalog(&cluster).await), &fresh);
            upgrade_stores(&cluster).await;
            compare(&cluster, &folder, database, &format!("{database} of {version}, updated"))
                .await;
        }
    }
}

#[tokio::test]
async fn dumps_of_each_release_restore_into_the_newest_version() {
    for (version, folder) in releases() {
        for database in databases(&server(false).await) {
            let cluster = server(false).await;
            restore(&cluster, &folder.join(database).with_extension("sql")).await;
            cluster.execute_as(SUPERUSER, "ANALYZE").await;
            upgrade_stores(&cluster).await;
            compare(&cluster, &folder, database, &format!("{database} of {version}, restored"))
                .await;
        }
    }
}
