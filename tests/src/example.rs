/*!
Examples of the documentation, run as a reader runs them.

Each page has a database of its own, in which its blocks run in order:

- `sql` runs through `psql`, which can read the files in `fixtures` and run the client. Each block has a
  session of its own. A `text` block behind it is the expected output. If that begins with `ERROR`,
  `NOTICE` or `WARNING`, it is the messages, then the rows.
- `console` has commands of the client, each with its expected output, if any.
- Other blocks do not run.

The database holds the store `rag` with the documents in `fixtures/handbook`. It is empty for a
page with the comment `<!-- database: empty -->`. Without pgvector, blocks that need it are
skipped, and so are pages with the comment `<!-- needs: pgvector -->`, whose blocks build on each other.

With `PASSAGE_WRITE_EXAMPLES=1` the real output is written into the pages.
*/

use std::fmt::{self, Write as _};

use crate::Cluster;
use crate::cluster::{OWNER, SUPERUSER};
use crate::markdown::{Block, Page};
use crate::page_database::PageDatabase;

const EMPTY: &str = "<!-- database: empty -->";
const NEEDS_VECTOR: &str = "<!-- needs: pgvector -->";

/// A page and its database.
#[derive(Debug)]
pub struct Example<'a> {
    database: PageDatabase<'a>,
    page: &'a Page,
}

impl<'a> Example<'a> {
    /// Loads the documents that the examples use into the store of a new cluster.
    ///
    /// # Panics
    ///
    /// Panics if a command fails.
    pub async fn load(cluster: &Cluster) {
        for command in ["init", "ingest handbook"] {
            let output = PageDatabase::of_cluster(cluster).passage(words(command)).await;
            assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        }
        cluster.execute("ANALYZE rag.documents, rag.chunks").await;
        cluster
            .execute_as(
                SUPERUSER,
                &format!(
                    "CREATE ROLE reader; CREATE ROLE app; GRANT app, reader TO {OWNER};
                    ALTER ROLE {OWNER} CREATEROLE"
                ),
            )
            .await;
    }

    /// Creates the database of a page.
    ///
    /// # Panics
    ///
    /// Panics if the database exists, or if a session uses the loaded one.
    pub async fn create(cluster: &'a Cluster, page: &'a Page, database: String) -> Self {
        let empty = page.text.contains(EMPTY);
        Self { database: PageDatabase::create(cluster, database, empty).await, page }
    }

    /// Runs the blocks of the page and returns a description of each failure.
    ///
    /// # Panics
    ///
    /// Panics if a program cannot be run, or the page cannot be written.
    pub async fn run(&self) -> Vec<String> {
        let what = format!("the examples of {}", self.page.name);
        if self.page.text.contains(NEEDS_VECTOR) && self.database.cluster.lacks_vector(&what) {
            return Vec::new();
        }
        let blocks = self.page.blocks();
        let mut failures = Vec::new();
        let mut written = self.page.text.clone();
        for (index, block) in blocks.iter().enumerate() {
            let expected = blocks.get(index + 1).filter(|next| next.language == "text");
            let result = match block.language.as_str() {
                "sql" => self.run_sql(block, expected).await,
                "console" => self.run_commands(block).await,
                _ => continue,
            };
            match result {
                Ok(()) => {}
                Err(Failure::Output { shown, printed }) if write_examples() => {
                    // With its fences, because an empty block or a short output occurs elsewhere, too.
                    let language = if block.language == "sql" { "text" } else { &block.language };
                    let fenced = |text: &str| format!("```{language}\n{text}```");
                    written = written.replacen(&fenced(&shown), &fenced(&printed), 1);
                }
                Err(failure) => {
                    failures.push(format!("{}:{}: {failure}", self.page.name, block.line));
                }
            }
        }
        if written != self.page.text {
            std::fs::write(self.page.path(), written).expect("the page can be written");
        }
        failures
    }

    async fn run_sql(&self, block: &Block, expected: Option<&Block>) -> Result<(), Failure> {
        let needs_vector = ["vector", "embedding", "dimensions", "$1::real[]"]
            .iter()
            .any(|word| block.text.contains(word));
        let what = format!("the example on line {} of {}", block.line, self.page.name);
        if needs_vector && self.database.cluster.lacks_vector(&what) {
            if block.text.contains(" EXTENSION ") {
                return self.install_without_vector().await;
            }
            return Ok(());
        }
        let output = self.database.psql(&self.database.with_parameters(&block.text).await?).await;
        let mut printed = text(output.stdout);
        let messages = text(output.stderr);
        let shown = expected.map_or("", |block| block.text.as_str());
        let shows_messages = ["ERROR", "NOTICE", "WARNING"].iter().any(|w| shown.starts_with(w));
        if shows_messages {
            printed = messages + &printed;
        } else if messages.contains("ERROR:") {
            return Err(Failure::Failed(messages));
        }
        if block.text.contains(" EXTENSION ") && !shows_messages {
            let problems =
                self.database.psql("SELECT * FROM passage.check_store(data => true)").await;
            let problems = text(problems.stdout);
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
        let output = self.database.psql(sql).await;
        let messages = text(output.stderr);
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
                writeln!(expected, "{line}").expect("a text can be written to");
            }
        }
        for (command, expected) in commands {
            writeln!(printed, "{command}").expect("a text can be written to");
            let Some(arguments) = self.arguments(command).await? else {
                printed += &expected;
                continue;
            };
            let output = self.database.passage(arguments).await;
            let messages = text(output.stderr);
            let fails = expected.starts_with("error:");
            if output.status.success() == fails {
                return Err(Failure::Failed(format!("{command}\n{messages}")));
            }
            let stdout = text(output.stdout);
            let result = if fails { messages } else { stdout };
            if !expected.is_empty() {
                differs |=
                    self.database.cluster.has_vector() && masked(&result) != masked(&expected);
                writeln!(printed, "{}", trimmed(&result)).expect("a text can be written to");
            }
        }
        if differs {
            return Err(Failure::Output { shown: block.text.clone(), printed });
        }
        Ok(())
    }

    /// Returns the arguments of a command, or `None` if it needs embeddings that are missing.
    async fn arguments(&self, command: &str) -> Result<Option<Vec<String>>, Failure> {
        let Some(command) = command.strip_prefix("$ passage ") else {
            return Err(Failure::Failed(format!("{command}: only the client runs here")));
        };
        let mut arguments = words(command);
        if arguments[0] == "embed" && !self.database.cluster.has_vector() {
            return Ok(None);
        }
        // The id of a chunk is known only to its store.
        if arguments.iter().any(|word| word == "CHUNK") {
            let sql = "SELECT id FROM rag.chunks WHERE section = '{Logging,Rotation}' ORDER BY id LIMIT 1";
            let chunk = self.database.query_text(sql).await?;
            let chunks = arguments.iter_mut().filter(|word| *word == "CHUNK");
            chunks.for_each(|word| word.clone_from(&chunk));
        }
        Ok(Some(arguments))
    }
}

/// Why an example fails.
enum Failure {
    /// The block itself fails.
    Failed(String),
    /// The block prints something else than the page shows.
    Output { shown: String, printed: String },
}

impl From<tokio_postgres::Error> for Failure {
    fn from(error: tokio_postgres::Error) -> Self {
        Self::Failed(error.to_string())
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
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

/// Returns what a program printed as text.
fn text(printed: Vec<u8>) -> String {
    String::from_utf8(printed).expect("output is UTF-8")
}

/// Returns a text without the blanks at the ends of its lines.
fn trimmed(text: &str) -> String {
    let lines: Vec<_> = text.lines().map(str::trim_end).collect();
    lines.join("\n").trim_matches('\n').to_owned()
}

/// Returns the words of an output, without times and without the last digits of fractions.
fn masked(text: &str) -> Vec<String> {
    let words: Vec<_> = text.split_whitespace().collect();
    let mask = |(index, word): (usize, &&str)| {
        let unit = words.get(index + 1).copied().unwrap_or_default();
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
    let word = |(index, part): (usize, &str)| match index % 2 {
        1 => vec![part.to_owned()],
        _ => part.split_whitespace().map(str::to_owned).collect(),
    };
    command.split('\'').enumerate().flat_map(word).collect()
}
