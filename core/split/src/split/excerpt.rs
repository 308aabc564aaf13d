/*!
Excerpts: the entries of data in a run of chunks, without the brackets and commas around them.

A chunk of data is a slice of the document, so it may begin with the opening brackets of its
containers, and end with a comma or closing brackets. These belong to a chunk, so that the chunks of a
document concatenate to its text, but not to a passage. [`entries`] finds the entries that the text
holds whole, and the brackets that make one value of them.

Its twin in SQL is `sql/edition/json.sql`.
*/

use std::ops::Range;

/// The entries in a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Excerpt {
    /// The bytes from the beginning of the first entry to the end of the last one.
    pub bytes: Range<usize>,
    /// The brackets that make one value of them; empty for the bare value of an item.
    pub brackets: [&'static str; 2],
}

/// A token of data, as far as the structure matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum DataToken {
    Open,
    Close,
    Comma,
    /// A colon or an equals sign.
    Separator,
    /// A scalar or a key.
    Scalar,
    /// The end of a line, where it ends an entry outside of brackets.
    LineEnd,
}

/// The separator of values outside of brackets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Between {
    Commas,
    /// Nothing: each value is a line.
    Lines,
    /// Commas, but keys in lines of block style may precede a bracket.
    Blocks,
}

/// The position in the entries of an open bracket.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    /// Before an entry.
    Entry,
    /// After a separator, before the value.
    Value,
    /// After a scalar, which may be a key.
    Scalar,
    /// After a value in brackets, or one with a key.
    Behind,
}

/// The entries of an open bracket, or those outside of all brackets.
struct Level {
    /// The offset after the opening bracket.
    start: usize,
    /// The beginning of the first entry, if it has one.
    first: Option<usize>,
    /// The number of complete entries.
    entries: usize,
    /// The end of the last complete value.
    end: usize,
    /// Whether its entries have keys.
    has_keys: Option<bool>,
    place: Place,
}

impl Level {
    fn new(start: usize) -> Self {
        Self { start, first: None, entries: 0, end: start, has_keys: None, place: Place::Entry }
    }

    /// Begins a value, if one may be here.
    fn begin(&mut self, between: Option<Between>) -> Option<()> {
        match self.place {
            Place::Entry | Place::Value => Some(()),
            Place::Scalar | Place::Behind if between == Some(Between::Lines) => self.separate(),
            Place::Scalar | Place::Behind => None,
        }
    }

    /// Ends an entry, if there is one.
    fn separate(&mut self) -> Option<()> {
        let has_key = match self.place {
            Place::Scalar => false,
            Place::Behind => self.has_keys == Some(true),
            // A comma may be before the first entry.
            Place::Entry if self.entries == 0 => return Some(()),
            Place::Entry | Place::Value => return None,
        };
        if *self.has_keys.get_or_insert(has_key) != has_key {
            return None;
        }
        self.entries += 1;
        self.place = Place::Entry;
        Some(())
    }
}

/// Returns the entries in a text, from its tokens, if it has whole entries of one container only.
///
/// Returns `None` also if nothing but white space is around a single value.
pub(super) fn entries(
    text: &str,
    between: Between,
    tokens: impl Iterator<Item = Option<(DataToken, Range<usize>)>>,
) -> Option<Excerpt> {
    let mut levels = vec![Level::new(0)];
    let mut is_closed = false;
    for token in tokens {
        let (piece, bytes) = token?;
        let depth = levels.len();
        let level = levels.last_mut().expect("the text is a level");
        let outside = (depth == 1).then_some(between);
        if is_closed && !matches!(piece, DataToken::Close | DataToken::Comma | DataToken::LineEnd) {
            return None;
        }
        match piece {
            _ if is_closed => {}
            DataToken::Open => {
                level.begin(outside)?;
                let lacks_key = level.place == Place::Entry && level.has_keys == Some(true);
                if lacks_key {
                    return None;
                }
                level.first.get_or_insert(bytes.start);
                levels.push(Level::new(bytes.end));
            }
            DataToken::Close if depth > 1 => {
                levels.pop();
                let around = levels.last_mut().expect("the text is a level");
                (around.place, around.end) = (Place::Behind, bytes.end);
            }
            DataToken::Close => is_closed = true,
            DataToken::Comma => {
                if level.place == Place::Entry && level.entries == 0 {
                    level.start = bytes.end;
                }
                level.separate()?;
            }
            DataToken::Separator => {
                let is_nested = outside == Some(Between::Blocks) && level.place == Place::Behind;
                let is_key = level.place == Place::Scalar && level.has_keys != Some(false);
                if !is_key && !is_nested {
                    return None;
                }
                level.has_keys = Some(true);
                level.place = Place::Value;
            }
            DataToken::Scalar => {
                level.begin(outside)?;
                let has_key = level.place == Place::Value;
                level.first.get_or_insert(bytes.start);
                level.place = if has_key { Place::Behind } else { Place::Scalar };
                level.end = bytes.end;
            }
            DataToken::LineEnd if depth > 1 || level.place != Place::Behind => {}
            DataToken::LineEnd if level.has_keys == Some(true) => level.separate()?,
            // The header of a table, which is not an entry.
            DataToken::LineEnd if level.entries == 0 => *level = Level::new(bytes.end),
            DataToken::LineEnd => {}
        }
    }
    let (level, around) = levels.split_last_mut().expect("the text is a level");
    if around.iter().any(|around| around.entries > 0) {
        return None;
    }
    if level.place != Place::Entry {
        level.separate()?;
    }
    let is_outside = around.is_empty();
    let brackets = match (level.has_keys?, level.entries) {
        (true, _) => ["{", "}"],
        (false, 1) => ["", ""],
        (false, _) if is_outside && between == Between::Lines => ["", ""],
        (false, _) => ["[", "]"],
    };
    let before = &text[level.start..];
    // A comment before the first entry can only be inside of brackets.
    let start = match brackets {
        ["", ""] => level.first?,
        _ => level.start + (before.len() - before.trim_start().len()),
    };
    let is_all = text[..start].trim().is_empty() && text[level.end..].trim().is_empty();
    if is_all && brackets == ["", ""] {
        return None;
    }
    Some(Excerpt { bytes: start..level.end, brackets })
}
