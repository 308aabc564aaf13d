/*!
Sources: where documents come from, and the uri of each.

A uri must be stable, because a later run finds the document by it. It must be readable, because
people cite it. A file keeps its path as given. The files of a folder get uris that begin with the
folder's name: `passage ingest /srv/docs/book` makes `book/ch01.md`, whatever the working folder is.
Members of an archive get uris that begin with the archive's name. The uri of a page is its address,
and a JSON line contains its own. Hidden files, symbolic links and files that `.gitignore` lists are
skipped.

The text of a document is UTF-8, except for HTML, which names its encoding, and for pages, whose
servers name it. A file with any other content fails alone.

All sources are iterators that read documents on demand. None holds more than a few of them in
memory.
*/

mod archive;
mod document;
mod empty;
mod error;
mod filter;
mod input;
mod jsonl;
mod left_out;
mod pattern;
mod presplit;
mod read;
mod scope;
mod selection;
mod skipped_page;
mod walk;
mod watch;
mod web;

pub use document::{
    CollectionVersion, Content, SourceDocument, SourceEntry, SourceMetadata, Validators,
};
pub use error::{Error, LinksError};
pub use filter::Filter;
pub use input::{Input, OpenOptions, Sources, open};
pub use jsonl::{JsonLines, LineOptions};
pub use left_out::{EmptyReason, LeftOut};
pub use pattern::Pattern;
pub use presplit::PresplitChunk;
pub use read::{MAX_BYTES, Text, read, read_stdin, text, without_nul};
pub use scope::{Scope, Scopes};
use selection::Selection;
pub use skipped_page::{BlockedPage, ExternalLink, SkippedPage};
pub use walk::walk;
pub use watch::{Changes, Watch};
pub use web::{FollowLinks, HttpCache, Network, PageLinks, PageOptions};
