//! Moves that the client refuses: objects that it cannot create again, and roles that may not do it.

use super::{editions, succeed};
use crate::run_client;
use passage_tests::Cluster;
use passage_tests::cases;
use passage_tests::cluster::{OWNER, SUPERUSER};

/// Starts a server whose database has an edition.
async fn with_edition(edition: &str) -> Cluster {
    let cluster = Cluster::bare().await;
    succeed(&cluster, &["init", "--edition", edition, "--no-embed"]).await;
    cluster
}

#[tokio::test]
async fn objects_that_cannot_be_created_again_prevent_a_move() {
    let cluster = with_edition("sql").await;
    for (create, named, drop) in cases([
        (
            "CREATE FUNCTION public.found() RETURNS SETOF text BEGIN ATOMIC SELECT content FROM passage.search('a'); END",
            "function public.found()",
            "DROP FUNCTION public.found",
        ),
        (
            "CREATE TABLE public.notes (titles text[], key bigint GENERATED ALWAYS AS (passage.section_key(titles)) STORED)",
            "column key of table public.notes",
            "DROP TABLE public.notes",
        ),
        (
            "CREATE MATERIALIZED VIEW public.paths AS SELECT path FROM rag.chunks",
            "materialized view public.paths",
            "DROP MATERIALIZED VIEW public.paths",
        ),
        (
            "ALTER TABLE rag.chunks ADD CONSTRAINT short CHECK (length(tsv) < 100000)",
            "constraint short on table rag.chunks",
            "ALTER TABLE rag.chunks DROP CONSTRAINT short",
        ),
        (
            "REVOKE EXECUTE ON FUNCTION passage.remove FROM PUBLIC",
            "privileges on function passage.remove",
            "GRANT EXECUTE ON FUNCTION passage.remove TO PUBLIC",
        ),
    ]) {
        cluster.execute(create).await;
        let refused = run_client(&cluster, ["init", "--no-embed", "--edition", "native"]).await;
        if named.starts_with("privileges") {
            refused.assert_refusal(named, "Drop them");
            cluster.execute_as(SUPERUSER, "ALTER FUNCTION passage.remove OWNER TO owner").await;
        } else {
            refused.assert_refusal(named, "Drop them, and create them again");
        }
        assert_eq!(editions(&cluster).await, "/t");
        cluster.execute(drop).await;
    }
}

#[tokio::test]
async fn triggers_and_adopted_tables_need_the_native_extension() {
    let cluster = with_edition("native").await;
    let table = "CREATE TABLE public.articles (id bigint PRIMARY KEY, body text);
        CREATE TRIGGER rag AFTER INSERT OR UPDATE OR DELETE ON public.articles
        FOR EACH ROW EXECUTE FUNCTION passage.keep_in_step('uri=articles/{id}', 'content={body}')";
    cluster.execute(table).await;
    run_client(&cluster, ["init", "--no-embed", "--edition", "sql"])
        .await
        .assert_refusal("trigger rag on table public.articles", "Drop them");
    assert_eq!(editions(&cluster).await, "0.2.0/f");
    cluster.execute("DROP TABLE public.articles").await;
    succeed(&cluster, &["init", "--no-embed", "--edition", "sql"]).await;
}

#[tokio::test]
async fn only_the_role_that_owns_the_stores_moves_the_database() {
    let cluster = with_edition("sql").await;
    cluster
        .execute_as(SUPERUSER, "CREATE ROLE other LOGIN; GRANT CREATE ON DATABASE passage TO other")
        .await;
    let by = async |role: &str, edition: &str| {
        let mut program = cluster.client_program();
        program.env("DATABASE_URL", cluster.url_as(role));
        crate::RunOutput::of(program.args(["init", "--no-embed", "--edition", edition])).await
    };
    for role in cases(["other", SUPERUSER]) {
        by(role, "native")
            .await
            .assert_refusal("belongs to the role \"owner\"", "Connect as \"owner\"");
    }
    // Another role has a store in the database.
    cluster.execute_as(SUPERUSER, "GRANT owner TO other").await;
    cluster.execute_as("other", "SELECT passage.create_store('hers')").await;
    cluster.execute_as(SUPERUSER, "REVOKE owner FROM other").await;
    by(OWNER, "native")
        .await
        .assert_refusal("belongs to the role \"other\"", "Connect as \"other\"");
    cluster.execute_as(SUPERUSER, &format!("GRANT other TO {OWNER}")).await;
    assert_eq!(by(OWNER, "native").await.code, Some(0));
    // The extension belongs to the owner of the database.
    by("other", "sql")
        .await
        .assert_refusal("belongs to the role \"owner\"", "Connect as \"owner\"");
}
