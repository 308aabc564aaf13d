//! The options of `doctor`.

use super::{Embedder, Server};
use clap::Args;

/// The text below the options.
pub const HELP: &str = "\
Each finding has a remedy. The exit code is 1 if something does not work; warnings do not
change it.

doctor runs no code of other roles. If reading the store would run such code, doctor reports
that and reads only the catalogs.

With --as, doctor reports what another role can and cannot do in the store: read, search,
ingest, embed and remove. The remedies are the GRANT and CREATE POLICY statements that the
owner of the store can run.

Examples:
  passage doctor
  passage doctor --as app
  passage doctor --json | jq 'select(.severity != \"good\")'";

#[derive(Args)]
pub struct Doctor {
    #[command(flatten)]
    pub server: Server,
    #[command(flatten)]
    pub embedder: Embedder,
    /// Report what this role can and cannot do in the store
    #[arg(long = "as", value_name = "ROLE")]
    pub role: Option<String>,
    /// Do not check the model
    #[arg(long)]
    pub no_embed: bool,
    /// Print one JSON object per line for each finding
    #[arg(long)]
    pub json: bool,
}
