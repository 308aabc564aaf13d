//! The command `completions`: prints a completion script of a shell.

use super::output::print::print;
use clap::{Args, Command};
use std::process::ExitCode;

/// The text below the options.
pub const HELP: &str = "\
Examples:
  passage completions bash > ~/.local/share/bash-completion/completions/passage
  passage completions zsh > \"${fpath[1]}/_passage\"";

#[derive(Args)]
pub struct Completions {
    /// Shell that reads the script
    pub shell: clap_complete::Shell,
}

impl Completions {
    /// Prints the script for a command line.
    pub fn run(self, mut command: Command) -> ExitCode {
        let mut script = Vec::new();
        clap_complete::generate(self.shell, &mut command, "passage", &mut script);
        print(&String::from_utf8_lossy(&script));
        ExitCode::SUCCESS
    }
}
