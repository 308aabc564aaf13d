/*!
Servers over one store that keep the embedding model loaded: MCP for agents, HTTP for programs and a page.

A [`Reader`] answers questions: it calls the functions of the extension over a pool of connections, and embeds
queries with the store's model. [`mcp`] and [`http`] translate their protocols into calls of it. The role of the
database connections is the only right; a [`Guard`] decides who may reach an HTTP server at all.

A reader writes nothing but ratings, if it allows them. Only an [`mcp::Writer`] does, which a caller adds to the MCP server to allow it.
*/

mod authority;
mod connections;
mod error;
mod facts;
mod guard;
pub mod http;
mod lines;
mod listen;
pub mod mcp;
pub mod page;
mod reader;
mod reranking;
mod socket;
mod store_embedder;
mod watched_body;
mod web;

pub use connections::Report;
pub use error::Error;
pub use guard::{Guard, GuardError};
pub use listen::{Serving, Stop};
pub use reader::{Reader, ReaderOptions};
pub use reranking::{RerankPlan, Reranking};
pub use store_embedder::{embedding_model, store_embedder};
