/*!
Conversion of documents that are not text, in processes with limits.

`bytes, name -> plan (a program of the user, else a converter of passage-office) -> Markdown with places, or HTML`

Parsers of such formats meet hostile and damaged files. The program runs itself for each document, so a crash, a loop
or a bomb costs this document and nothing else. A library has no program to run, and converts in its own process.
*/

mod child;
mod converter;
mod environment;
mod in_process;
mod limits;
mod plan;
mod process;
mod program;
mod programs;
mod records;
mod remedy;

pub use child::run_as_child;
pub use converter::Converter;
pub use limits::ProcessLimits;
pub(crate) use plan::{Converted, Plan, converter_settings};
pub use programs::Programs;
pub use remedy::Remedy;
