//! The command `serve`: serves HTTP and the page.

use super::interruption::interruption;
use super::serving::{listen, reader};
use crate::args;
use passage::Error;
use passage::serve::http;
use std::sync::Arc;

/// Serves until a signal; `note` prints the address.
pub async fn serve(
    args: args::Serve,
    note: impl Fn(&str) + Copy + Send + Sync + 'static,
) -> Result<(), Error> {
    // The address is tried first, because the model takes longer to load.
    let (listener, guard, address) = listen(args.listen).await?;
    let (reader, _) = reader(&args.serving, note).await?;
    note(&format!("listening on http://{address}"));
    http::serve(listener, Arc::clone(&reader), guard, interruption()).await;
    reader.close().await;
    Ok(())
}
