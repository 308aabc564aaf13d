//! Privileges: every role may call every function, and sees only the rows that its own privileges allow.

use passage_tests::Cluster;
use passage_tests::cases;
use passage_tests::cluster::{OWNER, SUPERUSER};
use std::collections::BTreeSet;
use std::path::Path;

const TENANTS: &str = include_str!("../../../fixtures/tenants.sql");
const EVERY_READ: &str = include_str!("../../../fixtures/every_read.sql");

/// The functions of both schemas.
const FUNCTIONS: &str = "SELECT * FROM pg_proc WHERE pronamespace IN ('passage'::regnamespace, '_passage'::regnamespace)";

#[tokio::test]
async fn every_function_has_a_comment_and_the_right_properties() {
    let cluster = Cluster::start().await;
    let count: u32 = cluster
        .query_text(&format!("SELECT count(*) FROM ({FUNCTIONS}) AS f"))
        .await
        .parse()
        .unwrap();
    assert!(count >= 20, "{count} functions");
    for (rule, exceptions) in cases([
        ("are SECURITY DEFINER", "prosecdef"),
        ("lack a COMMENT", "obj_description(oid, 'pg_proc') IS NULL"),
        (
            "have a COMMENT that is a sentence",
            "obj_description(oid, 'pg_proc') ~ '(^[A-Z][a-z]|\\.$)'",
        ),
        ("return a set of unknown size", "proretset AND prorows = 1000"),
        (
            "read a store and are not STABLE PARALLEL RESTRICTED",
            // Functions of the SQL edition set parameters of index scans, which no parallel plan allows.
            "proname ~ '^(expand_contexts?|assemble|reassemble|search|search_hits|similar|fragments|outline|strategies|store_stats)$' AND (provolatile, proparallel) <> ('s', 'r')
                AND (to_regproc('_passage.sql_edition') IS NULL OR (provolatile, proparallel) <> ('s', 'u'))",
        ),
        (
            "depend on their arguments alone and are not IMMUTABLE PARALLEL SAFE",
            "proname ~ '^(encode_section|section_path|section_key|parent_key|chunk_tsv|split|filter|limits|ranking|output)$' AND (provolatile, proparallel) <> ('i', 's')",
        ),
        (
            "write and are not VOLATILE PARALLEL UNSAFE",
            "proname ~ '^((create|upgrade)_store|ingest|remove|rate)$' AND (provolatile, proparallel) <> ('v', 'u')",
        ),
        (
            "take a store but not as the last argument",
            "'store' = ANY (proargnames[:pronargs]) AND proname ~ '^(expand_contexts?|assemble|reassemble|search|search_hits|similar|fragments|outline|strategies|ingest|remove|rate|store_stats)$' AND proargnames[pronargs] <> 'store'",
        ),
        (
            "cannot be called by everybody",
            "pronamespace = 'passage'::regnamespace AND NOT has_function_privilege('pg_monitor', oid, 'EXECUTE')",
        ),
    ]) {
        let sql = format!(
            "SELECT oid::regprocedure FROM ({FUNCTIONS}) AS f WHERE {exceptions} ORDER BY 1"
        );
        assert_eq!(cluster.query_lines(&sql).await, [""; 0], "these {rule}");
    }
}

/// Functions run with the rights of their caller, so everybody needs those that a function of `passage` calls, directly
/// or through others, and those of statements in Rust. No other function of `_passage` is for everybody.
#[tokio::test]
async fn everybody_may_execute_the_internal_functions_that_others_call_and_no_more() {
    let cluster = Cluster::without_store().await;
    let sql = format!(
        "SELECT proname, pg_get_functiondef(oid) FROM ({FUNCTIONS}) AS f WHERE pronamespace = '_passage'::regnamespace"
    );
    let internal: Vec<(String, String)> = cluster
        .query_rows_as(OWNER, &sql)
        .await
        .into_iter()
        .map(|row| <[_; 2]>::try_from(row).expect("two columns").map(Option::unwrap).into())
        .collect();
    assert!(internal.len() > 50, "{} functions", internal.len());
    let sql = format!(
        "SELECT pg_get_functiondef(oid) FROM ({FUNCTIONS}) AS f WHERE pronamespace = 'passage'::regnamespace"
    );
    let mut callers = cluster.query_lines(&sql).await;
    callers.extend(["extension", "client"].iter().flat_map(|room| sources(room)));

    let mut needed = BTreeSet::new();
    while let Some(caller) = callers.pop() {
        for (name, definition) in &internal {
            if calls(&caller, name) && needed.insert(name.as_str()) {
                callers.push(definition.clone());
            }
        }
    }
    let sql = format!(
        "SELECT proname FROM ({FUNCTIONS}) AS f WHERE pronamespace = '_passage'::regnamespace AND has_function_privilege('pg_monitor', oid, 'EXECUTE')"
    );
    let allowed = cluster.query_lines(&sql).await;
    let allowed: BTreeSet<_> = allowed.iter().map(String::as_str).collect();
    let differ = |a: &BTreeSet<&str>, b: &BTreeSet<&str>| {
        a.difference(b).map(|name| (*name).to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(
        differ(&allowed, &needed),
        [""; 0],
        "nothing of everybody calls these: write REVOKE EXECUTE ON FUNCTION ... FROM PUBLIC below their definitions"
    );
    assert_eq!(
        differ(&needed, &allowed),
        [""; 0],
        "callers of functions that everybody may execute need these"
    );
}

/// Returns whether a text calls a function of `_passage`. Its own definition does not.
fn calls(text: &str, function: &str) -> bool {
    let call = format!("_passage.{function}");
    text.match_indices(&call).any(|(at, _)| {
        let after = &text[at + call.len()..];
        after.starts_with(|next: char| !next.is_alphanumeric() && next != '_')
            && !text[..at].ends_with("CREATE OR REPLACE FUNCTION ")
    })
}

/// Returns the Rust sources of a room, without comments.
fn sources(room: &str) -> Vec<String> {
    let mut folders = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(room)];
    let mut sources = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let text = std::fs::read_to_string(path).unwrap();
                let is_code = |line: &&str| !line.trim_start().starts_with("//");
                sources.push(text.lines().filter(is_code).collect::<Vec<_>>().join("\n"));
            }
        }
    }
    sources
}

#[tokio::test]
async fn the_extension_has_no_table() {
    let cluster = Cluster::start().await;
    let sql = "SELECT objid::regclass FROM pg_depend JOIN pg_class ON pg_class.oid = objid
        WHERE classid = 'pg_class'::regclass AND deptype = 'e' AND relkind IN ('r', 'p', 'm', 'S')
            AND refobjid = (SELECT oid FROM pg_extension WHERE extname = 'pg_passage')";
    assert_eq!(cluster.query_lines(sql).await, [""; 0]);
}

#[tokio::test]
async fn a_role_without_privileges_gets_a_clear_error() {
    let cluster = Cluster::start().await;
    cluster.execute_as(SUPERUSER, "CREATE ROLE nobody LOGIN").await;
    // Functions without a store return an answer.
    assert_eq!(
        cluster.query_text_as("nobody", "SELECT passage.section_path('{A,b c}')").await,
        "A.b_20c"
    );
    assert_eq!(
        cluster.query_text_as("nobody", "SELECT count(*) FROM _passage.preset_strategies()").await,
        "9"
    );

    let id = "aaaaaaaa-0000-0000-0000-000000000003";
    let calls = [
        format!("SELECT content FROM passage.expand_context('{id}')"),
        format!("SELECT content FROM passage.expand_contexts('{{{id}}}')"),
        format!("SELECT content FROM passage.reassemble('{{{id}}}')"),
        format!("SELECT passage.assemble('{id}', '{{{id}}}')"),
        format!("SELECT outline FROM passage.outline('{id}')"),
        "SELECT outline FROM passage.outline(uri => 'guide.md')".to_owned(),
        "SELECT count(*) FROM passage.strategies()".to_owned(),
        "SELECT count(*) FROM passage.store_stats()".to_owned(),
    ];
    for sql in &calls {
        assert_eq!(cluster.error_as("nobody", sql).await.code().code(), "42501", "{sql}");
    }
    cluster.execute("GRANT USAGE ON SCHEMA rag TO nobody").await;
    for sql in &calls {
        assert_eq!(cluster.error_as("nobody", sql).await.code().code(), "42501", "{sql}");
    }
    cluster.execute("GRANT SELECT ON ALL TABLES IN SCHEMA rag TO nobody").await;
    for sql in &calls {
        cluster.query_lines_as("nobody", sql).await;
    }
    for sql in [
        "SELECT passage.create_store('mine')",
        "SELECT passage.ingest('a.md', 'text')",
        "SELECT passage.remove('a.md')",
    ] {
        assert_eq!(cluster.error_as("nobody", sql).await.code().code(), "42501", "{sql}");
    }
}

#[tokio::test]
async fn everything_works_with_ltree_and_pgvector_in_other_schemas_and_an_empty_search_path() {
    let cluster = Cluster::bare().await;
    cluster.execute_as(SUPERUSER, "CREATE SCHEMA extensions; GRANT ALL ON SCHEMA extensions TO owner; ALTER ROLE owner CREATEROLE").await;
    let has_vector = !cluster.lacks_vector("everything works with pgvector elsewhere");
    let mut dimensions = "";
    if has_vector {
        cluster.execute_as(SUPERUSER, "CREATE EXTENSION vector SCHEMA extensions").await;
        dimensions = "dimensions => 3";
    }
    cluster.execute("CREATE EXTENSION ltree SCHEMA extensions").await;
    cluster.execute("CREATE EXTENSION pg_passage").await;
    cluster
        .execute(&format!("SET search_path = ''; SELECT passage.create_store({dimensions})"))
        .await;
    cluster.execute(&format!("SET search_path = ''; {TENANTS}")).await;

    if has_vector {
        let policy = "ALTER TABLE rag.embeddings ENABLE ROW LEVEL SECURITY";
        cluster.execute(policy).await;
    }

    let expected = cluster.query_lines(EVERY_READ).await;
    assert!(expected.len() > 100);
    assert_eq!(cluster.query_lines(&format!("SET search_path = ''; {EVERY_READ}")).await, expected);
    assert_eq!(
        cluster.query_lines_as("alice", &format!("SET search_path = ''; {EVERY_READ}")).await.len(),
        cluster.query_lines_as("alice", EVERY_READ).await.len()
    );
    assert_eq!(
        cluster
            .query_text(
                "SET search_path = ''; SELECT path FROM rag.chunks WHERE content = 'alice: the end'"
            )
            .await,
        "Guide.Odd_2C_20_22title_22"
    );
    assert_eq!(
        cluster.query_lines("SET search_path = ''; SELECT * FROM passage.check_store()").await,
        [""; 0]
    );
}

#[tokio::test]
async fn a_hostile_search_path_changes_nothing() {
    let cluster = Cluster::start().await;
    cluster.execute_as(SUPERUSER, "ALTER ROLE owner CREATEROLE").await;
    cluster.execute(TENANTS).await;
    let expected = cluster.query_lines_as("alice", EVERY_READ).await;
    // Operators and functions with the names that statements of the extension use.
    cluster
        .execute(
            "CREATE SCHEMA trap;
            CREATE FUNCTION trap.sprung(uuid, uuid) RETURNS boolean LANGUAGE plpgsql AS 'BEGIN RAISE EXCEPTION ''sprung''; END';
            CREATE FUNCTION trap.sprung(bigint, bigint) RETURNS boolean LANGUAGE plpgsql AS 'BEGIN RAISE EXCEPTION ''sprung''; END';
            CREATE FUNCTION trap.sprung(text[], text[]) RETURNS boolean LANGUAGE plpgsql AS 'BEGIN RAISE EXCEPTION ''sprung''; END';
            CREATE FUNCTION trap.sprung(integer, integer) RETURNS integer LANGUAGE plpgsql AS 'BEGIN RAISE EXCEPTION ''sprung''; END';
            CREATE OPERATOR trap.= (LEFTARG = uuid, RIGHTARG = uuid, FUNCTION = trap.sprung);
            CREATE OPERATOR trap.= (LEFTARG = bigint, RIGHTARG = bigint, FUNCTION = trap.sprung);
            CREATE OPERATOR trap.= (LEFTARG = text[], RIGHTARG = text[], FUNCTION = trap.sprung);
            CREATE OPERATOR trap.- (LEFTARG = integer, RIGHTARG = integer, FUNCTION = trap.sprung);
            CREATE FUNCTION trap.char_length(text) RETURNS integer LANGUAGE plpgsql AS 'BEGIN RAISE EXCEPTION ''sprung''; END';
            CREATE FUNCTION trap.cardinality(text[]) RETURNS integer LANGUAGE plpgsql AS 'BEGIN RAISE EXCEPTION ''sprung''; END';
            CREATE FUNCTION trap.sprung(tsvector, tsquery) RETURNS boolean LANGUAGE plpgsql AS 'BEGIN RAISE EXCEPTION ''sprung''; END';
            CREATE OPERATOR trap.@@ (LEFTARG = tsvector, RIGHTARG = tsquery, FUNCTION = trap.sprung);
            CREATE FUNCTION trap.unnest(text[]) RETURNS SETOF text LANGUAGE plpgsql AS 'BEGIN RAISE EXCEPTION ''sprung''; END';
            CREATE FUNCTION trap.unnest(uuid[]) RETURNS SETOF uuid LANGUAGE plpgsql AS 'BEGIN RAISE EXCEPTION ''sprung''; END';
            GRANT USAGE ON SCHEMA trap TO alice",
        )
        .await;
    let hit = "aaaaaaaa-0000-0000-0000-000000000003";
    let reads = format!(
        "SELECT content FROM passage.expand_context('{hit}') UNION ALL SELECT content FROM passage.expand_context('{hit}', 'section')
        UNION ALL SELECT content FROM passage.reassemble('{{{hit}}}', NULL, 'mine')
        UNION ALL SELECT outline FROM passage.outline(uri => 'guide.md')
        UNION ALL SELECT passage.assemble('aaaaaaaa-0000-0000-8000-000000000000', '{{{hit}}}')
        UNION ALL SELECT name FROM passage.strategies()
        UNION ALL SELECT content FROM passage.search('alice steps', filter => passage.filter(path => '*', metadata => '{{}}', kind => 'prose', uri_pattern => '%'), collection => 'alice')"
    );
    let safe = cluster.query_lines_as("alice", &reads).await;
    let trapped = format!("SET search_path = trap, public; {reads}");
    assert_eq!(cluster.query_lines_as("alice", &trapped).await, safe);
    assert!(safe.iter().any(|line| line.contains("alice: steps")), "{safe:?}");
    assert_eq!(cluster.query_lines_as("alice", EVERY_READ).await, expected);
}

#[tokio::test]
async fn the_default_store_of_a_role_applies_once_the_library_is_loaded() {
    let cluster = Cluster::start().await;
    let client = cluster.client().await;
    let keep = format!("ALTER ROLE {OWNER} SET passage.store = 'docs'");
    let error = client.batch_execute(&keep).await.unwrap_err();
    assert_eq!(error.code().unwrap().code(), "42501", "{error:?}");
    client.batch_execute("SELECT passage.section_key('{}')").await.unwrap();
    client.batch_execute(&keep).await.unwrap();
    assert_eq!(cluster.query_text("SHOW passage.store").await, "docs");
}
