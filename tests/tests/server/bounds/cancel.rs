/*!
Every call ends soon after it is cancelled, for any input.

Each call runs once to its end and then several times more, and each time another session cancels it at
a random moment. `session.rs` describes what is measured. `PASSAGE_SEED` repeats the moments of a run, and
`PASSAGE_MOMENTS` sets their number for each call.
*/

mod arguments;
mod documents;
mod session;
mod stores;
mod writes;
