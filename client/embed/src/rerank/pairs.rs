//! Pairs of a question and a text as wordpieces, within the window of the model.

use tokenizers::{Encoding, PostProcessor, Tokenizer, TruncationDirection};

/// The maximum bytes of a wordpiece that are tokenized. A longer text is cut anyway, and the tokenizer
/// allocates about fifty bytes for each byte of its input.
const MAX_BYTES_PER_WORDPIECE: usize = 64;

/// Encodes pairs.
pub(super) struct PairEncoder {
    tokenizer: Tokenizer,
    /// The maximum number of wordpieces of a pair, including the special ones.
    limit: usize,
    /// The maximum number of wordpieces of both texts.
    room: usize,
}

/// A question in wordpieces.
#[derive(Clone)]
pub(super) struct Question(Encoding);

impl PairEncoder {
    /// Creates an encoder of pairs with at most `limit` wordpieces.
    ///
    /// # Errors
    ///
    /// Returns why the tokenizer cannot encode pairs.
    pub(super) fn new(mut tokenizer: Tokenizer, limit: usize) -> Result<Self, String> {
        tokenizer.with_padding(None);
        // Texts are cut here: the tokenizer would not cut a question for one text and keep it for another.
        tokenizer.with_truncation(None).map_err(|error| error.to_string())?;
        let special =
            tokenizer.get_post_processor().map_or(0, |processor| processor.added_tokens(true));
        if special == 0 {
            return Err("its tokenizer adds no special wordpieces to a pair of texts".into());
        }
        if limit <= special + 1 {
            return Err(format!("it reads only {limit} wordpieces"));
        }
        Ok(Self { tokenizer, limit, room: limit - special })
    }

    /// Encodes a question, for several texts.
    pub(super) fn question(&self, question: &str) -> Result<Question, String> {
        self.wordpieces(question).map(Question)
    }

    /// Encodes a pair with its special wordpieces. A pair that is too long loses the end of the text, never of
    /// the question; both lose their ends if the question alone is too long.
    pub(super) fn pair(&self, question: &Question, text: &str) -> Result<Encoding, String> {
        let (Question(mut question), mut text) = (question.clone(), self.wordpieces(text)?);
        let (kept, kept_of_text) = kept(question.get_ids().len(), text.get_ids().len(), self.room);
        question.truncate(kept, 0, TruncationDirection::Right);
        text.truncate(kept_of_text, 0, TruncationDirection::Right);
        self.tokenizer.post_process(question, Some(text), true).map_err(|error| error.to_string())
    }

    fn wordpieces(&self, text: &str) -> Result<Encoding, String> {
        let end = text.floor_char_boundary(self.limit * MAX_BYTES_PER_WORDPIECE);
        self.tokenizer.encode_fast(&text[..end], false).map_err(|error| error.to_string())
    }
}

/// Returns how many wordpieces of a question and of a text to keep in a room for both.
fn kept(question: usize, text: usize, room: usize) -> (usize, usize) {
    if question < room {
        return (question, text.min(room - question));
    }
    let text = text.min(room - room / 2);
    (room - text, text)
}

#[cfg(test)]
mod tests {
    use super::kept;

    #[test]
    fn the_text_is_cut_and_never_the_question() {
        assert_eq!(kept(5, 20, 100), (5, 20));
        assert_eq!(kept(5, 200, 100), (5, 95));
        assert_eq!(kept(99, 200, 100), (99, 1));
        assert_eq!(kept(5, 0, 100), (5, 0));
    }

    #[test]
    fn a_question_longer_than_the_room_leaves_half_of_it_for_the_text() {
        assert_eq!(kept(300, 200, 101), (50, 51));
        assert_eq!(kept(300, 20, 100), (80, 20));
        assert_eq!(kept(100, 0, 100), (100, 0));
    }
}
