//! The install script runs with the rights of a superuser and calls no function of another role.

use passage_tests::Cluster;
use passage_tests::cases;
use passage_tests::cluster::{OWNER, SUPERUSER};

/// A schema `evil` whose functions PostgreSQL prefers for names without a schema.
const TRAPS: &str = include_str!("../../../fixtures/traps.sql");

/// Lists dependencies of the extension's objects other than built-in objects, ltree and its own.
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

/// Counts the functions of the extension.
const MEMBERS: &str = "
    SELECT count(*) FROM pg_depend JOIN pg_extension ON pg_extension.oid = refobjid
    WHERE refclassid = 'pg_extension'::regclass AND deptype = 'e' AND extname = 'pg_passage' AND classid = 'pg_proc'::regclass";

async fn psql(cluster: &Cluster, role: &str, database: &str, sql: &str) -> String {
    let arguments = ["-XqAt", "-v", "ON_ERROR_STOP=1", "-U", role, "-d", database, "-c", sql];
    cluster.run("psql", arguments).await
}

/// Checks that an installation depends on no foreign object and works.
async fn assert_independent(cluster: &Cluster, how: &str) {
    let members: usize = cluster.query_text(MEMBERS).await.parse().unwrap();
    assert!(members > 40, "{members} functions");
    assert_eq!(cluster.query_lines(FOREIGN).await, [""; 0], "{how}");
    let words = "SELECT passage.chunk_tsv('english', 'a', '{b}', 'c')::text, _passage.store_name(), passage.section_path('{A}')::text";
    assert_eq!(cluster.query_lines(words).await, ["'b':1B 'c':2|rag|A"], "{how}");
    cluster.execute("SELECT passage.create_store('tried'); DROP SCHEMA tried CASCADE").await;
}

#[tokio::test]
async fn the_search_path_of_the_installer_does_not_affect_the_script() {
    for (how, install) in cases([
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
    ]) {
        let cluster = Cluster::bare().await;
        cluster.execute(&format!("CREATE SCHEMA evil; {TRAPS}")).await;
        cluster.execute(install).await;
        assert_independent(&cluster, how).await;
    }
}

#[tokio::test]
async fn the_script_ignores_functions_in_a_writable_public_schema() {
    for role in cases([OWNER, SUPERUSER]) {
        let cluster = Cluster::bare().await;
        cluster
            .execute_as(
                SUPERUSER,
                "CREATE ROLE mallory LOGIN; GRANT ALL ON SCHEMA public TO PUBLIC",
            )
            .await;
        cluster.execute_as("mallory", &TRAPS.replace("evil", "public")).await;
        cluster.execute_as(role, "CREATE EXTENSION pg_passage CASCADE").await;
        assert_independent(&cluster, role).await;
    }
}

#[tokio::test]
async fn an_existing_schema_of_the_name_fails_the_installation() {
    for schema in cases(["passage", "_passage"]) {
        let cluster = Cluster::bare().await;
        cluster
            .execute_as(
                SUPERUSER,
                "CREATE ROLE mallory LOGIN; GRANT CREATE ON DATABASE passage TO mallory",
            )
            .await;
        let create = format!("CREATE SCHEMA {schema}; GRANT ALL ON SCHEMA {schema} TO PUBLIC");
        cluster.execute_as("mallory", &create).await;
        for role in cases([OWNER, SUPERUSER]) {
            let error = cluster.error_as(role, "CREATE EXTENSION pg_passage CASCADE").await;
            assert_eq!(error.code().code(), "42P06", "{role}");
            assert_eq!(error.message(), format!("schema \"{schema}\" already exists"));
        }
        let left = "SELECT count(*) FROM pg_extension WHERE extname IN ('pg_passage', 'ltree')";
        assert_eq!(cluster.query_text(left).await, "0");
    }
}

#[tokio::test]
async fn the_error_for_another_encoding_calls_no_function_of_the_installer() {
    let cluster = Cluster::bare().await;
    for encoding in cases(["SQL_ASCII", "LATIN1"]) {
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
        assert!(message.contains("pg_passage requires a database with encoding UTF8"), "{message}");
        assert!(
            message.contains(&format!("The encoding of this database is {encoding}.")),
            "{message}"
        );
    }
}

#[tokio::test]
async fn the_script_restores_the_search_path_of_the_session() {
    let cluster = Cluster::bare().await;
    let script = "CREATE SCHEMA \"Odd, \"\"place\"; CREATE EXTENSION ltree SCHEMA \"Odd, \"\"place\"; SET search_path = public;
        BEGIN; CREATE EXTENSION pg_passage; SHOW search_path; COMMIT; SHOW search_path";
    let shown = psql(&cluster, OWNER, "passage", script).await;
    assert_eq!(shown.lines().collect::<Vec<_>>(), ["public", "public"]);
    assert_eq!(cluster.query_text("SELECT passage.section_path('{A}')").await, "A");
}
