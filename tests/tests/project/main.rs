//! The files of the project: its documentation, its release, and the checks of `make lint`.

mod cases;
mod claims;
mod constructors;
mod examples;
mod ground;
mod growth;
mod readme;
mod reference;
mod release;
