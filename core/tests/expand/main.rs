//! Expansion over documents in memory.

mod budget;
mod invariants;
mod memory;
mod relatives;
mod seeds;
