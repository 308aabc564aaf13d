//! The view `chunks_embedded`, which only other programs read: `passage doctor` trusts the owner of the tables with it, and
//! nobody else. The traps write to the server's log, which no rollback undoes.

use crate::RunOutput;
use passage_tests::Cluster;
use passage_tests::cases;
use passage_tests::cluster::{OWNER, SUPERUSER};
use serde_json::Value;

/// The message that the traps write.
const SPRUNG: &str = "the trap of eve has run";

/// Two roles of applications; one of them may also create relations in the store.
const ROLES: &str = "
    CREATE ROLE app LOGIN; CREATE ROLE eve LOGIN; GRANT USAGE ON SCHEMA rag TO app, eve; GRANT CREATE ON SCHEMA rag TO eve;
    GRANT SELECT ON ALL TABLES IN SCHEMA rag TO app, eve; GRANT CREATE ON DATABASE passage TO eve";

const TRAPS: &str = "
    CREATE SCHEMA eve; GRANT USAGE ON SCHEMA eve TO PUBLIC;
    CREATE FUNCTION eve.spring() RETURNS boolean LANGUAGE plpgsql AS
        $$ BEGIN RAISE LOG 'the trap of eve has run'; RETURN true; END $$";

const REMEDY: &str = "DROP VIEW \"rag\".chunks_embedded; SELECT passage.upgrade_store('rag');";

/// A server with a store of embeddings and these roles, unless pgvector is missing.
async fn with_roles(what: &str) -> Option<Cluster> {
    let cluster = Cluster::start().await;
    if cluster.lacks_vector(what) {
        return None;
    }
    cluster.execute_as(SUPERUSER, ROLES).await;
    cluster.execute_as("eve", TRAPS).await;
    Some(cluster)
}

/// Returns the findings of `passage doctor` about owners, and whether it checked the store.
async fn doctor(cluster: &Cluster, role: &str) -> (Vec<Value>, bool) {
    let mut program = cluster.client_program();
    program.env("DATABASE_URL", cluster.url_as(role)).args(["doctor", "--no-embed", "--json"]);
    let run = RunOutput::of(&mut program).await;
    let findings = run.stdout.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let (owners, others): (Vec<_>, Vec<_>) =
        findings.partition(|finding| finding["what"] == "owner");
    let is_checked = others.iter().any(|finding| finding["what"] == "store \"rag\"");
    (owners, is_checked)
}

#[tokio::test]
async fn doctor_of_an_application_trusts_the_view_of_the_owner_of_the_tables() {
    let what = "doctor of an application trusts the view of the owner of the tables";
    let Some(cluster) = with_roles(what).await else { return };
    for role in cases(["app", "eve", SUPERUSER, OWNER]) {
        assert_eq!(doctor(&cluster, role).await, (Vec::new(), true), "{role}");
    }
    // A superuser's view is one, too, since a superuser has other ways to run code.
    cluster.execute_as(SUPERUSER, "ALTER VIEW rag.chunks_embedded OWNER TO postgres").await;
    for role in cases(["app", OWNER]) {
        assert_eq!(doctor(&cluster, role).await, (Vec::new(), true), "{role}");
    }
}

#[tokio::test]
async fn doctor_reports_a_view_that_another_role_put_in_its_place_and_does_not_read_it() {
    let what = "doctor reports a view that another role put in its place, and does not read it";
    let Some(cluster) = with_roles(what).await else { return };
    let inside = "CREATE VIEW rag.chunks_embedded AS SELECT chunks.*, embedding FROM rag.chunks \
        JOIN rag.embeddings ON chunk_id = id WHERE eve.spring()";
    let outside = "CREATE VIEW eve.hers AS SELECT * FROM rag.chunks WHERE eve.spring(); GRANT SELECT ON eve.hers TO owner";
    let table = "CREATE TABLE rag.chunks_embedded (id uuid); ALTER TABLE rag.chunks_embedded ENABLE ROW LEVEL SECURITY; \
        CREATE POLICY trap ON rag.chunks_embedded USING (eve.spring())";
    // The trap works.
    cluster.execute_as("eve", "SELECT eve.spring()").await;
    let sprung = cluster.log().matches(SPRUNG).count();
    assert!(sprung > 0, "{}", cluster.log());
    for (maker, make, object) in cases([
        ("eve", inside, "view rag.chunks_embedded"),
        (OWNER, "CREATE VIEW rag.chunks_embedded AS SELECT * FROM eve.hers", "view eve.hers"),
        (
            OWNER,
            "CREATE VIEW rag.chunks_embedded AS SELECT * FROM rag.chunks WHERE eve.spring()",
            "function eve.spring()",
        ),
        ("eve", table, "table rag.chunks_embedded"),
    ]) {
        cluster.execute_as("eve", &format!("DROP VIEW IF EXISTS eve.hers; {outside}")).await;
        cluster.execute("DROP VIEW rag.chunks_embedded").await;
        cluster.execute_as(maker, make).await;
        cluster
            .execute_as(SUPERUSER, "GRANT SELECT ON ALL TABLES IN SCHEMA rag TO app, owner")
            .await;
        for role in cases(["app", SUPERUSER, OWNER]) {
            let (owners, is_checked) = doctor(&cluster, role).await;
            let [finding] = &owners[..] else { panic!("{role}, {make}: {owners:?}") };
            assert_eq!(finding["severity"], "bad", "{finding}");
            let expected = format!(
                "{object} belongs to the role \"eve\": programs that read chunks_embedded run code of \"eve\""
            );
            assert_eq!(finding["finding"], *expected, "{role}");
            assert_eq!(finding["remedy"], REMEDY);
            // No check reads the view.
            assert!(is_checked, "{role}, {make}");
        }
        assert_eq!(cluster.log().matches(SPRUNG).count(), sprung, "{make}: {}", cluster.log());
        // The owner of the schema carries the remedy out, and nothing of eve runs.
        let remedy = if make == table { REMEDY.replace("VIEW", "TABLE") } else { REMEDY.into() };
        cluster.execute(&remedy).await;
        assert_eq!(doctor(&cluster, "app").await, (Vec::new(), true), "{make}");
        assert_eq!(cluster.log().matches(SPRUNG).count(), sprung, "{make}: {}", cluster.log());
    }
}
