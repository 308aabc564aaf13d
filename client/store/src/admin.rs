//! Administration of a store: creating it, its settings and vector index, checks, removal of documents, and
//! the ownership of objects, which every command of administration checks first.

mod change_edition;
mod doctor;
mod edition;
mod embedding_model;
mod init;
mod install;
mod model;
mod owned_transaction;
mod ownership;
mod remove;
mod settings;
mod splitting;
mod statistics;
mod vector_index;

pub use change_edition::Upgraded;
pub use doctor::{Finding, Severity, setup_without_connection};
pub use embedding_model::{EmbeddingModel, RecordedEmbedding};
pub use init::{Created, InitOptions};
pub use install::Installation;
pub(super) use ownership::{
    CAN_BE_SUPERUSER, OwnedSchemas, PINNED_SEARCH_PATH, lock_owned, trusted_database_owner,
};
pub use remove::{Removal, RemovalSummary};
pub use settings::Settings;
pub use splitting::{OtherSizes, Splitting};
pub use statistics::Changed;
