//! From documents to chunks: splitting, and what it never loses.

mod boundaries;
mod code;
mod code_cuts;
mod code_properties;
mod code_snapshots;
mod corpus;
mod data;
mod data_corpus;
mod data_properties;
mod links;
mod man_and_make;
mod more_code;
mod repaired_code;
mod repeated_headers;
mod settings;
mod settings_properties;
mod snapshots;
mod split;
mod split_properties;
mod whole_blocks;

/// The properties of every split, and the inputs that show them.
mod invariants {
    pub mod inputs;
    #[cfg(feature = "code")]
    pub mod languages;
    pub mod splitting;
}
