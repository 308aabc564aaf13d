//! Expansion over documents in memory.

mod bridges;
mod budget;
mod closings;
mod invariants;
mod links;
pub mod memory;
mod records;
mod relatives;
mod seeds;
