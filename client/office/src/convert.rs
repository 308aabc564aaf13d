/*!
Conversion to Markdown: each format has a module that walks through its model of a text.

`bytes -> parts of the package (package) -> elements (xml) -> blocks (markdown) -> text and marks`

Hostile documents are bounded here: the bytes that a package unpacks to, the depth and the number of elements, and the
text. The caller bounds the time, since parsers of others do some of the work.
*/

mod docx;
mod epub;
mod html;
mod limits;
mod mail;
mod markdown;
mod odf;
mod package;
mod pdf;
mod pptx;
mod result;
mod rtf;
mod sheet;
mod table;
mod xml;

use crate::Format;
pub use limits::Limits;
pub use result::{ConvertError, Converted};

/// Converts a document to Markdown.
///
/// # Errors
///
/// Returns an error for a document that is encrypted, has no text, is damaged or exceeds the limits, and for formats
/// without a converter: Word, `PowerPoint` and Outlook up to version 2003.
pub fn convert(format: Format, bytes: &[u8], limits: Limits) -> Result<Converted, ConvertError> {
    // Parsers of other crates panic on some damaged documents, as calamine does on workbooks of Excel 2003.
    let converted = std::panic::catch_unwind(|| dispatch(format, bytes, limits));
    converted.unwrap_or_else(|_| Err(ConvertError::Damaged("its parser has failed".into())))
}

fn dispatch(format: Format, bytes: &[u8], limits: Limits) -> Result<Converted, ConvertError> {
    match format {
        Format::Pdf => pdf::convert(bytes, limits),
        Format::Docx => docx::convert(bytes, limits),
        Format::Pptx => pptx::convert(bytes, limits),
        Format::Xlsx => sheet::convert_xlsx(bytes, limits),
        Format::Xls => sheet::convert_xls(bytes, limits),
        Format::Odt | Format::Odp | Format::Ods => odf::convert(bytes, limits),
        Format::Epub => epub::convert(bytes, limits),
        Format::Eml => mail::convert_message(bytes, limits),
        Format::Mbox => mail::convert_mailbox(bytes, limits),
        Format::Rtf => rtf::convert(bytes, limits),
        Format::Doc | Format::Ppt | Format::Msg => Err(ConvertError::Unsupported),
    }
}
