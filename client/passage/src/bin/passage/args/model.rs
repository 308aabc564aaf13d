//! The options of `model`.

use clap::{Args, Subcommand};
use std::path::PathBuf;

#[derive(Args)]
pub struct ModelCommand {
    #[command(subcommand)]
    pub command: ModelCommands,
}

#[derive(Subcommand)]
pub enum ModelCommands {
    /// Download the default model, 90 MB, and verify its checksums
    #[command(after_help = HELP)]
    Fetch(Fetch),
}

/// The text below the options of `model fetch`.
const HELP: &str = "\
Examples:
  passage model fetch
  passage model fetch --from https://mirror.example/all-MiniLM-L6-v2 --to /srv/model";

#[derive(Args)]
pub struct Fetch {
    /// Address of a folder with the files of the model [default: the public repository, at the
    /// revision that the checksums belong to]
    #[arg(long, value_name = "URL")]
    pub from: Option<String>,
    /// Folder to install the model in [default: ~/.cache/passage/all-MiniLM-L6-v2, the default of
    /// --model]
    #[arg(long, value_name = "DIR")]
    pub to: Option<PathBuf>,
    /// Print only errors
    #[arg(long, short)]
    pub quiet: bool,
}
