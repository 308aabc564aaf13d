//! Options that several commands share.

use clap::{Args, ValueEnum};
use passage_core::Kind;

/// The server and the store.
#[derive(Args)]
pub struct Server {
    #[arg(help = "Connection string of the server, such as postgresql://user@host/database or \
        postgresql:///database?host=/socket/folder [default: the variables of libpq, such as PGHOST]")]
    #[arg(long, short, env = "DATABASE_URL", hide_env_values = true, value_name = "URL")]
    pub database_url: Option<String>,
    /// Name of the store, a schema of the database
    #[arg(
        long,
        env = "PASSAGE_STORE",
        hide_env_values = true,
        default_value = "rag",
        value_name = "NAME"
    )]
    pub store: String,
}

/// Metadata that replaces what would be detected.
#[derive(Args)]
pub struct MetadataOptions {
    /// Media type of the documents, such as text/markdown [default: detected from the name, else
    /// from the content]
    #[arg(long, value_name = "TYPE")]
    pub media_type: Option<String>,
    /// Kind of the documents' chunks [default: detected from the media type and from folder names
    /// such as api/]
    #[arg(long, value_name = "KIND", value_parser = Kind::NAMES.map(|(_, name)| name))]
    pub kind: Option<String>,
    /// Title of the documents, the first line of each preamble [default: the title in the document,
    /// else the file name]
    #[arg(long)]
    pub title: Option<String>,
    /// Base address of relative links in HTML; for a folder, the address of the folder [default:
    /// the address of the page]
    #[arg(long, value_name = "URL")]
    pub base_url: Option<String>,
}

/// Settings of the splitter.
#[derive(Args)]
pub struct Splitting {
    /// Size of the end of the previous chunk that is embedded with each chunk, in units of --sizer,
    /// 0 to 1000000
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = clap::value_parser!(u32).range(0..=1_000_000))]
    pub overlap: u32,
}

/// The unit of chunk sizes.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Sizer {
    /// Tokens of the local model: 128 preferred, at most 200
    Wordpieces,
    /// Characters, which need no model: 600 preferred, at most 1000
    Characters,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum EmbeddingType {
    /// 4 bytes per dimension
    Vector,
    /// 2 bytes per dimension, which halves the memory of the index
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
