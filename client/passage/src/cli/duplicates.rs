//! The command `duplicates`: shows documents with the same text.

use super::options::Server;
use super::output::print::print;
use super::output::render::{DIM, count, json, line, location, printable};
use crate::Error;
use crate::store::{Duplicate, DuplicateDocument};
use clap::Args;
use std::process::ExitCode;

/// The text below the options.
pub const HELP: &str = "\
duplicates compares the chunks of documents without regard to case and white space. A pair is shown if
the other document has at least --min-share percent of the text of the smaller one. Versions of one
collection are not compared with each other. For texts that mean the same in other words, see the SQL
function passage.similar.

Examples:
  passage duplicates
  passage duplicates --collection handbook --min-share 50
  passage duplicates --json | jq -r '.documents[1].uri'";

#[derive(Args)]
pub struct Duplicates {
    #[command(flatten)]
    pub server: Server,
    /// Compare only documents of this collection
    #[arg(long, value_name = "NAME")]
    pub collection: Option<String>,
    /// Minimum share of the smaller document, 1 to 100 percent
    #[arg(long, default_value_t = 80, value_name = "PERCENT", value_parser = clap::value_parser!(u32).range(1..=100))]
    pub min_share: u32,
    /// Maximum number of pairs, 1 to 1000000
    #[arg(long, default_value_t = 100, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub limit: u32,
    /// Print one JSON object per line for each pair
    #[arg(long)]
    pub json: bool,
}

impl Duplicates {
    /// Runs the command.
    pub async fn run(self) -> Result<ExitCode, Error> {
        let store = self.server.connect().await?;
        let min_share = f64::from(self.min_share) / 100.0;
        let pairs = store.duplicates(self.collection.as_deref(), min_share, self.limit).await?;
        print(&if self.json { pairs.iter().map(json).collect() } else { as_text(&pairs) });
        Ok(ExitCode::SUCCESS)
    }
}

/// Returns the pairs, one in a line, and their number.
fn as_text(pairs: &[Duplicate]) -> String {
    let mut output = String::new();
    for Duplicate { share, share_of_larger, documents: [larger, smaller] } in pairs {
        let percent = |share: f64| (share * 100.0).floor();
        let of_larger = if percent(*share_of_larger) < 100.0 {
            format!("  {DIM}{} % of the larger{DIM:#}", percent(*share_of_larger))
        } else {
            String::new()
        };
        let (smaller, larger) = (name(smaller), name(larger));
        line(&mut output, &format!("{:>3} %  {smaller}  in  {larger}{of_larger}", percent(*share)));
    }
    line(&mut output, &format!("{DIM}{}{DIM:#}", count(pairs.len(), "pair")));
    output
}

/// Returns the uri of a document, behind its collection and version.
fn name(document: &DuplicateDocument) -> String {
    let DuplicateDocument { collection, version, uri, .. } = document;
    let place = [collection, version].into_iter().filter(|name| !name.is_empty());
    let place: Vec<_> = place.map(|name| printable(name)).collect();
    let uri = location(uri.as_deref(), None, None);
    if place.is_empty() { uri } else { format!("{} {uri}", place.join(" ")) }
}
