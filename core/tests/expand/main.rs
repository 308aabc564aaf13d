//! Expansion over documents in memory.

mod invariants;
mod memory;
mod records;
mod relatives;
mod seeds;
