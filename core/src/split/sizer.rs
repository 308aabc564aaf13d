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

/// What limits count, by the name that a store remembers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SizeUnit {
    /// Unicode characters, of which four are taken for a token.
    Characters,
    /// The wordpieces of the model that embeds.
    Wordpieces,
}

impl SizeUnit {
    /// Returns the name that a store remembers.
    pub fn name(self) -> &'static str {
        match self {
            SizeUnit::Characters => "characters",
            SizeUnit::Wordpieces => "wordpieces",
        }
    }

    /// Returns the tokens of a chunk of a size.
    pub fn tokens(self, size: usize) -> usize {
        match self {
            SizeUnit::Characters => size.div_ceil(4),
            SizeUnit::Wordpieces => size,
        }
    }
}
