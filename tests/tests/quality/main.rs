/*!
How the bench `quality` and its like score, and what they ask.

A bench without a harness has no tests of its own, so those of its modules that could be wrong
without anyone seeing it are taken in here and tried.
*/

#[path = "../../benches/quality/bootstrap.rs"]
mod bootstrap;
#[path = "../../benches/quality/excerpts.rs"]
mod excerpts;
#[path = "../../benches/quality/score.rs"]
mod score;
#[path = "../../benches/quality/set.rs"]
mod set;
#[path = "../../benches/quality/shares.rs"]
mod shares;
#[path = "../../benches/quality/store.rs"]
mod store;

mod budgets;
mod chance;
mod claims;
mod expansion;
mod questions;
mod spans;
