//! The options of `split`.

use super::{MetadataOptions, Model, Splitting};
use clap::Args;
use std::path::PathBuf;

/// The text below the options.
pub const HELP: &str = "\
Examples:
  passage split README.md
  passage split README.md --json | jq -r .content
  passage split README.md --sizer characters --max-size 2000
  passage split - --media-type text/markdown < README.md";

#[derive(Args)]
pub struct Split {
    /// File to split; - reads standard input
    pub file: PathBuf,
    /// Print one JSON object per line for each chunk
    #[arg(long)]
    pub json: bool,
    #[command(flatten)]
    pub overrides: MetadataOptions,
    #[command(flatten)]
    pub splitting: Splitting,
    #[command(flatten)]
    pub model: Model,
}
