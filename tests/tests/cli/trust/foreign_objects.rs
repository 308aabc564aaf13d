//! Objects of other roles: administration refuses them with name and owner, and runs none of their
//! code. The traps write to the server's log, which no rollback undoes.

use crate::{RunOutput, Sources, next_transaction, text_cluster, until_disconnected};
use passage_tests::Cluster;
use passage_tests::cases;
use passage_tests::cluster::{OWNER, SUPERUSER};
use passage_tests::wait::until;
use std::process::Stdio;
use tokio::process::Command;

/// The message that the traps write.
const SPRUNG: &str = "the trap of eve has run";

/// A role that may make schemas, with traps for triggers, policies and views.
const EVE: &str = "
    CREATE ROLE eve LOGIN; GRANT CREATE ON DATABASE passage TO eve; GRANT CREATE ON SCHEMA public TO eve;
    GRANT USAGE ON SCHEMA passage TO eve";
const TRAPS: &str = "
    CREATE SCHEMA eve; GRANT USAGE ON SCHEMA eve TO PUBLIC;
    CREATE FUNCTION eve.spring() RETURNS boolean LANGUAGE plpgsql AS $$ BEGIN
        RAISE LOG 'the trap of eve has run';
        SET ROLE NONE;
        IF (SELECT rolsuper FROM pg_roles WHERE rolname = current_user) THEN ALTER ROLE eve SUPERUSER; END IF;
        RETURN true; END $$;
    CREATE FUNCTION eve.triggered() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        RAISE LOG 'the trap of eve has run';
        RESET ROLE;
        IF (SELECT rolsuper FROM pg_roles WHERE rolname = current_user) THEN ALTER ROLE eve SUPERUSER; END IF;
        RETURN NULL; END $$";

/// A server with a store `top` of the superuser, and the role eve.
async fn with_eve() -> Cluster {
    let cluster = text_cluster().await;
    cluster.execute_as(SUPERUSER, EVE).await;
    cluster.execute_as("eve", TRAPS).await;
    cluster.execute_as(SUPERUSER, "SELECT passage.create_store('top')").await;
    let sources = Sources::with([("a.md", "# A\n\nA word.\n"), ("b.md", "# B\n")]);
    let book = sources.book();
    let run = by(&cluster, SUPERUSER, &["ingest", "--no-embed", "--store", "top", &book]).await;
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    cluster
}

fn program(cluster: &Cluster, role: &str, arguments: &[&str]) -> Command {
    let mut program = cluster.client_program();
    program.env("DATABASE_URL", cluster.url_as(role)).args(arguments);
    program
}

async fn by(cluster: &Cluster, role: &str, arguments: &[&str]) -> RunOutput {
    RunOutput::of(&mut program(cluster, role, arguments)).await
}

#[track_caller]
fn assert_no_trap_ran(cluster: &Cluster) {
    let log = cluster.log();
    assert!(!log.contains(SPRUNG), "{log}");
}

async fn is_super(cluster: &Cluster) -> String {
    cluster.query_text("SELECT rolsuper FROM pg_roles WHERE rolname = 'eve'").await
}

/// Interrupts a reindex, which leaves its shadow store.
async fn break_off(cluster: &Cluster) {
    // A transaction that reads the store blocks its replacement.
    let mut holder = cluster.client_as(SUPERUSER).await;
    let transaction = holder.transaction().await.unwrap();
    transaction.batch_execute("SELECT FROM top.documents, top.chunks").await.unwrap();
    let mut run = program(cluster, SUPERUSER, &["reindex", "--store", "top", "--no-embed"])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let is_filled = "SELECT EXISTS (SELECT FROM pg_stat_all_tables WHERE schemaname = 'top_reindex' AND n_live_tup > 0 AND relname = 'documents')";
    let is_halfway = async || cluster.query_text_as(SUPERUSER, is_filled).await == "t";
    until("the shadow store has documents", is_halfway).await;
    run.kill().await.unwrap();
    transaction.rollback().await.unwrap();
    until_disconnected(cluster).await;
}

#[tokio::test]
async fn a_trigger_on_a_leftover_of_another_role_does_not_run() {
    let cluster = with_eve().await;
    break_off(&cluster).await;
    let tables = ["documents", "chunks", "settings", "strategies", "made"];
    let give =
        tables.map(|table| format!("ALTER TABLE top_reindex.{table} OWNER TO eve;")).concat();
    let give = format!("ALTER SCHEMA top_reindex OWNER TO eve; {give}");
    cluster.execute_as(SUPERUSER, &give).await;
    for table in tables {
        let trap = format!(
            "CREATE TRIGGER trap BEFORE INSERT OR UPDATE OR DELETE ON top_reindex.{table} EXECUTE FUNCTION eve.triggered()"
        );
        cluster.execute_as("eve", &trap).await;
    }
    cluster.execute_as("eve", "DELETE FROM top_reindex.settings WHERE key <> 'reindex'").await;
    let spared = cluster.query_lines_as(SUPERUSER, "SELECT key FROM top_reindex.settings").await;
    assert!(spared.contains(&"reindex".to_owned()), "{spared:?}");
    let (log, next) = (cluster.log().matches(SPRUNG).count(), next_transaction(&cluster).await);
    for arguments in cases([
        &["reindex", "--store", "top", "--no-embed"][..],
        &["reindex", "--store", "top", "--no-embed", "--dry-run"],
    ]) {
        by(&cluster, SUPERUSER, arguments).await.assert_refusal(
            "schema top_reindex belongs to the role \"eve\", not to \"postgres\"",
            "Connect as \"eve\"",
        );
    }
    assert_eq!(cluster.log().matches(SPRUNG).count(), log, "{}", cluster.log());
    assert_eq!(is_super(&cluster).await, "f");
    assert_eq!(next_transaction(&cluster).await, next, "nothing is written");
}

#[tokio::test]
async fn init_and_reindex_refuse_a_store_of_another_role() {
    let cluster = with_eve().await;
    cluster.execute_as("eve", "SELECT passage.create_store('hers')").await;
    for table in cases(["documents", "chunks", "settings"]) {
        cluster
            .execute_as(
                "eve",
                &format!("CREATE TRIGGER trap BEFORE INSERT OR UPDATE OR DELETE ON hers.{table} EXECUTE FUNCTION eve.triggered()"),
            )
            .await;
    }
    let next = next_transaction(&cluster).await;
    for arguments in cases([
        &["reindex", "--store", "hers", "--no-embed"][..],
        &["reindex", "--store", "hers", "--no-embed", "--dry-run"],
        &["reindex", "--store", "hers", "--no-embed", "--collection", ""],
        &["init", "--store", "hers", "--no-embed"],
    ]) {
        for role in cases([SUPERUSER, OWNER]) {
            let run = by(&cluster, role, arguments).await;
            run.assert_refusal(
                &format!("schema hers belongs to the role \"eve\", not to \"{role}\""),
                "choose another name with --store",
            );
        }
        // A session that has changed to her role can reset it to its own.
        let mut program = program(&cluster, SUPERUSER, arguments);
        let run = RunOutput::of(program.env("PGOPTIONS", "-c role=eve")).await;
        run.assert_refusal("belongs to the role \"eve\", not to \"postgres\"", "SET ROLE");
    }
    assert_no_trap_ran(&cluster);
    assert_eq!(next_transaction(&cluster).await, next, "nothing is written");

    // She may administer her store, and so may members of her role.
    cluster.execute_as(SUPERUSER, "CREATE ROLE friend LOGIN; GRANT eve TO friend").await;
    cluster.execute_as("eve", "DROP TRIGGER trap ON hers.documents; DROP TRIGGER trap ON hers.chunks; DROP TRIGGER trap ON hers.settings").await;
    for role in cases(["eve", "friend"]) {
        for arguments in cases([
            &["init", "--store", "hers", "--no-embed"][..],
            &["reindex", "--store", "hers", "--no-embed", "--drop-former"],
        ]) {
            let run = by(&cluster, role, arguments).await;
            assert_eq!(run.code, Some(0), "{role}: {}", run.stderr);
        }
        let owner = "SELECT nspowner::regrole FROM pg_namespace WHERE nspname = 'hers'";
        assert_eq!(cluster.query_text(owner).await, "eve");
    }
}

#[tokio::test]
async fn code_that_another_role_put_into_a_store_does_not_run() {
    let cluster = with_eve().await;
    cluster.execute_as("eve", "GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA eve TO PUBLIC").await;
    cluster.execute_as(SUPERUSER, "GRANT USAGE, CREATE ON SCHEMA top TO eve; GRANT TRIGGER ON ALL TABLES IN SCHEMA top TO eve").await;
    for (role, make, object, remove) in cases([
        (
            "eve",
            "CREATE TRIGGER trap BEFORE INSERT OR UPDATE ON top.settings EXECUTE FUNCTION eve.triggered()",
            "function eve.triggered()",
            "DROP TRIGGER trap ON top.settings",
        ),
        (
            SUPERUSER,
            "CREATE POLICY trap ON top.documents USING (eve.spring())",
            "function eve.spring()",
            "DROP POLICY trap ON top.documents",
        ),
        (
            "eve",
            "CREATE VIEW top.embeddings AS SELECT id AS chunk_id, id AS document_id FROM (SELECT gen_random_uuid() AS id WHERE eve.spring()) AS ids",
            "view top.embeddings",
            "DROP VIEW top.embeddings",
        ),
        (
            SUPERUSER,
            "ALTER TABLE top.documents ADD CONSTRAINT trap CHECK (eve.spring()) NOT VALID",
            "function eve.spring()",
            "ALTER TABLE top.documents DROP CONSTRAINT trap",
        ),
        (
            SUPERUSER,
            "ALTER TABLE top.settings ALTER value SET DEFAULT to_jsonb(eve.spring())",
            "function eve.spring()",
            "ALTER TABLE top.settings ALTER value DROP DEFAULT",
        ),
    ]) {
        cluster.execute_as(role, make).await;
        for arguments in cases([
            &["reindex", "--store", "top", "--no-embed"][..],
            &["reindex", "--store", "top", "--no-embed", "--collection", ""],
            &["init", "--store", "top", "--no-embed"],
        ]) {
            let run = by(&cluster, SUPERUSER, arguments).await;
            run.assert_refusal(
                &format!("{object} belongs to the role \"eve\""),
                "Connect as \"eve\"",
            );
        }
        cluster.execute_as(SUPERUSER, remove).await;
    }
    assert_no_trap_ran(&cluster);
    assert_eq!(is_super(&cluster).await, "f");
    let run = by(&cluster, SUPERUSER, &["reindex", "--store", "top", "--no-embed"]).await;
    assert_eq!(run.code, Some(0), "{}", run.stderr);
}

#[tokio::test]
async fn functions_that_another_role_made_in_place_of_the_extension_do_not_run() {
    let cluster = with_eve().await;
    cluster.execute_as(SUPERUSER, "DROP EXTENSION pg_passage CASCADE").await;
    let function = |signature: &str, result: &str| {
        format!(
            "CREATE FUNCTION {signature} RETURNS {result} LANGUAGE plpgsql AS \
             $$ BEGIN PERFORM eve.spring(); RETURN NULL; END $$; "
        )
    };
    let planted = [
        "CREATE SCHEMA passage; CREATE SCHEMA _passage; GRANT USAGE ON SCHEMA passage, _passage TO PUBLIC; ".to_owned(),
        function("_passage.sql_edition()", "text"),
        "COMMENT ON FUNCTION _passage.sql_edition() IS 'version of the SQL edition: 9.9.9'; "
            .to_owned(),
        function("_passage.store_must_exist(name)", "void").replace("RETURN NULL;", ""),
        function(
            "passage.create_store(store name, dimensions integer, embedding_type text, language regconfig, \
            partitions integer, distributed text)",
            "text",
        ),
    ];
    cluster.execute_as(SUPERUSER, "DROP SCHEMA IF EXISTS passage, _passage CASCADE").await;
    cluster.execute_as("eve", &planted.concat()).await;
    for arguments in cases([
        &["search", "word", "--store", "top"][..],
        &["status", "--store", "top"],
        &["init", "--no-embed", "--store", "other"],
        &["ingest", "--no-embed", "--store", "top", "."],
        &["doctor", "--no-embed", "--store", "top"],
    ]) {
        let run = by(&cluster, SUPERUSER, arguments).await;
        let output = format!("{}{}", run.stdout, run.stderr);
        assert_eq!(run.code, Some(1), "{output}");
        assert!(output.contains("belongs to the role \"eve\""), "{output}");
    }
    // A role that becomes superuser, and the owner of the database.
    let become_super = format!(
        "CREATE ROLE adm LOGIN; GRANT {SUPERUSER} TO adm; ALTER ROLE adm SET role = {SUPERUSER}"
    );
    cluster.execute_as(SUPERUSER, &become_super).await;
    for role in cases(["adm", OWNER]) {
        for comment in cases(["version of the SQL edition: 9.9.9", "something else"]) {
            let comment = format!("COMMENT ON FUNCTION _passage.sql_edition() IS '{comment}'");
            cluster.execute_as("eve", &comment).await;
            by(&cluster, role, &["status", "--store", "top"])
                .await
                .assert_refusal("belongs to the role \"eve\"", "Connect as \"eve\"");
        }
    }
    assert_no_trap_ran(&cluster);
    assert_eq!(is_super(&cluster).await, "f");
}

#[tokio::test]
async fn doctor_runs_no_code_of_another_role() {
    let cluster = with_eve().await;
    cluster.execute_as("eve", "GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA eve TO PUBLIC").await;
    let hers = "SELECT passage.create_store('hers'); GRANT USAGE ON SCHEMA hers TO PUBLIC; \
        GRANT SELECT ON ALL TABLES IN SCHEMA hers TO PUBLIC";
    cluster.execute_as("eve", hers).await;
    // Operators that match the comparisons of doctor better than those of PostgreSQL.
    for (left, right) in
        cases([("real", "integer"), ("double precision", "bigint"), ("uuid", "uuid")])
    {
        for name in cases(["<", "/", "="]) {
            let gives = if name == "/" { "double precision" } else { "boolean" };
            let value = if name == "/" { "0::double precision" } else { "false" };
            let trap = format!(
                "CREATE FUNCTION public.trap({left}, {right}) RETURNS {gives} LANGUAGE plpgsql AS \
                 $$ BEGIN PERFORM eve.spring(); RETURN {value}; END $$; \
                 CREATE OPERATOR public.{name} (FUNCTION = public.trap, LEFTARG = {left}, RIGHTARG = {right}); "
            );
            let trap = trap.replace("public.trap", &format!("public.\"trap{name}\""));
            cluster.execute_as("eve", &trap).await;
        }
    }
    let doctor =
        |role: &'static str| by(&cluster, role, &["doctor", "--no-embed", "--store", "hers"]);
    let well = doctor(SUPERUSER).await;
    assert_eq!(well.code, Some(0), "{}", well.stdout);

    let view = "ALTER TABLE hers.chunks RENAME TO rows; CREATE VIEW hers.chunks AS SELECT * FROM hers.rows WHERE eve.spring(); \
        GRANT SELECT ON hers.chunks TO PUBLIC";
    let no_view = "DROP VIEW hers.chunks; ALTER TABLE hers.rows RENAME TO chunks";
    let index = "SET search_path = eve; CREATE FUNCTION eve.constant(integer) RETURNS integer IMMUTABLE LANGUAGE plpgsql AS \
        $$ BEGIN RAISE LOG 'the trap of eve has run'; RETURN 1; END $$; CREATE INDEX trap ON hers.settings (eve.constant(1))";
    for (make, object, remove) in cases([
        (view, "view hers.chunks", no_view),
        (
            index,
            "function eve.constant(integer)",
            "DROP INDEX hers.trap; DROP FUNCTION eve.constant",
        ),
    ]) {
        cluster.execute_as("eve", make).await;
        let sprung = cluster.log().matches(SPRUNG).count();
        for role in cases([SUPERUSER, OWNER]) {
            let run = doctor(role).await;
            assert_eq!(run.code, Some(1), "{}", run.stdout);
            assert!(
                run.stdout.contains(&format!(
                    "{object} belongs to the role \"eve\": the store was not checked"
                )) && run.stdout.contains("Run passage doctor as \"eve\""),
                "{role}: {}",
                run.stdout
            );
        }
        assert_eq!(cluster.log().matches(SPRUNG).count(), sprung, "{make}: {}", cluster.log());
        cluster.execute_as("eve", remove).await;
    }

    // Policies do not run, and doctor reports the tables that it does not read because of them.
    let sprung = cluster.log().matches(SPRUNG).count();
    cluster
        .execute_as("eve", "ALTER TABLE hers.settings ENABLE ROW LEVEL SECURITY; CREATE POLICY trap ON hers.settings USING (eve.spring())")
        .await;
    let run = doctor(OWNER).await;
    assert!(
        run.stdout
            .contains("hers.settings: not read: row-level security filters rows for \"owner\"")
            && !run.stdout.contains("missing: layout_version"),
        "{}",
        run.stdout
    );
    // Policies do not apply to a superuser.
    let run = doctor(SUPERUSER).await;
    assert!(!run.stdout.contains("not read"), "{}", run.stdout);
    assert_eq!(cluster.log().matches(SPRUNG).count(), sprung, "{}", cluster.log());

    // A function whose arguments fit a call better than those of the extension's function.
    for function in cases(["passage.check_store(name)", "_passage.store_settings(text)"]) {
        let (schema, _) = function.split_once('.').unwrap();
        cluster.execute_as(SUPERUSER, &format!("GRANT CREATE ON SCHEMA {schema} TO eve")).await;
        let create = format!(
            "CREATE FUNCTION {function} RETURNS void LANGUAGE plpgsql AS $$ BEGIN PERFORM eve.spring(); END $$"
        );
        cluster.execute_as("eve", &create).await;
        let run = doctor(SUPERUSER).await;
        let finding = format!("function {function} belongs to the role \"eve\"");
        assert!(run.stdout.contains(&finding), "{}", run.stdout);
        cluster.execute_as("eve", &format!("DROP FUNCTION {function}")).await;
    }
    assert_eq!(cluster.log().matches(SPRUNG).count(), sprung, "{}", cluster.log());
}
