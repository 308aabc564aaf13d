//! The command `remove`: removes documents after a confirmation.

use super::{connect, usage};
use crate::{args, render};
use passage::Error;
use passage::store::{Removal, RemovalSummary};

/// Removes documents. `ask` asks the user for confirmation, and returns `None` if there is no
/// terminal. Returns the text to print, and the uris without a document.
pub async fn remove(
    args: args::Remove,
    ask: impl FnOnce(&str) -> Option<bool>,
) -> Result<(String, Vec<String>), Error> {
    let collection = args.collection.unwrap_or_default();
    let removal = if args.uris.is_empty() {
        Removal::Collection { collection, version: args.collection_version }
    } else {
        let version = args.collection_version.unwrap_or_default();
        Removal::Uris { uris: args.uris, collection, version }
    };
    let store = connect(&args.server).await?;
    let mut removed = store.count_removal(&removal).await?;
    let needs_confirmation = !args.dry_run && !args.yes && removed.documents > 0;
    if needs_confirmation {
        let what = render::documents_and_chunks(&removed);
        match ask(&format!("Remove {what} from the store \"{}\"?", store.name())) {
            Some(true) => {}
            Some(false) => {
                let missing = std::mem::take(&mut removed.missing);
                let nothing = RemovalSummary { missing, ..RemovalSummary::default() };
                return Ok((render::removed(&nothing, false, args.json), nothing.missing));
            }
            None => {
                return Err(usage(
                    &format!(
                        "{what} would be removed, and there is no terminal to ask for confirmation"
                    ),
                    "Use --yes to remove them, or --dry-run to list them.",
                ));
            }
        }
    }
    if !args.dry_run {
        removed = store.remove(&removal).await?;
    }
    Ok((render::removed(&removed, args.dry_run, args.json), removed.missing))
}
