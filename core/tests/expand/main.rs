//! Expansion over documents in memory.

mod invariants;
mod memory;
mod relatives;
mod seeds;
