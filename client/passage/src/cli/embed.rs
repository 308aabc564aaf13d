//! The command `embed`: embeds chunks that have no embedding, once or until interrupted.

use super::options::embedder::embedder;
use super::options::interruption::interruption;
use super::options::question_model::QuestionModel;
use super::options::{Embedder, Server};
use super::output::print::{INTERRUPTED, print, print_error};
use super::output::progress::Progress;
use super::output::render::{self, count};
use crate::Error;
use crate::ingest::{Fill, FillEvent, Job, fill};
use crate::store::{Notice, RecordedEmbedding};
use clap::Args;
use serde::Serialize;
use serde_json::json;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// The text below the options.
pub const HELP: &str = "\
Chunks have no embedding if SQL or --no-embed loaded them. Any number of workers may run at
the same time, because each chunk is embedded once. On SIGINT or SIGTERM, a worker writes the
finished embeddings and ends, and the next one continues.

SQL of a server without grammars stores source code as plain text. A worker splits it by its
syntax before it embeds.

With --query it embeds a question instead, with the prefix that the store records, if a server is
named; it needs none. The output is a vector of the model in the text form of pgvector, so that psql
or another program can search with it.

Examples:
  passage embed
  passage embed --follow
  passage embed --query \"how do I configure logging?\"
  PASSAGE_API_KEY=... passage embed --embed-url https://api.openai.com/v1 --embed-model text-embedding-3-small";

#[derive(Args)]
pub struct Embed {
    #[command(flatten)]
    pub server: Server,
    #[command(flatten)]
    pub embedder: Embedder,
    /// Print the embedding of this question; with --json, an object with model, dimensions and vector
    #[arg(long, value_name = "TEXT", conflicts_with_all = ["collection", "follow", "interval"])]
    pub query: Option<String>,
    /// Embed only this collection
    #[arg(long, value_name = "NAME")]
    pub collection: Option<String>,
    /// When all chunks are embedded, wait for new ones until interrupted; then exit with code 0
    #[arg(long)]
    pub follow: bool,
    /// Seconds between two scans for new chunks with --follow, 1 to 86400
    #[arg(long, value_name = "SECONDS", default_value_t = 2, value_parser = clap::value_parser!(u32).range(1..=86_400))]
    pub interval: u32,
    /// Print the result as one JSON object
    #[arg(long)]
    pub json: bool,
    /// Print only errors
    #[arg(long, short)]
    pub quiet: bool,
}

impl Embed {
    /// Runs the command.
    pub async fn run(mut self) -> Result<ExitCode, Error> {
        if let Some(query) = self.query.take() {
            print(&self.embed_query(&query).await?);
            return Ok(ExitCode::SUCCESS);
        }
        let (quiet, json) = (self.quiet, self.json);
        let progress = Progress::of_chunks(quiet);
        let filled = self.fill(&progress).await?;
        let render = if json { as_json } else { as_text };
        if json || !quiet {
            print(&render(filled.embedded, progress.elapsed()));
        }
        Ok(match (filled.interrupted, filled.has_failed) {
            (true, _) => INTERRUPTED.into(),
            (false, true) => ExitCode::FAILURE,
            (false, false) => ExitCode::SUCCESS,
        })
    }

    /// Embeds chunks and shows the progress.
    async fn fill(self, progress: &Progress) -> Result<Filled, Error> {
        let url = self.server.url()?;
        // An adopted store is refused before the model is loaded. The worker with --follow waits for a server.
        if !self.follow {
            self.server.connect().await?.must_take_embeddings().await?;
        }
        let model_name = self.embedder.model_name();
        let (embedder, _) = embedder(&self.embedder, None).await?;
        let follow = self.follow.then(|| Duration::from_secs(self.interval.into()));
        let job = Job { embedder: Some(embedder), model_name, ..Job::new(url, self.server.store) };
        let job = Fill { job, collection: self.collection, follow };
        let interrupted = Arc::new(AtomicBool::new(false));
        let signalled = Arc::clone(&interrupted);
        let signal = interruption();
        let stop = async move {
            signal.await;
            signalled.store(true, Ordering::Relaxed);
        };
        let has_failed = AtomicBool::new(false);
        let report = |event: &FillEvent| {
            if matches!(event, FillEvent::NotSplit(..)) {
                has_failed.store(true, Ordering::Relaxed);
            }
            report(progress, event);
        };
        let filled = fill(job, stop, report).await;
        progress.finish();
        // With --follow, a signal is the regular end.
        let interrupted = !self.follow && interrupted.load(Ordering::Relaxed);
        let has_failed = !self.follow && has_failed.load(Ordering::Relaxed);
        Ok(Filled { embedded: filled?, interrupted, has_failed })
    }

    /// Returns the embedding of a query, as text of pgvector or as a JSON object.
    async fn embed_query(&self, query: &str) -> Result<String, Error> {
        if query.trim().is_empty() {
            return Err(Error::usage(
                "--query must not be empty",
                "Write the question after --query.",
            ));
        }
        let recorded = self.recorded().await;
        let (vector, model) = QuestionModel::load(&self.embedder)?.embed(query, recorded).await?;
        Ok(if self.json {
            render::json(&QueryEmbedding {
                model: &model.name,
                dimensions: vector.len(),
                vector: &vector,
            })
        } else {
            format!("{}\n", serde_json::to_string(&vector).expect("numbers are JSON"))
        })
    }

    /// Returns how the store embeds its chunks, if the options or the environment name a server.
    async fn recorded(&self) -> RecordedEmbedding {
        if self.server.url().is_err() {
            return RecordedEmbedding::default();
        }
        let recorded =
            async { Ok::<_, Error>(self.server.connect().await?.recorded_embedding().await?) };
        recorded.await.unwrap_or_else(|error| {
            print_error(&render::note(&Notice {
                message: format!("the prefixes of the store are not read: {error}"),
                hint: Some(
                    "The question gets those of the options, else those of the model.".into(),
                ),
            }));
            RecordedEmbedding::default()
        })
    }
}

/// The result of a run.
struct Filled {
    /// The number of chunks embedded.
    embedded: u64,
    /// Whether the run was interrupted.
    interrupted: bool,
    /// Whether a document stays split as text.
    has_failed: bool,
}

/// The JSON object of the embedding of a query.
#[derive(Serialize)]
struct QueryEmbedding<'a> {
    model: &'a str,
    dimensions: usize,
    vector: &'a [f32],
}

/// Shows an event of a fill.
fn report(progress: &Progress, event: &FillEvent) {
    match event {
        FillEvent::Missing(chunks) => {
            progress.bar.set_remaining(*chunks);
            if *chunks > 0 {
                progress.bar.start();
                progress
                    .bar
                    .note_if_hidden(&format!("{} without an embedding", chunks_of(*chunks)));
            }
        }
        FillEvent::Split(documents) => {
            let documents = count(*documents as usize, "document");
            progress.note(&format!("split {documents} of source code by its syntax"));
        }
        FillEvent::NotSplit(uri, error) => {
            let message = format!("{uri}: source code stays split as text: {error}");
            progress.bar.print(&render::failure(&message, &error.remedy()));
        }
        FillEvent::Embedded(chunks) => {
            progress.bar.advance(*chunks);
            progress.bar.note_if_hidden(&format!("embedded {}", chunks_of(*chunks)));
        }
        FillEvent::NotAnalyzed(note) => progress.note(&render::note(note)),
        FillEvent::Waiting => progress.status("waiting for new chunks"),
        FillEvent::Interrupted(error) => {
            let remedy = "The command retries automatically.";
            progress.bar.print(&render::failure(&error.to_string(), remedy));
        }
    }
}

/// Returns a number of chunks in words.
fn chunks_of(chunks: u64) -> String {
    count(usize::try_from(chunks).unwrap_or(usize::MAX), "chunk")
}

/// Returns the result of `embed`.
fn as_text(embedded: u64, elapsed: Duration) -> String {
    format!("{} embedded in {:.1} s\n", chunks_of(embedded), elapsed.as_secs_f64())
}

/// Returns the result of `embed` as one JSON object.
fn as_json(embedded: u64, elapsed: Duration) -> String {
    render::json(&json!({ "embedded": embedded, "milliseconds": elapsed.as_millis() as u64 }))
}
