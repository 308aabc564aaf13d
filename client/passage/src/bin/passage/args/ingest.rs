//! The options of `ingest`, most of which `sync` has too.

use super::{Embedder, MetadataOptions, Server, Splitting};
use clap::{Args, ValueEnum};
use std::num::NonZero;
use std::path::PathBuf;

/// The text below the options.
pub const HELP: &str = "\
Uris:
  A file gets its path as its uri, and a page its address. The uris of files in a folder begin
  with the name of the folder, such as docs/guide.md; so do those of members of an archive.
  Hidden files and files that .gitignore lists are skipped. Unchanged documents are neither
  embedded nor written.

Web pages:
  For a sitemap, all pages that it lists are fetched. Links and redirects to another scheme,
  host or port are skipped. Servers with private addresses are refused, unless --allow-private
  is given. An unchanged page is not downloaded again if its server sends an ETag or a date.

JSON lines:
  With --jsonl documents, each line has the keys uri and text, and optionally kind. With --jsonl
  chunks, each line has the keys uri and content, and optionally id, section, level, kind, unit,
  preamble, tokens, start_byte, end_byte, first_line, last_line, imports, chunk_metadata, and
  embedding with its model. The chunks of a document must be consecutive. Either may have title,
  media_type, source_media_type, metadata and document_id of the document, and its collection
  and version, unless the options of the run name them. \"chunks\": 0 instead of content makes a
  document without chunks.

  An embedding is an array of numbers. It is stored as it is, also with --no-embed. Its model
  must be that of the store, and that of this run unless --no-embed is given. The lines of
  passage export have all keys.

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

/// The content of each line of a file of JSON lines.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum JsonLines {
    /// Each line is a document
    Documents,
    /// Each line is a chunk, which is not split again
    Chunks,
}

#[derive(Args)]
pub struct Ingest {
    #[command(flatten)]
    pub loading: Loading,
}

#[allow(clippy::struct_excessive_bools)] // Each is an option of its own.
#[derive(Args)]
pub struct Loading {
    /// Files, folders, glob patterns such as 'docs/**/*.md', archives (.tar, .tar.gz, .tgz, .zip),
    /// addresses of web pages or sitemaps; - reads standard input
    #[arg(required = true, value_name = "PATH")]
    pub paths: Vec<PathBuf>,
    #[command(flatten)]
    pub server: Server,
    /// Collection of the documents: a project or library [default: the unnamed one]
    #[arg(long, value_name = "NAME")]
    pub collection: Option<String>,
    /// Version of the collection [default: the unnamed one]
    #[arg(long = "version", value_name = "VERSION")]
    pub collection_version: Option<String>,
    /// Uri of a single document; required for standard input [default: the path of the file]
    #[arg(long, conflicts_with = "jsonl")]
    pub uri: Option<String>,
    /// Read the files as JSON lines
    #[arg(long, value_name = "CONTENT")]
    pub jsonl: Option<JsonLines>,
    /// Load only documents that match this .gitignore-style pattern; may be repeated [default: all]
    #[arg(long, value_name = "PATTERN")]
    pub include: Vec<String>,
    /// Skip documents that match this .gitignore-style pattern; may be repeated [default: none]
    #[arg(long, value_name = "PATTERN")]
    pub exclude: Vec<String>,
    /// Accept a folder, archive, pattern or other source without any document, which is otherwise an
    /// error
    #[arg(long)]
    pub allow_empty: bool,
    /// Also fetch pages from private addresses, such as those of this machine and its network, and
    /// through the proxies that the environment names
    #[arg(long)]
    pub allow_private: bool,
    #[command(flatten)]
    pub overrides: MetadataOptions,
    /// Metadata of the documents, as KEY=VALUE with a string value or as a JSON object; may be
    /// repeated
    #[arg(long, value_name = "KEY=VALUE|JSON")]
    pub metadata: Vec<String>,
    #[command(flatten)]
    pub embedder: Embedder,
    /// Embed nothing; JSON lines keep the embeddings that they have
    #[arg(long)]
    pub no_embed: bool,
    #[command(flatten)]
    pub splitting: Splitting,
    /// Number of documents split, and of chunks embedded, at the same time, at least 1 [default:
    /// one per core]
    #[arg(long, value_name = "N")]
    pub jobs: Option<NonZero<usize>>,
    /// Report what would change, and change nothing
    #[arg(long)]
    pub dry_run: bool,
    /// Continue until interrupted: load changed files again, and remove missing ones as sync does
    #[arg(long, conflicts_with = "dry_run")]
    pub watch: bool,
    /// Print the result as one JSON object
    #[arg(long)]
    pub json: bool,
    /// Print only errors
    #[arg(long, short)]
    pub quiet: bool,
}
