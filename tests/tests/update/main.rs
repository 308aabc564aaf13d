//! An update from an earlier release gives the catalog of a fresh installation and keeps all stores.

mod online;
mod stores;

use passage_tests::Cluster;
use passage_tests::cluster::{OWNER, SUPERUSER};

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

/// The functions whose version of 0.1.0 an update keeps in `_passage`, for prepared statements and views.
const FORMER: [&str; 10] = [
    "create_store",
    "expand_context",
    "expand_contexts",
    "explain_context",
    "fragments",
    "outline",
    "reassemble",
    "search",
    "search_hits",
    "store_stats",
];

/// Replaces the installed objects with those of the release, and sets its version in the catalog.
///
/// The script of a release is not installed on servers, since any role that may create extensions could
/// run it there.
async fn release(cluster: &Cluster, version: &str, search_path: &str) {
    let path = format!(
        concat!(env!("CARGO_MANIFEST_DIR"), "/../sql/releases/pg_passage--{}.sql"),
        version
    );
    let script = std::fs::read_to_string(path)
        .expect("the release has a script")
        .replace("\\echo", "--")
        .replace("MODULE_PATHNAME", "$libdir/pg_passage");
    let swap = format!(
        "CREATE TEMP TABLE member AS
            SELECT format('%s %s', identity.type, identity.identity) AS object, classid = 'pg_namespace'::regclass AS is_schema
            FROM pg_depend, pg_identify_object(classid, objid, 0) AS identity
            WHERE deptype = 'e' AND refobjid = (SELECT oid FROM pg_extension WHERE extname = 'pg_passage');
        DO $$
        DECLARE member record;
        BEGIN
            FOR member IN SELECT * FROM pg_temp.member LOOP
                EXECUTE 'ALTER EXTENSION pg_passage DROP ' || member.object;
            END LOOP;
            DROP SCHEMA passage, _passage CASCADE;
        END
        $$;
        SET LOCAL search_path = {search_path};
        SET LOCAL client_min_messages = error;
        {script}
        SET LOCAL search_path = pg_catalog, pg_temp;
        DO $$
        DECLARE object text;
        BEGIN
            FOR object IN SELECT 'FUNCTION ' || pg_proc.oid::regprocedure FROM pg_proc JOIN pg_namespace ON pg_namespace.oid = pronamespace
                    WHERE nspname IN ('passage', '_passage')
                UNION ALL SELECT 'SCHEMA ' || nspname FROM pg_namespace WHERE nspname IN ('passage', '_passage') LOOP
                EXECUTE 'ALTER EXTENSION pg_passage ADD ' || object;
            END LOOP;
            UPDATE pg_extension SET extversion = '{version}' WHERE extname = 'pg_passage';
        END
        $$;"
    );
    cluster.execute_as(SUPERUSER, &format!("BEGIN; {swap} COMMIT")).await;
}

/// Starts a server with the release, whose extension belongs to the owner of the database.
async fn released(search_path: &str) -> Cluster {
    let cluster = Cluster::bare().await;
    cluster.execute_as(SUPERUSER, &format!("ALTER ROLE {OWNER} CREATEROLE")).await;
    if cluster.has_vector() {
        cluster.execute_as(SUPERUSER, "CREATE EXTENSION vector").await;
    }
    cluster.execute("CREATE EXTENSION pg_passage CASCADE").await;
    release(&cluster, "0.1.0", search_path).await;
    cluster
}

async fn catalog(cluster: &Cluster) -> Vec<String> {
    let catalog = cluster.query_lines(&format!("SET search_path = pg_catalog; {CATALOG}")).await;
    assert!(catalog.len() > 150, "{} rows", catalog.len());
    catalog
}

/// Removes the former versions of functions.
fn without_former(catalog: Vec<String>) -> Vec<String> {
    let is_former =
        |line: &String| FORMER.iter().any(|name| line.contains(&format!("_passage.{name}(")));
    let count = catalog.len();
    let kept: Vec<_> = catalog.into_iter().filter(|line| !is_former(line)).collect();
    assert!(count == kept.len() || count >= kept.len() + FORMER.len(), "{count} {}", kept.len());
    kept
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
    let fresh = Cluster::bare().await;
    fresh.execute("CREATE EXTENSION pg_passage CASCADE").await;
    let fresh = catalog(&fresh).await;

    let cluster = released("public").await;
    assert_ne!(catalog(&cluster).await, fresh);
    let dimensions = if cluster.has_vector() { "dimensions => 3" } else { "" };
    cluster.execute(&format!("SELECT passage.create_store({dimensions})")).await;
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
    assert_same(&without_former(catalog(&cluster).await), &fresh);
    assert_eq!(store(&cluster).await, before);
    // The last column of a row is the id of the chunk in an adopted table, which is NULL.
    let updated = cluster.query_lines_as("alice", EVERY_READ).await;
    let without_ids = |line: &String| {
        if line.starts_with("outline") { line.clone() } else { line.replace(",)", ")") }
    };
    let updated: Vec<_> = updated.iter().map(without_ids).collect();
    assert_eq!(updated, read);

    // A trigger of the release raises an error until documents have the column source_row.
    for write in ["UPDATE article SET body = '# Two'", "DELETE FROM article"] {
        let refused = cluster.error(write).await;
        assert_eq!(refused.code().code(), "55000", "{write}");
        assert!(refused.hint().unwrap().contains("passage.upgrade_store('rag')"), "{refused:?}");
    }
    cluster.execute("SELECT * FROM passage.upgrade_store()").await;
    let columns = "SELECT string_agg(attname, ' ') FROM pg_attribute WHERE attrelid = 'rag.documents'::regclass AND attname = 'source_row'";
    assert_eq!(cluster.query_text(columns).await, "source_row");
    if cluster.has_vector() {
        let columns = "SELECT string_agg(attname, ' ' ORDER BY attnum) FROM pg_attribute WHERE attrelid = 'rag.chunks_embedded'::regclass AND attnum > 15";
        assert_eq!(cluster.query_text(columns).await, "embedding uri title collection version");
    }
    assert_eq!(cluster.query_lines("SELECT * FROM passage.upgrade_store()").await, [""; 0]);
    // TRUNCATE finds documents by source_row, so it raises an error until the rows are recorded.
    let emptied = "CREATE TRIGGER emptied AFTER TRUNCATE ON article
        EXECUTE FUNCTION passage.keep_in_step('text={body}', 'uri=articles/{id}')";
    cluster.execute(emptied).await;
    let refused = cluster.error("TRUNCATE article").await;
    assert_eq!(refused.code().code(), "55000");
    assert!(
        refused.hint().unwrap().contains("passage.bring_in_step('public.article')"),
        "{refused:?}"
    );
    assert_eq!(
        cluster.query_lines("SELECT * FROM passage.bring_in_step('article')").await,
        ["1|0"]
    );
    let recorded = "SELECT string_agg(uri || ' ' || source_row, ', ' ORDER BY uri) FROM rag.documents WHERE source_row IS NOT NULL";
    assert_eq!(
        cluster.query_text(recorded).await,
        r#"articles/1 {"key": {"id": 1}, "table": "public.article"}"#
    );
    cluster
        .execute(
            "UPDATE article SET id = 2, body = '# Two'; INSERT INTO article VALUES (3, 'Three.')",
        )
        .await;
    let documents =
        "SELECT string_agg(uri, ' ' ORDER BY uri) FROM rag.documents WHERE uri LIKE 'articles/%'";
    assert_eq!(cluster.query_text(documents).await, "articles/2 articles/3");
    cluster.execute("DELETE FROM article WHERE id = 2").await;
    assert_eq!(cluster.query_text(documents).await, "articles/3");
    cluster.execute("TRUNCATE article").await;
    assert_eq!(
        cluster
            .query_text(documents.replace("string_agg(uri, ' ' ORDER BY uri)", "count(*)").as_str())
            .await,
        "0"
    );
    let problems = "SELECT * FROM passage.check_store() WHERE object <> 'rag.embeddings'";
    assert_eq!(cluster.query_lines(problems).await, [""; 0]);
}

#[tokio::test]
async fn an_update_rebinds_functions_that_an_earlier_script_bound_to_other_schemas() {
    let cluster = Cluster::bare().await;
    cluster
        .execute(
            "CREATE SCHEMA evil; CREATE EXTENSION ltree SCHEMA evil; CREATE EXTENSION pg_passage",
        )
        .await;
    let trap =
        "CREATE FUNCTION evil.setweight(tsvector, text) RETURNS tsvector LANGUAGE plpgsql IMMUTABLE
        AS 'BEGIN RAISE EXCEPTION ''sprung as %'', current_user; END'";
    cluster.execute(trap).await;
    release(&cluster, "0.1.0", "evil").await;
    let words = "SELECT passage.chunk_tsv('english', '', '{}', 'words')::text";
    assert_eq!(cluster.error(words).await.message(), "sprung as owner");

    cluster.execute("SET search_path = evil; ALTER EXTENSION pg_passage UPDATE").await;
    assert_eq!(cluster.query_text(words).await, "'word':1");
    // No function of the extension depends on it.
    cluster.execute("DROP FUNCTION evil.setweight(tsvector, text)").await;
}

#[tokio::test]
async fn an_update_keeps_privileges_that_an_owner_granted() {
    let cluster = released("public").await;
    cluster
        .execute_as(SUPERUSER, "CREATE ROLE reader; REVOKE EXECUTE ON FUNCTION passage.stores() FROM PUBLIC; GRANT EXECUTE ON FUNCTION passage.stores() TO reader")
        .await;
    cluster.execute("ALTER EXTENSION pg_passage UPDATE").await;
    let acl = "SELECT has_function_privilege('reader', 'passage.stores()', 'EXECUTE'), has_function_privilege('owner', 'passage.stores()', 'EXECUTE')";
    assert_eq!(cluster.query_lines(acl).await, ["t|f"]);
}

#[tokio::test]
async fn an_update_keeps_views_of_functions_that_take_more_arguments() {
    let cluster = released("public").await;
    cluster
        .execute(
            "SELECT passage.create_store(); SELECT passage.ingest('a.md', 'some words');
            CREATE VIEW found AS SELECT uri, content FROM passage.search('words', max_passages => 1);
            CREATE VIEW listed AS SELECT uri FROM passage.search_hits('words');
            CREATE VIEW context AS SELECT c.role, c.path FROM rag.chunks, passage.expand_context(chunks.id) AS c;
            CREATE VIEW sections AS SELECT outline, chunks, tokens FROM passage.outline(uri => 'a.md');
            CREATE VIEW counts AS SELECT collection, documents, tokens FROM passage.store_stats();
            CREATE VIEW made AS SELECT passage.create_store();
            CREATE FUNCTION quoted(query text) RETURNS SETOF text BEGIN ATOMIC
                SELECT content FROM passage.fragments(query); END",
        )
        .await;
    let all = "SELECT found::text FROM found UNION ALL SELECT listed::text FROM listed
        UNION ALL SELECT context::text FROM context UNION ALL SELECT quoted('words')
        UNION ALL SELECT sections::text FROM sections UNION ALL SELECT counts::text FROM counts";
    let before = cluster.query_lines(all).await;
    assert_eq!(before.len(), 7);
    cluster.execute("ALTER EXTENSION pg_passage UPDATE").await;
    assert_eq!(cluster.query_lines(all).await, before);
    assert_ne!(cluster.query_text("SELECT count(*) FROM made").await, "0");
    // A dump has the former versions that views and functions call, since the extension does not contain them.
    let former = |is_member: bool| {
        format!(
            "SELECT proname FROM pg_proc WHERE pronamespace = '_passage'::regnamespace AND proname = ANY ('{{{}}}')
            AND {is_member} = EXISTS (SELECT FROM pg_depend WHERE objid = pg_proc.oid AND deptype = 'e') ORDER BY 1",
            FORMER.join(",")
        )
    };
    let members = ["expand_contexts", "explain_context", "reassemble"];
    assert_eq!(cluster.query_lines(&former(true)).await, members);
    let others: Vec<_> = FORMER.into_iter().filter(|name| !members.contains(name)).collect();
    assert_eq!(cluster.query_lines(&former(false)).await, others);
    let limits = "SELECT count(*) FROM passage.search('words', limits => '{}', filter => '{}')";
    assert_eq!(cluster.query_text(limits).await, "1");
}

/// Returns what `passage doctor` recommends for a database with another version of the extension than the server's.
async fn remedy_of_doctor(cluster: &Cluster) -> Option<String> {
    let store = passage::store::Store::connect(&cluster.url(), "rag").await.unwrap();
    let mut findings = store.doctor().await.unwrap().into_iter();
    findings.find(|finding| finding.finding.starts_with("the database has version"))?.remedy
}

#[tokio::test]
async fn the_catalog_of_the_release_works_with_the_new_library_until_the_update() {
    let cluster = released("public").await;
    // A symbol of the library keeps its arguments, since the old catalog calls it with these alone.
    let signatures = "SELECT prosrc || ' ' || pg_get_function_arguments(pg_proc.oid) || ' ' || pg_get_function_result(pg_proc.oid) || proisstrict
        FROM pg_proc JOIN pg_namespace ON pg_namespace.oid = pronamespace
        WHERE nspname IN ('passage', '_passage') AND prolang = (SELECT oid FROM pg_language WHERE lanname = 'c') ORDER BY 1";
    let released = cluster.query_lines(signatures).await;
    assert!(released.len() > 15, "{released:?}");
    // The library has every symbol that the old catalog names.
    let symbols = "SELECT count(fmgr_c_validator(oid)) FROM pg_proc WHERE pronamespace = 'passage'::regnamespace
        AND prolang = (SELECT oid FROM pg_language WHERE lanname = 'c')";
    cluster.query_lines_as(SUPERUSER, symbols).await;
    let dimensions = if cluster.has_vector() { "dimensions => 3" } else { "" };
    cluster.execute(&format!("SELECT passage.create_store({dimensions})")).await;
    cluster.execute(TENANTS).await;
    assert!(cluster.query_lines(EVERY_READ).await.len() > 100);
    // The client names the remedy.
    let store = passage::store::Store::connect(&cluster.url(), "rag").await.unwrap();
    let error = store.status().await.unwrap_err();
    assert!(matches!(error, passage::store::Error::ExtensionTooOld { .. }), "{error}");
    assert!(error.remedy().contains("ALTER EXTENSION pg_passage UPDATE"), "{}", error.remedy());

    let remedy = remedy_of_doctor(&cluster).await.unwrap();
    assert_eq!(remedy, "ALTER EXTENSION pg_passage UPDATE; SELECT passage.upgrade_store('rag');");
    cluster.execute(&remedy).await;
    assert_eq!(remedy_of_doctor(&cluster).await, None);
    let updated = cluster.query_lines(signatures).await;
    for old in &released {
        let symbol = old.split(' ').next().unwrap();
        // A session with the former library must not run a function whose rows have more columns.
        let other = symbol.replace("_wrapper", "_0_2_wrapper");
        let has_more = updated.iter().any(|new| new.starts_with(&format!("{other} ")));
        let symbol = if has_more { &other } else { symbol };
        let same: Vec<_> =
            updated.iter().filter(|new| new.split(' ').next() == Some(symbol)).collect();
        // Added arguments are the last ones, and their type reads NULL if the catalog passes fewer. Added
        // columns of a result are the last ones, and a former catalog does not read them.
        let added = [
            ", limits jsonb DEFAULT NULL::jsonb",
            ", filter jsonb DEFAULT NULL::jsonb",
            ", source_id text",
            ", source_ids text[]",
        ];
        // Some defaults changed; a former catalog still passes the former values. Counts were bigint, and their
        // values are also valid as that.
        let changed = [
            (
                "outline_wrapper document_id uuid,",
                "outline_wrapper document_id uuid DEFAULT NULL::uuid,",
            ),
            ("tokens integer, chunk_ids", "tokens bigint, chunk_ids"),
            ("tokens_so_far integer", "tokens_so_far bigint"),
            (
                "chunks integer, hits integer, tokens integer",
                "chunks bigint, hits bigint, tokens bigint",
            ),
            ("return_full boolean DEFAULT NULL::boolean", "return_full boolean DEFAULT false"),
            ("rrf_k integer DEFAULT NULL::integer", "rrf_k integer DEFAULT 60"),
        ];
        let without = |new: &str| {
            let new = added.iter().fold(new.to_owned(), |new, of| new.replace(of, ""));
            changed.iter().fold(new, |new, (now, before)| new.replace(now, before))
        };
        let old = if has_more { old.replace("_wrapper", "_0_2_wrapper") } else { old.clone() };
        assert!(same.iter().all(|new| without(new) == old), "{symbol}: {old}, now {same:?}");
        let is_longer = |new: &&String| new.contains(", source_id");
        assert!(same.iter().all(|new| is_longer(new) == has_more), "{symbol}: {same:?}");
    }
}

#[tokio::test]
async fn a_schema_of_the_internal_name_is_neither_called_nor_adopted_by_an_update() {
    let cluster = released("public").await;
    let trap = "CREATE SCHEMA _passage; GRANT USAGE ON SCHEMA _passage TO PUBLIC;
        CREATE FUNCTION _passage.store_facts(name, OUT dimensions integer, OUT embedding_type text, OUT distance text, OUT language text)
        LANGUAGE plpgsql AS 'BEGIN RAISE EXCEPTION ''called as %'', current_user; END'";
    cluster
        .execute_as(
            SUPERUSER,
            "CREATE ROLE mallory LOGIN; GRANT CREATE ON DATABASE passage TO mallory",
        )
        .await;
    cluster.execute_as("mallory", trap).await;
    cluster.execute("SELECT passage.create_store(); SELECT passage.ingest('a.md', 'words')").await;
    // The library finds the functions of the release.
    assert_eq!(cluster.query_text("SELECT count(*) FROM passage.search_hits('words')").await, "1");

    let before = catalog(&cluster).await;
    let refused = cluster.error("ALTER EXTENSION pg_passage UPDATE").await;
    assert_eq!(refused.code().code(), "42P06");
    assert_eq!(refused.message(), r#"schema "_passage" already exists"#);
    assert_eq!(catalog(&cluster).await, before);

    cluster.execute_as("mallory", "DROP SCHEMA _passage CASCADE").await;
    cluster.execute("ALTER EXTENSION pg_passage UPDATE").await;
    assert_eq!(cluster.query_text("SELECT count(*) FROM passage.search_hits('words')").await, "1");
}

#[tokio::test]
async fn an_earlier_release_cannot_be_installed_or_restored() {
    let cluster = Cluster::start().await;
    let before = catalog(&cluster).await;
    for sql in [
        "DROP EXTENSION pg_passage CASCADE; CREATE EXTENSION pg_passage VERSION '0.1.0'",
        "ALTER EXTENSION pg_passage UPDATE TO '0.1.0'",
    ] {
        let refused = cluster.error(sql).await;
        assert_eq!(refused.code().code(), "22023", "{sql}");
        assert_eq!(refused.message(), "pg_passage cannot return from version 0.2.0 to 0.1.0");
        assert!(refused.hint().unwrap().starts_with("Restore a backup"), "{refused:?}");
    }
    assert_eq!(catalog(&cluster).await, before);
}
