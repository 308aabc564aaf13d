//! Installation in a database with traps: the script runs as a superuser and calls no function of another role.

use passage_tests::Cluster;
use passage_tests::cluster::{OWNER, SUPERUSER};

/// A schema `evil` whose functions PostgreSQL would prefer for each name without a schema.
const TRAPS: &str = include_str!("../fixtures/traps.sql");

/// Dependencies of the extension's objects that are neither built in, nor of ltree, nor its own.
const FOREIGN: &str = "
    WITH member AS (
        SELECT classid, objid, extname FROM pg_depend JOIN pg_extension ON pg_extension.oid = refobjid
        WHERE refclassid = 'pg_extension'::regclass AND deptype = 'e'
    )
    SELECT pg_describe_object(used.classid, used.objid, 0) || ' depends on ' || pg_describe_object(refclassid, refobjid, refobjsubid)
    FROM member AS used
    JOIN pg_depend ON pg_depend.classid = used.classid AND pg_depend.objid = used.objid AND deptype <> 'e'
    WHERE used.extname = 'pg_passage' AND NOT EXISTS (
        SELECT FROM member AS known
        WHERE known.classid = refclassid AND known.objid = refobjid AND extname IN ('pg_passage', 'ltree', 'plpgsql'))
    ORDER BY 1";

/// The number of the extension's objects, so that an empty list of dependencies proves something.
const MEMBERS: &str = "
    SELECT count(*) FROM pg_depend JOIN pg_extension ON pg_extension.oid = refobjid
    WHERE refclassid = 'pg_extension'::regclass AND deptype = 'e' AND extname = 'pg_passage' AND classid = 'pg_proc'::regclass";

async fn psql(cluster: &Cluster, role: &str, database: &str, sql: &str) -> String {
    let arguments = ["-XqAt", "-v", "ON_ERROR_STOP=1", "-U", role, "-d", database, "-c", sql];
    cluster.run("psql", arguments).await
}

/// Checks an installation and the objects that it depends on.
async fn assert_own(cluster: &Cluster, how: &str) {
    let members: usize = cluster.query_text(MEMBERS).await.parse().unwrap();
    assert!(members > 40, "{members} functions");
    assert_eq!(cluster.query_lines(FOREIGN).await, [""; 0], "{how}");
    let words = "SELECT passage.chunk_tsv('english', 'a', '{b}', 'c')::text, passage.store_name(), passage.section_path('{A}')::text";
    assert_eq!(cluster.query_lines(words).await, ["'b':1B 'c':2|rag|A"], "{how}");
    cluster.execute("SELECT passage.create_store('tried'); DROP SCHEMA tried CASCADE").await;
}

#[tokio::test]
async fn the_caller_cannot_choose_the_functions_of_the_install_script() {
    for (how, install) in [
        (
            "ltree in the hostile schema",
            "CREATE EXTENSION ltree SCHEMA evil; CREATE EXTENSION pg_passage",
        ),
        (
            "the extension in the hostile schema",
            "CREATE EXTENSION ltree; CREATE EXTENSION pg_passage SCHEMA evil",
        ),
        (
            "both, with a search_path",
            "CREATE EXTENSION ltree SCHEMA evil; SET search_path = evil, pg_catalog; CREATE EXTENSION pg_passage",
        ),
        (
            "a search_path alone",
            "SET search_path = evil, pg_catalog; CREATE EXTENSION pg_passage CASCADE",
        ),
    ] {
        let cluster = Cluster::bare().await;
        cluster.execute(&format!("CREATE SCHEMA evil; {TRAPS}")).await;
        cluster.execute(install).await;
        assert_own(&cluster, how).await;
    }
}

#[tokio::test]
async fn traps_in_a_writable_public_schema_are_not_called_or_bound() {
    for role in [OWNER, SUPERUSER] {
        let cluster = Cluster::bare().await;
        cluster
            .execute_as(
                SUPERUSER,
                "CREATE ROLE mallory LOGIN; GRANT ALL ON SCHEMA public TO PUBLIC",
            )
            .await;
        cluster.execute_as("mallory", &TRAPS.replace("evil", "public")).await;
        cluster.execute_as(role, "CREATE EXTENSION pg_passage CASCADE").await;
        assert_own(&cluster, role).await;
    }
}

#[tokio::test]
async fn a_refused_encoding_calls_no_function_of_the_installer() {
    let cluster = Cluster::bare().await;
    for encoding in ["SQL_ASCII", "LATIN1"] {
        let database = encoding.to_lowercase();
        let create = format!(
            "CREATE DATABASE {database} OWNER {OWNER} ENCODING '{encoding}' LOCALE 'C' TEMPLATE template0"
        );
        cluster.execute_as(SUPERUSER, &create).await;
        psql(&cluster, OWNER, &database, &format!("CREATE SCHEMA evil; {TRAPS}")).await;
        psql(&cluster, OWNER, &database, "CREATE EXTENSION ltree SCHEMA evil").await;
        let arguments = ["-Xqc", "CREATE EXTENSION pg_passage SCHEMA evil", "-d", &database];
        let output = cluster.program("psql").args(arguments).output().await.unwrap();
        let message = String::from_utf8(output.stderr).unwrap();
        assert!(
            message.contains("pg_passage needs a database with the encoding UTF8"),
            "{message}"
        );
        assert!(message.contains(&format!("has the encoding {encoding}.")), "{message}");
    }
}

#[tokio::test]
async fn the_install_script_restores_the_search_path_of_the_session() {
    let cluster = Cluster::bare().await;
    let script = "CREATE SCHEMA \"Odd, \"\"place\"; CREATE EXTENSION ltree SCHEMA \"Odd, \"\"place\"; SET search_path = public;
        BEGIN; CREATE EXTENSION pg_passage; SHOW search_path; COMMIT; SHOW search_path";
    let shown = psql(&cluster, OWNER, "passage", script).await;
    assert_eq!(shown.lines().collect::<Vec<_>>(), ["public", "public"]);
    assert_eq!(cluster.query_text("SELECT passage.section_path('{A}')").await, "A");
}
