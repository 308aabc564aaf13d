/*!
SPI: preparing and executing statements. No other module uses SPI.

Each statement has one plan, which is kept as long as the statement. A reading statement is executed
read-only, so it uses the snapshot of the calling statement, also after a write in the same transaction.
A statement that writes, or looks for rows to write, takes a new snapshot and sees the writes of its own
transaction, as each statement of a session does; only VOLATILE functions may execute it. Statements
that read by ids get a generic plan, since PostgreSQL would plan one over a one-element array again at
each call (240 us against 60 us). Statements that search for words are planned for these words, common
or rare. PostgreSQL's plan cache replans when a relation, a policy or the role changes.

Two measures keep the objects of other users out of a statement. All statements are parsed, planned and
executed under a fixed `search_path`, whatever the caller's is. And a column is read only as the type
that the result declares: a wrong type is an error, never memory that is read as another type. A statement with rights other than
the caller's also has a [`Guard`], which checks what its names mean.
*/

mod connection;
mod guard;
mod packed_rows;
mod receiver;
mod rows;
mod settings;
mod statement;

pub use connection::{Connection, connect};
pub use guard::{Guard, check_statement};
pub use rows::Rows;
pub use settings::Setting;
pub use statement::{Access, Statement, Value};
