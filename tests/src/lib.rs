/*!
Everything that needs a server.

The tests lie beside this crate, one file a subject; here is what they stand on: a [`Cluster`] of
their own, on a real PostgreSQL, which is gone when the test is. The extension is not linked but
used as everybody does, through SQL: `make install` must have put it into the server before.
*/

pub mod cluster;
pub mod markdown;

pub use cluster::Cluster;

/// Names a file below `tests/fixtures`, such as `fixture!("user_service.ts")`, by its whole path.
#[macro_export]
macro_rules! fixture {
    ($name:literal) => {
        concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/", $name)
    };
}
