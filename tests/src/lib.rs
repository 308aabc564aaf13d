/*!
The support code of the tests that need a server.

Each folder in `tests/` is a program, and has one file for each subject. Each test starts a [`Cluster`], a
PostgreSQL server of its own that is removed at the end of the test. The tests do not link the
extension; they call it through SQL, as users do, so `make install` must run before them.
*/

mod cases;
pub mod claims;
pub mod cluster;
pub mod example;
pub mod functions;
pub mod http_server;
pub mod markdown;
mod page_database;
mod program_path;
pub mod read_calls;
pub mod share;
pub mod wait;

pub use cases::cases;
pub use cluster::Cluster;
pub use program_path::path_with;

/// Returns the path of a file below `tests/fixtures`, such as `fixture!("handbook/backup.md")`.
#[macro_export]
macro_rules! fixture {
    ($name:literal) => {
        concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/", $name)
    };
}
