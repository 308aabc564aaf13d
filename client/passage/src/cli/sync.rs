//! The command `sync`: ingests documents, and removes those whose sources no longer exist.

use super::loading::Loading;
use crate::Error;
use clap::Args;
use std::process::ExitCode;
use std::time::Duration;

/// The text below the options.
pub const HELP: &str = "\
sync does what passage ingest does, whose --help explains the sources, and also removes documents
that a source no longer contains. Such a document is first marked as orphaned, so that search
leaves it out. If its source exists again, sync removes the mark; if it is missing for longer
than --grace, sync removes the document.

Scope:
  sync removes only documents of the given collection and version, in the scope of a source.
  The scope of a folder or an archive is all uris that begin with its name; of a pattern, all
  uris that match it; of a page, that page; with --follow-links, all pages below the prefix of
  links; of a sitemap, llms.txt or llms-full.txt, all pages beside and below it; of JSON lines,
  the whole collection. Documents that --include and --exclude leave out are never removed.

If a source cannot be read or has no document, sync removes nothing and exits with code 1. With
--allow-empty, all documents of an empty source are missing.

Examples:
  passage sync docs/
  passage sync docs/ --grace 0
  passage sync docs/ --dry-run
  passage sync --collection site https://example.com/sitemap.xml
  passage sync --collection docs https://example.com/docs/ --follow-links
  passage sync --collection notes notes.jsonl --jsonl documents
  passage sync docs/ --watch";

/// The longest grace period.
const MAX_GRACE: Duration = Duration::from_hours(100 * 366 * 24);

#[derive(Args)]
pub struct Sync {
    #[command(flatten)]
    pub loading: Loading,
    /// Time to keep orphaned documents, with a unit such as 12h or 30days, at most 100 years; 0
    /// removes them at once
    #[arg(long, value_name = "TIME", default_value = "7days", value_parser = grace)]
    pub grace: Duration,
}

impl Sync {
    /// Runs the command.
    pub async fn run(self) -> Result<ExitCode, Error> {
        self.loading.load(Some(self.grace)).await
    }
}

/// Parses a time with its unit, or a bare zero.
fn grace(text: &str) -> Result<Duration, String> {
    let grace = humantime::parse_duration(text).map_err(|error| error.to_string())?;
    if grace > MAX_GRACE {
        return Err("more than 100 years".into());
    }
    Ok(grace)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_grace_period_is_a_number_with_its_unit_or_zero() {
        assert_eq!(grace("0"), Ok(Duration::ZERO));
        assert_eq!(grace("7days"), Ok(Duration::from_hours(7 * 24)));
        assert_eq!(grace("1h 30min"), Ok(Duration::from_mins(90)));
        for wrong in ["", "7", "-1h", "h", "1 fortnight", "99999999999999999999h", "1000y"] {
            assert!(grace(wrong).is_err(), "{wrong}");
        }
    }

    proptest! {
        #[test]
        fn any_grace_period_is_parsed_or_refused(text in ".{0,9}", number: u32, unit in "(s|m|h|d|w|M|y)?") {
            let _ = grace(&text);
            if let Ok(grace) = grace(&format!("{number}{unit}")) {
                prop_assert!(grace <= MAX_GRACE);
            }
        }
    }
}
