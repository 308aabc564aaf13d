//! The command `search`: embeds the question, and shows the passages that the store returns.

mod output;
mod reranked;

use super::options::question::{embed_question, no_model, unknown_model};
use super::options::{Embedder, FILTERS, Reranker, Server, metadata};
use super::output::print::{print, print_notes};
use crate::Error;
use crate::store::{self, Notice, SearchMode, SearchResults, Store};
use clap::{Args, ValueEnum};
use output::Timing;
use passage_split::Kind;
use reranked::reranked;
use serde_json::Value;
use std::process::ExitCode;
use std::time::Instant;

/// The text below the options.
pub const HELP: &str = "\
Examples:
  passage search \"how do I configure logging?\"
  passage search --limit 3 --max-tokens 2000 \"error handling\"
  passage search --mode text --uri 'src/%' --kind code getUserById
  passage search --rerank-url http://localhost:8080/v1 \"error handling\"
  passage search --json \"error handling\" | jq -r '.passages[0].content'";

/// The search mode.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Mode {
    /// By meaning: the chunks with the nearest embeddings
    Vector,
    /// By words and parts of names; needs no model
    Text,
    /// Both, combined into one ranking
    Hybrid,
}

#[derive(Args)]
pub struct Search {
    /// Question or search terms; quotes group a "phrase", and a minus excludes a -word or a
    /// -"phrase"
    pub question: String,
    #[command(flatten)]
    pub server: Server,
    #[command(flatten)]
    pub embedder: Embedder,
    /// Search mode [default: hybrid, or text if the store has no embeddings or there is no model]
    #[arg(long)]
    pub mode: Option<Mode>,
    /// Maximum number of passages, 1 to 1000
    #[arg(long, default_value_t = 10, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub limit: u32,
    /// Number of chunks to find by meaning, and number to find by words, 1 to 1000000 [default:
    /// three times the limit, at least 30]
    #[arg(long, hide_short_help = true, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub candidates: Option<u32>,
    /// Weight of the ratings of chunks for similar questions, 0 to 1 [default: 0]
    #[arg(long, hide_short_help = true, value_name = "WEIGHT")]
    pub feedback: Option<f64>,
    /// Also print the best chunks without context, before the passages
    #[arg(long, hide_short_help = true)]
    pub chunks: bool,
    /// Print one JSON object: passages, chunks with --chunks, notes, and times in milliseconds
    #[arg(long)]
    pub json: bool,
    #[command(flatten)]
    pub reranker: Reranker,
    #[command(flatten)]
    pub filters: Filters,
    #[command(flatten)]
    pub context: Context,
}

/// Filters of chunks.
#[derive(Args, Clone)]
#[command(next_help_heading = FILTERS)]
pub struct Filters {
    /// Search only this collection
    #[arg(long, value_name = "NAME")]
    pub collection: Option<String>,
    /// Search only this version of the collection; latest is the highest of each collection, and
    /// 8.* are all that begin so
    #[arg(long = "version", hide_short_help = true, value_name = "VERSION")]
    pub collection_version: Option<String>,
    /// Search only documents whose uri matches this LIKE pattern: % matches any text, _ any
    /// character
    #[arg(long, value_name = "PATTERN")]
    pub uri: Option<String>,
    /// Search only documents of this media type, such as text/markdown or text/*
    #[arg(long, hide_short_help = true, value_name = "TYPE")]
    pub media_type: Option<String>,
    /// Search only chunks of this kind
    #[arg(long, value_name = "KIND", value_parser = Kind::NAMES.map(|(_, name)| name))]
    pub kind: Option<String>,
    /// Search only sections whose path matches this ltree query, such as 'Guide.*'
    #[arg(long, hide_short_help = true, value_name = "LQUERY")]
    pub path: Option<String>,
    /// Search only chunks whose metadata, merged with that of the document, contains this JSON
    /// object, or fulfills its conditions, as in {"year": {"$gte": 2020}}
    #[arg(long, hide_short_help = true, value_name = "JSON")]
    pub metadata: Option<String>,
    /// Minimum cosine similarity to the question, -1 to 1; needs embeddings [default: none]
    #[arg(long, hide_short_help = true, value_name = "COSINE", allow_negative_numbers = true)]
    pub min_similarity: Option<f64>,
    /// Also search documents that are marked as orphaned
    #[arg(long, hide_short_help = true)]
    pub include_orphaned: bool,
}

/// The context and the size of passages.
#[derive(Args)]
#[command(next_help_heading = "Passages")]
pub struct Context {
    /// Strategy that selects the context, such as auto, broad, section, document, adjacent or none
    /// [default: the server setting passage.strategy, initially auto]
    #[arg(long, value_name = "NAME")]
    pub strategy: Option<String>,
    /// Maximum number of tokens of all passages together, 0 to 1000000, 0 for no limit [default:
    /// that of the strategy, else the server setting passage.max_tokens, initially 4096]
    #[expect(clippy::doc_markdown, reason = "the help is plain text")]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(0..=1_000_000))]
    pub max_tokens: Option<u32>,
    /// Maximum number of chunks of all passages together, 0 to 1000000; hits are never dropped
    /// [default: set by the strategy]
    #[arg(long, hide_short_help = true, value_name = "N", value_parser = clap::value_parser!(u32).range(0..=1_000_000))]
    pub max_chunks: Option<u32>,
    /// Number of sections to which the links of a hit lead and that follow its passage, 0 to 1000000
    /// [default: 0]
    #[arg(long, hide_short_help = true, value_name = "N", value_parser = clap::value_parser!(u32).range(0..=1_000_000))]
    pub links: Option<u32>,
    /// Order of passages [default: score]
    #[arg(long, hide_short_help = true, value_name = "ORDER", value_parser = ["score", "document"])]
    pub order_by: Option<String>,
}

impl Search {
    /// Runs the command.
    pub async fn run(self) -> Result<ExitCode, Error> {
        let mut timing = Timing::default();
        let filters = self.filters.clone().requested()?;
        let started = Instant::now();
        let mut store = self.server.connect_told(&self.embedder).await?;
        timing.connecting = started.elapsed();

        let mut results = SearchResults::default();
        if !self.question.trim().is_empty() {
            let started = Instant::now();
            let reranking = self.reranker.load()?;
            let loading = started.elapsed();
            let (embedding, note) = self.embedding(&store, &mut timing).await?;
            if embedding.is_none() && filters.min_similarity.is_some() {
                return Err(Error::usage(
                    "--min-similarity requires an embedding of the question, and this search has none",
                    "Leave it out, or search a store with embeddings with --mode hybrid.",
                ));
            }
            let search = store::Search {
                question: self.question,
                embedding,
                mode: self.mode.map(SearchMode::from),
                limit: Some(self.limit),
                candidates: self.candidates,
                feedback: self.feedback,
                filters,
                strategy: self.context.strategy,
                max_tokens: self.context.max_tokens,
                max_chunks: self.context.max_chunks,
                links: self.context.links,
                order_by: self.context.order_by,
                hits: self.chunks,
            };
            let started = Instant::now();
            let found = match &reranking {
                Some(reranking) => {
                    if self.reranker.is_local() {
                        timing.loading = Some(timing.loading.unwrap_or_default() + loading);
                    }
                    reranked(reranking, &store, &search).await?
                }
                None => None,
            };
            let failed = match found {
                Some(Ok(reranked)) => {
                    results = reranked.results;
                    timing.reranking = Some(reranked.took);
                    timing.searching = started.elapsed().saturating_sub(reranked.took);
                    None
                }
                failed => {
                    let started = Instant::now();
                    results = store.search(&search).await?;
                    timing.searching = started.elapsed();
                    failed.and_then(Result::err)
                }
            };
            results.notices.extend(note);
            results.notices.extend(failed);
        }
        if self.json {
            print(&output::as_json(&results, &timing));
        } else {
            print_notes(&results.notices);
            print(&output::as_text(&results, &timing));
        }
        Ok(ExitCode::SUCCESS)
    }

    /// Embeds the question. Returns no embedding for a search by words, and a note if no model is
    /// available.
    async fn embedding(
        &self,
        store: &Store,
        timing: &mut Timing,
    ) -> Result<(Option<Vec<f32>>, Option<Notice>), Error> {
        match self.mode {
            Some(Mode::Text) => return Ok((None, None)),
            None if !store.has_embeddings().await? => return Ok((None, None)),
            None if !self.embedder.is_available() => {
                return Ok((None, Some(no_model())));
            }
            None if !store.knows_model().await? => return Ok((None, Some(unknown_model(store)))),
            Some(Mode::Vector | Mode::Hybrid) | None => {}
        }
        let question = embed_question(&self.embedder, store, &self.question).await?;
        timing.loading = Some(question.loading);
        timing.embedding = Some(question.embedding_took);
        Ok((Some(question.embedding), None))
    }
}

impl From<Mode> for SearchMode {
    fn from(mode: Mode) -> Self {
        match mode {
            Mode::Vector => Self::Vector,
            Mode::Text => Self::Text,
            Mode::Hybrid => Self::Hybrid,
        }
    }
}

impl Filters {
    /// Returns the filters of the store's search.
    pub fn requested(self) -> Result<store::Filters, Error> {
        let metadata = self.metadata.as_deref().map(metadata).transpose()?;
        Ok(store::Filters {
            collection: self.collection,
            version: self.collection_version,
            uri_pattern: self.uri,
            media_type: self.media_type,
            kind: self.kind,
            path: self.path,
            metadata: metadata.map(Value::Object),
            min_similarity: self.min_similarity,
            include_orphaned: self.include_orphaned,
        })
    }
}
