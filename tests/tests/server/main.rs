//! SQL on a real server. The folders are subjects, and each file is described in its header.

mod cluster;
mod expansion;
mod prompts;
mod rng;

/// Stores over tables of an application.
mod adoption {
    mod adopt;
    mod alterations;
    mod keys;
    mod policies;
    mod pooler;
    mod sections;
}

/// The time, statements and memory that a call may take.
mod bounds {
    mod budgets;
    mod cancel;
    mod cost;
    mod limits;
}

/// Attackers without privileges, and objects of other roles.
mod hostile {
    mod install;
    mod name_capture;
    mod ownership;
    mod stores;
    mod types;
}

/// The library in the server: its declarations, settings and errors.
mod library {
    mod backtrace;
    mod preload;
    mod schema;
}

/// Backups, maintenance, replicas and poolers.
mod operations {
    mod backup;
    mod maintenance;
    mod pooled_functions;
    mod replication;
    mod standby;
}

/// Privileges and row-level security.
mod rights {
    mod every_role;
    mod tenant_roles;
    mod tenants;
}

/// Search in the words of a store.
mod search {
    mod argument_groups;
    mod choosing;
    mod corrected;
    mod feedback;
    mod filters;
    mod indexes;
    mod language_cases;
    mod languages;
    mod metadata_filters;
    mod misspelled;
    mod names;
    mod nothing_found;
    mod scripts;
}

/// The version of a document that a call sees.
mod snapshots {
    mod isolation;
    mod replaced_store;
    mod snapshot;
}

/// Triggers of `keep_in_step`.
mod steps {
    mod keep_in_step;
    mod metadata;
    mod tables;
    mod trust;
}

/// Stores that `create_store` makes: loads, checks, partitions and dumps.
mod stores {
    mod check_data;
    mod dump;
    mod ingest;
    mod partitions;
    mod split_offsets;
}
