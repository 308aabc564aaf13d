//! The commands that examine a store: `status`, `doctor`, `context`, `fragments`, `model fetch`, `completions`,
//! `manual-pages`.

use crate::{RunOutput, lacks_embedding, next_transaction, run_client, text_cluster};
use passage_tests::cases;
use passage_tests::cluster::{SUPERUSER, model_path};
use passage_tests::{Cluster, fixture};
use serde_json::Value;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;

async fn garden() -> Cluster {
    let cluster = text_cluster().await;
    let garden = fixture!("client/garden");
    cluster
        .passage(["ingest", "--no-embed", "--collection", "garden", "--version", "2", garden])
        .await;
    let watering = fixture!("client/garden/watering.txt");
    cluster.passage(["ingest", "--no-embed", "--uri", "watering", watering]).await;
    cluster
}

fn lines(output: &str) -> Vec<Value> {
    output.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[tokio::test]
async fn status_counts_collections_and_lists_documents() {
    let cluster = garden().await;
    cluster
        .execute(
            "UPDATE rag.documents SET orphaned_at = '2026-11-22 02:00:00Z' WHERE uri = 'watering'",
        )
        .await;
    let status: Value = serde_json::from_str(&cluster.passage(["status", "--json"]).await).unwrap();
    let [plain, garden] = &status["collections"].as_array().unwrap()[..] else {
        panic!("{status}")
    };
    assert_eq!(
        (&plain["collection"], &plain["documents"], &plain["orphaned"]),
        (&"".into(), &1.into(), &1.into())
    );
    assert_eq!(
        (&garden["collection"], &garden["version"], &garden["documents"]),
        (&"garden".into(), &"2".into(), &4.into())
    );
    let chunks = cluster.query_text("SELECT count(*) FROM rag.chunks JOIN rag.documents ON documents.id = document_id WHERE collection = 'garden'").await;
    assert_eq!(garden["chunks"].to_string(), chunks);
    assert_eq!(garden["embeddings"], Value::Null);

    let text = cluster.passage(["status"]).await;
    assert!(
        text.contains(&format!("\ngarden 2         4 documents, {chunks} chunks, 20")),
        "{text}"
    );
    assert!(
        text.contains("\n(no collection)  1 document, ") && text.contains(", 1 orphaned, "),
        "{text}"
    );

    let listed = lines(&cluster.passage(["status", "--list", "--json"]).await);
    assert_eq!(listed.len(), 5);
    assert_eq!(listed[0]["orphaned_at"], "2026-11-22T02:00:00Z");
    let listed = cluster.passage(["status", "--list", "--collection", "garden"]).await;
    assert!(listed.starts_with("garden/bees.md  garden 2, text/markdown, "), "{listed}");
    assert_eq!(listed.lines().count(), 4, "{listed}");
}

#[tokio::test]
async fn doctor_finds_no_problem_in_a_sound_store() {
    let cluster = garden().await;
    cluster.execute("ANALYZE rag.documents, rag.chunks").await;
    let next = next_transaction(&cluster).await;
    let doctor = run_client(&cluster, ["doctor"]).await;
    assert_eq!(doctor.code, Some(0), "{}", doctor.stdout);
    assert!(doctor.stdout.ends_with("\n\nno problems found\n"), "{}", doctor.stdout);
    assert_eq!(next_transaction(&cluster).await, next, "nothing is written");
    let version = cluster.installation().version();
    // Debian adds its own version to that of PostgreSQL.
    let server = format!("good    server: PostgreSQL {version}");
    assert!(doctor.stdout.contains(&server), "{}", doctor.stdout);
    let findings = lines(&cluster.passage(["doctor", "--json"]).await);
    assert!(findings.iter().all(|finding| finding["severity"] == "good"), "{findings:?}");
}

#[tokio::test]
async fn doctor_reports_each_problem_with_its_remedy() {
    let cluster = garden().await;
    let assert_finding = |code, what: &'static str, remedy: &'static str| {
        let cluster = &cluster;
        async move {
            let doctor = run_client(cluster, ["doctor", "--no-embed"]).await;
            assert_eq!(doctor.code, Some(code), "{what}: {}", doctor.stdout);
            let mut lines = doctor.stdout.lines().skip_while(|line| !line.contains(what));
            assert!(lines.next().is_some(), "{what}: {}", doctor.stdout);
            assert!(
                lines.next().is_some_and(|line| line.contains(remedy)),
                "{remedy}: {}",
                doctor.stdout
            );
        }
    };
    cluster.execute("DROP INDEX rag.chunks_tsv_idx").await;
    assert_finding(
        1,
        "error   rag.chunks_tsv_idx: index is missing",
        "SELECT passage.upgrade_store('rag');",
    )
    .await;
    cluster.execute("SELECT passage.upgrade_store()").await;

    cluster.execute("ALTER TABLE rag.documents ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY; ALTER TABLE rag.chunks ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY").await;
    assert_finding(
        0,
        "warning row-level security: policies apply to this role",
        "a store per tenant",
    )
    .await;
    cluster.execute("ALTER TABLE rag.documents DISABLE ROW LEVEL SECURITY; ALTER TABLE rag.chunks DISABLE ROW LEVEL SECURITY").await;

    cluster.execute("CREATE SCHEMA rag_reindex; CREATE SCHEMA rag_before").await;
    assert_finding(
        0,
        "warning shadow store: \"rag_reindex\", 0 bytes",
        "passage reindex with the options",
    )
    .await;
    assert_finding(
        0,
        "warning former store: \"rag_before\", 0 bytes",
        "DROP SCHEMA \"rag_before\" CASCADE",
    )
    .await;
    cluster.execute("DROP SCHEMA rag_reindex, rag_before").await;

    cluster.execute_as(SUPERUSER, "CREATE ROLE guest LOGIN").await;
    for (grant, code, what, remedy) in cases([
        (
            "SELECT",
            1,
            "privileges of \"guest\": none on the schema",
            "GRANT USAGE ON SCHEMA \"rag\" TO \"guest\";",
        ),
        (
            "GRANT USAGE ON SCHEMA rag TO guest",
            1,
            "cannot read chunks, documents, settings, strategies",
            "GRANT SELECT ON ALL TABLES",
        ),
        (
            "GRANT SELECT ON ALL TABLES IN SCHEMA rag TO guest",
            0,
            "can search, but not write chunks, documents",
            "INSERT, UPDATE, DELETE",
        ),
    ]) {
        cluster.execute(grant).await;
        let mut program = cluster.client_program();
        program.env("DATABASE_URL", cluster.url_as("guest")).args(["doctor", "--no-embed"]);
        let doctor = RunOutput::of(&mut program).await;
        assert_eq!(doctor.code, Some(code), "{}", doctor.stdout);
        assert!(
            doctor.stdout.contains(what) && doctor.stdout.contains(remedy),
            "{what}: {}",
            doctor.stdout
        );
    }

    cluster.execute("DROP SCHEMA rag CASCADE").await;
    assert_finding(
        1,
        "store \"rag\" does not exist",
        "passage init --store rag to create the store",
    )
    .await;
    cluster.execute("DROP EXTENSION pg_passage").await;
    assert_finding(1, "pg_passage: it is not installed in the database", "Run passage init").await;
    let mut program = cluster.client_program();
    program.env("DATABASE_URL", "postgresql:///a?host=/nowhere&user=me").args(["doctor"]);
    let doctor = RunOutput::of(&mut program).await;
    assert_eq!(doctor.code, Some(1));
    assert!(
        doctor.stdout.contains("connection: cannot connect")
            && doctor.stdout.contains("Check that the server runs")
    );
}

#[tokio::test]
async fn doctor_reports_the_model_and_chunks_without_embeddings() {
    let cluster = Cluster::start().await;
    if lacks_embedding(&cluster, "doctor reports the model") {
        return;
    }
    cluster.passage(["ingest", "--no-embed", fixture!("client/garden/watering.txt")]).await;
    let doctor = run_client(&cluster, ["doctor"]).await;
    assert_eq!(doctor.code, Some(0), "{}", doctor.stdout);
    for said in [
        "good    model: sentence-transformers/all-MiniLM-L6-v2, 384 dimensions",
        "with iterative scans",
        "Run passage embed to create them",
    ] {
        assert!(doctor.stdout.contains(said), "{said}: {}", doctor.stdout);
    }
    cluster.execute("INSERT INTO rag.settings VALUES ('model', '\"other\"')").await;
    let doctor = run_client(&cluster, ["doctor"]).await;
    assert_eq!(doctor.code, Some(1));
    assert!(
        doctor.stdout.contains("error   model: store \"rag\" holds embeddings of other"),
        "{}",
        doctor.stdout
    );
}

#[tokio::test]
async fn context_shows_a_chunk_with_its_neighbors() {
    let cluster = garden().await;
    let hit =
        cluster.query_text("SELECT id FROM rag.chunks WHERE content LIKE '%Varroa mites%'").await;
    let shown = cluster.passage(["context", &hit]).await;
    assert!(shown.contains("   ┃ Varroa mites sit in the brood"), "{shown}");
    assert!(shown.contains("\nhit  Keeping bees › Mites\n   garden/bees.md:"), "{shown}");
    assert!(shown.contains("distance 0") && shown.contains(&hit), "{shown}");

    let rows = lines(
        &cluster.passage(["context", "--json", "--strategy", "none", "--before", "1", &hit]).await,
    );
    let roles: Vec<_> = rows.iter().map(|row| row["role"].as_str().unwrap()).collect();
    let expected = format!(
        "SELECT string_agg(role, ',' ORDER BY ordinal) FROM passage.expand_context('{hit}', 'none', limits => passage.limits(before => 1))"
    );
    assert_eq!(roles.join(","), cluster.query_text(&expected).await);
    assert_eq!(rows.len(), 2);

    let none = "00000000-0000-0000-0000-000000000000";
    run_client(&cluster, ["context", none])
        .await
        .assert_refusal(&format!("no chunk has the id {none}"), "passage search --json");
    run_client(&cluster, ["context", &hit, "--strategy", "wide"])
        .await
        .assert_refusal("\"wide\"", "strategies");
}

#[tokio::test]
async fn fragments_are_whole_lines_with_line_numbers() {
    let cluster = garden().await;
    let shown = cluster.passage(["fragments", "--limit", "1", "varroa mites"]).await;
    assert!(
        shown.contains("1  Keeping bees\n   garden/bees.md:")
            && shown.contains("Varroa mites sit in the brood"),
        "{shown}"
    );
    let rows =
        lines(&cluster.passage(["fragments", "--json", "--uri", "watering", "seedlings"]).await);
    let source = std::fs::read_to_string(fixture!("client/garden/watering.txt")).unwrap();
    let (first, last) = (
        rows[0]["first_line"].as_u64().unwrap() as usize,
        rows[0]["last_line"].as_u64().unwrap() as usize,
    );
    let quoted =
        source.split_inclusive('\n').skip(first - 1).take(last - first + 1).collect::<String>();
    assert_eq!(rows[0]["content"].as_str().unwrap().trim_end(), quoted.trim_end());
    let columns = "SELECT string_agg(name, ',' ORDER BY name) FROM pg_proc, unnest(proargnames, proargmodes) AS argument (name, mode) \
        WHERE pronamespace = 'passage'::regnamespace AND proname = 'fragments' AND mode = 't' \
        AND name <> 'source_ids'";
    let keys: Vec<_> = rows[0].as_object().unwrap().keys().cloned().collect();
    assert_eq!(keys.join(","), cluster.query_text(columns).await);
    let full = lines(
        &cluster
            .passage([
                "fragments",
                "--json",
                "--uri",
                "watering",
                "--full",
                "--max-tokens",
                "100000",
            ])
            .await,
    );
    assert_eq!(
        full.iter().map(|row| row["content"].as_str().unwrap()).collect::<String>().trim_end(),
        source.trim_end()
    );
    assert_eq!(cluster.passage(["fragments", "zzzzzz"]).await, "nothing found\n");
    run_client(&cluster, ["fragments"])
        .await
        .assert_refusal("required arguments were not provided", "Usage: passage fragments");
}

/// Serves the files of a folder until the test ends; the file `spoil` has one wrong byte.
async fn mirror(folder: std::path::PathBuf, spoil: &'static str) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/model", listener.local_addr().unwrap());
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let mut request = vec![0; 4096];
            let read = stream.read(&mut request).await.unwrap();
            let request = String::from_utf8_lossy(&request[..read]).into_owned();
            let name = request.split(' ').nth(1).unwrap().rsplit('/').next().unwrap().to_owned();
            let mut body = std::fs::read(folder.join(&name)).unwrap();
            if name == spoil {
                body[0] ^= 1;
            }
            let head = format!(
                "HTTP/1.1 200 OK\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
                body.len()
            );
            let _ = stream.write_all(head.as_bytes()).await;
            let _ = stream.write_all(&body).await;
        }
    });
    url
}

#[tokio::test]
async fn model_fetch_verifies_the_model_and_later_runs_use_it() {
    let cluster = Cluster::start().await;
    if lacks_embedding(&cluster, "model fetch verifies the model, and later runs use it") {
        return;
    }
    let cache = tempfile::tempdir().unwrap();
    let folder = std::env::var_os("PASSAGE_MODEL").map(Into::into).or_else(model_path).unwrap();
    let program = |arguments: &[&str]| {
        let mut program = cluster.client_program();
        program.env_remove("PASSAGE_MODEL").env("XDG_CACHE_HOME", cache.path()).args(arguments);
        program
    };
    let spoiled = mirror(std::path::PathBuf::clone(&folder), "tokenizer.json").await;
    let fetched = RunOutput::of(&mut program(&["model", "fetch", "--from", &spoiled])).await;
    fetched.assert_refusal(
        "cannot fetch tokenizer.json: the checksum is not that of revision",
        "--from",
    );
    let model_folder = cache.path().join("passage/all-MiniLM-L6-v2");
    let names = || {
        let mut names: Vec<_> = std::fs::read_dir(&model_folder)
            .unwrap()
            .map(|file| file.unwrap().file_name())
            .collect();
        names.sort();
        names
    };
    assert_eq!(names(), ["model.safetensors"], "a damaged file is not kept");

    // A file that is there already is not downloaded again.
    let good = mirror(folder, "model.safetensors").await;
    let fetched = RunOutput::of(&mut program(&["model", "fetch", "--from", &good])).await;
    assert_eq!(
        fetched.stdout,
        format!(
            "sentence-transformers/all-MiniLM-L6-v2 is installed in {}\n",
            model_folder.display()
        )
    );
    assert_eq!(names(), ["config.json", "model.safetensors", "tokenizer.json"]);
    let ingest =
        RunOutput::of(&mut program(&["ingest", fixture!("client/garden/watering.txt")])).await;
    assert_eq!(ingest.code, Some(0), "{}", ingest.stderr);
    let search =
        RunOutput::of(&mut program(&["search", "--mode", "vector", "how are seedlings watered"]))
            .await;
    assert!(search.stdout.contains("Seedlings are watered from below"), "{}", search.stderr);

    let nowhere = RunOutput::of(&mut program(&[
        "model",
        "fetch",
        "--from",
        "http://127.0.0.1:1",
        "--to",
        "/nowhere/model",
    ]))
    .await;
    nowhere.assert_refusal("cannot fetch model.safetensors", "Give --from the URL");
}

#[tokio::test]
async fn completions_know_the_commands() {
    let cluster = Cluster::bare().await;
    for (shell, line) in
        [("bash", "_passage()"), ("zsh", "#compdef passage"), ("fish", "complete -c passage")]
    {
        let script = cluster.passage(["completions", shell]).await;
        assert!(script.contains(line) && script.contains("fragments"), "{shell}");
    }
}

#[tokio::test]
async fn every_command_has_a_manual_page() {
    let cluster = Cluster::bare().await;
    let folder = tempfile::tempdir().unwrap();
    cluster.passage(["manual-pages", folder.path().to_str().unwrap()]).await;
    let help = cluster.passage(["--help"]).await;
    let (_, commands) = help.split_once("Commands:\n").unwrap();
    let names = commands.lines().take_while(|line| !line.is_empty());
    let names: Vec<_> = names.filter_map(|line| line.split_whitespace().next()).collect();
    assert!(names.contains(&"ingest") && !names.contains(&"manual-pages"), "{names:?}");
    for name in names.iter().filter(|name| **name != "help") {
        let page =
            std::fs::read_to_string(folder.path().join(format!("passage-{name}.1"))).unwrap();
        assert!(page.contains(".SH OPTIONS"), "{name}");
    }
    assert!(!folder.path().join("passage-manual-pages.1").exists());

    let nowhere = run_client(&cluster, ["manual-pages", "/nonexistent"]).await;
    nowhere.assert_refusal("cannot write to /nonexistent", "Name a folder that exists");
}
