//! The command `model fetch`: downloads the default model.

use super::output::bar::Download;
use super::output::print::print;
use super::output::printable::printable;
use crate::Error;
use crate::embed::{DEFAULT_MODEL, default_source, fetch};
use clap::{Args, Subcommand};
use std::path::PathBuf;
use std::process::ExitCode;

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

impl ModelCommand {
    /// Runs the command.
    pub async fn run(self) -> Result<ExitCode, Error> {
        let ModelCommands::Fetch(Fetch { from, to, quiet }) = self.command;
        let progress = Download::new(quiet);
        let from = from.unwrap_or_else(default_source);
        let report = |file: &'static str, bytes, total| progress.report(file, bytes, total);
        let fetched = fetch(&from, to.as_deref(), report).await;
        progress.finish();
        let folder = fetched?.display().to_string();
        if !quiet {
            print(&format!("{DEFAULT_MODEL} is installed in {}\n", printable(&folder)));
        }
        Ok(ExitCode::SUCCESS)
    }
}
