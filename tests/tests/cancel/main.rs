/*!
Every call ends soon after it is cancelled, whatever its input is.

Each call runs once to its end and then again and again, and each time another session cancels it at
a random moment; see `session.rs` for what is measured. `PASSAGE_SEED` repeats the moments of a run,
and `PASSAGE_MOMENTS` sets how many there are for each call.
*/

#[expect(dead_code, reason = "the tests of random calls use more of it")]
#[path = "../model/random/dice.rs"]
mod dice;
mod documents;
mod session;
mod stores;
mod writes;
