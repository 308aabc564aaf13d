/*!
The store: a schema in PostgreSQL, and all that the client says to the server.

Writing is one transaction for several documents (see [`write`](Store::write)), in which each is
wholly old or wholly new. Reading leaves search, expansion and assembly to the extension's functions.
What a server refuses comes back as an [`Error`] that knows what to do about
it; the document's text never stands in one.
*/

mod arguments;
mod chunks;
mod collections;
mod connect;
mod context;
mod doctor;
mod documents;
mod error;
mod fragments;
mod identity;
mod index;
mod init;
mod missing;
mod notes;
mod orphans;
mod outline;
mod ownership;
mod remove;
mod rewrite;
mod search;
mod second;
mod settings;
mod sql;
mod statements;
mod status;
mod stored;
mod write;

pub use crate::nul::holds_nul;
pub use collections::{Collection, Listed};
pub use connect::Store;
pub use context::{Context, ContextRow};
pub use doctor::{Finding, Severity};
pub use documents::{Known, KnownChunk};
pub use error::Error;
pub use fragments::{Fragment, Quest};
pub use identity::Identity;
pub use init::Init;
pub use missing::{Missing, Place};
pub use notes::Note;
pub use orphans::Present;
pub use outline::OutlineRow;
pub use remove::{Removal, Removed};
pub use search::{Filters, Found, Hit, Mode, Passage, Search};
pub use second::{Differing, Last, Made, Plan, Second};
pub use settings::Settings;
pub use sql::quoted;
pub use status::Status;
pub use stored::{Stored, StoredChunk};
pub use write::{Chunk, Document, Written};
