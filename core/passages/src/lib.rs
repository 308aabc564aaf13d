/*!
The model of `pg_passage`, without IO: chunks of documents become passages.

- Search: [`search`] plans and ranks a text search and fuses rankings.
- Expansion: [`expand`] selects the context of hits, [`mod@reassemble`] groups it into passages, and
  [`assemble`] joins the chunks of a passage to one text.
- Fragments: [`fragments`] selects whole lines that answer a query.

`passage_split` makes the chunks. The PostgreSQL extension and the client are shells around both crates.

```
use passage_core::assemble::{Part, Separator, assemble};

let part = |content: &'static str, start, end| Part { content: content.into(), span: Some(start..end) };
let parts = [part("One. ", 0, 5), part("Two.", 5, 9), part("Nine.", 40, 45)];
assert_eq!(assemble(&parts, Separator::BlankLine).text, "One. Two.\n\nNine.");
```
*/

pub mod arguments;
pub mod assemble;
pub mod chain;
mod chunk_columns;
mod error;
mod excerpt;
pub mod expand;
mod fence;
pub mod fragments;
pub mod gaps;
mod highlight;
pub mod hits;
pub mod metadata_filter;
pub mod misspelling;
pub mod outline;
pub mod reassemble;
mod repeated_lines;
pub mod row_template;
pub mod search;
pub mod section_runs;
pub mod strategy;
mod table_header;
pub mod version_order;

pub use chunk_columns::CHUNK_COLUMNS;
pub use error::{Error, parse_kind};
pub use repeated_lines::repeated_line;
pub use strategy::{Strategy, StrategyOverrides};
pub use table_header::TableHeader;
