//! The command `ingest`: splits, embeds and loads documents.

use super::loading::Loading;
use crate::Error;
use clap::Args;
use std::process::ExitCode;

/// The text below the options.
pub const HELP: &str = "\
Uris:
  A file gets its path as its uri, and a page its address. The uris of files in a folder or an
  archive begin with its name, such as docs/guide.md. Hidden files and files that .gitignore
  lists are skipped, and unchanged documents are neither embedded nor written.

Web pages:
  A sitemap or an llms.txt stands for all pages that it lists, an llms-full.txt for those that it
  contains, and with --follow-links, a page for itself and the pages of its folder that links
  lead to. Another scheme, host or port is skipped. Servers with private addresses are refused,
  unless --allow-private is given. The robots.txt of a server decides which pages the agent
  passage fetches. An unchanged page is not downloaded again if its server sends an ETag or a
  date.

JSON lines:
  With --jsonl documents, each line has the keys uri and text, and optionally kind. With --jsonl
  chunks, each line has the keys uri and content, and optionally id, section, level, kind, unit,
  preamble, tokens, start_byte, end_byte, first_line, last_line, imports, chunk_metadata, and
  embedding with its model. The chunks of a document must be consecutive. Either may have title,
  media_type, source_media_type, metadata and document_id of the document, and its collection
  and version, unless the options of the run name them. \"chunks\": 0 instead of content makes a
  document without chunks.

  An embedding is an array of numbers, which is stored as it is, even with --no-embed. Its model
  must be that of the store, and that of this run unless --no-embed is given. The lines of
  passage export have all keys.

Examples:
  passage ingest docs/ README.md
  passage ingest --collection click --version 8.1 ~/click/docs
  passage ingest 'src/**/*.py' --exclude 'test_*' --metadata team=core
  passage ingest click-8.1.tar.gz pages.zip
  passage ingest https://example.com/guide.html
  passage ingest https://example.com/sitemap.xml --include '/docs/'
  passage ingest https://example.com/docs/ --follow-links --depth 3
  passage ingest https://example.com/llms.txt --skip-optional
  passage ingest documents.jsonl.gz --jsonl documents
  passage split guide.md --json | sed 's/^{/{\"uri\": \"guide.md\", /' | passage ingest - --jsonl chunks
  cat notes/*.txt | passage ingest - --uri notes.txt
  passage ingest docs/ --dry-run
  passage ingest docs/ --watch";

#[derive(Args)]
pub struct Ingest {
    #[command(flatten)]
    pub loading: Loading,
}

impl Ingest {
    /// Runs the command.
    pub async fn run(self) -> Result<ExitCode, Error> {
        self.loading.load(None).await
    }
}
