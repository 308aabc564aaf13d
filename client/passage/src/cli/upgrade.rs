//! The command `upgrade`: updates `pg_passage` in a database.

use super::options::Server;
use super::output::print::print;
use super::output::render::{self, count, line, printable};
use crate::Error;
use crate::store::Upgraded;
use clap::Args;
use serde_json::json;
use std::process::ExitCode;

/// The text below the options.
pub const HELP: &str = "\
The native extension takes the version that is installed on the server, the SQL edition that of
the client. Rows stay, and so do views and columns that use the functions. passage init --edition
changes the edition.

Examples:
  passage upgrade
  passage upgrade --store notes";

#[derive(Args)]
pub struct Upgrade {
    #[command(flatten)]
    pub server: Server,
    /// Print the result as one JSON object
    #[arg(long)]
    pub json: bool,
}

impl Upgrade {
    /// Runs the command.
    pub async fn run(self) -> Result<ExitCode, Error> {
        let mut store = self.server.connect().await?;
        let upgraded = store.upgrade().await?;
        print(&if self.json {
            as_json(store.name(), &upgraded)
        } else {
            as_text(store.name(), &upgraded)
        });
        Ok(ExitCode::SUCCESS)
    }
}

fn as_text(store: &str, upgraded: &Upgraded) -> String {
    let Upgraded { before, after, statements } = upgraded;
    let mut output = String::new();
    let version = printable(&after.describe());
    line(
        &mut output,
        &if before == after {
            format!("pg_passage has version {version} already")
        } else {
            format!("pg_passage has version {version}, before {}", printable(&before.version))
        },
    );
    let store = printable(store);
    line(
        &mut output,
        &match statements {
            None => format!("the store \"{store}\" does not exist"),
            Some(0) => format!("the store \"{store}\" is complete"),
            Some(statements) => format!(
                "the store \"{store}\" is complete after {}",
                count(*statements, "statement")
            ),
        },
    );
    output
}

fn as_json(store: &str, upgraded: &Upgraded) -> String {
    let Upgraded { before, after, statements } = upgraded;
    render::json(&json!({
        "store": store, "statements": statements, "edition": after.edition.name(), "version": after.version,
        "former_version": before.version,
    }))
}
