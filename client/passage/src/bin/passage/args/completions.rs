//! The options of `completions`.

use clap::Args;

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
