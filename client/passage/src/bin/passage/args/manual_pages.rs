//! The options of `manual-pages`, which `make package` calls.

use clap::Args;
use std::path::PathBuf;

#[derive(Args)]
pub struct ManualPages {
    /// Folder to write to
    pub folder: PathBuf,
}
