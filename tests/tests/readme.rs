//! The README's examples, run as they stand: its SQL, what it prints, and the commands of the client.
//!
//! The documents that it speaks of lie in `fixtures/handbook`. A block that makes or drops the
//! extension has a server of its own; where there is no pgvector, what needs it is skipped.

use passage_tests::cluster::{SUPERUSER, model_path};
use passage_tests::{Cluster, fixture};

const README: &str = include_str!("../../README.md");

/// A fenced block of the README: what it is in, and its text.
struct Block {
    language: &'static str,
    line: usize,
    text: String,
}

/// The blocks, in their order.
fn blocks() -> Vec<Block> {
    let mut blocks: Vec<Block> = Vec::new();
    let mut open = false;
    for (line, text) in (1..).zip(README.lines()) {
        match text.strip_prefix("```") {
            Some(language) if !open => {
                blocks.push(Block { language, line, text: String::new() });
                open = true;
            }
            Some(_) => open = false,
            None if open => {
                let block = blocks.last_mut().expect("a fence was opened");
                block.text += text;
                block.text.push('\n');
            }
            None => {}
        }
    }
    assert!(!open, "a fence of the README is not closed");
    blocks
}

impl Block {
    fn needs_vector(&self) -> bool {
        self.text.contains("vector") || self.text.contains("embedding")
    }

    fn needs_own_server(&self) -> bool {
        self.text.contains(" EXTENSION ")
    }
}

/// What a program prints, without the blanks that end a line.
fn trimmed(text: &str) -> String {
    text.lines().map(str::trim_end).collect::<Vec<_>>().join("\n").trim_end().to_owned()
}

/// Runs a block as `psql` does at a prompt.
async fn psql(cluster: &Cluster, sql: &str) -> String {
    let path = cluster.folder().join("block.sql");
    std::fs::write(&path, sql).unwrap();
    let path = path.to_str().unwrap();
    cluster.run("psql", ["-Xq", "-P", "footer=off", "-v", "ON_ERROR_STOP=1", "-f", path]).await
}

/// Runs the commands of a block, and compares what they print with what stands below them.
async fn console(cluster: &Cluster, block: &Block) {
    let mut commands: Vec<(&str, String)> = Vec::new();
    for line in block.text.lines() {
        if let Some(command) = line.strip_prefix("$ passage ") {
            commands.push((command, String::new()));
        } else {
            let (_, expected) = commands.last_mut().expect("output follows a command");
            expected.push_str(line);
            expected.push('\n');
        }
    }
    for (command, expected) in commands {
        let mut arguments = words(command);
        match arguments[0].as_str() {
            "embed" if !cluster.has_vector() => continue,
            // A chunk has an id that only its store knows.
            "context" => {
                let chunk = "SELECT id FROM rag.chunks WHERE section = '{Logging,Rotation}'";
                let chunk = cluster.query_text(chunk).await;
                arguments
                    .iter_mut()
                    .filter(|word| *word == "CHUNK")
                    .for_each(|word| word.clone_from(&chunk));
            }
            "init" if !cluster.has_vector() => arguments.push("--no-embed".into()),
            // The chunks are those of the model all the same.
            "ingest" | "sync" if !cluster.has_vector() => {
                arguments.extend(["--no-embed", "--sizer", "wordpieces"].map(Into::into));
            }
            _ => {}
        }
        let mut program = cluster.client_program();
        let output = program.args(&arguments).current_dir(fixture!(".")).output().await.unwrap();
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "line {}: {command}\n{stderr}", block.line);
        let printed = String::from_utf8(output.stdout).unwrap();
        assert!(!printed.trim().is_empty(), "line {}: {command} prints nothing", block.line);
        if !expected.is_empty() {
            assert_eq!(trimmed(&printed), trimmed(&expected), "line {}: {command}", block.line);
        }
    }
}

/// The words of a command; single quotes keep one together.
fn words(command: &str) -> Vec<String> {
    let word = |(place, part): (usize, &str)| match place % 2 {
        1 => vec![part.to_owned()],
        _ => part.split_whitespace().map(str::to_owned).collect(),
    };
    command.split('\'').enumerate().flat_map(word).collect()
}

/// A server that holds the handbook, as the README has it.
async fn handbook() -> Option<Cluster> {
    let cluster = Cluster::start().await;
    if model_path().is_none() {
        let why = "there is no model: ground/model fetches it";
        cluster.installation().report_skipped("the README's examples", why);
        return None;
    }
    for block in blocks().iter().filter(|block| block.language == "console") {
        console(&cluster, block).await;
    }
    assert_eq!(cluster.query_text("SELECT count(*) FROM rag.documents").await, "2");
    cluster.execute_as(SUPERUSER, "CREATE ROLE reader LOGIN").await;
    Some(cluster)
}

/// What stands for the parameters of a query: an embedding, or ids and scores of hits.
async fn parameters(cluster: &Cluster, sql: &str) -> String {
    let mut sql = sql.to_owned();
    if cluster.has_vector() {
        let embedding =
            "SELECT embedding FROM rag.chunks_embedded WHERE section = '{Logging,Rotation}'";
        let embedding = cluster.query_text(embedding).await;
        sql = sql.replace("$1::vector", &format!("'{embedding}'::vector"));
    }
    let ids = cluster
        .query_text("SELECT array_agg(id ORDER BY id) FROM rag.chunks WHERE level = 2")
        .await;
    let scores =
        cluster.query_text("SELECT array_agg(level / 8.0) FROM rag.chunks WHERE level = 2").await;
    sql.replace("$1::uuid[]", &format!("'{ids}'::uuid[]"))
        .replace("$2::double precision[]", &format!("'{scores}'::double precision[]"))
}

#[tokio::test]
async fn every_example_of_the_readme_runs_and_prints_what_it_says() {
    let Some(cluster) = handbook().await else { return };
    let blocks = blocks();
    let mut compared = 0;
    for (place, block) in blocks.iter().enumerate() {
        if block.language != "sql" || block.needs_own_server() {
            continue;
        }
        let what = format!("the README's example on line {}", block.line);
        if block.needs_vector() && cluster.lacks_vector(&what) {
            continue;
        }
        let printed = psql(&cluster, &parameters(&cluster, &block.text).await).await;
        if let Some(expected) = blocks.get(place + 1).filter(|next| next.language == "text") {
            assert_eq!(trimmed(&printed), trimmed(&expected.text), "{what}");
            compared += 1;
        } else if block.text.trim_start().starts_with("SELECT passage") {
            assert!(printed.lines().count() > 2, "{what} gives no rows:\n{printed}");
        }
    }
    assert_eq!(compared, blocks.iter().filter(|block| block.language == "text").count());

    // Its policies let a reader see one collection, and here that is the one without a name.
    let context = "SELECT count(*) FROM passage.expand_contexts(ARRAY(SELECT id FROM rag.chunks))";
    assert_eq!(cluster.query_text_as("reader", context).await, "0");
    let context = format!("SET app.collection = ''; {context}");
    assert_eq!(cluster.query_text_as("reader", &context).await, "9");
}

#[tokio::test]
async fn the_configuration_of_the_readme_holds_for_the_client() {
    let cluster = Cluster::bare().await;
    let mut tried = 0;
    for block in blocks().iter().filter(|block| block.language == "toml") {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("passage")).unwrap();
        std::fs::write(folder.path().join("passage/passage.toml"), &block.text).unwrap();
        let mut program = cluster.client_program();
        program.args(["split", fixture!("handbook/logging.md"), "--sizer", "characters"]);
        let output = program.env("XDG_CONFIG_HOME", folder.path()).output().await.unwrap();
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "line {}: {stderr}", block.line);
        tried += 1;
    }
    assert!(tried > 0);
}

#[tokio::test]
async fn the_owner_of_a_database_installs_upgrades_and_removes_as_the_readme_says() {
    let cluster = Cluster::bare().await;
    if cluster.has_vector() {
        cluster.execute_as(SUPERUSER, "CREATE EXTENSION vector").await;
    }
    let mut begun = false;
    for block in blocks().iter().filter(|block| block.needs_own_server()) {
        let what = format!("the README's example on line {}", block.line);
        if block.needs_vector() && cluster.lacks_vector(&what) {
            psql(&cluster, "CREATE EXTENSION pg_passage CASCADE; SELECT passage.create_store();")
                .await;
        } else {
            psql(&cluster, &block.text).await;
        }
        let problems = cluster.query_lines("SELECT * FROM passage.check_store(data => true)").await;
        assert!(problems.is_empty(), "{what}: {problems:?}");
        begun = true;
    }
    assert!(begun);
}

#[tokio::test]
async fn what_drivers_send_for_an_embedding_is_taken_with_a_cast() {
    let cluster = Cluster::start().await;
    if cluster.lacks_vector("what drivers send for an embedding is taken with a cast") {
        return;
    }
    let query = "SELECT count(*) FROM (SELECT chunk_id FROM rag.embeddings ORDER BY embedding <=>";
    for (sent, value) in [
        ("unknown", "array_fill(1.0::real, '{384}')::text"),
        ("text", "array_fill(1.0::real, '{384}')::text"),
        ("varchar", "array_fill(1.0::real, '{384}')::text"),
        ("double precision[]", "array_fill(1.0::float8, '{384}')"),
        ("real[]", "array_fill(1.0::real, '{384}')"),
        ("vector", "array_fill(1.0::real, '{384}')::vector"),
    ] {
        let value = cluster.query_text(&format!("SELECT quote_literal(({value})::text)")).await;
        let value =
            if sent.ends_with(']') { value } else { value.replace('{', "[").replace('}', "]") };
        let prepare = format!("PREPARE nearest ({sent}) AS {query} $1::vector LIMIT 1) AS hit");
        cluster.execute(&format!("{prepare}; EXECUTE nearest ({value})")).await;
        if sent == "text" || sent.ends_with(']') {
            let error = cluster.error(&prepare.replace("::vector", "")).await;
            assert_eq!(error.code().code(), "42883", "{sent} works without the cast");
        }
    }
    cluster
        .execute(
            "SELECT passage.create_store('half', dimensions => 3, embedding_type => 'halfvec')",
        )
        .await;
    for value in ["'[1,2,3]'", "'[1,2,3]'::vector", "'[1,2,3]'::halfvec"] {
        let query =
            format!("SELECT chunk_id FROM half.embeddings ORDER BY embedding <=> {value} LIMIT 1");
        let plan = cluster.query_lines(&format!("SET enable_seqscan = off; EXPLAIN {query}")).await;
        assert!(plan.join("").contains("embeddings_embedding_idx"), "{plan:?}");
    }
}
