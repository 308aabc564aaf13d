//! The command `manual-pages`: writes the manual page of each command.

use super::output::print::fail_with;
use clap::{Args, Command};
use std::path::PathBuf;
use std::process::ExitCode;

#[derive(Args)]
pub struct ManualPages {
    /// Folder to write to
    pub folder: PathBuf,
}

impl ManualPages {
    /// Writes the pages of a command line.
    pub fn run(self, command: Command) -> ExitCode {
        match clap_mangen::generate_to(command, &self.folder) {
            Ok(()) => ExitCode::SUCCESS,
            Err(error) => fail_with(
                &format!("cannot write to {}: {error}", self.folder.display()),
                "Name a folder that exists and is writable.",
            ),
        }
    }
}
