//! What can be said on the command line.

mod context;
mod doctor;
mod embed;
mod embedder;
mod fragments;
mod ingest;
mod model;
mod reindex;
mod remove;
mod search;
mod sync;

pub use context::Context;
pub use doctor::Doctor;
pub use embed::Embed;
pub use embedder::Embedder;
pub use fragments::Fragments;
pub use ingest::{Ingest, Lines, Loading};
pub use model::{Fetch, ModelCommand, ModelCommands};
pub use reindex::Reindex;
pub use remove::Remove;
pub use search::{Filters, Mode, Search};
pub use sync::Sync;

use clap::builder::styling::{AnsiColor, Styles};
use clap::builder::{OsStringValueParser, TypedValueParser};
use clap::{Args, Parser, Subcommand, ValueEnum};
use passage::embed::default_folder;
use passage_core::Kind;
use std::path::PathBuf;

const STYLES: Styles = Styles::styled()
    .header(AnsiColor::Green.on_default().bold())
    .usage(AnsiColor::Green.on_default().bold())
    .literal(AnsiColor::Cyan.on_default().bold())
    .placeholder(AnsiColor::Cyan.on_default());

/// Splits documents, embeds them, loads them into a store in PostgreSQL, and finds the passages
/// that answer a question.
#[derive(Parser)]
#[command(name = "passage", version, styles = STYLES, max_term_width = 100, after_help = "Examples:
  export DATABASE_URL=postgresql:///mydb?host=/var/run/postgresql
  passage init
  passage ingest docs/ README.md
  passage search \"how do I configure logging?\"

Options that are the same each time may stand in ~/.config/passage/passage.toml, or in a file that
--config names, as store = \"notes\" or, for one command, as limit = 5 below [search]. Flags go before
the environment, and that before the file.

A passage.toml that is merely found in the working folder may come from others. It may set only
collection, version, kind, media-type, metadata, base-url, include, exclude, sizer, overlap, mode,
strategy, limit, candidates, min-similarity, fuzzy-threshold, max-tokens, max-chunks, order-by,
parents, preceding, following, children, before, after, siblings, within, chunks, include-orphaned,
no-embed and json. Any other key is refused; init, reindex and remove take nothing from it.

It ends with 0 if all is done, 1 if something failed, 2 if the call makes no sense, and 130 if it
was interrupted.")]
pub struct Cli {
    #[arg(
        help = "The file of options [default: ~/.config/passage/passage.toml, and then passage.toml in this folder]"
    )]
    #[arg(
        long,
        env = "PASSAGE_CONFIG",
        hide_env_values = true,
        global = true,
        value_name = "FILE"
    )]
    pub config: Option<PathBuf>,
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Subcommand)]
pub enum Command {
    /// Bring the extension into the database and make a store
    #[command(after_help = "Examples:
  passage init
  passage init --store notes --no-embed
  passage init --embedding-type halfvec --language german")]
    Init(Init),
    /// Show the chunks that a file is split into; needs no server
    #[command(after_help = "Examples:
  passage split README.md
  passage split README.md --json | jq -r .content
  passage split - --media-type text/markdown < README.md")]
    Split(Split),
    /// Split, embed and load documents: files, folders, archives, JSON lines, pages
    #[command(after_help = ingest::HELP)]
    Ingest(Box<Ingest>),
    /// Ingest, and take out the documents that are gone
    #[command(after_help = sync::HELP)]
    Sync(Box<Sync>),
    /// Split and embed the documents of a collection anew, from what the store has of them
    #[command(after_help = reindex::HELP)]
    Reindex(Box<Reindex>),
    /// Remove documents, or a collection
    #[command(after_help = remove::HELP)]
    Remove(Remove),
    /// Find the passages that answer a question, by its meaning and by its words
    #[command(after_help = "Examples:
  passage search \"how do I configure logging?\"
  passage search --limit 3 --max-tokens 2000 \"error handling\"
  passage search --mode text --uri 'src/%' --kind code getUserById
  passage search --json \"error handling\" | jq -r '.passages[0].content'")]
    Search(Box<Search>),
    /// Show the sections of a document
    #[command(after_help = "Example:
  passage outline docs/guide.md")]
    Outline(Outline),
    /// Show the whole lines that answer a query, word for word
    #[command(after_help = "Examples:
  passage fragments \"rotate a log by hand\"
  passage fragments --uri docs/logging.md --limit 1 \"rotate a log by hand\"
  passage fragments --no-embed --json getUserById | jq -r .content")]
    Fragments(Box<Fragments>),
    /// Show a chunk with its context
    #[command(after_help = "Examples:
  passage context 5b3f4a70-9d0e-8d6c-a1c2-3d4e5f607182
  passage context 5b3f4a70-9d0e-8d6c-a1c2-3d4e5f607182 --strategy section --max-tokens 500")]
    Context(Box<Context>),
    /// Show what a store holds
    #[command(after_help = "Examples:
  passage status
  passage status --list --collection click
  passage status --json | jq .embeddings")]
    Status(Status),
    /// Embed chunks that have no embedding, whoever loaded them
    #[command(
        after_help = "Any number of workers may run at a time; none does what another does. SIGINT and SIGTERM
end one when what it has embedded is written, and the next goes on from there.

Examples:
  passage embed
  passage embed --follow
  PASSAGE_API_KEY=... passage embed --embed-url https://api.openai.com/v1 --embed-model text-embedding-3-small"
    )]
    Embed(Box<Embed>),
    /// Look for what is wrong with server, extensions, store and model, and say what to do
    #[command(
        after_help = "It ends with 0 if all works, and with 1 if something does not; warnings are no failure. It runs no
code of another role: where reading a store would do that, it says so and reads the catalogs alone.

Examples:
  passage doctor
  passage doctor --json | jq 'select(.severity != \"good\")'"
    )]
    Doctor(Box<Doctor>),
    /// Get the default embedding model
    Model(ModelCommand),
    /// Print what lets a shell complete this command
    #[command(after_help = "Examples:
  passage completions bash > ~/.local/share/bash-completion/completions/passage
  passage completions zsh > \"${fpath[1]}/_passage\"")]
    Completions(Completions),
}

impl Command {
    /// What embeds, in a command that does.
    pub fn embedder_mut(&mut self) -> Option<&mut Embedder> {
        match self {
            Command::Init(args) => Some(&mut args.embedder),
            Command::Ingest(args) => Some(&mut args.loading.embedder),
            Command::Sync(args) => Some(&mut args.loading.embedder),
            Command::Reindex(args) => Some(&mut args.embedder),
            Command::Search(args) => Some(&mut args.embedder),
            Command::Fragments(args) => Some(&mut args.embedder),
            Command::Embed(args) => Some(&mut args.embedder),
            Command::Doctor(args) => Some(&mut args.embedder),
            _ => None,
        }
    }
}

/// Where the store is.
#[derive(Args)]
pub struct Server {
    #[arg(help = "The server, as postgresql://user@host/database or \
        postgresql:///database?host=/socket/folder")]
    #[arg(long, short, env = "DATABASE_URL", hide_env_values = true, value_name = "URL")]
    pub database_url: Option<String>,
    /// The store: a schema in the database
    #[arg(
        long,
        env = "PASSAGE_STORE",
        hide_env_values = true,
        default_value = "rag",
        value_name = "NAME"
    )]
    pub store: String,
}

/// Which model embeds.
#[derive(Args, Clone)]
pub struct Model {
    /// A folder with model.safetensors, tokenizer.json and config.json
    /// [default: passage/all-MiniLM-L6-v2 in ~/.cache]
    #[arg(long, env = "PASSAGE_MODEL", hide_env_values = true, value_name = "DIR", value_parser = OsStringValueParser::new().map(PathBuf::from))]
    pub model: Option<PathBuf>,
}

impl Model {
    /// Returns the named folder; a variable that is set to nothing names none.
    pub fn folder(&self) -> Option<PathBuf> {
        self.model.clone().filter(|folder| !folder.as_os_str().is_empty())
    }

    /// Tells whether one is named, or there is one where it is looked for by default.
    pub fn is_named(&self) -> bool {
        self.folder().is_some() || default_folder().is_some_and(|folder| folder.is_dir())
    }
}

/// What is told of documents instead of being found out.
#[derive(Args)]
pub struct Reading {
    /// What they are, such as text/markdown [default: by name, else by how they begin]
    #[arg(long, value_name = "TYPE")]
    pub media_type: Option<String>,
    /// What their chunks are made of [default: by media type, and by folders such as api/]
    #[arg(long, value_name = "KIND", value_parser = Kind::NAMES.map(|(_, name)| name))]
    pub kind: Option<String>,
    /// Their title, which begins each preamble [default: their own, else the file's name]
    #[arg(long)]
    pub title: Option<String>,
    /// The address that relative links in HTML are relative to; for a folder, its own
    #[arg(long, value_name = "URL")]
    pub base_url: Option<String>,
}

/// How documents are split.
#[derive(Args)]
pub struct Splitting {
    /// How much of the chunk before is embedded along with each, in what sizes are counted in
    #[arg(long, value_name = "N", default_value_t = 0, hide_default_value = true, value_parser = clap::value_parser!(u32).range(0..=1_000_000))]
    pub overlap: u32,
}

/// What the sizes of chunks are counted in.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Sizer {
    /// What the model reads: 128 preferred, 200 at most
    Wordpieces,
    /// No model needed: 600 preferred, 1000 at most
    Characters,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum EmbeddingType {
    /// Four bytes a dimension
    Vector,
    /// Two bytes a dimension: half the memory of the index
    Halfvec,
}

impl EmbeddingType {
    /// Returns its name in SQL.
    pub fn name(self) -> &'static str {
        match self {
            EmbeddingType::Vector => "vector",
            EmbeddingType::Halfvec => "halfvec",
        }
    }
}

#[derive(Args)]
pub struct Init {
    #[command(flatten)]
    pub server: Server,
    #[command(flatten)]
    pub embedder: Embedder,
    /// Make a store without embeddings; it needs no pgvector
    #[arg(long)]
    pub no_embed: bool,
    /// How embeddings are stored
    #[arg(long, value_name = "TYPE", conflicts_with = "no_embed")]
    pub embedding_type: Option<EmbeddingType>,
    /// The text search configuration [default: english]
    #[arg(long, value_name = "NAME")]
    pub language: Option<String>,
    /// Tell what became of it as one JSON object
    #[arg(long)]
    pub json: bool,
}

#[derive(Args)]
pub struct Split {
    /// The file, or - for standard input
    pub file: PathBuf,
    /// One JSON object a line for each chunk
    #[arg(long)]
    pub json: bool,
    #[command(flatten)]
    pub reading: Reading,
    /// What sizes are counted in [default: wordpieces if there is a model]
    #[arg(long)]
    pub sizer: Option<Sizer>,
    #[command(flatten)]
    pub splitting: Splitting,
    #[command(flatten)]
    pub model: Model,
}

#[derive(Args)]
pub struct Outline {
    /// The document's uri
    pub uri: String,
    #[command(flatten)]
    pub server: Server,
    /// One JSON object a line for each section
    #[arg(long)]
    pub json: bool,
}

#[derive(Args)]
pub struct Status {
    #[command(flatten)]
    pub server: Server,
    /// Of this collection alone
    #[arg(long, value_name = "NAME")]
    pub collection: Option<String>,
    /// List the documents
    #[arg(long)]
    pub list: bool,
    /// One JSON object; with --list, one a line for each document
    #[arg(long)]
    pub json: bool,
}

#[derive(Args)]
pub struct Completions {
    /// The shell
    pub shell: clap_complete::Shell,
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_command_line_is_consistent() {
        use clap::CommandFactory;
        super::Cli::command().debug_assert();
    }
}
