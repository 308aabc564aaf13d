//! The command line: the commands, and the options of all of them.

use super::completions::{self, Completions};
use super::context::{self, Context};
use super::doctor::{self, Doctor};
use super::duplicates::{self, Duplicates};
use super::embed::{self, Embed};
use super::eval::{self, Eval};
use super::export::{self, Export};
use super::fragments::{self, Fragments};
use super::ingest::{self, Ingest};
use super::init::{self, Init};
use super::manual_pages::ManualPages;
use super::mcp::{self, Mcp};
use super::model::ModelCommand;
use super::options::Embedder;
use super::outline::{self, Outline};
use super::reindex::{self, Reindex};
use super::remove::{self, Remove};
use super::search::{self, Search};
use super::serve::{self, Serve};
use super::short_help::with_short_help;
use super::split::{self, Split};
use super::status::{self, Status};
use super::sync::{self, Sync};
use super::upgrade::{self, Upgrade};
use crate::Error;
use clap::builder::styling::{AnsiColor, Styles};
use clap::{CommandFactory, Parser, Subcommand};
use std::path::PathBuf;
use std::pin::Pin;
use std::process::ExitCode;

const STYLES: Styles = Styles::styled()
    .header(AnsiColor::Green.on_default().bold())
    .usage(AnsiColor::Green.on_default().bold())
    .literal(AnsiColor::Cyan.on_default().bold())
    .placeholder(AnsiColor::Cyan.on_default());

/// The text below the options of `passage --help`.
const HELP: &str = "\
Examples:
  export DATABASE_URL=postgresql:///mydb?host=/var/run/postgresql
  passage init
  passage ingest docs/ README.md
  passage search \"how do I configure logging?\"

Configuration:
  Options can be set in ~/.config/passage/passage.toml, or in the file that --config names.
  Keys are names of options: store = \"notes\" applies to every command that has the option,
  limit = 5 below [search] only to that command. Options on the command line take precedence
  over environment variables, and these over the file.

  A passage.toml in the working folder is read too, and takes precedence over the user's file.
  Because it may come from someone else, it decides only what search, fragments, context,
  outline, status and split show, and whether a command prints JSON. It may set only
  collection, version, kind, media-type, metadata, min-similarity, include-orphaned, strategy,
  limit, fuzzy-threshold, max-tokens, max-chunks, order-by, parents, preceding, following,
  children, before, after, siblings, within, links, chunks, base-url, sizer, max-size,
  preferred-size, min-size, overlap, split-at and json. There limit is 1 to 10 and max-tokens 1
  to 4096. Any other key in it is an error. So is a key at its top that another command has as an
  option, unless you give the option: passage sync takes collection only from you.

Exit codes:
  0    Success
  1    Failure; for commands on several documents, also if only some of them failed
  2    Usage error
  130  Interrupted by SIGINT or SIGTERM";

/// Loads documents into PostgreSQL and finds the passages that answer a question.
#[derive(Parser)]
#[command(name = "passage", version, styles = STYLES, max_term_width = 100, after_help = HELP)]
#[command(
    long_about = "Loads documents into PostgreSQL and finds the passages that answer a question.\n\n\
    passage splits documents into chunks, embeds the chunks, and writes them to a store: a schema of a \
    database with the extension pg_passage."
)]
pub struct Cli {
    #[arg(help = "Configuration file with default values of options [default: \
        ~/.config/passage/passage.toml, then passage.toml in the working folder]")]
    #[arg(
        long,
        env = "PASSAGE_CONFIG",
        hide_env_values = true,
        global = true,
        hide_short_help = true,
        value_name = "FILE",
        help_heading = "Global options"
    )]
    pub config: Option<PathBuf>,
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Subcommand)]
pub enum Command {
    /// Create the extensions and a store in a database
    #[command(after_help = init::HELP)]
    Init(Init),
    /// Update the functions in a database, and the layout of a store
    #[command(after_help = upgrade::HELP)]
    Upgrade(Upgrade),
    /// Show the chunks of a file; needs no server
    #[command(after_help = split::HELP)]
    Split(Split),
    /// Split, embed and load documents: files, folders, archives, JSON lines, web pages
    #[command(after_help = ingest::HELP)]
    Ingest(Box<Ingest>),
    /// Ingest documents, and remove stored documents whose sources no longer exist
    #[command(after_help = sync::HELP)]
    Sync(Box<Sync>),
    /// Split and embed stored documents again, without their sources
    #[command(after_help = reindex::HELP)]
    Reindex(Box<Reindex>),
    /// Remove documents, or a whole collection
    #[command(after_help = remove::HELP)]
    Remove(Remove),
    /// Find the passages that answer a question, by meaning and by words
    #[command(after_help = search::HELP)]
    Search(Box<Search>),
    /// Measure search on questions with known answers
    #[command(after_help = eval::HELP)]
    Eval(Box<Eval>),
    /// Show the sections of a document
    #[command(after_help = outline::HELP)]
    Outline(Outline),
    /// Find the lines of documents that answer a query
    #[command(after_help = fragments::HELP)]
    Fragments(Box<Fragments>),
    /// Show a chunk with its context
    #[command(after_help = context::HELP)]
    Context(Box<Context>),
    /// Show the contents of a store
    #[command(after_help = status::HELP)]
    Status(Status),
    /// Show documents with the same text
    #[command(after_help = duplicates::HELP)]
    Duplicates(Duplicates),
    /// Embed stored chunks that have no embedding
    #[command(after_help = embed::HELP)]
    Embed(Box<Embed>),
    /// Write documents, or chunks with embeddings, as JSON lines that ingest takes back
    #[command(after_help = export::HELP)]
    Export(Export),
    /// Serve search and passages to agents: MCP over standard input and output, or HTTP
    #[command(after_help = mcp::HELP)]
    Mcp(Box<Mcp>),
    /// Serve search, passages and embeddings over HTTP, with a page to look at them
    #[command(after_help = serve::HELP)]
    Serve(Box<Serve>),
    /// Diagnose server, extensions, store and model
    #[command(after_help = doctor::HELP)]
    Doctor(Box<Doctor>),
    /// Manage the embedding model
    Model(ModelCommand),
    /// Print a shell completion script
    #[command(after_help = completions::HELP)]
    Completions(Completions),
    /// Write the manual pages of all commands into a folder, for packages
    #[command(hide = true)]
    ManualPages(ManualPages),
}

/// Returns the command line, whose `-h` is short.
pub fn command() -> clap::Command {
    with_short_help(Cli::command())
}

impl Command {
    /// Returns the embedder options of a command that has them.
    pub fn embedder_mut(&mut self) -> Option<&mut Embedder> {
        match self {
            Command::Init(args) => Some(&mut args.embedder),
            Command::Ingest(args) => Some(&mut args.loading.embedder),
            Command::Sync(args) => Some(&mut args.loading.embedder),
            Command::Reindex(args) => Some(&mut args.embedder),
            Command::Search(args) => Some(&mut args.embedder),
            Command::Fragments(args) => Some(&mut args.embedder),
            Command::Eval(args) => Some(&mut args.embedder),
            Command::Embed(args) => Some(&mut args.embedder),
            Command::Mcp(args) => Some(&mut args.serving.embedder),
            Command::Serve(args) => Some(&mut args.serving.embedder),
            Command::Doctor(args) => Some(&mut args.embedder),
            _ => None,
        }
    }

    /// Returns whether the command embeds or splits.
    pub fn embeds_or_splits(&self) -> bool {
        matches!(
            self,
            Command::Ingest(_)
                | Command::Sync(_)
                | Command::Reindex(_)
                | Command::Search(_)
                | Command::Fragments(_)
                | Command::Eval(_)
                | Command::Embed(_)
                | Command::Mcp(_)
                | Command::Serve(_)
                | Command::Doctor(_)
        )
    }

    /// Runs the command. Each future has a box of its own: in one function, all of them take minutes to compile.
    pub fn run(self) -> Pin<Box<dyn Future<Output = Result<ExitCode, Error>>>> {
        match self {
            Command::Init(args) => Box::pin(args.run()),
            Command::Upgrade(args) => Box::pin(args.run()),
            Command::Split(args) => Box::pin(async { args.run() }),
            Command::Ingest(args) => Box::pin(args.run()),
            Command::Sync(args) => Box::pin(args.run()),
            Command::Reindex(args) => Box::pin(args.run()),
            Command::Remove(args) => Box::pin(args.run()),
            Command::Search(args) => Box::pin(args.run()),
            Command::Eval(args) => Box::pin(args.run()),
            Command::Outline(args) => Box::pin(args.run()),
            Command::Fragments(args) => Box::pin(args.run()),
            Command::Context(args) => Box::pin(args.run()),
            Command::Status(args) => Box::pin(args.run()),
            Command::Duplicates(args) => Box::pin(args.run()),
            Command::Embed(args) => Box::pin(args.run()),
            Command::Export(args) => Box::pin(args.run()),
            Command::Mcp(args) => Box::pin(args.run()),
            Command::Serve(args) => Box::pin(args.run()),
            Command::Doctor(args) => Box::pin(args.run()),
            Command::Model(args) => Box::pin(args.run()),
            Command::Completions(args) => Box::pin(async { Ok(args.run(command())) }),
            Command::ManualPages(args) => Box::pin(async { Ok(args.run(command())) }),
        }
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_command_line_is_consistent() {
        super::command().debug_assert();
    }
}
