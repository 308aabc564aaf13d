//! The command `outline`: shows the sections of a document.

use super::connect;
use crate::{args, render};
use passage::Error;

/// Returns the text to print.
pub async fn outline(args: args::Outline) -> Result<String, Error> {
    let rows = connect(&args.server).await?.outline(&args.uri).await?;
    Ok(if args.json { rows.iter().map(render::json).collect() } else { render::outline(&rows) })
}
