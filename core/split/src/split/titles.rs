/*!
Titles in use: numbers equal titles below one parent.

Only the hash of a title is stored, because a JSON object may have a million keys. Of two titles with
the same hash, the second one gets a number that it does not need.

Its twin in SQL is `sql/edition/split/blocks.sql`.
*/

use std::{
    borrow::Cow,
    collections::HashMap,
    hash::{DefaultHasher, Hasher},
};

/// The titles in use below each parent.
#[derive(Default)]
pub(super) struct UsedTitles {
    /// The hash of each title, and the number to try next for an equal one; at most [`FEW`] entries.
    few: Vec<(u64, usize)>,
    /// All entries if there are more: one table, or [`TABLES`] of them, chosen by the hash.
    many: Vec<HashMap<u64, usize>>,
}

/// The maximum number of characters of a title. A heading may be a line of megabytes, and every chunk
/// below it repeats the title.
const MAX_TITLE: usize = 500;

/// The maximum number of entries for which a linear search is faster than a table.
const FEW: usize = 16;

/// The maximum number of entries in a single table.
const MANY: usize = 1 << 16;

/// The number of tables for more entries. A table that grows moves all its entries without a poll:
/// this takes 300 ms for ten million titles, but only 2 ms for a 256th of them.
const TABLES: usize = 256;

impl UsedTitles {
    /// Reserves a title below a parent. If it is in use there, reserves it with the next free ` (n)`
    /// and returns that title.
    pub(super) fn reserve(&mut self, parent: usize, title: &str) -> Option<String> {
        let hash = hash(parent, title);
        let mut number = self.number(hash)?;
        loop {
            let numbered = format!("{title} ({number})");
            number += 1;
            if self.number(self::hash(parent, &numbered)).is_none() {
                self.set(hash, number);
                return Some(numbered);
            }
        }
    }

    /// Returns the number to try next for a title in use; reserves a title that is not in use.
    fn number(&mut self, hash: u64) -> Option<usize> {
        let known = match self.table(hash) {
            Some(table) => table.get(&hash).copied(),
            None => self.few.iter().find(|(known, _)| *known == hash).map(|(_, number)| *number),
        };
        if known.is_none() {
            self.set(hash, 2);
        }
        known
    }

    fn set(&mut self, hash: u64, number: usize) {
        if let Some(table) = self.table(hash) {
            table.insert(hash, number);
            if self.many.len() == 1 && self.many[0].len() > MANY {
                self.divide();
            }
        } else if let Some(entry) = self.few.iter_mut().find(|(known, _)| *known == hash) {
            entry.1 = number;
        } else if self.few.len() < FEW {
            self.few.push((hash, number));
        } else {
            self.many.push(self.few.drain(..).chain([(hash, number)]).collect());
        }
    }

    /// Returns the table for a hash, or `None` if there are few entries.
    fn table(&mut self, hash: u64) -> Option<&mut HashMap<u64, usize>> {
        let at = if self.many.len() > 1 { hash as usize % TABLES } else { 0 };
        self.many.get_mut(at)
    }

    fn divide(&mut self) {
        let all = std::mem::take(&mut self.many[0]);
        self.many.resize_with(TABLES, HashMap::new);
        for (hash, number) in all {
            self.many[hash as usize % TABLES].insert(hash, number);
        }
    }
}

fn hash(parent: usize, title: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    hasher.write_usize(parent);
    hasher.write(title.as_bytes());
    hasher.finish()
}

/// Returns a title without surrounding white space, cut to 500 characters; a cut title ends in an
/// ellipsis.
pub(super) fn shorten(title: &str) -> Cow<'_, str> {
    let title = title.trim();
    if title.len() <= MAX_TITLE {
        return Cow::Borrowed(title);
    }
    let Some((cut, _)) = title.char_indices().nth(MAX_TITLE) else { return Cow::Borrowed(title) };
    let (last, _) = title[..cut].char_indices().next_back().expect("the title is not empty");
    Cow::Owned(format!("{}…", &title[..last]))
}

/// Returns the title of a heading without what readers do not see: characters without width, and attributes at its
/// end such as `{#install}`, `{: .note}` or `{.unnumbered}`.
pub(super) fn visible(title: &str) -> Cow<'_, str> {
    let is_invisible = |char: char| {
        matches!(char, '\u{200b}' | '\u{2060}' | '\u{feff}' | '\u{ad}' | '\u{200e}' | '\u{200f}')
    };
    let title = without_attributes(title.trim());
    if !title.is_ascii() && title.contains(is_invisible) {
        Cow::Owned(without_attributes(title.replace(is_invisible, "").trim()).to_owned())
    } else {
        Cow::Borrowed(title)
    }
}

/// Returns a title without the attributes in braces at its end.
fn without_attributes(title: &str) -> &str {
    let Some((before, inside)) = title.strip_suffix('}').and_then(|rest| rest.rsplit_once('{'))
    else {
        return title;
    };
    let inside = inside.trim();
    // MDX writes ids as comments.
    let comment = inside.strip_prefix("/*").and_then(|inside| inside.strip_suffix("*/"));
    let inside = comment.or_else(|| inside.strip_prefix(':')).unwrap_or(inside);
    let is_attribute = |word: &str| {
        word == "-" || (word.len() > 1 && word.starts_with(['#', '.'])) || word.contains('=')
    };
    let mut words = inside.split_whitespace().peekable();
    let are_attributes = words.peek().is_some() && words.all(is_attribute);
    if are_attributes && !before.ends_with('$') { before.trim_end() } else { title }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_titles_get_the_next_free_number() {
        let numbered = |titles: &[&str]| {
            let mut used = UsedTitles::default();
            let taken = titles
                .iter()
                .map(|title| used.reserve(0, title).unwrap_or_else(|| title.to_string()));
            taken.collect::<Vec<_>>()
        };
        assert_eq!(numbered(&["A", "A", "A"]), ["A", "A (2)", "A (3)"]);
        assert_eq!(numbered(&["A (2)", "A", "A", "A"]), ["A (2)", "A", "A (3)", "A (4)"]);
        assert_eq!(numbered(&["A", "A", "A (2)"]), ["A", "A (2)", "A (2) (2)"]);
        assert_eq!(numbered(&["", ""]), ["", " (2)"]);
        let many = numbered(&["A"; 100]);
        assert_eq!((&*many[1], &*many[99]), ("A (2)", "A (100)"));
    }

    #[test]
    fn no_table_of_many_titles_grows_large() {
        let mut used = UsedTitles::default();
        for number in 0..400_000 {
            assert_eq!(used.reserve(0, &number.to_string()), None);
        }
        for number in 0..400_000 {
            assert_eq!(used.reserve(0, &number.to_string()), Some(format!("{number} (2)")));
        }
        let largest = used.many.iter().map(HashMap::len).max().unwrap();
        assert!(largest < 4_000, "{largest} titles move at once when a table grows");
    }

    #[test]
    fn titles_have_neither_attributes_nor_characters_without_width() {
        for title in [
            "Setup {#setup}",
            "Setup { #setup }",
            "Setup {: #setup .note }",
            "Setup {.unnumbered key=value}",
            "Setup {-}",
            "Setup {/* #setup */}",
            "\u{200b}Set\u{ad}up\u{200b} {#setup}\u{200b}",
        ] {
            assert_eq!(visible(title), "Setup", "{title}");
        }
        for title in ["The set {a, b}", "{}", "{#}", "GET /users/{id}", "C# {", "Set ${.env}"] {
            assert_eq!(visible(title), title);
        }
    }

    #[test]
    fn a_long_title_is_cut_between_characters() {
        assert_eq!(shorten(&"é".repeat(500)), "é".repeat(500));
        assert_eq!(shorten(&"é".repeat(501)), format!("{}…", "é".repeat(499)));
    }
}
