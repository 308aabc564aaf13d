//! Expansion over documents that lie in memory.

mod memory;
mod promises;
mod relatives;
mod seeds;
