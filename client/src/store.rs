/*!
The store: a schema in PostgreSQL, and all that the client says to the server.

Writing is one transaction for several documents (see [`write`](Store::write)), in which each is
wholly old or wholly new. Reading leaves search, expansion and assembly to the extension's functions.
What a server refuses comes back as an [`Error`] that knows what to do about
it; the document's text never stands in one.
*/

mod chunks;
mod connect;
mod documents;
mod error;
mod index;
mod init;
mod notes;
mod nul;
mod outline;
mod search;
mod settings;
mod sql;
mod statements;
mod status;
mod write;

pub use connect::Store;
pub use documents::{Known, KnownChunk};
pub use error::Error;
pub use init::Init;
pub use notes::Note;
pub use nul::holds_nul;
pub use outline::OutlineRow;
pub use search::{Filters, Found, Hit, Mode, Passage, Search};
pub use settings::Settings;
pub use status::Status;
pub use write::{Chunk, Document, Written};
