/*!
A shadow store: a copy of a store with other embeddings or settings that replaces the original.

A reindex of a whole store needs other tables: for embeddings of other dimensions, for another language,
or so that no reader sees a half-finished state. The shadow store is a schema with the layout of the
original. It records for each document the versions of the rows that it was made from ([`fill`]), so
that documents that other writers changed meanwhile are found and made again, for the last time under a
lock ([`swap`]). Indexes, privileges and other customizations of the original are carried over
([`customizations`]). A reindex rejects objects that cannot be carried over before it creates
anything ([`obstacles`]). If a run ends before the swap, the next run continues with the shadow store.
*/

mod customizations;
mod fill;
mod layout;
mod mark;
mod obstacles;
mod pair;
mod shadow_store;
mod swap;

pub use fill::{OutdatedDocument, ShadowDocument};
pub use layout::ShadowOptions;
pub(super) use layout::schema_names;
pub use shadow_store::ShadowStore;
pub use swap::PendingSwap;
