//! What chunks are measured in.

/// Counts what limits are given in: characters, or the wordpieces of a model.
///
/// Sizes have to add up at line ends, spaces and tabs: cut behind one of them, the sizes of the
/// parts are together no less than that of the whole. Within a word anything may happen; a chunk
/// that ends there is measured by itself and never joined to the next by adding sizes. The sizer
/// is never shown more than a few thousand bytes at a time, and every part of a text only a few
/// times, so the cost of splitting is linear.
pub trait Sizer: Sync {
    /// Returns the size of a text; 0 for the empty one.
    fn size(&self, text: &str) -> usize;
}

/// Measures in Unicode characters (scalar values), for want of a model.
#[derive(Clone, Copy, Debug, Default)]
pub struct Characters;

impl Sizer for Characters {
    fn size(&self, text: &str) -> usize {
        // Data is measured value by value, and counting a few characters takes longer than looking
        // whether there is anything to count.
        if text.is_ascii() { text.len() } else { text.chars().count() }
    }
}
