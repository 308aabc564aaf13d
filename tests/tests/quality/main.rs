/*!
Tests of the modules of the bench `quality` and of its questions.

A bench without a harness has no tests of its own, so the modules whose errors nobody would notice are included and
tested here.
*/

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
mod claims;
mod expansion;
mod questions;
mod spans;
