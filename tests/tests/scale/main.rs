//! Stores on Citus: every function and command on both layouts, from each node, compared with a plain store.
//!
//! `make scale PG_CONFIG=...` runs these tests on a server that has Citus. Other servers skip them.

mod citus;
mod commands;
mod failures;
mod faults;
mod matrix;
mod nodes;
mod reindex;
mod rights;
mod sessions;
mod shard_facts;
mod shard_ranges;
mod shards;
mod writing;
