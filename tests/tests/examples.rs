//! The examples of the README and of `docs/`: their SQL, their commands, and the output below them.
//!
//! Each page has a database of its own, in which its blocks run in order:
//!
//! - `sql` runs through `psql`. A `text` block behind it is the expected output. If that begins with
//!   `ERROR` or `NOTICE`, it is the messages, then the rows.
//! - `console` has commands of the client, each with its expected output, if any.
//! - `toml` is a configuration of the client.
//! - Other blocks do not run.
//!
//! The database holds the store `rag` with the documents in `fixtures/handbook`. It is empty for a
//! page with the comment `<!-- database: empty -->`. Without pgvector, blocks that need it are
//! skipped.
//!
//! With `PASSAGE_WRITE_EXAMPLES=1` the test writes the real output into the pages.

use std::fmt::Write as _;
use std::process::{Output, Stdio};

use futures_util::{StreamExt, stream};
use passage_tests::cluster::{DATABASE, OWNER, SUPERUSER, model_path};
use passage_tests::markdown::{Block, Page, pages};
use passage_tests::{Cluster, fixture};
use tokio::io::AsyncWriteExt;
use tokio_postgres::NoTls;

const EMPTY: &str = "<!-- database: empty -->";

/// The database of one page.
struct Example<'a> {
    cluster: &'a Cluster,
    page: &'a Page,
    database: String,
}

#[tokio::test]
async fn every_example_of_the_documentation_prints_what_it_shows() {
    let cluster = Cluster::start().await;
    if model_path().is_none() {
        let why = "there is no model: ground/model fetches it";
        cluster.installation().report_skipped("the examples of the documentation", why);
        return;
    }
    for command in ["init", "ingest handbook"] {
        let output = passage(&cluster, DATABASE, words(command)).await;
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }
    cluster.execute("ANALYZE rag.documents, rag.chunks").await;
    cluster.execute_as(SUPERUSER, &format!("CREATE ROLE reader; GRANT reader TO {OWNER}")).await;

    let pages = pages();
    let mut examples = Vec::new();
    for (number, page) in pages.iter().enumerate() {
        let database = format!("page_{number}");
        let template = if page.text.contains(EMPTY) { "template1" } else { DATABASE };
        let create = format!("CREATE DATABASE {database} OWNER {OWNER} TEMPLATE {template}");
        in_database(&cluster, SUPERUSER, "postgres", &create).await.unwrap();
        if template == "template1" && cluster.has_vector() {
            in_database(&cluster, SUPERUSER, &database, "CREATE EXTENSION vector").await.unwrap();
        }
        examples.push(Example { cluster: &cluster, page, database });
    }
    let runs = stream::iter(&examples).map(Example::run).buffer_unordered(4);
    let mut failures: Vec<String> = runs.collect::<Vec<_>>().await.concat();
    failures.sort();
    assert!(failures.is_empty(), "{}", failures.join("\n\n"));
}

impl Example<'_> {
    /// Runs the blocks of the page and returns a description of each failure.
    async fn run(&self) -> Vec<String> {
        let blocks = self.page.blocks();
        let mut failures = Vec::new();
        let mut written = self.page.text.clone();
        for (place, block) in blocks.iter().enumerate() {
            let expected = blocks.get(place + 1).filter(|next| next.language == "text");
            let result = match block.language.as_str() {
                "sql" => self.run_sql(block, expected).await,
                "console" => self.run_commands(block).await,
                _ => continue,
            };
            match result {
                Ok(()) => {}
                Err(Failure::Output { shown, printed }) if write_examples() => {
                    written = written.replacen(&shown, &printed, 1);
                }
                Err(failure) => {
                    failures.push(format!("{}:{}: {failure}", self.page.name, block.line));
                }
            }
        }
        if written != self.page.text {
            std::fs::write(self.page.path(), written).unwrap();
        }
        failures
    }

    async fn run_sql(&self, block: &Block, expected: Option<&Block>) -> Result<(), Failure> {
        let needs_vector =
            ["vector", "embedding", "dimensions"].iter().any(|word| block.text.contains(word));
        let what = format!("the example on line {} of {}", block.line, self.page.name);
        if needs_vector && self.cluster.lacks_vector(&what) {
            return match block.text.contains(" EXTENSION ") {
                true => self.install_without_vector().await,
                false => Ok(()),
            };
        }
        let output = self.psql(&self.with_parameters(&block.text).await?).await;
        let mut printed = String::from_utf8(output.stdout).unwrap();
        let messages = String::from_utf8(output.stderr).unwrap();
        let shown = expected.map_or("", |block| block.text.as_str());
        let shows_messages = ["ERROR", "NOTICE", "WARNING"].iter().any(|w| shown.starts_with(w));
        if shows_messages {
            printed = messages + &printed;
        } else if messages.contains("ERROR:") {
            return Err(Failure::Failed(messages));
        }
        if block.text.contains(" EXTENSION ") && !shows_messages {
            let problems = self.psql("SELECT * FROM passage.check_store(data => true)").await;
            let problems = String::from_utf8(problems.stdout).unwrap();
            if problems.lines().count() > 3 {
                return Err(Failure::Failed(problems));
            }
        }
        if expected.is_some() && trimmed(&printed) != trimmed(shown) {
            let printed = trimmed(&printed) + "\n";
            return Err(Failure::Output { shown: shown.to_owned(), printed });
        }
        Ok(())
    }

    async fn install_without_vector(&self) -> Result<(), Failure> {
        let sql =
            "CREATE EXTENSION IF NOT EXISTS pg_passage CASCADE; SELECT passage.create_store()";
        let output = self.psql(sql).await;
        let messages = String::from_utf8(output.stderr).unwrap();
        if messages.contains("ERROR:") { Err(Failure::Failed(messages)) } else { Ok(()) }
    }

    /// Runs the commands of a block and compares what they print with the lines below them.
    async fn run_commands(&self, block: &Block) -> Result<(), Failure> {
        let mut printed = String::new();
        let mut differs = false;
        let mut commands: Vec<(&str, String)> = Vec::new();
        for line in block.text.lines() {
            if line.starts_with("$ ") {
                commands.push((line, String::new()));
            } else {
                let (_, expected) = commands.last_mut().expect("output follows a command");
                writeln!(expected, "{line}").unwrap();
            }
        }
        for (command, expected) in commands {
            writeln!(printed, "{command}").unwrap();
            let Some(arguments) = self.arguments(command).await? else {
                printed += &expected;
                continue;
            };
            let output = passage(self.cluster, &self.database, arguments).await;
            let messages = String::from_utf8(output.stderr).unwrap();
            let fails = expected.starts_with("error:");
            if output.status.success() == fails {
                return Err(Failure::Failed(format!("{command}\n{messages}")));
            }
            let stdout = String::from_utf8(output.stdout).unwrap();
            let text = if fails { messages } else { stdout };
            if !expected.is_empty() {
                differs |= self.cluster.has_vector() && masked(&text) != masked(&expected);
                writeln!(printed, "{}", trimmed(&text)).unwrap();
            }
        }
        match differs {
            true => Err(Failure::Output { shown: block.text.clone(), printed }),
            false => Ok(()),
        }
    }

    /// Returns the arguments of a command, or `None` if it needs embeddings that are missing.
    async fn arguments(&self, command: &str) -> Result<Option<Vec<String>>, Failure> {
        let Some(command) = command.strip_prefix("$ passage ") else {
            return Err(Failure::Failed(format!("{command}: only the client runs here")));
        };
        let mut arguments = words(command);
        if arguments[0] == "embed" && !self.cluster.has_vector() {
            return Ok(None);
        }
        // The id of a chunk is known only to its store.
        if arguments.iter().any(|word| word == "CHUNK") {
            let sql = "SELECT id FROM rag.chunks WHERE section = '{Logging,Rotation}' ORDER BY id LIMIT 1";
            let chunk = self.query_text(sql).await?;
            let chunks = arguments.iter_mut().filter(|word| *word == "CHUNK");
            chunks.for_each(|word| word.clone_from(&chunk));
        }
        Ok(Some(arguments))
    }

    /// Replaces the parameters of a query by an embedding, or by ids and scores of hits.
    async fn with_parameters(&self, sql: &str) -> Result<String, Failure> {
        let mut sql = sql.to_owned();
        for (parameter, query) in [
            (
                "$1::vector",
                "SELECT embedding FROM rag.chunks_embedded WHERE section = '{Logging,Rotation}' ORDER BY id LIMIT 1",
            ),
            (
                "$1::uuid[]",
                "SELECT array_agg(id ORDER BY id) FROM rag.chunks WHERE section[1] = 'Logging' AND level = 2",
            ),
            (
                "$2::double precision[]",
                "SELECT array_agg(0.5) FROM rag.chunks WHERE section[1] = 'Logging' AND level = 2",
            ),
        ] {
            if sql.contains(parameter) {
                let (_, parameter_type) = parameter.split_once("::").expect("it has a type");
                let value = format!("'{}'::{parameter_type}", self.query_text(query).await?);
                sql = sql.replace(parameter, &value);
            }
        }
        Ok(sql)
    }

    async fn query_text(&self, sql: &str) -> Result<String, Failure> {
        let value = in_database(self.cluster, OWNER, &self.database, sql).await;
        value.map_err(|error| Failure::Failed(error.to_string()))
    }

    /// Runs a script as `psql` does at a prompt.
    async fn psql(&self, sql: &str) -> Output {
        let mut program = self.cluster.program("psql");
        program
            .args(["-Xq", "-P", "footer=off", "-v", "SHOW_CONTEXT=never"])
            .env("PGDATABASE", &self.database);
        program.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = program.spawn().unwrap();
        let mut stdin = child.stdin.take().unwrap();
        stdin.write_all(sql.as_bytes()).await.unwrap();
        drop(stdin);
        child.wait_with_output().await.unwrap()
    }
}

/// Why an example fails.
enum Failure {
    /// The block itself fails.
    Failed(String),
    /// The block prints something else than the page shows.
    Output { shown: String, printed: String },
}

impl std::fmt::Display for Failure {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Failed(message) => write!(formatter, "{message}"),
            Self::Output { shown, printed } => {
                write!(formatter, "prints\n{printed}\nand not\n{shown}")
            }
        }
    }
}

fn write_examples() -> bool {
    std::env::var_os("PASSAGE_WRITE_EXAMPLES").is_some()
}

/// Runs a query in a database and returns its first value, or an empty text.
async fn in_database(
    cluster: &Cluster,
    role: &str,
    database: &str,
    sql: &str,
) -> Result<String, tokio_postgres::Error> {
    let (client, connection) = cluster.config(role).dbname(database).connect(NoTls).await?;
    let connection = tokio::spawn(connection);
    let messages = client.simple_query(sql).await?;
    drop(client);
    // A template must have no session left.
    connection.await.expect("the connection does not panic")?;
    Ok(messages
        .iter()
        .find_map(|message| match message {
            tokio_postgres::SimpleQueryMessage::Row(row) => row.get(0).map(str::to_owned),
            _ => None,
        })
        .unwrap_or_default())
}

/// Runs the client in the folder of the documents.
async fn passage(cluster: &Cluster, database: &str, mut arguments: Vec<String>) -> Output {
    let help = arguments.iter().any(|word| word == "--help");
    match arguments[0].as_str() {
        _ if help || cluster.has_vector() => {}
        "init" => arguments.push("--no-embed".into()),
        // The chunks are those of the model all the same.
        "ingest" | "sync" => {
            arguments.extend(["--no-embed", "--sizer", "wordpieces"].map(Into::into));
        }
        _ => {}
    }
    let url = cluster.url().replacen(DATABASE, database, 1);
    let mut program = cluster.client_program();
    program.args(&arguments).env("DATABASE_URL", url).current_dir(fixture!("."));
    program.env("HOME", cluster.folder()).env_remove("XDG_CONFIG_HOME").output().await.unwrap()
}

/// Returns a text without the blanks at the ends of its lines.
fn trimmed(text: &str) -> String {
    let lines: Vec<_> = text.lines().map(str::trim_end).collect();
    lines.join("\n").trim_matches('\n').to_owned()
}

/// Returns the words of an output, without times and without the last digits of fractions.
fn masked(text: &str) -> Vec<String> {
    let words: Vec<_> = text.split_whitespace().collect();
    let mask = |(place, word): (usize, &&str)| {
        let unit = words.get(place + 1).copied().unwrap_or_default();
        let unit = unit.trim_end_matches([')', ',']);
        let number = word.trim_start_matches('(').parse::<f64>();
        match number {
            Ok(_) if unit == "ms" || unit == "s" => "TIME".to_owned(),
            Ok(number) if word.contains('.') => format!("{number:.2}"),
            _ if word.len() == 20 && word.starts_with("20") && word.ends_with('Z') => "TIME".into(),
            _ => (*word).to_owned(),
        }
    };
    words.iter().enumerate().map(mask).collect()
}

/// Returns the words of a command; single quotes keep one together.
fn words(command: &str) -> Vec<String> {
    let word = |(place, part): (usize, &str)| match place % 2 {
        1 => vec![part.to_owned()],
        _ => part.split_whitespace().map(str::to_owned).collect(),
    };
    command.split('\'').enumerate().flat_map(word).collect()
}

#[tokio::test]
async fn the_client_accepts_every_configuration_of_the_documentation() {
    let cluster = Cluster::bare().await;
    let mut tried = 0;
    for page in pages() {
        for block in page.blocks().iter().filter(|block| block.language == "toml") {
            let folder = tempfile::tempdir().unwrap();
            std::fs::create_dir(folder.path().join("passage")).unwrap();
            std::fs::write(folder.path().join("passage/passage.toml"), &block.text).unwrap();
            let mut program = cluster.client_program();
            program.args(["split", fixture!("handbook/logging.md"), "--sizer", "characters"]);
            let output = program.env("XDG_CONFIG_HOME", folder.path()).output().await.unwrap();
            let stderr = String::from_utf8_lossy(&output.stderr);
            assert!(output.status.success(), "{}:{}: {stderr}", page.name, block.line);
            tried += 1;
        }
    }
    assert!(tried > 0);
}

#[tokio::test]
async fn an_embedding_of_every_driver_is_accepted_with_a_cast() {
    let cluster = Cluster::start().await;
    if cluster.lacks_vector("an embedding of every driver is accepted with a cast") {
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
