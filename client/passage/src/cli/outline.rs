//! The command `outline`: shows the sections of a document.

use super::options::Server;
use super::output::print::print;
use super::output::render::{DIM, count, json, line, printable};
use crate::Error;
use crate::store::OutlineRow;
use clap::Args;
use std::process::ExitCode;

/// The text below the options.
pub const HELP: &str = "\
Example:
  passage outline docs/guide.md";

#[derive(Args)]
pub struct Outline {
    /// Uri of the document
    pub uri: String,
    #[command(flatten)]
    pub server: Server,
    /// Print one JSON object per line for each section
    #[arg(long)]
    pub json: bool,
}

impl Outline {
    /// Runs the command.
    pub async fn run(self) -> Result<ExitCode, Error> {
        let rows = self.server.connect().await?.outline(&self.uri).await?;
        print(&if self.json { rows.iter().map(json).collect() } else { as_text(&rows) });
        Ok(ExitCode::SUCCESS)
    }
}

/// Returns the sections of a document with their lines.
fn as_text(rows: &[OutlineRow]) -> String {
    let outlines: Vec<_> = rows.iter().map(|row| printable(&row.outline)).collect();
    let width = outlines.iter().map(|outline| outline.chars().count()).max().unwrap_or(0);
    let mut output = String::new();
    for (row, outline) in rows.iter().zip(outlines) {
        let OutlineRow { chunks, tokens, .. } = row;
        let lines = match (row.first_line, row.last_line) {
            (Some(first), Some(last)) => format!("lines {first}-{last}, "),
            _ => String::new(),
        };
        line(
            &mut output,
            &format!(
                "{outline:width$}  {DIM}{lines}{}, {tokens} tokens{DIM:#}",
                count(*chunks as usize, "chunk")
            ),
        );
    }
    output
}
