//! The command `export`: writes a store as JSON lines.

use super::options::{JsonLines, Server};
use super::output::print::{fail, lines};
use super::output::printable::printable_json;
use crate::Error;
use crate::export::{ExportJob, Exported, export};
use crate::store::ExportFilter;
use clap::Args;
use std::io::ErrorKind;
use std::process::ExitCode;

/// The text below the options.
pub const HELP: &str = "\
All lines show one moment of the store, in the order of collections, versions and uris, without
documents that are marked as orphaned. The keys are those of passage ingest --jsonl.

A line for a chunk has its id, and its embedding with the name of the model, so a new store gets
the same rows without a model. A line for a document has its whole text, which ingest splits and
embeds again.

A missing value is written as its default, such as the kind of the media type. Numbers in metadata
have the precision of 8 bytes.

Examples:
  passage export > store.jsonl
  passage ingest --store copy --jsonl chunks --no-embed store.jsonl
  passage export --jsonl documents | gzip > documents.jsonl.gz
  passage export --collection click --version 8.1
  passage export --no-embed | jq -r .content";

#[derive(Args)]
pub struct Export {
    #[command(flatten)]
    pub server: Server,
    /// Content of each line
    #[arg(long, value_name = "CONTENT", default_value = "chunks")]
    pub jsonl: JsonLines,
    /// Export only this collection
    #[arg(long, value_name = "NAME")]
    pub collection: Option<String>,
    /// Export only this version of the collection
    #[arg(long = "version", value_name = "VERSION")]
    pub collection_version: Option<String>,
    /// Also export documents that are marked as orphaned, without the mark
    #[arg(long)]
    pub include_orphaned: bool,
    /// Write no embeddings
    #[arg(long)]
    pub no_embed: bool,
    /// Name of the model that made the embeddings, if the store does not record it
    #[arg(long, value_name = "NAME")]
    pub model_name: Option<String>,
}

impl Export {
    /// Runs the command. A reader that closes the pipe ends it without an error.
    pub async fn run(self) -> Result<ExitCode, Error> {
        let mut store = self.server.connect().await?;
        store.tell_model(self.model_name.filter(|name| !name.trim().is_empty()));
        let filter = ExportFilter {
            collection: self.collection,
            version: self.collection_version,
            include_orphaned: self.include_orphaned,
            with_embeddings: !self.no_embed,
        };
        let job = ExportJob { lines: self.jsonl.into(), filter, convert: printable_json };
        Ok(match export(&mut store, &job, &mut lines()).await? {
            Exported::All => ExitCode::SUCCESS,
            Exported::Unwritten(error) if error.kind() == ErrorKind::BrokenPipe => {
                ExitCode::SUCCESS
            }
            Exported::Unwritten(error) => fail(&Error::usage(
                &format!("cannot write to standard output: {error}"),
                "The lines are incomplete. Free space, or write to another device, and run the command again.",
            )),
        })
    }
}
