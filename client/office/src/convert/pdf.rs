/*!
PDF: the text of the pages, with headings by their bookmarks, by the size of their letters and by their numbers.

`glyphs (page) -> lines (line) -> without headers and footers (repeated) -> headings (named, numbered) -> tables, paragraphs (blocks)`

A PDF has no paragraphs: it places letters. Most programs write these in reading order, also in columns, so the order of the
file is kept, unless it alternates between columns (columns). Only distances decide where a word, a line and a paragraph end.
*/

mod accents;
mod bitmaps;
mod blocks;
mod bookmarks;
mod columns;
mod line;
mod named;
mod numbered;
mod page;
mod repeated;

use super::markdown::Markdown;
use super::{ConvertError, Converted, Limits};
use hayro_interpret::hayro_syntax::{DecryptionError, LoadPdfError, Pdf};
use passage_split::Place;

/// Converts a document.
pub(super) fn convert(bytes: &[u8], limits: Limits) -> Result<Converted, ConvertError> {
    let pdf = Pdf::new(bytes.to_vec()).map_err(|error| match error {
        LoadPdfError::Decryption(DecryptionError::PasswordProtected) => ConvertError::Encrypted,
        LoadPdfError::Decryption(_) => ConvertError::Damaged("its encryption is unknown".into()),
        LoadPdfError::Invalid => ConvertError::Damaged("it has no list of pages".into()),
    })?;
    limits.check_pages(pdf.pages().len())?;
    let mut pages = page::read(&pdf, limits)?;
    repeated::remove(&mut pages);
    if pages.iter().all(Vec::is_empty) {
        return Err(ConvertError::NoText);
    }
    named::mark(&mut pages, &bookmarks::read(&pdf));
    let sizes = blocks::Sizes::of(&pages);
    numbered::mark(&mut pages, |line| sizes.level(line));
    let mut markdown = Markdown::new(limits);
    for (number, lines) in pages.iter().enumerate() {
        if !lines.is_empty() {
            markdown.begin(Place::Page(number + 1))?;
            blocks::write(lines, &sizes, &mut markdown)?;
        }
    }
    Ok(markdown.finish(title(&pdf)))
}

/// Returns the title in the properties, unless a program has put the name of a file there.
fn title(pdf: &Pdf) -> Option<String> {
    let bytes = pdf.metadata().title.as_deref()?;
    let title = bookmarks::text(bytes);
    let title = title.trim_start_matches('\u{feff}').trim().to_owned();
    let is_name = [".doc", ".docx", ".tex", ".dvi", ".indd", ".qxd", ".pdf", ".ppt", ".pptx"]
        .iter()
        .any(|extension| title.to_lowercase().ends_with(extension));
    (!title.is_empty() && !is_name && title != "untitled").then_some(title)
}
