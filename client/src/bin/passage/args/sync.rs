//! What can be said of syncing.

use super::Loading;
use clap::Args;
use std::time::Duration;

/// What stands below the options of `sync`.
pub const HELP: &str = "\
Documents of the collection and version that a source stands for and has no more are marked at
first: search leaves them out. They are removed by a run that finds them gone for longer than
--grace, and if they come back, the mark goes. A folder or an archive stands for what its name
begins, a pattern for what it describes, a page for itself, a sitemap for all beside and below it,
and JSON lines for the whole collection. What --include and --exclude leave out is left alone.

If a source cannot be read, nothing is taken for gone, and the exit code is 1.

Examples:
  passage sync docs/
  passage sync docs/ --grace 0
  passage sync docs/ --dry-run
  passage sync --collection site https://example.com/sitemap.xml
  passage sync --collection notes notes.jsonl --jsonl documents
  passage sync docs/ --watch";

/// The longest grace: what lasts longer is for ever.
const MOST: Duration = Duration::from_hours(100 * 366 * 24);

#[derive(Args)]
pub struct Sync {
    #[command(flatten)]
    pub loading: Loading,
    /// How long a document stays when its source is gone, such as 12h or 30days; 0 removes it at
    /// once
    #[arg(long, value_name = "TIME", default_value = "7days", value_parser = grace)]
    pub grace: Duration,
}

/// Reads a time, which may be a bare zero.
fn grace(given: &str) -> Result<Duration, String> {
    let grace = humantime::parse_duration(given).map_err(|error| error.to_string())?;
    if grace > MOST {
        return Err("it is more than 100 years".into());
    }
    Ok(grace)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_grace_is_a_number_with_its_unit_or_zero() {
        assert_eq!(grace("0"), Ok(Duration::ZERO));
        assert_eq!(grace("7days"), Ok(Duration::from_hours(7 * 24)));
        assert_eq!(grace("1h 30min"), Ok(Duration::from_mins(90)));
        for wrong in ["", "7", "-1h", "h", "1 fortnight", "99999999999999999999h", "1000y"] {
            assert!(grace(wrong).is_err(), "{wrong}");
        }
    }

    proptest! {
        #[test]
        fn any_grace_is_read_or_refused(text in ".{0,9}", number: u32, unit in "(s|m|h|d|w|M|y)?") {
            let _ = grace(&text);
            if let Ok(grace) = grace(&format!("{number}{unit}")) {
                prop_assert!(grace <= MOST);
            }
        }
    }
}
