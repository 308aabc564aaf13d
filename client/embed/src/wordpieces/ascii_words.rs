/*!
Wordpieces of ASCII text, counted without the tokenizer.

The library normalizes a text with the position of each character, and allocates every word and every wordpiece. Sizes
need only their number. For ASCII text and a tokenizer like BERT's it follows from the vocabulary:

```text
run:    Unhappiness, [x]           white space separates runs
words:  unhappiness | , | [ | x | ]   each punctuation character is one wordpiece
pieces: un ##ha ##pp ##iness          the longest one that the vocabulary has, from the left
```

Counting by the library took 70 % of an ingest's processor time. It still counts runs with other characters, and runs
that may contain one of its added tokens, such as `[MASK]`.
*/

use tokenizers::models::ModelWrapper;
use tokenizers::models::wordpiece::WordPiece;
use tokenizers::{Model as _, NormalizerWrapper, PreTokenizerWrapper, Tokenizer};

/// Length in characters of the longest word that the tokenizer splits into wordpieces.
pub(super) const LONGEST_WORD: usize = 100;

/// The wordpiece of a word that the vocabulary cannot compose.
pub(super) const UNKNOWN: &str = "[UNK]";

/// The settings of a tokenizer that reads words as BERT's does.
pub(super) struct AsciiWords {
    is_lowercase: bool,
    /// The maximum number of characters of a word that the tokenizer splits.
    max_characters: usize,
    /// The maximum number of bytes of a wordpiece, with its prefix.
    max_bytes: usize,
    /// The tokens that the tokenizer looks for before it reads words.
    added: Vec<Vec<u8>>,
    /// The bytes with which one of them begins.
    begins_added: [bool; 256],
}

impl AsciiWords {
    /// Returns `None` for a tokenizer that reads words in another way.
    pub(super) fn new(tokenizer: &Tokenizer) -> Option<Self> {
        let ModelWrapper::WordPiece(model) = tokenizer.get_model() else { return None };
        let Some(PreTokenizerWrapper::BertPreTokenizer(_)) = tokenizer.get_pre_tokenizer() else {
            return None;
        };
        let is_lowercase = tokenizer.get_normalizer().map_or(Some(false), is_lowercase)?;
        let is_known = model.unk_token == UNKNOWN && model.token_to_id(UNKNOWN).is_some();
        if !is_known || !model.continuing_subword_prefix.is_ascii() {
            return None;
        }
        let added = tokenizer.get_added_tokens_decoder().into_values();
        let added: Vec<_> = added.map(|token| token.content.into_bytes()).collect();
        let begins = |token: &Vec<u8>| token.first().is_some_and(u8::is_ascii_punctuation);
        if !added.iter().all(|token| begins(token) && token.iter().all(u8::is_ascii_graphic)) {
            return None;
        }
        let mut begins_added = [false; 256];
        for token in &added {
            begins_added[usize::from(token[0])] = true;
        }
        let max_characters = model.max_input_chars_per_word;
        let max_bytes = model.get_vocab().keys().map(String::len).max().unwrap_or(0);
        Some(Self { is_lowercase, max_characters, max_bytes, added, begins_added })
    }

    /// Returns the number of wordpieces of a text. `count_other` counts a part of it that only the library can count.
    pub(super) fn count(
        &self,
        text: &str,
        model: &WordPiece,
        count_other: impl Fn(&str) -> usize,
    ) -> usize {
        let bytes = text.as_bytes();
        let (mut at, mut size) = (0, 0);
        // The beginning of a part for the library. Neighboring runs are one part, which costs less than two.
        let mut other = None;
        while at < bytes.len() {
            let begin = at;
            at += length(&bytes[at..], is_space);
            let end = at + length(&bytes[at..], |byte| !is_space(byte));
            match self.run(&bytes[at..end], model) {
                Some(0) => {}
                Some(counted) => {
                    size += other.take().map_or(0, |other: usize| count_other(&text[other..begin]));
                    size += counted;
                }
                None => {
                    other.get_or_insert(at);
                }
            }
            at = end;
        }
        size + other.map_or(0, |other| count_other(&text[other..]))
    }

    /// Returns the number of wordpieces of a run, or `None` if only the library can count it.
    fn run(&self, run: &[u8], model: &WordPiece) -> Option<usize> {
        let (mut at, mut size) = (0, 0);
        while let Some(byte) = run.get(at) {
            let word = length(&run[at..], |byte| byte.is_ascii_alphanumeric());
            if word > 0 {
                size += self.word(&run[at..at + word], model);
                at += word;
            } else if byte.is_ascii_punctuation() && !self.is_added(&run[at..]) {
                size += 1;
                at += 1;
            } else {
                return None;
            }
        }
        Some(size)
    }

    /// Returns whether a text may begin with an added token. Some tokens match in any case.
    fn is_added(&self, text: &[u8]) -> bool {
        let begins_with = |token: &Vec<u8>| {
            text.get(..token.len()).is_some_and(|begin| begin.eq_ignore_ascii_case(token))
        };
        self.begins_added[usize::from(text[0])] && self.added.iter().any(begins_with)
    }

    /// Returns the number of wordpieces of a word. One that the vocabulary cannot compose is one wordpiece.
    fn word(&self, word: &[u8], model: &WordPiece) -> usize {
        if word.len() > self.max_characters {
            return unknown_size(word.len());
        }
        // The prefix overwrites the bytes before a wordpiece, which are read by then.
        let prefix = model.continuing_subword_prefix.as_bytes();
        let mut buffer = [prefix, word].concat();
        if self.is_lowercase {
            buffer.make_ascii_lowercase();
        }
        let (mut at, mut size) = (prefix.len(), 0);
        while at < buffer.len() {
            let begin = if size == 0 { at } else { at - prefix.len() };
            buffer[begin..at].copy_from_slice(&prefix[..at - begin]);
            let longest = buffer.len().min(begin + self.max_bytes);
            let text = std::str::from_utf8(&buffer[begin..longest]).expect("it is ASCII");
            let is_piece = |end: &usize| model.token_to_id(&text[..*end - begin]).is_some();
            let Some(end) = (at + 1..=longest).rev().find(is_piece) else {
                return unknown_size(word.len());
            };
            at = end;
            size += 1;
        }
        size
    }
}

/// Returns whether a normalizer converts ASCII text to lower case, or `None` if it may change it in another way.
fn is_lowercase(normalizer: &NormalizerWrapper) -> Option<bool> {
    match normalizer {
        NormalizerWrapper::BertNormalizer(bert) => Some(bert.lowercase),
        NormalizerWrapper::Lowercase(_) => Some(true),
        NormalizerWrapper::Sequence(all) => {
            let all: Option<Vec<_>> = all.as_ref().iter().map(is_lowercase).collect();
            all.map(|all| all.contains(&true))
        }
        _ => None,
    }
}

/// Returns the number of bytes at the beginning that fulfil a condition.
fn length(bytes: &[u8], is_wanted: impl Fn(u8) -> bool) -> usize {
    bytes.iter().position(|byte| !is_wanted(*byte)).unwrap_or(bytes.len())
}

/// Returns whether a byte separates words. The normalizer removes other control characters, or they belong to a word.
fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r')
}

/// Returns the size of a word that the tokenizer does not split, from its number of characters.
pub(super) fn unknown_size(characters: usize) -> usize {
    if characters > LONGEST_WORD { characters / 4 } else { 1 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn words(change: &[(&str, Value)]) -> Option<(AsciiWords, Tokenizer)> {
        let mut tokenizer = json!({
            "added_tokens": [],
            "normalizer": {
                "type": "BertNormalizer", "lowercase": true, "clean_text": true,
                "handle_chinese_chars": true, "strip_accents": null
            },
            "pre_tokenizer": {"type": "BertPreTokenizer"},
            "model": {
                "type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##",
                "max_input_chars_per_word": 5,
                "vocab": {"[UNK]": 0, "the": 1, "The": 2, "##me": 3, "##m": 4, "##": 5, "th": 6, "##E": 7}
            }
        });
        for (pointer, value) in change {
            *tokenizer.pointer_mut(pointer).unwrap() = value.clone();
        }
        let tokenizer: Tokenizer = tokenizer.to_string().parse().unwrap();
        Some((AsciiWords::new(&tokenizer)?, tokenizer))
    }

    fn count((words, tokenizer): &(AsciiWords, Tokenizer), text: &str) -> usize {
        let ModelWrapper::WordPiece(model) = tokenizer.get_model() else { panic!("another model") };
        words.count(text, model, |other| panic!("{other:?} is ASCII text"))
    }

    #[test]
    fn a_word_is_divided_into_the_longest_wordpieces() {
        let words = words(&[]).unwrap();
        // the ##me, th ##m, two unknown words, one that is too long, and one that is very long.
        for (text, expected) in
            [("theme", 2), ("THM", 2), ("tha x", 2), ("thethe", 1), (&"the".repeat(40), 30)]
        {
            assert_eq!(count(&words, text), expected, "{text}");
        }
        assert_eq!(count(&words, " the, The\r\n\tthe.?! "), 7);
        assert_eq!([count(&words, ""), count(&words, " \n")], [0, 0]);
    }

    #[test]
    fn a_cased_tokenizer_distinguishes_upper_case() {
        let cased = words(&[("/normalizer/lowercase", json!(false))]).unwrap();
        assert_eq!([count(&cased, "TheE"), count(&cased, "thee")], [2, 1]);
        let without = words(&[("/normalizer", json!(null))]).unwrap();
        assert_eq!([count(&without, "TheE"), count(&without, "thee")], [2, 1]);
    }

    #[test]
    fn neighboring_runs_of_other_characters_are_counted_together() {
        let token = json!({
            "id": 0, "content": "[UNK]", "special": true, "single_word": false, "lstrip": false,
            "rstrip": false, "normalized": false
        });
        let (words, tokenizer) = words(&[("/added_tokens", json!([token]))]).unwrap();
        let ModelWrapper::WordPiece(model) = tokenizer.get_model() else { panic!("another model") };
        let others = std::cell::RefCell::new(Vec::new());
        let count = |text: &str| {
            words.count(text, model, |other| {
                others.borrow_mut().push(other.to_owned());
                10
            })
        };
        assert_eq!(count("é the ü\tthe[UNK] [unk]. [ the\u{b}\n"), 32);
        assert_eq!(*others.borrow(), ["é", "ü\tthe[UNK] [unk].", "the\u{b}\n"]);
    }

    #[test]
    fn other_tokenizers_are_left_to_the_library() {
        let token = |content: &str| {
            json!([{
                "id": 0, "content": content, "special": false, "single_word": false, "lstrip": false,
                "rstrip": false, "normalized": true
            }])
        };
        assert!(words(&[("/added_tokens", token("<mask>"))]).is_some());
        for (pointer, value) in [
            ("/pre_tokenizer", json!({"type": "Whitespace"})),
            ("/pre_tokenizer", json!(null)),
            ("/normalizer", json!({"type": "NFC"})),
            ("/model/unk_token", json!("<unk>")),
            ("/model/continuing_subword_prefix", json!("é")),
            ("/added_tokens", token("mask")),
            ("/added_tokens", token("[new line]")),
            ("/added_tokens", token("[é]")),
        ] {
            assert!(words(&[(pointer, value.clone())]).is_none(), "{pointer} {value}");
        }
    }
}
