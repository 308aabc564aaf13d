//! The command `remove`.

use super::connect;
use crate::args;
use crate::render;
use passage::Error;
use passage::store::{Removal, RemovalSummary};

/// Removes what is named, once `ask` has said so or nobody need be asked; `ask` gives `None` where
/// there is nobody. Returns what to print, and what was not there.
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
    let is_asked = !args.dry_run && !args.yes && removed.documents > 0;
    if is_asked {
        let what = render::documents_and_chunks(&removed);
        match ask(&format!("Remove {what} from the store \"{}\"?", store.name())) {
            Some(true) => {}
            Some(false) => {
                let missing = std::mem::take(&mut removed.missing);
                let nothing = RemovalSummary { missing, ..RemovalSummary::default() };
                return Ok((render::removed(&nothing, false, args.json), nothing.missing));
            }
            None => {
                return Err(Error::Usage {
                    cause: format!("{what} would be removed, and nobody is there to be asked"),
                    remedy: "Give --yes to remove them, or --dry-run to see what would be.".into(),
                });
            }
        }
    }
    if !args.dry_run {
        removed = store.remove(&removal).await?;
    }
    Ok((render::removed(&removed, args.dry_run, args.json), removed.missing))
}
