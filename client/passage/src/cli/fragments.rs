//! The command `fragments`: embeds the query, and shows the fragments that the store returns.

use super::options::question::{embed_question, no_model, unknown_model};
use super::options::{Embedder, FILTERS, Server};
use super::output::print::{print, print_notes};
use super::output::render::{BOLD, DIM, TITLE, count, json, line, location, printable, quote};
use crate::Error;
use crate::store::{Fragment, FragmentQuery};
use clap::Args;
use std::process::ExitCode;

/// The text below the options.
pub const HELP: &str = "\
A fragment is an excerpt of whole lines, with their exact text.

Examples:
  passage fragments \"rotate a log by hand\"
  passage fragments --uri docs/logging.md --limit 1 \"rotate a log by hand\"
  passage fragments --no-embed --json getUserById | jq -r .content";

#[derive(Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is an option of its own")]
pub struct Fragments {
    /// Query text; optional with --uri
    #[arg(required_unless_present = "uri")]
    pub query: Option<String>,
    #[command(flatten)]
    pub server: Server,
    #[command(flatten)]
    pub embedder: Embedder,
    /// Search by words only; needs no model
    #[arg(long)]
    pub no_embed: bool,
    /// Search only the document with this uri
    #[arg(long, help_heading = FILTERS)]
    pub uri: Option<String>,
    /// Search only this collection
    #[arg(long, value_name = "NAME", help_heading = FILTERS)]
    pub collection: Option<String>,
    /// Search only this version of the collection
    #[arg(long = "version", hide_short_help = true, value_name = "VERSION", help_heading = FILTERS)]
    pub collection_version: Option<String>,
    /// Ranking strategy, such as auto, adaptive, proximity or semantic [default: auto]
    #[arg(long, value_name = "NAME")]
    pub strategy: Option<String>,
    /// Maximum number of fragments, 1 to 1000
    #[arg(long, default_value_t = 5, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub limit: u32,
    /// Maximum number of tokens of all fragments together, 0 to 1000000 [default: 700]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(0..=1_000_000))]
    pub max_tokens: Option<u32>,
    /// Minimum similarity of misspelt words, 0 to 1 [default: 0.8]
    #[arg(long, hide_short_help = true, value_name = "SIMILARITY")]
    pub fuzzy_threshold: Option<f64>,
    /// Return the whole document
    #[arg(long, requires = "uri")]
    pub full: bool,
    /// Also search documents that are marked as orphaned
    #[arg(long, hide_short_help = true, help_heading = FILTERS)]
    pub include_orphaned: bool,
    /// Print one JSON object per line for each fragment
    #[arg(long)]
    pub json: bool,
}

impl Fragments {
    /// Runs the command.
    pub async fn run(self) -> Result<ExitCode, Error> {
        let store = self.server.connect_told(&self.embedder).await?;
        let (mut embedding, mut notes) = (None, Vec::new());
        let query = self.query.filter(|query| !query.trim().is_empty());
        if let Some(query) = &query
            && !self.no_embed
            && store.has_embeddings().await?
        {
            if !self.embedder.is_available() {
                notes.push(no_model());
            } else if !store.knows_model().await? {
                notes.push(unknown_model(&store));
            } else {
                embedding = Some(embed_question(&self.embedder, &store, query).await?.embedding);
            }
        }
        let fragment_query = FragmentQuery {
            query,
            embedding,
            uri: self.uri,
            strategy: self.strategy,
            collection: self.collection,
            version: self.collection_version,
            limit: Some(self.limit),
            max_tokens: self.max_tokens,
            fuzzy_threshold: self.fuzzy_threshold,
            full: self.full,
            include_orphaned: self.include_orphaned,
        };
        let fragments = store.fragments(&fragment_query).await?;
        print_notes(&notes);
        print(&if self.json { fragments.iter().map(json).collect() } else { as_text(&fragments) });
        Ok(ExitCode::SUCCESS)
    }
}

/// Returns fragments as text, each with its lines in the document.
fn as_text(fragments: &[Fragment]) -> String {
    if fragments.is_empty() {
        return "nothing found\n".into();
    }
    let mut output = String::new();
    for (rank, fragment) in (1..).zip(fragments) {
        let title = printable(fragment.title.as_deref().unwrap_or("(no title)"));
        line(&mut output, &format!("{BOLD}{rank}{BOLD:#}  {TITLE}{title}{TITLE:#}"));
        let mut facts: Vec<String> =
            fragment.score.map(|score| format!("score {score:.3}")).into_iter().collect();
        facts.extend(fragment.tokens.map(|tokens| count(tokens as usize, "token")));
        facts.extend(fragment.strategy_used.as_deref().map(|by| format!("by {}", printable(by))));
        let hint = fragment.signals.as_ref().and_then(|signals| signals["hint"].as_str());
        let location = location(fragment.uri.as_deref(), fragment.first_line, fragment.last_line);
        line(&mut output, &format!("   {location}  {DIM}{}{DIM:#}", facts.join("  ")));
        if let Some(hint) = hint {
            line(&mut output, &format!("   {DIM}{}{DIM:#}", printable(hint)));
        }
        quote(&mut output, fragment.content.as_deref().unwrap_or_default(), &[]);
    }
    output
}
