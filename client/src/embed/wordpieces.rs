//! Sizes in the model's own wordpieces.

use passage_core::Sizer;
use tokenizers::{Model as _, Tokenizer};

/// From this length in bytes a text is counted piece by piece, because the tokenizer keeps about
/// fifty bytes for each one it is given.
const PIECE: usize = 16 * 1024;

/// The longest word, in characters, that the tokenizer tries to read.
const LONGEST_WORD: usize = 100;

/// Counts wordpieces, without the special ones around a sequence.
///
/// A word that the tokenizer does not know, or that is longer than it reads, is one wordpiece to
/// the model. Here the longer one counts a quarter of its characters, or else ten megabytes
/// without a space would pass as the size of one.
#[derive(Clone)]
pub struct Wordpieces {
    tokenizer: Tokenizer,
    unknown: Option<u32>,
}

impl Wordpieces {
    /// Takes a tokenizer that neither pads nor truncates.
    pub(super) fn new(tokenizer: Tokenizer) -> Self {
        let unknown = tokenizer.get_model().token_to_id("[UNK]");
        Self { tokenizer, unknown }
    }

    fn count_piece(&self, text: &str) -> usize {
        if text.is_empty() {
            return 0;
        }
        // A tokenizer that cannot read a text at all is met again, as an error, when the text is embedded.
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
            if characters > LONGEST_WORD { characters / 4 } else { 1 }
        };
        encoding.get_ids().iter().zip(encoding.get_offsets()).map(size).sum()
    }
}

impl Sizer for Wordpieces {
    fn size(&self, text: &str) -> usize {
        let mut rest = text;
        let mut size = 0;
        while rest.len() > PIECE {
            let (piece, after) = rest.split_at(cut(rest));
            size += self.count_piece(piece);
            rest = after;
        }
        size + self.count_piece(rest)
    }
}

/// Finds where to end the first piece of a long text: behind its last white space, where no word
/// is cut, or else at a character.
fn cut(text: &str) -> usize {
    let end = text.floor_char_boundary(PIECE);
    match text[..end].rfind(char::is_whitespace) {
        Some(space) if space > 0 => space,
        _ => end,
    }
}
