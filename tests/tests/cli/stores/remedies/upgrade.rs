//! Errors of `upgrade_store`, whose hints let it succeed.

use super::case::{Act, PARTITIONS, TABLES};
use super::workshop::Workshop;
use passage_tests::cases;
use passage_tests::cluster::{OWNER, SUPERUSER};

/// A store, what makes `upgrade_store` fail, by whom it is called, the error, its hint, and what the reader of the hint does.
type Refusal =
    (&'static str, &'static str, &'static str, &'static str, &'static str, &'static [Act]);

const REFUSALS: [Refusal; 5] = [
    (
        TABLES,
        "ALTER TABLE s.chunks DROP COLUMN tsv; UPDATE s.settings SET value = '\"klingon\"' WHERE key = 'language'",
        OWNER,
        "setting \"language\" of store \"s\" does not name a text search configuration",
        "Run SELECT * FROM passage.check_store('s'); for the value to set.",
        &[Act::Remedy],
    ),
    (
        TABLES,
        "UPDATE s.settings SET value = '2' WHERE key = 'layout_version'",
        OWNER,
        "store \"s\" has layout version 2, but this pg_passage supports version 1",
        "Install a newer pg_passage on the server, then run ALTER EXTENSION pg_passage UPDATE.",
        // As the newer version does it.
        &[Act::Superuser(
            "DO $$ BEGIN EXECUTE replace(pg_get_functiondef('passage.create_store'::regproc), $s$> '1'$s$, $s$> '2'$s$); END $$",
        )],
    ),
    (
        PARTITIONS,
        "DROP SCHEMA s CASCADE",
        OWNER,
        "store \"s\" does not exist",
        "Run SELECT passage.create_store('s'); to create it.",
        &[Act::Sql("SELECT passage.create_store('s')")],
    ),
    (
        "CREATE TABLE aside.note (id integer PRIMARY KEY, page text, body text); SELECT passage.adopt('aside.note', 's', content => 'body', document => 'page')",
        "DROP TABLE aside.note CASCADE",
        OWNER,
        "table aside.note, which store \"s\" adopted, does not exist",
        "Create the table and run this again, or run SELECT passage.unadopt('s');",
        &[Act::Sql("CREATE TABLE aside.note (id integer PRIMARY KEY, page text, body text)")],
    ),
    (
        TABLES,
        "GRANT USAGE ON SCHEMA s TO reader",
        "reader",
        "schema \"s\" is owned by role \"owner\"",
        "owner",
        &[Act::As(OWNER)],
    ),
];

pub async fn follow_hints(workshop: &Workshop<'_>) {
    let cluster = workshop.cluster;
    for (store, damage, by, message, hint, acts) in cases(REFUSALS) {
        workshop.make(store).await;
        cluster.execute(damage).await;
        let error = cluster.error_as(by, "SELECT passage.upgrade_store('s')").await;
        assert_eq!(error.message(), message);
        assert!(
            error.hint().is_some_and(|text| text.contains(hint)),
            "{message}: {:?}",
            error.hint()
        );
        let mut role = by;
        for act in acts {
            match act {
                // The hint names a query whose remedies are executed.
                Act::Remedy => {
                    let remedies = "SELECT remedy FROM passage.check_store('s') WHERE problem LIKE 'setting language %'";
                    for remedy in cluster.query_lines(remedies).await {
                        cluster.execute(&remedy).await;
                    }
                }
                Act::Sql(sql) => cluster.execute(sql).await,
                Act::Superuser(sql) => cluster.execute_as(SUPERUSER, sql).await,
                Act::As(other) => role = other,
                Act::Client(_) => unreachable!("no hint names the client"),
            }
        }
        cluster.query_lines_as(role, "SELECT passage.upgrade_store('s')").await;
        let problems = "SELECT problem FROM passage.check_store('s') WHERE problem !~ 'unknown|layout version'";
        assert_eq!(cluster.query_lines(problems).await, [""; 0], "{message}");
    }
}
