/*!
Groups of arguments: `filter`, `limits`, `ranking`, `output` and `splitting`, each one JSON object.

A group is defined once, with the names, types, ranges and meanings of its keys. The parser, the typed constructors of SQL
with their comments, the tables of the reference and the schemas of HTTP and MCP are made from the definition or compared with
it.
*/

mod declarations;
mod definitions;
mod group;
mod json_group;
mod output;
mod ranking;
mod splitting;

pub use definitions::{FILTER, GROUPS, LIMITS, OUTPUT, RANKING, SPLITTING};
pub use group::{ArgumentGroup, ArgumentKey, ArgumentType, MAX_OFFSET, MAX_OFFSETS};
pub use json_group::{JsonGroup, one_of};
pub use output::Output;
pub use ranking::Ranking;
pub use splitting::Splitting;
