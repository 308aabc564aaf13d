//! The command `model fetch`: downloads the default model.

use crate::args;
use crate::bar::Download;
use crate::printable::printable;
use passage::Error;
use passage::embed::{DEFAULT_MODEL, default_source, fetch};

/// Returns the text to print.
pub async fn fetch_model(args: args::Fetch) -> Result<String, Error> {
    let progress = Download::new(args.quiet);
    let from = args.from.unwrap_or_else(default_source);
    let report = |file: &'static str, bytes, total| progress.report(file, bytes, total);
    let fetched = fetch(&from, args.to.as_deref(), report).await;
    progress.finish();
    let folder = fetched?;
    if args.quiet {
        return Ok(String::new());
    }
    Ok(format!("{DEFAULT_MODEL} is installed in {}\n", printable(&folder.display().to_string())))
}
