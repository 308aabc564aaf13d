//! Each right that an operation needs, withheld.

use super::{client, doctor, succeed, with_roles};
use passage_tests::Cluster;
use passage_tests::cluster::{OWNER, SUPERUSER, model_path};
use serde_json::Value;

/// The operations with what they need, as the extension lists them.
const NEEDS: &str = "SELECT operation, relation, command FROM _passage.needed_rights() CROSS JOIN unnest(commands) AS command
    JOIN pg_class ON relnamespace = 'rag'::regnamespace AND relname = relation ORDER BY place, relation, command";

/// The document that operations change, before and after.
const NOTE: &str = "# One\n\nText of a note, with a [link](#two).\n\n# Two\n\nMore text.\n";
const CHANGED: &str = "# One\n\nText of a note, with a [link](#two).\n\n# Three\n\nOther text.\n";

/// Brings the store into the state before an operation, as the owner, and does what the operation is for, as a role.
/// Returns the error, if it is refused.
async fn perform(cluster: &Cluster, operation: &str, role: &str) -> Option<String> {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        path.to_str().unwrap().to_owned()
    };
    cluster.execute("DELETE FROM rag.documents; DELETE FROM rag.settings WHERE key IN ('model', 'splitter_version')").await;
    let note = file("note.md", NOTE);
    let is_embedded = if operation == "embed" { "--no-embed" } else { "--quiet" };
    succeed(cluster, OWNER, "", &["ingest", is_embedded, "--uri", "note.md", &note]).await;
    // Under policies the owner records the model.
    cluster
        .execute(
            "DELETE FROM rag.settings WHERE key = 'splitter_version';
            INSERT INTO rag.settings SELECT 'model', '\"sentence-transformers/all-MiniLM-L6-v2\"' FROM pg_class
            WHERE oid = 'rag.chunks'::regclass AND relrowsecurity ON CONFLICT DO NOTHING",
        )
        .await;
    let sql = |sql: String| async move {
        let session = cluster.client_as(role).await;
        session.batch_execute(&sql).await.err().map(|error| format!("{error:?}"))
    };
    let run = |arguments: Vec<String>| async move {
        let arguments: Vec<_> = arguments.iter().map(String::as_str).collect();
        let output = client(cluster, role, "", &arguments).await;
        (!output.status.success()).then(|| String::from_utf8(output.stderr).unwrap())
    };
    let words = |words: &str| words.split(' ').map(str::to_owned).collect::<Vec<_>>();
    match operation {
        "read" => sql(
            "SELECT passage.outline(uri => 'note.md'), passage.expand_context(gen_random_uuid())"
                .into(),
        )
        .await,
        "search" => {
            let embedding = "array_fill(0.1::real, '{384}')";
            match sql(format!("SELECT passage.search('text', {embedding}), passage.search('text')"))
                .await
            {
                None => run(words("search --mode hybrid note")).await,
                error => error,
            }
        }
        "ingest" => {
            let ingest = |uri: &str, text: &str, title: &str| {
                format!(
                    "SELECT passage.ingest('{uri}', E'{}', title => '{title}')",
                    text.replace('\n', "\\n")
                )
            };
            let calls = [ingest("new.md", NOTE, "A"), ingest("note.md", CHANGED, "B")].join("; ");
            sql(format!("BEGIN; {calls}; ROLLBACK")).await
        }
        "load" => {
            let (changed, new) = (file("changed.md", CHANGED), file("new.md", NOTE));
            let changed =
                ["--uri", "note.md", "--title", "B", &changed].map(str::to_owned).to_vec();
            match run([words("ingest"), changed].concat()).await {
                None => run([words("ingest --uri new.md"), vec![new]].concat()).await,
                error => error,
            }
        }
        "embed" => run(words("embed")).await,
        "remove" => sql("BEGIN; SELECT passage.remove('note.md'); ROLLBACK".into()).await,
        "links" => {
            // A role that may not read the table sees no links.
            let links = "SELECT 1 / count(*) FROM passage.links(uri => 'note.md')";
            sql(links.into()).await
        }
        "feedback" => {
            let search =
                "SELECT passage.search('text', ranking => passage.ranking(feedback => 0.5))";
            match sql(search.into()).await {
                None => run(words("search --mode hybrid --feedback 0.5 note")).await,
                error => error,
            }
        }
        "rate" => {
            // The second rating replaces the first.
            let chunk = cluster.query_text("SELECT id FROM rag.chunks WHERE ordinal = 0").await;
            let rate = format!("SELECT passage.rate('text', '{chunk}', 1)");
            sql(format!("BEGIN; {rate}; {rate}; ROLLBACK")).await
        }
        other => panic!("{other}"),
    }
}

/// Withholds each right that an operation needs: the operation fails and names the remedy, and so does `doctor`. The
/// remedy gives the right.
async fn withhold_each_right(operation: &str) {
    let cluster = with_roles().await;
    if cluster.lacks_vector("the rights of operations") || model_path().is_none() {
        return;
    }
    let needs: Vec<String> = cluster.query_lines(NEEDS).await;
    let prefix = format!("{operation}|");
    let needs_of = |prefix: &str| -> Vec<&str> {
        needs.iter().filter_map(|need| need.strip_prefix(prefix)).collect()
    };
    // The client also writes these, beside the rows that ingest writes.
    let (needs, others) =
        (needs_of(&prefix), if operation == "load" { needs_of("ingest|") } else { Vec::new() });
    assert!(!needs.is_empty());
    let withheld = needs.iter().copied().filter(|need| !others.contains(need));
    let state = async |role: &str| {
        let (findings, remedies) = doctor(&cluster, role).await;
        let subjects = [
            "read",
            "search",
            "ingest",
            "load",
            "embed",
            "remove",
            "links",
            "write_links",
            "feedback",
            "rate",
        ];
        let place = subjects.iter().position(|subject| *subject == operation).unwrap();
        let before = findings[..place].iter().filter(|(_, severity)| severity != "good").count();
        let severity = findings[place].1.clone();
        (severity != "good").then(|| remedies[before].clone())
    };
    for (number, withheld) in std::iter::once("USAGE").chain(withheld).enumerate() {
        let role = format!("worker_{number}");
        let granted = needs.iter().copied().chain(["USAGE"]).filter(|need| *need != withheld);
        let grants = granted.map(|need| match need.split_once('|') {
            Some((relation, command)) => format!("GRANT {command} ON rag.{relation} TO {role};"),
            None => format!("GRANT USAGE ON SCHEMA rag TO {role};"),
        });
        let grants: Vec<_> = grants.collect();
        let made = format!("CREATE ROLE {role} LOGIN; {}", grants.concat());
        cluster.execute_as(SUPERUSER, &made).await;
        let remedy = state(&role).await.unwrap_or_else(|| panic!("{operation} without {withheld}"));
        let error = perform(&cluster, operation, &role).await;
        let error = error.unwrap_or_else(|| panic!("{operation} works without {withheld}"));
        match operation {
            "ingest" | "remove" => assert!(
                error.contains(&format!("hint: Some(\"As the owner of the store, run {remedy}\")")),
                "{withheld}: {error}"
            ),
            "links" if withheld == "links|SELECT" => {
                assert!(error.contains("division by zero"), "{error}");
            }
            "rate" if ["ratings|SELECT", "ratings|UPDATE"].contains(&withheld) => {
                assert!(error.contains("duplicate key"), "{withheld}: {error}");
            }
            _ => assert!(
                error.contains("42501")
                    || error.contains("passage doctor --store rag --as")
                    || error.contains(&format!("As the owner of the store, run {remedy}")),
                "{withheld}: {error}"
            ),
        }
        cluster.execute(&remedy).await;
        assert_eq!(state(&role).await, None, "{operation} without {withheld}: {remedy}");
        assert_eq!(perform(&cluster, operation, &role).await, None, "{operation} after {remedy}");
    }

    // The same with policies: nothing applies to the role, and the remedy creates what it needs.
    cluster.execute("ALTER TABLE rag.documents ENABLE ROW LEVEL SECURITY; ALTER TABLE rag.chunks ENABLE ROW LEVEL SECURITY;
        ALTER TABLE rag.embeddings ENABLE ROW LEVEL SECURITY; ALTER TABLE rag.links ENABLE ROW LEVEL SECURITY;
        ALTER TABLE rag.ratings ENABLE ROW LEVEL SECURITY; CREATE POLICY shown ON rag.documents TO reader USING (collection = '')").await;
    if ["load", "embed"].contains(&operation) {
        cluster
            .execute("DELETE FROM rag.embeddings; DELETE FROM rag.settings WHERE key = 'model'")
            .await;
        let remedy = state("worker_1").await.unwrap();
        assert!(remedy.contains("Run passage embed as the owner"), "{remedy}");
        succeed(&cluster, OWNER, "", &["embed"]).await;
    }
    let remedy = state("worker_1").await.unwrap();
    assert!(
        remedy.contains("CREATE POLICY")
            && remedy.contains("nullif(current_setting('app.tenant', true), '')"),
        "{remedy}"
    );
    cluster.execute(&remedy).await;
    assert_eq!(state("worker_1").await, None, "{remedy}");
    // Existing policies for all roles are the condition of new ones for other commands.
    cluster.execute("CREATE POLICY seen ON rag.documents FOR SELECT USING (collection = '')").await;
    if let Some(remedy) = state("worker_2").await {
        assert!(!remedy.contains("app.tenant"), "{remedy}");
        cluster.execute(&remedy).await;
        assert_eq!(state("worker_2").await, None, "{remedy}");
        assert_eq!(perform(&cluster, operation, "worker_2").await, None, "{remedy}");
    }
}

#[tokio::test]
async fn doctor_names_what_reading_needs() {
    withhold_each_right("read").await;
}

#[tokio::test]
async fn doctor_names_what_a_search_needs() {
    withhold_each_right("search").await;
}

#[tokio::test]
async fn doctor_and_errors_name_what_ingest_needs() {
    withhold_each_right("ingest").await;
}

#[tokio::test]
async fn doctor_and_errors_name_what_the_client_needs_to_ingest() {
    withhold_each_right("load").await;
}

#[tokio::test]
async fn doctor_and_errors_name_what_the_client_needs_to_embed() {
    withhold_each_right("embed").await;
}

#[tokio::test]
async fn doctor_and_errors_name_what_remove_needs() {
    withhold_each_right("remove").await;
}

#[tokio::test]
async fn doctor_names_what_following_links_needs() {
    withhold_each_right("links").await;
}

#[tokio::test]
async fn doctor_names_what_a_search_with_ratings_needs() {
    withhold_each_right("feedback").await;
}

#[tokio::test]
async fn doctor_names_what_rating_needs() {
    withhold_each_right("rate").await;
}

/// Returns the findings of `passage doctor` about what its own role lacks: what and remedy.
async fn own_warnings(cluster: &Cluster, role: &str) -> Vec<(String, String)> {
    let output = client(cluster, role, "", &["doctor", "--json", "--no-embed"]).await;
    let stdout = String::from_utf8(output.stdout).unwrap();
    let findings = stdout.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let text = |finding: &Value, key: &str| finding[key].as_str().unwrap().to_owned();
    let subjects = ["privileges", "follow links", "write links", "search with ratings", "rate"];
    findings
        .filter(|finding| finding["severity"] != "good")
        .map(|finding| (text(&finding, "what"), text(&finding, "remedy")))
        .filter(|(what, _)| subjects.iter().any(|subject| what.starts_with(subject)))
        .collect()
}

#[tokio::test]
async fn doctor_names_what_a_writer_of_links_and_ratings_lacks() {
    let cluster = with_roles().await;
    let tables = "SELECT string_agg(format('rag.%I', relname), ', ') FROM pg_class WHERE relnamespace = 'rag'::regnamespace AND relkind = 'r' AND relname";
    let others = cluster.query_text(&format!("{tables} NOT IN ('links', 'ratings')")).await;
    cluster
        .execute(&format!(
            "GRANT USAGE ON SCHEMA rag TO app; GRANT SELECT, INSERT, UPDATE, DELETE ON {others} TO app"
        ))
        .await;
    let ingest = async |text: &str| {
        let sql = format!("SELECT chunks FROM passage.ingest('note.md', E'{text}')");
        cluster.query_text_as("app", &sql.replace('\n', "\\n")).await;
        cluster.query_text("SELECT count(*) FROM rag.links").await
    };
    assert_eq!(ingest(NOTE).await, "0");
    for (what, remedy) in [
        ("follow links", "GRANT SELECT ON rag.links TO app;"),
        ("write links", "GRANT INSERT, DELETE ON rag.links TO app;"),
        ("search with ratings", "GRANT SELECT ON rag.ratings TO app;"),
        ("rate", "GRANT INSERT, UPDATE ON rag.ratings TO app;"),
    ] {
        let (as_owner, _) = doctor(&cluster, "app").await;
        let shown = as_owner.iter().find(|(subject, _)| subject == what).unwrap();
        assert_eq!(shown.1, "warning", "{what}: {as_owner:?}");
        let warnings = own_warnings(&cluster, "app").await;
        let (_, named) = warnings.iter().find(|(subject, _)| subject == what).unwrap();
        assert_eq!(named, remedy, "{what}");
        cluster.execute(named).await;
    }
    assert_eq!(own_warnings(&cluster, "app").await, []);
    assert_eq!(ingest(CHANGED).await, "1");

    // A role that rates only for itself has the right on some columns.
    cluster.execute("REVOKE INSERT ON rag.ratings FROM app; GRANT INSERT (query, lexemes, document_id, chunk_id, rating) ON rag.ratings TO app").await;
    assert_eq!(own_warnings(&cluster, "app").await, []);
    // Links are written with documents, which a reader may not write.
    cluster.execute("GRANT USAGE ON SCHEMA rag TO reader; GRANT SELECT ON ALL TABLES IN SCHEMA rag TO reader").await;
    let warnings = own_warnings(&cluster, "reader").await;
    let subjects: Vec<&str> = warnings.iter().map(|(subject, _)| &**subject).collect();
    assert_eq!(subjects, ["privileges of \"reader\"", "rate"]);
    // A store of an earlier layout has neither table.
    cluster.execute("DROP TABLE rag.links, rag.ratings").await;
    let (findings, _) = doctor(&cluster, "reader").await;
    let subjects: Vec<&str> = findings.iter().map(|(subject, _)| &**subject).collect();
    assert_eq!(
        subjects,
        ["read", "search", "ingest with SQL", "ingest with the client", "embed", "remove", "rows"]
    );
    assert_eq!(own_warnings(&cluster, "app").await, []);
}
