//! The table of the retrievers, with the differences between each and `search`.

use std::fmt;

use passage::eval::{Difference, completeness, difference, mean};

use super::peers::BUDGETS;
use super::table::MethodRecalls;

/// The method that the others are compared with.
const OURS: &str = "`search`";

/// A method with all its questions.
pub struct Peer {
    pub recalls: MethodRecalls,
    /// The time of a call, and that of `search` for the same question next to it.
    pub seconds: Vec<[f64; 2]>,
}

/// The methods over the questions of a set, or of all.
pub struct PeerTable {
    title: String,
    peers: Vec<Peer>,
}

impl PeerTable {
    /// Moves the project's own methods to the top.
    pub fn new(title: String, mut peers: Vec<Peer>) -> Self {
        peers.sort_by_key(|peer| !peer.recalls.name.starts_with('`'));
        Self { title, peers }
    }

    /// Joins the tables of several sets. A method that a set does not have is left out.
    pub fn union(tables: &[Self]) -> Self {
        let named = |name: &str| -> Option<Vec<&Peer>> {
            let in_table =
                |table: &'_ Self| table.peers.iter().position(|peer| peer.recalls.name == name);
            tables.iter().map(|table| Some(&table.peers[in_table(table)?])).collect()
        };
        let joined = tables[0].peers.iter().filter_map(|first| named(&first.recalls.name));
        let joined = joined.map(|peers| Peer {
            recalls: MethodRecalls::union(peers.iter().map(|peer| &peer.recalls)),
            seconds: peers.iter().flat_map(|peer| peer.seconds.clone()).collect(),
        });
        Self::new(format!("{} sets together", tables.len()), joined.collect())
    }
}

impl fmt::Display for PeerTable {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(formatter, "{}\n", self.title)?;
        head(formatter, "method", "| time of one call | ratio |")?;
        for Peer { recalls, seconds } in &self.peers {
            write!(formatter, "| {} |", recalls.name)?;
            for recalls in &recalls.recalls {
                let [recall, complete] = [mean(recalls), mean(&completeness(recalls))];
                write!(formatter, " {}/{} |", share(recall), share(complete))?;
            }
            let time = median(seconds.iter().map(|[one, _]| one * 1e3));
            let ratio = median(seconds.iter().map(|[one, search]| one / search));
            writeln!(formatter, " {time:.1} ms | {ratio:.1} |")?;
        }
        let ours = self.peers.iter().find(|peer| peer.recalls.name == OURS);
        let Some(Peer { recalls: ours, .. }) = ours else { return writeln!(formatter) };
        writeln!(formatter)?;
        head(formatter, "points of `search` above", "|")?;
        for Peer { recalls, .. } in self.peers.iter().filter(|peer| peer.recalls.name != OURS) {
            write!(formatter, "| {} |", recalls.name)?;
            for (other, ours) in recalls.recalls.iter().zip(&ours.recalls) {
                let recall = difference(other, ours);
                let complete = difference(&completeness(other), &completeness(ours));
                write!(formatter, " {} / {} |", points(recall), points(complete))?;
            }
            writeln!(formatter)?;
        }
        writeln!(formatter)
    }
}

/// Writes the head of a table with a column for each budget.
fn head(formatter: &mut fmt::Formatter<'_>, first: &str, last: &str) -> fmt::Result {
    let budgets = BUDGETS.map(|budget| budget.to_string()).join(" | ");
    writeln!(formatter, "| {first} | {budgets} {last}")?;
    let columns = 1 + BUDGETS.len() + last.matches('|').count() - 1;
    writeln!(formatter, "|{}", "---|".repeat(columns))
}

fn median(figures: impl Iterator<Item = f64>) -> f64 {
    let mut figures: Vec<_> = figures.collect();
    figures.sort_by(f64::total_cmp);
    figures.get(figures.len() / 2).copied().unwrap_or(f64::NAN)
}

/// Writes a share without its leading zero: `.601`.
fn share(share: f64) -> String {
    let written = format!("{share:.3}");
    written.strip_prefix('0').map_or(written.clone(), ToOwned::to_owned)
}

/// Writes a difference in points with its interval: `+8.2 (2.5 to 14.7)`.
fn points(Difference { mean, low, high }: Difference) -> String {
    let [mean, low, high] = [mean, low, high].map(|figure| figure * 100.0);
    format!("{mean:+.1} ({low:.1} to {high:.1})")
}
