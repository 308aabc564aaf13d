//! The command `export`: writes a store as JSON lines.

use super::{connect, usage};
use crate::args::{self, JsonLines};
use crate::printable::printable_json;
use passage::Error;
use passage::export::{ExportJob, Exported, export as export_lines};
use passage::source;
use passage::store::ExportFilter;
use std::io::{self, ErrorKind, Write};

/// Writes the lines. Returns an error of the output. A reader that closes the pipe ends the export without one.
pub async fn export(args: args::Export, output: &mut dyn Write) -> Result<Option<Error>, Error> {
    let mut store = connect(&args.server).await?;
    store.tell_model(args.model_name.filter(|name| !name.trim().is_empty()));
    let filter = ExportFilter {
        collection: args.collection,
        version: args.collection_version,
        include_orphaned: args.include_orphaned,
        with_embeddings: !args.no_embed,
    };
    let lines = match args.jsonl {
        JsonLines::Documents => source::JsonLines::Documents,
        JsonLines::Chunks => source::JsonLines::Chunks,
    };
    let job = ExportJob { lines, filter, convert: printable_json };
    match export_lines(&mut store, &job, output).await? {
        Exported::All => Ok(None),
        Exported::Unwritten(error) if error.kind() == ErrorKind::BrokenPipe => Ok(None),
        Exported::Unwritten(error) => Ok(Some(unwritten(&error))),
    }
}

fn unwritten(error: &io::Error) -> Error {
    usage(
        &format!("cannot write to standard output: {error}"),
        "The lines are incomplete. Free space, or write to another device, and run the command again.",
    )
}
