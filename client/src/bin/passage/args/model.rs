//! What can be said of models.

use clap::{Args, Subcommand};
use std::path::PathBuf;

/// The command, of which there is one so far.
#[derive(Args)]
pub struct ModelCommand {
    #[command(subcommand)]
    pub command: ModelCommands,
}

#[derive(Subcommand)]
pub enum ModelCommands {
    /// Fetch the default model, 90 MB, and check it by its hashes
    #[command(after_help = "Examples:
  passage model fetch
  passage model fetch --from https://mirror.example/all-MiniLM-L6-v2 --to /srv/model")]
    Fetch(Fetch),
}

#[derive(Args)]
pub struct Fetch {
    /// A web folder that has its files [default: that of the public model, at the revision that
    /// the hashes belong to]
    #[arg(long, value_name = "URL")]
    pub from: Option<String>,
    /// The folder for it, to be named with --model [default: passage/all-MiniLM-L6-v2 in ~/.cache,
    /// where it is looked for when none is named]
    #[arg(long, value_name = "DIR")]
    pub to: Option<PathBuf>,
    /// Say nothing but errors
    #[arg(long, short)]
    pub quiet: bool,
}
