//! From chunks to passages: expansion, assembly and fragments.

mod code_containers;
mod complete_passages;
mod expand;
mod fragments;
mod record_passages;
mod truncated_passages;
mod truncated_python;

/// Real files, which the program `chunks` also reads.
#[allow(dead_code)] // It also converts them.
#[path = "../../split/tests/corpus"]
mod corpus {
    pub mod files;
}

/// Source code that parses alone.
#[path = "../../split/tests/code"]
mod code {
    pub mod standalone;
}

/// Data that parses alone.
#[allow(dead_code)] // The program `chunks` also compares sections.
#[path = "../../split/tests/data"]
mod data {
    pub mod hostile;
    pub mod standalone;
    pub mod well_formed;
}
