//! What can be said of loading documents.

use super::{Embedder, Reading, Server, Sizer, Splitting};
use clap::{Args, ValueEnum};
use std::num::NonZero;
use std::path::PathBuf;

/// What stands below the options of `ingest`.
pub const HELP: &str = "\
A folder's files are known by uris that begin with the folder's name, such as docs/guide.md, and so
are the members of an archive; a file by its path as given, a page by its address. What .gitignore
lists is left out. A document that has not changed costs no embedding and no write, and a page that
has not changed is not sent again by a server that gives it an ETag or a date.

Pages come from the server that is named: links of a sitemap and redirects to another scheme, host
or port are skipped. Servers with private addresses are refused unless --allow-private is given.

JSON lines hold a document each, with the keys uri and text, and if you like title, media_type, kind
and metadata; or a chunk each, with uri and content, and if you like section, level, kind, unit,
preamble, tokens, start_byte, end_byte, first_line, last_line, imports, and title, media_type and
metadata of its document. The chunks of a document follow one another.

Exit codes: 0 if all went well, 1 if a document could not be taken in or the run ended early, 2 if
the call was wrong.

Examples:
  passage ingest docs/ README.md
  passage ingest --collection click --version 8.1 ~/click/docs
  passage ingest 'src/**/*.py' --exclude 'test_*' --metadata team=core
  passage ingest click-8.1.tar.gz pages.zip
  passage ingest https://example.com/guide.html
  passage ingest https://example.com/sitemap.xml --include '/docs/'
  passage ingest documents.jsonl.gz --jsonl documents
  passage split guide.md --json | sed 's/^{/{\"uri\": \"guide.md\", /' | passage ingest - --jsonl chunks
  cat notes/*.txt | passage ingest - --uri notes.txt
  passage ingest docs/ --dry-run
  passage ingest docs/ --watch";

/// What stands in each line of a file of JSON lines.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Lines {
    /// A document: uri, text, and what else is told of it
    Documents,
    /// A chunk: uri, content, section, and what else a store has of a chunk
    Chunks,
}

#[derive(Args)]
pub struct Ingest {
    #[command(flatten)]
    pub loading: Loading,
}

/// Which documents are loaded, and how.
#[allow(clippy::struct_excessive_bools)] // Each is an option of its own.
#[derive(Args)]
pub struct Loading {
    /// Files, folders, patterns such as 'docs/**/*.md', archives (.tar, .tar.gz, .tgz, .zip),
    /// addresses of pages or of a sitemap, or - for standard input
    #[arg(required = true, value_name = "PATH")]
    pub paths: Vec<PathBuf>,
    #[command(flatten)]
    pub server: Server,
    /// The project or library that the documents belong to
    #[arg(long, default_value = "", hide_default_value = true, value_name = "NAME")]
    pub collection: String,
    /// The version of the collection
    #[arg(long = "version", default_value = "", hide_default_value = true, value_name = "VERSION")]
    pub collection_version: String,
    /// The uri of a single file or of standard input
    #[arg(long, conflicts_with = "jsonl")]
    pub uri: Option<String>,
    /// Take the files for JSON lines: a document, or a chunk of one, in each
    #[arg(long, value_name = "WHAT")]
    pub jsonl: Option<Lines>,
    /// Take only what is like this, written as in .gitignore; may be given several times
    #[arg(long, value_name = "PATTERN")]
    pub include: Vec<String>,
    /// Leave out what is like this, written as in .gitignore; may be given several times
    #[arg(long, value_name = "PATTERN")]
    pub exclude: Vec<String>,
    /// Fetch pages also from private addresses, such as this machine's and those of its network,
    /// and through the proxies that the environment names
    #[arg(long)]
    pub allow_private: bool,
    #[command(flatten)]
    pub reading: Reading,
    /// What else is known of the documents: KEY=VALUE, a text, or a JSON object; may be given
    /// several times
    #[arg(long, value_name = "KEY=VALUE|JSON")]
    pub metadata: Vec<String>,
    #[command(flatten)]
    pub embedder: Embedder,
    /// Load text only
    #[arg(long)]
    pub no_embed: bool,
    /// What sizes are counted in [default: wordpieces, or characters without a model here]
    #[arg(long)]
    pub sizer: Option<Sizer>,
    #[command(flatten)]
    pub splitting: Splitting,
    /// Documents that are split, and chunks that are embedded, at a time [default: one on each core]
    #[arg(long, value_name = "N")]
    pub jobs: Option<NonZero<usize>>,
    /// Tell what would change, and change nothing
    #[arg(long)]
    pub dry_run: bool,
    /// Go on until interrupted: load files again when they change, and take out those that are gone
    #[arg(long, conflicts_with = "dry_run")]
    pub watch: bool,
    /// Tell what became of it as one JSON object
    #[arg(long)]
    pub json: bool,
    /// Say nothing but errors
    #[arg(long, short)]
    pub quiet: bool,
}
