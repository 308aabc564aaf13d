//! The HINTs of errors about rights: the SQL in them makes the write work.

use super::with_roles;
use passage_tests::cases;
use passage_tests::cluster::SUPERUSER;

/// The table of the application, whose trigger writes the store.
const NOTES: &str = "CREATE TABLE notes (id integer PRIMARY KEY, body text);
    CREATE TRIGGER in_step AFTER INSERT OR UPDATE OR DELETE ON notes FOR EACH ROW
        EXECUTE FUNCTION passage.keep_in_step('text={body}', 'uri=notes/{id}');
    CREATE TRIGGER emptied AFTER TRUNCATE ON notes
        EXECUTE FUNCTION passage.keep_in_step('text={body}', 'uri=notes/{id}');
    INSERT INTO notes VALUES (1, 'One.'), (2, 'Two.')";

#[tokio::test]
async fn following_the_hints_makes_each_write_work() {
    let cluster = with_roles().await;
    cluster
        .execute_as(SUPERUSER, "GRANT CREATE ON DATABASE passage TO owner WITH GRANT OPTION")
        .await;
    cluster.execute(NOTES).await;
    for (number, (grants, write)) in cases(
        [
            ("INSERT", "INSERT INTO notes VALUES (10, 'New.')"),
            ("UPDATE, SELECT", "UPDATE notes SET body = 'Changed.' WHERE id = 1"),
            ("UPDATE, SELECT", "UPDATE notes SET body = NULL WHERE id = 1"),
            ("DELETE, SELECT", "DELETE FROM notes WHERE id = 2"),
            ("DELETE, UPDATE, SELECT", "UPDATE notes SET id = 20, body = 'Moved.' WHERE id = 1"),
            ("TRUNCATE", "TRUNCATE notes"),
            ("SELECT", "SELECT passage.bring_in_step('notes')"),
            (
                "SELECT",
                "SELECT passage.ingest('notes/1', 'Other text.'), passage.ingest('new', 'Text.')",
            ),
            ("SELECT", "SELECT passage.remove('notes/1')"),
            ("SELECT", "SELECT passage.create_store('of_' || current_user)"),
        ]
        .into_iter()
        .enumerate(),
    ) {
        let role = format!("\"worker {number}\"");
        cluster
            .execute_as(
                SUPERUSER,
                &format!("CREATE ROLE {role} LOGIN; GRANT {grants} ON notes TO {role}"),
            )
            .await;
        let session = cluster.client_as(role.trim_matches('"')).await;
        let mut steps = 0;
        while let Err(error) = session.batch_execute(&format!("BEGIN; {write}; ROLLBACK")).await {
            session.batch_execute("ROLLBACK").await.unwrap();
            let error = error.as_db_error().unwrap();
            assert_eq!(error.code().code(), "42501", "{write}: {error:?}");
            let hint = error.hint().unwrap_or_else(|| panic!("{write}: {error:?}"));
            let (_, remedy) =
                hint.split_once(", run ").unwrap_or_else(|| panic!("{write}: {hint}"));
            // The first of two remedies.
            let remedy = remedy.split(" or ").next().unwrap();
            cluster.execute(remedy).await;
            steps += 1;
            assert!(steps < 4, "{write}: {hint}");
        }
        assert!(steps > 0, "{write}");
    }
}

#[tokio::test]
async fn a_row_that_policies_refuse_or_hide_is_reported_with_the_missing_policy() {
    let cluster = with_roles().await;
    cluster.execute(NOTES).await;
    cluster
        .execute(
            "GRANT ALL ON notes TO app; GRANT USAGE ON SCHEMA rag TO app; GRANT ALL ON ALL TABLES IN SCHEMA rag TO app;
             ALTER TABLE rag.documents ENABLE ROW LEVEL SECURITY; ALTER TABLE rag.chunks ENABLE ROW LEVEL SECURITY",
        )
        .await;
    let app = cluster.client_as("app").await;
    let policy = async |name: &str, rest: &str| {
        cluster.execute(&format!("CREATE POLICY {name} ON rag.{rest}")).await;
    };
    let refused = async |sql: &str, names: &str| {
        let error = app.batch_execute(sql).await.expect_err(sql);
        let error = error.as_db_error().unwrap();
        assert_eq!(error.code().code(), "42501", "{sql}: {error:?}");
        assert!(error.hint().is_some_and(|hint| hint.contains(names)), "{sql}: {error:?}");
    };
    let insert = "INSERT INTO notes VALUES (3, 'Three.')";
    refused(insert, "A policy on rag.documents must admit the row for INSERT").await;
    policy("i", "documents FOR INSERT WITH CHECK (true)").await;
    refused(insert, "A policy on rag.chunks must admit the row for INSERT").await;
    policy("i", "chunks FOR INSERT WITH CHECK (true)").await;
    app.batch_execute(insert).await.unwrap();
    let update = "UPDATE notes SET body = body || ' More.' WHERE id = 3";
    refused(update, "Policies for SELECT, UPDATE and DELETE on documents, chunks and embeddings")
        .await;
    policy("s", "documents FOR SELECT USING (true)").await;
    policy("s", "chunks FOR SELECT USING (true)").await;
    refused(update, "Policies for SELECT, UPDATE and DELETE on documents, chunks and embeddings")
        .await;
    policy("u", "documents FOR UPDATE USING (true) WITH CHECK (title <> 'Refused')").await;
    refused(update, "Policies for SELECT, UPDATE and DELETE on documents, chunks and embeddings")
        .await;
    policy("d", "chunks FOR DELETE USING (true)").await;
    app.batch_execute(update).await.unwrap();
    let retitle = "SELECT passage.ingest('notes/3', 'Other.', title => 'Refused')";
    refused(retitle, "A policy on rag.documents must admit the row for UPDATE").await;
    refused("DELETE FROM notes WHERE id = 3", "policies for DELETE on documents and chunks").await;
    policy("d", "documents FOR DELETE USING (true)").await;
    app.batch_execute("DELETE FROM notes WHERE id = 3").await.unwrap();
    // A trigger of the store that raises its own error keeps its HINT.
    cluster
        .execute(
            "CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$
             BEGIN RAISE insufficient_privilege USING MESSAGE = 'not today', HINT = 'Try again tomorrow.'; END $$;
             CREATE TRIGGER refuse BEFORE INSERT ON rag.documents FOR EACH ROW EXECUTE FUNCTION refuse()",
        )
        .await;
    refused("SELECT passage.ingest('x', 'Text.')", "Try again tomorrow.").await;
}
