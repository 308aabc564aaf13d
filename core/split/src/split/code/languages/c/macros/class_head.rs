//! The head of a class: the macros before and after its name.

use super::super::tokens::Kind;
use super::token_reader::TokenReader;
use std::ops::Range;

/// The maximum number of words in a head. Without it, a text of such keywords would be read once for each.
const MAX_WORDS: usize = 16;

/// The macros in the head of a class.
pub(super) struct ClassHead {
    /// The tokens of each macro that the grammar does not know.
    pub(super) macros: Vec<Range<usize>>,
    /// The index after the head's words.
    pub(super) end: usize,
}

/// Reads the head of a class from the index after its keyword, or returns `None` if no head is there.
pub(super) fn class_head(reader: &TokenReader<'_>, from: usize) -> Option<ClassHead> {
    let mut words = Vec::new();
    let mut at = from + usize::from(matches!(reader.text_at(from), "class" | "struct"));
    while reader.is_word(at) {
        if words.len() == MAX_WORDS {
            return None;
        }
        let end = reader.after_arguments(at + 1);
        // `Outer::Inner` is one name.
        let is_joined = reader.is_mark(end, b':') && reader.is_mark(end + 1, b':');
        if is_joined {
            at = end + 2;
        } else {
            words.push(at..end);
            at = end;
        }
    }
    words.pop_if(|word| matches!(reader.text_at(word.start), "final" | "sealed"));
    // A macro may also stand for `final`.
    let last = words.iter().rposition(|word| !reader.is_macro(word.start));
    let suffixes = words.split_off(last.map_or(words.len(), |last| last + 1));
    let is_head = match reader.kind(at) {
        Some(Kind::Mark(b'{')) => true,
        Some(Kind::Mark(b'<')) => words.len() > 1 && reader.has_body(at),
        Some(Kind::Mark(b':')) => reader.has_body(at),
        Some(Kind::Mark(b';')) => {
            words.iter().rev().skip(1).all(|word| reader.is_macro(word.start))
        }
        _ => false,
    };
    let (name, macros) = words.split_last()?;
    // A function may return a structure.
    if !is_head || name.len() > 1 {
        return None;
    }
    // The grammar knows attributes of compilers.
    let is_unknown = |word: &&Range<usize>| !reader.text_at(word.start).starts_with("__");
    let macros = macros.iter().chain(&suffixes).filter(is_unknown).cloned().collect();
    Some(ClassHead { macros, end: at })
}
