/*!
Documents that are not text: PDF, office documents, e-books and mail.

[`Format`] tells from the content and the name of a file which of them it is. With the feature `convert`,
[`convert`](convert()) makes Markdown of its bytes: headings, lists, tables, footnotes and links, with the places of
pages, slides and sheets. The crate reads no files and writes none.
*/

mod content;
#[cfg(feature = "convert")]
mod convert;
mod format;

#[cfg(feature = "convert")]
pub use convert::{ConvertError, Converted, Limits, convert};
pub use format::Format;
