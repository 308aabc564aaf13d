/*!
Sources: which documents there are, by what uri each is known, and what is in them.

A uri has to be stable, because a document is found again by it, and readable, because people cite
it. A file that is named is known by its path as given. The files of a folder that is named are
known from the folder's own name on: `passage ingest /srv/docs/book` gives `book/ch01.md`, from
wherever it is called. What git would ignore, hidden files and links are passed over.

A source is an iterator of what it comes across ([`Found`]), which holds no more than one document at a
time; a run takes it as fast as it can and no faster.

A document is text in UTF-8, but for HTML, which says itself how it is encoded. Whatever else is in
a file is said of that file alone, and the others go on.
*/

mod error;
mod item;
mod read;
mod walk;

pub use error::Error;
pub use item::{Content, Found, Item, Told};
pub use read::{MOST_BYTES, read, read_stdin, text};
pub use walk::walk;
