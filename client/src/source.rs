/*!
Sources: which documents there are, by what uri each is known, and what is in them.

A uri has to be stable, because a document is found again by it, and readable, because people cite
it. A file that is named is known by its path as given. The files of a folder that is named are
known from the folder's own name on: `passage ingest /srv/docs/book` gives `book/ch01.md`, from
wherever it is called; and so are the members of an archive. A page is known by its address, and a
JSON line says its uri itself. What git would ignore, hidden files and links are passed over.

A document is text in UTF-8, but for HTML, which says itself how it is encoded, and pages, of which
servers say it. Whatever else is in a file is said of that file alone, and the others go on.

All sources are iterators, read as documents are asked for; none holds more than a few of them.
*/

mod archive;
mod error;
mod filter;
mod input;
mod item;
mod lines;
mod pattern;
mod read;
mod ready;
mod scope;
mod walk;
mod watch;
mod web;

pub use error::Error;
pub use filter::Filter;
pub use input::{Input, Sources, open};
pub use item::{Content, Foreign, Found, Item, Told, Validators};
pub use lines::{Belonging, Lines};
pub use pattern::Pattern;
pub use read::{MOST_BYTES, read, read_stdin, text, without_nul};
pub use ready::Ready;
pub use scope::{Scope, Scopes};
pub use walk::walk;
pub use watch::{Changes, Watch};
pub use web::{Network, Remembered};
