//! The command `context`: shows a chunk with its context.

mod file;

use super::options::Server;
use super::output::print::print;
use super::output::render::{
    BOLD, DIM, TITLE, count, json, line, location, printable, quote, section,
};
use crate::Error;
use crate::store::{self, ContextOptions, ContextRow};
use clap::Args;
use std::path::PathBuf;
use std::process::ExitCode;

/// The text below the options.
pub const HELP: &str = "\
All numbers are 0 to 1000000. By default, the strategy sets them.

Examples:
  passage context 5b3f4a70-9d0e-8d6c-a1c2-3d4e5f607182
  passage context 5b3f4a70-9d0e-8d6c-a1c2-3d4e5f607182 --strategy section --max-tokens 500
  passage context 5b3f4a70-9d0e-8d6c-a1c2-3d4e5f607182 --html context.html";

/// The heading of the options that replace limits of the strategy.
const LIMITS: &str = "Limits";

#[derive(Args)]
pub struct Context {
    #[arg(
        help = "Id of the chunk, such as those in chunk_ids of passage search --json; in an adopted store also the id in \
        the adopted table"
    )]
    pub chunk: String,
    #[command(flatten)]
    pub server: Server,
    /// Strategy that selects the context, such as auto, broad, section, document, adjacent or none
    /// [default: the server setting passage.strategy, initially auto]
    #[arg(long, value_name = "NAME")]
    pub strategy: Option<String>,
    /// Number of sections above the chunk that each add one chunk
    #[arg(long, value_name = "N", help_heading = LIMITS)]
    pub parents: Option<u32>,
    /// Number of siblings before the chunk
    #[arg(long, value_name = "N", help_heading = LIMITS)]
    pub preceding: Option<u32>,
    /// Number of siblings after the chunk
    #[arg(long, value_name = "N", help_heading = LIMITS)]
    pub following: Option<u32>,
    /// Number of chunks in sections one level below the chunk
    #[arg(long, value_name = "N", help_heading = LIMITS)]
    pub children: Option<u32>,
    /// Number of chunks directly before the chunk, whatever their section
    #[arg(long, value_name = "N", help_heading = LIMITS)]
    pub before: Option<u32>,
    /// Number of chunks directly after the chunk, whatever their section
    #[arg(long, value_name = "N", help_heading = LIMITS)]
    pub after: Option<u32>,
    /// Section that siblings have in common: the parent section, or their own [default: set by the
    /// strategy]
    #[arg(long, hide_short_help = true, value_name = "SCOPE", value_parser = ["parent", "section"], help_heading = LIMITS)]
    pub siblings: Option<String>,
    /// Scope that --before and --after do not leave [default: set by the strategy]
    #[arg(long, hide_short_help = true, value_name = "SCOPE", value_parser = ["document", "parent", "section"], help_heading = LIMITS)]
    pub within: Option<String>,
    /// Maximum number of tokens of all chunks together, 0 for no limit [default: that of the
    /// strategy; else the server setting passage.max_passage_tokens, initially 2048, for context]
    #[expect(clippy::doc_markdown, reason = "the help is plain text")]
    #[arg(long, value_name = "N")]
    pub max_tokens: Option<u32>,
    /// Maximum number of chunks, 0 to 1000000 [default: set by the strategy]
    #[arg(long, value_name = "N")]
    pub max_chunks: Option<u32>,
    /// Number of sections to which the links of the chunk lead, 0 to 1000000 [default: 0]
    #[arg(long, value_name = "N")]
    pub links: Option<u32>,
    /// Write a page to this file that shows why each chunk is in the context, and print no chunks; an
    /// existing file is replaced
    #[arg(long, value_name = "FILE", conflicts_with = "json")]
    pub html: Option<PathBuf>,
    /// Print one JSON object per line for each chunk
    #[arg(long)]
    pub json: bool,
}

impl Context {
    /// Runs the command.
    pub async fn run(self) -> Result<ExitCode, Error> {
        let context = ContextOptions {
            strategy: self.strategy,
            parents: self.parents,
            preceding: self.preceding,
            following: self.following,
            children: self.children,
            before: self.before,
            after: self.after,
            siblings: self.siblings,
            within: self.within,
            max_tokens: self.max_tokens,
            max_chunks: self.max_chunks,
            links: self.links,
        };
        let store = self.server.connect().await?;
        let of_source = async || {
            let chunk = store.chunk_of_source(&self.chunk).await?;
            store.context(chunk, &context).await
        };
        let rows = match self.chunk.parse() {
            Ok(chunk) => match store.context(chunk, &context).await {
                // The ids of the adopted table can be uuids too.
                Err(error @ store::Error::NoChunk(_)) => of_source().await.map_err(|_| error)?,
                rows => rows?,
            },
            Err(_) => of_source().await?,
        };
        let output = match &self.html {
            Some(file) => file::write_file(&store, &rows, &context, file).await?,
            None if self.json => rows.iter().map(json).collect(),
            None => as_text(&rows),
        };
        print(&output);
        Ok(ExitCode::SUCCESS)
    }
}

/// Returns a chunk with its context as text, in document order. The bar beside the chunk is
/// highlighted.
fn as_text(rows: &[ContextRow]) -> String {
    let mut output = String::new();
    for row in rows {
        let titles = section(&row.section);
        let role = printable(&row.role);
        line(&mut output, &format!("{BOLD}{role}{BOLD:#}  {TITLE}{titles}{TITLE:#}"));
        let mut facts = vec![format!("distance {}", row.distance)];
        facts.extend(row.tokens.map(|tokens| count(tokens as usize, "token")));
        facts.push(row.chunk_id.to_string());
        let location = location(row.uri.as_deref(), row.first_line, row.last_line);
        line(&mut output, &format!("   {location}  {DIM}{}{DIM:#}", facts.join("  ")));
        let whole = 0..row.content.len();
        let hits = if row.role == "hit" { std::slice::from_ref(&whole) } else { &[] };
        quote(&mut output, &row.content, hits);
    }
    output
}
