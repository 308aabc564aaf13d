//! Limits of conversion, against documents that grow when they are read.

use super::ConvertError;

/// The limits of a conversion.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// The bytes that all parts of a package may unpack to.
    pub unpacked: u64,
    /// The elements and texts of an XML part.
    pub nodes: usize,
    /// The depth of elements.
    pub depth: usize,
    /// The bytes of the Markdown.
    pub text: usize,
    /// The pages of a PDF, the slides and the sheets.
    pub pages: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { unpacked: 512 << 20, nodes: 8_000_000, depth: 200, text: 256 << 20, pages: 50_000 }
    }
}

impl Limits {
    /// Checks the length of a text.
    pub(super) fn check_text(self, length: usize) -> Result<(), ConvertError> {
        if length > self.text {
            let reason = format!("its text has more than {} MB", self.text >> 20);
            return Err(ConvertError::TooLarge(reason));
        }
        Ok(())
    }

    /// Checks the number of pages, slides or sheets.
    pub(super) fn check_pages(self, number: usize) -> Result<(), ConvertError> {
        if number > self.pages {
            let reason = format!("it has more than {} pages, slides or sheets", self.pages);
            return Err(ConvertError::TooLarge(reason));
        }
        Ok(())
    }
}
