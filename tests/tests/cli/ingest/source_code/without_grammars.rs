/*!
A server whose library was built without grammars: `make check` builds it with `GRAMMARS=no`.

SQL stores source code as plain text with a mark, and `passage embed` splits it again. Then the store equals one
that was filled by a library with grammars.
*/

use super::files::{File, files};
use super::rows::assert_same_rows;
use crate::embedding_service::{Request, Service};
use crate::{RunOutput, assert_sound, next_transaction, until_line};
use passage_tests::Cluster;
use passage_tests::cases;
use passage_tests::cluster::target;
use passage_tests::wait::until;
use std::os::unix::fs::PermissionsExt;
use std::process::Stdio;
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::Command;

pub const MARKED: &str = "SELECT count(*) FROM rag.documents WHERE metadata ? 'split_as_text'";
pub const MISSING: &str =
    "SELECT count(*) FROM rag.chunks WHERE id NOT IN (SELECT chunk_id FROM rag.embeddings)";

/// A server with the stores `rag`, with embeddings, and `expected`. Its library has no grammars.
pub async fn start(what: &str) -> Option<Cluster> {
    let cluster = Cluster::bare().await;
    if cluster.lacks_vector(what) {
        return None;
    }
    let installed = cluster.installation().library("pg_passage");
    let built = target().join("without-grammars").join(installed.strip_prefix("/").unwrap());
    if !built.is_file() {
        let why = "make check builds the library without grammars";
        cluster.installation().report_skipped(what, why);
        return None;
    }
    // The server's user may have no access to the build.
    let library = library(&cluster);
    std::fs::copy(&built, &library).unwrap();
    std::fs::set_permissions(&library, std::fs::Permissions::from_mode(0o755)).unwrap();
    cluster.execute_as("postgres", "CREATE EXTENSION vector").await;
    cluster.execute("CREATE EXTENSION pg_passage CASCADE").await;
    cluster
        .execute("SELECT passage.create_store(dimensions => 64), passage.create_store('expected')")
        .await;
    use_library(&cluster, &library).await;
    Some(cluster)
}

fn library(cluster: &Cluster) -> String {
    cluster.folder().join("without_grammars.so").to_str().unwrap().to_owned()
}

/// Lets the functions of the extension call another library. New sessions load it.
async fn use_library(cluster: &Cluster, library: &str) {
    let sql = format!(
        "UPDATE pg_proc SET probin = '{library}' FROM pg_language AS l WHERE l.oid = prolang AND lanname = 'c' \
         AND pronamespace IN ('passage'::regnamespace, '_passage'::regnamespace)"
    );
    cluster.execute_as("postgres", &sql).await;
}

/// Lets the functions call the library of the installation, which has all grammars.
async fn use_grammars(cluster: &Cluster) {
    use_library(cluster, "$libdir/pg_passage").await;
}

pub fn embed(cluster: &Cluster, service: &Service, arguments: &[&str]) -> Command {
    let mut program = cluster.client_program();
    program.env("PASSAGE_EMBED_URL", service.url()).env("PASSAGE_EMBED_MODEL", "tiny");
    program.env("PASSAGE_API_KEY", "key").arg("embed").args(arguments);
    program
}

/// The arguments that a file is ingested with, so that some files have other settings than the defaults.
fn settings(index: usize) -> &'static str {
    [
        "",
        ", splitting => passage.splitting(max_size => 400, overlap => 30)",
        ", title => 'A \"title\"', kind => 'prose', collection => 'c', version => '1'",
        ", metadata => '{\"a\": 1.10, \"syntax_error\": null, \"http\": 1}'",
        r", splitting => passage.splitting(split_at => '^\s*(return|end|\}|<)')",
        ", splitting => passage.splitting(split_offsets => ARRAY[octet_length($2) / 3, octet_length($2) / 2])",
    ][index % 6]
}

/// Ingests all files into a store, and returns the outcomes.
async fn ingest(cluster: &Cluster, files: &[File], store: &str) -> Vec<String> {
    let client = cluster.client().await;
    let mut outcomes = Vec::new();
    for (index, File { name, text, .. }) in files.iter().enumerate() {
        let sql = format!(
            "SELECT outcome FROM passage.ingest($1, $2, store => '{store}'{})",
            settings(index)
        );
        outcomes.push(client.query_one(&sql, &[name, text]).await.unwrap().get(0));
    }
    outcomes
}

#[tokio::test]
async fn embed_splits_source_code_that_a_server_without_grammars_stored() {
    let Some(cluster) = start("embed splits source code of a server without grammars").await else {
        return;
    };
    let files = files();
    let outcomes = ingest(&cluster, &files, "rag").await;
    assert!(outcomes.iter().all(|outcome| outcome == "added"), "{outcomes:?}");
    let unmarked = "SELECT coalesce(string_agg(concat_ws(' ', uri, media_type), ', '), '') FROM rag.documents \
                    WHERE NOT metadata ? 'split_as_text'";
    assert_eq!(cluster.query_text(unmarked).await, "");
    let units = "SELECT string_agg(DISTINCT unit, ' ') FROM rag.chunks";
    assert_eq!(cluster.query_text(units).await, "text");
    cluster.execute("SELECT FROM passage.ingest('notes.md', E'# A\\n\\ntext\\n')").await;

    let service = Service::good(64).await;
    let run = RunOutput::of(&mut embed(&cluster, &service, &[])).await;
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    let note = format!("split {} documents of source code by its syntax", files.len());
    assert!(run.stderr.contains(&note), "{}", run.stderr);
    assert_eq!(cluster.query_text(MARKED).await, "0");
    assert_eq!(cluster.query_text(MISSING).await, "0");
    assert_sound(&cluster).await;

    // The service has embedded the chunks of the structure, and no others.
    let texts = "SELECT concat_ws(E'\\n', nullif(preamble, ''), content) FROM rag.chunks";
    let mut stored = cluster.query_lines(texts).await;
    let seen = service.seen();
    let requests = seen.iter().filter(|request| !request.is_first());
    let mut embedded: Vec<_> = requests.flat_map(Request::texts).collect();
    stored.sort();
    embedded.sort();
    assert_eq!(embedded.len(), stored.len());
    assert!(embedded == stored);

    // SQL without grammars finds them unchanged, and the worker finds nothing to do.
    let outcomes = ingest(&cluster, &files, "rag").await;
    assert!(outcomes.iter().all(|outcome| outcome == "unchanged"), "{outcomes:?}");
    let before = next_transaction(&cluster).await;
    RunOutput::of(&mut embed(&cluster, &service, &[])).await;
    assert_eq!(next_transaction(&cluster).await, before);

    // The store equals one that a library with grammars has filled, which finds them unchanged, too.
    use_grammars(&cluster).await;
    let outcomes = ingest(&cluster, &files, "rag").await;
    assert!(outcomes.iter().all(|outcome| outcome == "unchanged"), "{outcomes:?}");
    ingest(&cluster, &files, "expected").await;
    cluster
        .execute("SELECT FROM passage.ingest('notes.md', E'# A\\n\\ntext\\n', store => 'expected')")
        .await;
    let rows = assert_same_rows(&cluster, "rag", "expected").await;
    println!("{} files, {rows} rows", files.len());
}

#[tokio::test]
async fn workers_split_source_code_that_a_trigger_writes_meanwhile() {
    let Some(cluster) = start("workers split source code that a trigger writes").await else {
        return;
    };
    let triggers = |table: &str, store: &str| {
        format!(
            "CREATE TABLE {table} (uri text PRIMARY KEY, body text);
            CREATE TRIGGER in_step AFTER INSERT OR UPDATE OR DELETE ON {table} FOR EACH ROW \
            EXECUTE FUNCTION passage.keep_in_step('text={{body}}', 'uri={{uri}}', 'store={store}')"
        )
    };
    cluster.execute(&triggers("sources", "rag")).await;
    let service = Service::good(64).await;
    let mut workers = Vec::new();
    for _ in 0..2 {
        let mut worker = embed(&cluster, &service, &["--follow", "--interval", "1"]);
        workers.push(worker.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap());
    }
    let body = |file: usize, round: usize| {
        let function = |n: usize| {
            format!(
                "fn f{n}(a: u8) -> u8 {{\n    // In round {}.\n    a + {n}\n}}\n\n",
                round * (n % 2)
            )
        };
        let members: String = (0..30 + file).map(function).collect();
        format!("mod m{file} {{\n\n{members}}}\n")
    };
    let client = cluster.client().await;
    for round in 0..6 {
        for file in 0..12 {
            let sql = "INSERT INTO sources VALUES ($1, $2) ON CONFLICT (uri) DO UPDATE SET body = EXCLUDED.body";
            client.execute(sql, &[&format!("{file}.rs"), &body(file, round)]).await.unwrap();
        }
        client
            .execute("DELETE FROM sources WHERE uri = $1", &[&format!("{round}.rs")])
            .await
            .unwrap();
        tokio::time::sleep(std::time::Duration::from_millis(150)).await;
    }
    let is_done = async || {
        cluster.query_text(MARKED).await == "0" && cluster.query_text(MISSING).await == "0"
    };
    until("all documents are split and embedded", is_done).await;
    assert_sound(&cluster).await;
    for mut worker in workers {
        assert!(worker.try_wait().unwrap().is_none(), "a worker has ended");
        worker.kill().await.unwrap();
    }
    // The trigger finds an unchanged row unchanged.
    let before = cluster.query_text("SELECT sum(xmin::text::bigint) FROM rag.chunks").await;
    cluster.execute("UPDATE sources SET body = body").await;
    assert_eq!(cluster.query_text("SELECT sum(xmin::text::bigint) FROM rag.chunks").await, before);
    use_grammars(&cluster).await;
    cluster.execute(&triggers("copies", "expected")).await;
    cluster.execute("INSERT INTO copies SELECT * FROM sources").await;
    assert_same_rows(&cluster, "rag", "expected").await;
}

#[tokio::test]
async fn a_document_that_cannot_be_split_again_is_embedded_as_text() {
    let Some(cluster) = start("a document that cannot be split again is embedded as text").await
    else {
        return;
    };
    let ingest = |uri: &str| {
        format!(
            "SELECT FROM passage.ingest('{uri}', E'fn a() {{}}\\n\\nstruct {uri:.1};\\n', 'text/x-rust')"
        )
    };
    for uri in cases(["bad.rs", "changed.rs", "forged.rs", "good.rs"]) {
        cluster.execute(&ingest(uri)).await;
    }
    cluster
        .execute(
            "UPDATE rag.chunks SET content = 'other' FROM rag.documents AS d WHERE d.id = document_id AND uri = 'changed.rs';
            UPDATE rag.documents SET metadata = '{\"split_as_text\": {\"max_size\": -1}}' WHERE uri = 'forged.rs';
            CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$BEGIN RAISE 'refused'; END$$;
            CREATE TRIGGER refuse BEFORE UPDATE ON rag.documents FOR EACH ROW WHEN (OLD.uri = 'bad.rs')
                EXECUTE FUNCTION refuse()",
        )
        .await;
    let service = Service::good(64).await;
    let run = RunOutput::of(&mut embed(&cluster, &service, &[])).await;
    assert_eq!(run.code, Some(1), "{}", run.stderr);
    run.assert_refusal("bad.rs: source code stays split as text: refused", "");
    assert_eq!(run.stderr.matches("stays split as text").count(), 1, "{}", run.stderr);
    assert_eq!(cluster.query_text(MISSING).await, "0");
    let marked = format!("{MARKED} AND uri = 'good.rs'");
    assert_eq!(cluster.query_text(&marked).await, "0");
    assert_eq!(cluster.query_text(MARKED).await, "3");

    // A worker that follows reports it once, and goes on when the cause has ended and the document changed.
    let mut worker = embed(&cluster, &service, &["--follow", "--interval", "1"]);
    let mut worker = worker.stderr(Stdio::piped()).stdout(Stdio::null()).spawn().unwrap();
    let mut lines = BufReader::new(worker.stderr.take().unwrap()).lines();
    until_line(&mut lines, "bad.rs: source code stays").await;
    cluster.execute(&ingest("more.rs")).await;
    until("another document is split", async || {
        cluster.query_text(MARKED).await == "3" && cluster.query_text(MISSING).await == "0"
    })
    .await;
    cluster.execute("DROP TRIGGER refuse ON rag.documents").await;
    cluster.execute("UPDATE rag.documents SET title = 'now' WHERE uri = 'bad.rs'").await;
    cluster.execute(&ingest("last.rs")).await;
    until("the document is split", async || cluster.query_text(MARKED).await == "2").await;
    worker.kill().await.unwrap();
}
