//! The sizer that counts a model's wordpieces.

mod ascii_words;

use ascii_words::{AsciiWords, LONGEST_WORD, UNKNOWN, unknown_size};
use passage_split::Sizer;
use std::sync::{Arc, OnceLock};
use tokenizers::models::ModelWrapper;
use tokenizers::{Model as _, Tokenizer};

/// Bytes of a text that the tokenizer receives at once, since it allocates about fifty bytes for each
/// byte of its input.
const SEGMENT: usize = 16 * 1024;

/// A sizer that counts a model's wordpieces, without the special ones around a sequence.
///
/// The model reads an unknown word, and a word longer than 100 characters, as one wordpiece. This sizer
/// counts a quarter of the characters for a longer word; otherwise ten megabytes without a space would
/// have the size of one wordpiece.
///
/// # Examples
///
/// ```no_run
/// use passage_embed::Model;
/// use passage_split::Sizer;
/// use std::path::Path;
///
/// let model = Model::load(Path::new("/srv/models/all-MiniLM-L6-v2"))?;
/// assert_eq!(model.wordpieces().size("The weather is lovely today."), 6);
/// # Ok::<(), passage_embed::Error>(())
/// ```
#[derive(Clone)]
pub struct Wordpieces {
    tokenizer: Tokenizer,
    unknown: Option<u32>,
    /// Made when a size is first needed, as most commands need none; `None` for a tokenizer that it cannot read.
    ascii_words: Arc<OnceLock<Option<AsciiWords>>>,
}

impl Wordpieces {
    /// Creates the sizer from a tokenizer without padding and truncation.
    pub(super) fn new(tokenizer: Tokenizer) -> Self {
        let unknown = tokenizer.get_model().token_to_id(UNKNOWN);
        Self { tokenizer, unknown, ascii_words: Arc::default() }
    }

    fn count_segment(&self, text: &str) -> usize {
        let ascii_words = self.ascii_words.get_or_init(|| AsciiWords::new(&self.tokenizer));
        match (ascii_words, self.tokenizer.get_model()) {
            (Some(words), ModelWrapper::WordPiece(model)) => {
                words.count(text, model, |other| self.count_by_library(other))
            }
            _ => self.count_by_library(text),
        }
    }

    /// Returns the size of a segment, as the library counts it.
    pub(super) fn count_by_library(&self, text: &str) -> usize {
        if text.is_empty() {
            return 0;
        }
        // If the tokenizer rejects the text, embedding reports the error.
        let Ok(encoding) = self.tokenizer.encode_fast(text, false) else { return text.len() };
        let ids = encoding.get_ids();
        if text.len() <= LONGEST_WORD || !ids.iter().any(|id| Some(*id) == self.unknown) {
            return ids.len();
        }
        let Ok(encoding) = self.tokenizer.encode(text, false) else { return text.len() };
        let size = |(id, (start, end)): (&u32, &(usize, usize))| {
            if Some(*id) != self.unknown {
                return 1;
            }
            let characters = text.get(*start..*end).unwrap_or_default().chars().count();
            unknown_size(characters)
        };
        encoding.get_ids().iter().zip(encoding.get_offsets()).map(size).sum()
    }
}

impl Sizer for Wordpieces {
    fn size(&self, text: &str) -> usize {
        let mut rest = text;
        let mut size = 0;
        while rest.len() > SEGMENT {
            let (segment, after) = rest.split_at(segment_end(rest));
            size += self.count_segment(segment);
            rest = after;
        }
        size + self.count_segment(rest)
    }
}

/// Returns the end of the first segment of a long text: after its last white space, so that no word is
/// split, else at a character boundary.
fn segment_end(text: &str) -> usize {
    let end = text.floor_char_boundary(SEGMENT);
    match text[..end].rfind(char::is_whitespace) {
        Some(space) if space > 0 => space,
        _ => end,
    }
}
