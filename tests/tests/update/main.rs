//! Updates of the extension: from this version to a next one, which the tests make.

mod next;
mod online;

use next::{Next, VERSION};
use passage_tests::Cluster;
use passage_tests::cases;
use passage_tests::cluster::SUPERUSER;

const TENANTS: &str = include_str!("../../fixtures/tenants.sql");
const EVERY_READ: &str = include_str!("../../fixtures/every_read.sql");

/// Every object of the extension with its properties in the catalogs.
const CATALOG: &str = "
    SELECT 'function ' || regexp_replace(pg_get_functiondef(pg_proc.oid), '\\s+', ' ', 'g')
        || concat_ws(' | ', '', prosrc, probin, pg_get_userbyid(proowner), proacl::text, obj_description(pg_proc.oid, 'pg_proc'))
    FROM pg_proc JOIN pg_depend ON classid = 'pg_proc'::regclass AND objid = pg_proc.oid AND deptype = 'e'
    JOIN pg_extension ON pg_extension.oid = refobjid AND refclassid = 'pg_extension'::regclass
    WHERE extname = 'pg_passage'
    UNION ALL
    SELECT 'schema ' || concat_ws(' | ', nspname, pg_get_userbyid(nspowner), nspacl::text, obj_description(oid, 'pg_namespace'))
    FROM pg_namespace WHERE nspname IN ('passage', '_passage')
    UNION ALL
    SELECT 'member ' || identity.type || ' ' || identity.identity
    FROM pg_depend JOIN pg_extension ON pg_extension.oid = refobjid AND refclassid = 'pg_extension'::regclass,
        pg_identify_object(classid, objid, objsubid) AS identity
    WHERE deptype = 'e' AND extname = 'pg_passage'
    UNION ALL
    SELECT concat_ws(' ', 'dependency', used.identity, deptype, other.type, other.identity)
    FROM pg_depend, pg_identify_object(classid, objid, objsubid) AS used, pg_identify_object(refclassid, refobjid, refobjsubid) AS other
    WHERE used.schema IN ('passage', '_passage')
    UNION ALL
    SELECT concat_ws(' ', 'object outside of the extension', identity.type, identity.identity)
    FROM (
        SELECT 'pg_class'::regclass, oid, relnamespace FROM pg_class
        UNION ALL SELECT 'pg_proc'::regclass, oid, pronamespace FROM pg_proc
        UNION ALL SELECT 'pg_type'::regclass, oid, typnamespace FROM pg_type
        UNION ALL SELECT 'pg_operator'::regclass, oid, oprnamespace FROM pg_operator
    ) AS object (class, id, schema), pg_identify_object(class, id, 0) AS identity
    WHERE object.schema IN (SELECT oid FROM pg_namespace WHERE nspname IN ('passage', '_passage'))
        AND NOT EXISTS (SELECT FROM pg_depend WHERE classid = class AND objid = id AND deptype = 'e')
    UNION ALL
    SELECT 'initial privileges ' || concat_ws(' ', identity.type, identity.identity, initprivs::text)
    FROM pg_init_privs, pg_identify_object(classoid, objoid, objsubid) AS identity
    WHERE identity.schema IN ('passage', '_passage') OR identity.identity IN ('passage', '_passage')
    UNION ALL
    SELECT 'extension ' || concat_ws(' | ', extname, pg_get_userbyid(extowner), extnamespace::regnamespace, extversion)
    FROM pg_extension WHERE extname = 'pg_passage'
    ORDER BY 1";

async fn catalog(cluster: &Cluster) -> Vec<String> {
    let catalog = cluster.query_lines(&format!("SET search_path = pg_catalog; {CATALOG}")).await;
    assert!(catalog.len() > 150, "{} rows", catalog.len());
    catalog
}

fn assert_same(updated: &[String], fresh: &[String]) {
    let missing = |these: &[String], those: &[String]| {
        these.iter().filter(|this| !those.contains(this)).cloned().collect::<Vec<_>>()
    };
    assert_eq!(missing(updated, fresh), missing(fresh, updated), "left: updated; right: fresh");
    assert_eq!(updated.len(), fresh.len());
}

/// Returns all rows of a store, with derived columns, and the columns of its tables.
async fn store(cluster: &Cluster) -> Vec<String> {
    let rows = "SELECT to_jsonb(d)::text FROM rag.documents AS d UNION ALL SELECT to_jsonb(c)::text FROM rag.chunks AS c ORDER BY 1";
    let shape = "SELECT attrelid::regclass::text, attname, format_type(atttypid, atttypmod), pg_get_expr(adbin, adrelid)
        FROM pg_attribute LEFT JOIN pg_attrdef ON adrelid = attrelid AND adnum = attnum
        WHERE attrelid IN (SELECT oid FROM pg_class WHERE relnamespace = 'rag'::regnamespace) AND attnum > 0 ORDER BY 1, attnum";
    let mut all = cluster.query_lines(rows).await;
    all.extend(cluster.query_lines(shape).await);
    all
}

#[tokio::test]
async fn an_update_gives_the_catalog_of_a_fresh_installation_and_keeps_stores() {
    let Some(next) = Next::find() else { return };
    let fresh = next.server().await;
    fresh.execute("CREATE EXTENSION pg_passage CASCADE").await;
    let fresh = catalog(&fresh).await;

    let cluster = next.installed().await;
    assert_ne!(catalog(&cluster).await, fresh);
    let dimensions = if cluster.has_vector() { "dimensions => 3" } else { "" };
    cluster.execute(&format!("SELECT passage.create_store({dimensions})")).await;
    cluster.execute_as(SUPERUSER, "ALTER ROLE owner CREATEROLE").await;
    cluster.execute(TENANTS).await;
    cluster
        .execute(
            "CREATE TABLE article (id integer PRIMARY KEY, body text);
            CREATE TRIGGER in_step AFTER INSERT OR UPDATE OR DELETE ON article FOR EACH ROW
                EXECUTE FUNCTION passage.keep_in_step('text={body}', 'uri=articles/{id}');
            INSERT INTO article VALUES (1, '# One\n\ntext')",
        )
        .await;
    let before = store(&cluster).await;
    let read = cluster.query_lines_as("alice", EVERY_READ).await;

    // The owner of the extension is not a superuser and chooses a search_path.
    cluster
        .execute("CREATE SCHEMA evil; SET search_path = evil; ALTER EXTENSION pg_passage UPDATE")
        .await;
    assert_same(&catalog(&cluster).await, &fresh);
    assert_eq!(store(&cluster).await, before);
    assert_eq!(cluster.query_lines_as("alice", EVERY_READ).await, read);
    assert_eq!(cluster.query_text("SELECT passage.added()").await, "1");
    assert_eq!(
        cluster.query_text("SELECT is_preset FROM passage.strategies() WHERE name = 'broad'").await,
        "t"
    );

    // Triggers that were created before the update follow it.
    cluster
        .execute("UPDATE article SET id = 2, body = '# Two'; INSERT INTO article VALUES (3, '3.')")
        .await;
    let documents =
        "SELECT string_agg(uri, ' ' ORDER BY uri) FROM rag.documents WHERE uri LIKE 'articles/%'";
    assert_eq!(cluster.query_text(documents).await, "articles/2 articles/3");
    assert_eq!(cluster.query_lines("SELECT * FROM passage.upgrade_store()").await, [""; 0]);
    let problems = "SELECT * FROM passage.check_store() WHERE object <> 'rag.embeddings'";
    assert_eq!(cluster.query_lines(problems).await, [""; 0]);
}

#[tokio::test]
async fn an_update_keeps_privileges_that_an_owner_granted() {
    let Some(next) = Next::find() else { return };
    let cluster = next.installed().await;
    cluster
        .execute_as(SUPERUSER, "CREATE ROLE reader; REVOKE EXECUTE ON FUNCTION passage.stores() FROM PUBLIC; GRANT EXECUTE ON FUNCTION passage.stores() TO reader")
        .await;
    cluster.execute("ALTER EXTENSION pg_passage UPDATE").await;
    let acl = "SELECT has_function_privilege('reader', 'passage.stores()', 'EXECUTE'), has_function_privilege('owner', 'passage.stores()', 'EXECUTE')";
    assert_eq!(cluster.query_lines(acl).await, ["t|f"]);
}

#[tokio::test]
async fn a_view_of_a_function_with_other_columns_stops_an_update_until_it_is_dropped() {
    let Some(next) = Next::find() else { return };
    let cluster = next.installed().await;
    cluster
        .execute(
            "CREATE VIEW public.names AS SELECT name FROM passage.strategies();
            SELECT passage.create_store(); SELECT passage.ingest('a.md', 'some words');
            CREATE VIEW public.found AS SELECT uri FROM passage.search('words')",
        )
        .await;
    let before = catalog(&cluster).await;
    let refused = cluster.error("ALTER EXTENSION pg_passage UPDATE").await;
    assert_eq!(refused.code().code(), "2BP01");
    assert!(refused.detail().unwrap().contains("view names depends on"), "{refused:?}");
    assert_eq!(catalog(&cluster).await, before);

    cluster.execute("DROP VIEW names; ALTER EXTENSION pg_passage UPDATE").await;
    assert_eq!(cluster.query_lines("SELECT * FROM found").await, ["a.md"]);
}

#[tokio::test]
async fn a_schema_that_the_next_version_creates_is_not_adopted() {
    let Some(next) = Next::find() else { return };
    let cluster = next.installed().await;
    cluster
        .execute_as(
            SUPERUSER,
            "CREATE ROLE mallory LOGIN; GRANT CREATE ON DATABASE passage TO mallory",
        )
        .await;
    cluster.execute_as("mallory", "CREATE SCHEMA passage_next").await;
    let before = catalog(&cluster).await;
    let refused = cluster.error("ALTER EXTENSION pg_passage UPDATE").await;
    assert_eq!(refused.code().code(), "42P06");
    assert_eq!(catalog(&cluster).await, before);
    cluster.execute_as("mallory", "DROP SCHEMA passage_next").await;
    cluster.execute("ALTER EXTENSION pg_passage UPDATE").await;
}

#[tokio::test]
async fn an_update_does_not_return_to_an_earlier_version() {
    let Some(next) = Next::find() else { return };
    let cluster = next.installed().await;
    cluster.execute("ALTER EXTENSION pg_passage UPDATE").await;
    let before = catalog(&cluster).await;
    let current = env!("CARGO_PKG_VERSION");
    let refused = cluster.error(&format!("ALTER EXTENSION pg_passage UPDATE TO '{current}'")).await;
    assert_eq!(refused.code().code(), "22023");
    let message = format!("pg_passage cannot return from version {VERSION} to {current}");
    assert_eq!(refused.message(), message);
    assert!(refused.hint().unwrap().starts_with("Restore a backup"), "{refused:?}");
    assert_eq!(catalog(&cluster).await, before);
}

#[tokio::test]
async fn a_client_names_the_update_of_an_older_extension() {
    let cluster = Cluster::start().await;
    let store = passage::store::Store::connect(&cluster.url(), "rag").await.unwrap();
    store.status().await.unwrap();
    for (version, is_old) in cases([("0.1.9", true), ("0.2.9", false), ("1.0", false)]) {
        let sql = format!(
            "UPDATE pg_extension SET extversion = '{version}' WHERE extname = 'pg_passage'"
        );
        cluster.execute_as(SUPERUSER, &sql).await;
        let error = store.status().await.err();
        assert_eq!(error.is_some(), is_old, "{version}: {error:?}");
        if let Some(error) = error {
            assert!(matches!(error, passage::store::Error::ExtensionTooOld { .. }), "{error}");
            assert!(error.remedy().contains("passage upgrade"), "{error}");
        }
    }
}
