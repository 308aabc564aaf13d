//! From chunks to passages: expansion, assembly and fragments.

mod code_containers;
mod complete_passages;
mod expand;
mod fragments;
mod record_passages;
mod truncated_passages;
mod truncated_python;

/// Real files, which the program `chunks` also reads.
mod corpus {
    #[allow(dead_code)] // It also converts them.
    pub mod files;
}

/// Source code that parses alone.
#[cfg(feature = "code")]
mod code {
    pub mod standalone;
}

/// Data that parses alone.
mod data {
    pub mod hostile;
    #[allow(dead_code)] // The program `chunks` also compares sections.
    pub mod standalone;
    pub mod well_formed;
}
