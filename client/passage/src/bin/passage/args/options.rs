//! Options that several commands share.

use clap::{Args, ValueEnum};
use passage::split::ChunkSizes;
use passage_split::Kind;

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
#[derive(Args, Default)]
pub struct Splitting {
    /// Unit of chunk sizes [default: that of the store; in a new store wordpieces, or characters
    /// without a local model]
    #[arg(long)]
    pub sizer: Option<Sizer>,
    /// Maximum size of a chunk in units of --sizer, 1 to 1000000 [default: that of the store; in a
    /// new store 200 wordpieces or 1000 characters, or up to 2000 for a service whose model reads
    /// more]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub max_size: Option<u32>,
    /// Preferred size of a chunk in units of --sizer, 1 to 1000000 [default: that of the store; in a
    /// new store 128 wordpieces or 600 characters, in proportion to --max-size]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub preferred_size: Option<u32>,
    /// Minimum size of a chunk in units of --sizer: smaller ones are merged if possible, 0 to
    /// 1000000 [default: that of the store; in a new store 50 wordpieces or 200 characters, in
    /// proportion to --max-size]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(0..=1_000_000))]
    pub min_size: Option<u32>,
    /// Size of the end of the previous chunk that is embedded with each chunk, in units of --sizer,
    /// 0 to 1000000 [default: that of the store, else 0]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(0..=1_000_000))]
    pub overlap: Option<u32>,
}

impl Splitting {
    /// Returns the requested sizes.
    pub fn sizes(&self) -> ChunkSizes {
        let size = |option: Option<u32>| option.map(|size| size as usize);
        ChunkSizes {
            min: size(self.min_size),
            preferred: size(self.preferred_size),
            max: size(self.max_size),
        }
    }
}

/// The unit of chunk sizes.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Sizer {
    /// Tokens of the local model
    Wordpieces,
    /// Characters, which need no model
    Characters,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum EmbeddingType {
    /// 4 bytes per dimension
    Vector,
    /// 2 bytes per dimension, which halves the memory of the index
    Halfvec,
    /// As halfvec, with an index of one bit per dimension; for models of many dimensions
    Binary,
}

impl EmbeddingType {
    /// Returns its name in SQL.
    pub fn name(self) -> &'static str {
        match self {
            EmbeddingType::Vector => "vector",
            EmbeddingType::Halfvec => "halfvec",
            EmbeddingType::Binary => "binary",
        }
    }
}
