//! The options that `ingest` and `sync` share.

use crate::cli::options::{
    ConversionOptions, DOCUMENTS, Embedder, JsonLines, MetadataOptions, Server, Splitting,
};
use crate::source::FollowLinks;
use clap::Args;
use std::num::NonZero;
use std::path::PathBuf;

#[allow(clippy::struct_excessive_bools)] // Each is an option of its own.
#[derive(Args)]
pub struct Loading {
    /// Files, folders, glob patterns such as 'docs/**/*.md', archives (.tar, .tar.gz, .tgz, .zip),
    /// addresses of web pages, sitemaps or llms.txt; - reads standard input
    #[arg(required = true, value_name = "PATH")]
    pub paths: Vec<PathBuf>,
    #[command(flatten)]
    pub server: Server,
    /// Collection of the documents: a project or library [default: the unnamed one]
    #[arg(long, value_name = "NAME", help_heading = DOCUMENTS)]
    pub collection: Option<String>,
    /// Version of the collection [default: the unnamed one]
    #[arg(long = "version", value_name = "VERSION", help_heading = DOCUMENTS)]
    pub collection_version: Option<String>,
    /// Uri of a single document; required for standard input [default: the path of the file]
    #[arg(long, hide_short_help = true, conflicts_with = "jsonl", help_heading = DOCUMENTS)]
    pub uri: Option<String>,
    /// Read the files as JSON lines
    #[arg(long, hide_short_help = true, value_name = "CONTENT", help_heading = DOCUMENTS)]
    pub jsonl: Option<JsonLines>,
    /// Load only documents that match this .gitignore-style pattern; may be repeated [default: all]
    #[arg(long, value_name = "PATTERN", help_heading = DOCUMENTS)]
    pub include: Vec<String>,
    /// Skip documents that match this .gitignore-style pattern; may be repeated [default: none]
    #[arg(long, value_name = "PATTERN", help_heading = DOCUMENTS)]
    pub exclude: Vec<String>,
    /// Accept a folder, archive, pattern or other source without any document, which is otherwise an
    /// error
    #[arg(long, hide_short_help = true, help_heading = DOCUMENTS)]
    pub allow_empty: bool,
    /// Accept documents of formats that passage cannot convert to text, which are otherwise an error, and
    /// skip them
    #[arg(long, hide_short_help = true, help_heading = DOCUMENTS)]
    pub skip_unsupported: bool,
    /// Also fetch pages from private addresses, such as those of this machine and its network, and
    /// through the proxies that the environment names
    #[arg(long, hide_short_help = true, help_heading = DOCUMENTS)]
    pub allow_private: bool,
    /// Also load the pages of the same server that the links of a page lead to
    #[arg(long, hide_short_help = true, help_heading = DOCUMENTS)]
    pub follow_links: bool,
    /// Beginning of the paths of pages whose links are followed, such as /docs/ [default: the folder
    /// of the page]
    #[arg(long, hide_short_help = true, value_name = "PATH", requires = "follow_links", help_heading = DOCUMENTS)]
    pub link_prefix: Option<String>,
    /// Maximum number of links from the named page to a loaded page, 0 to 1000
    #[arg(long, hide_short_help = true, value_name = "N", default_value_t = FollowLinks::DEPTH as u64, value_parser = clap::value_parser!(u64).range(0..=1_000),
        requires = "follow_links", help_heading = DOCUMENTS)]
    pub depth: u64,
    /// Maximum number of pages that links lead to, 1 to 1000000; more are an error
    #[arg(long, hide_short_help = true, value_name = "N", default_value_t = FollowLinks::MAX_PAGES as u64, value_parser = clap::value_parser!(u64).range(1..=1_000_000),
        requires = "follow_links", help_heading = DOCUMENTS)]
    pub max_pages: u64,
    /// Leave out the section Optional of an llms.txt
    #[arg(long, hide_short_help = true, help_heading = DOCUMENTS)]
    pub skip_optional: bool,
    /// Metadata of the documents, as KEY=VALUE with a string value or as a JSON object; may be
    /// repeated
    #[arg(long, value_name = "KEY=VALUE|JSON", help_heading = DOCUMENTS)]
    pub metadata: Vec<String>,
    #[command(flatten)]
    pub embedder: Embedder,
    /// Embed nothing; JSON lines keep the embeddings that they have
    #[arg(long)]
    pub no_embed: bool,
    /// Number of documents split, and of chunks embedded, at the same time, at least 1 [default:
    /// one per core]
    #[arg(long, hide_short_help = true, value_name = "N")]
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
    // Groups with a heading come last, because it applies to all options that follow.
    #[command(flatten)]
    pub overrides: MetadataOptions,
    #[command(flatten)]
    pub conversion: ConversionOptions,
    #[command(flatten)]
    pub splitting: Splitting,
}
