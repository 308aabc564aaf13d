/*!
The titles in use, so that equal ones get a number.

Only the hash of a title is kept: a JSON object may have a million keys, and mostly has a few. If
two titles share a hash, the second gets a number that it does not need.
*/

use std::{
    collections::HashMap,
    hash::{DefaultHasher, Hasher},
};

/// The titles in use, each below a parent.
#[derive(Default)]
pub(super) struct Titles {
    /// The hash of each title and the number to try next if it comes again, up to [`FEW`] of them.
    few: Vec<(u64, usize)>,
    /// All of them when they are more: one table, or [`TABLES`] by the first bits of the hash.
    many: Vec<HashMap<u64, usize>>,
}

/// Up to this many, a linear search is faster than a table.
const FEW: usize = 16;

/// Up to this many, one table holds all.
const MANY: usize = 1 << 16;

/// The number of tables beyond that. A table that grows moves all that it holds without a poll:
/// 300 ms for ten million titles, but only 2 ms for a 256th of them.
const TABLES: usize = 256;

impl Titles {
    /// Takes a title below a parent. If it is in use there, takes it with the next free ` (n)`
    /// instead and returns that.
    pub(super) fn free(&mut self, parent: usize, title: &str) -> Option<String> {
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

    /// Returns the number to try next for a title in use; marks any other as used.
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

    /// Returns the table that holds a hash, unless there are few titles.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_titles_get_the_next_free_number() {
        let numbered = |titles: &[&str]| {
            let mut used = Titles::default();
            let taken =
                titles.iter().map(|title| used.free(0, title).unwrap_or_else(|| title.to_string()));
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
    fn many_titles_are_numbered_in_tables_that_stay_small() {
        let mut used = Titles::default();
        for number in 0..400_000 {
            assert_eq!(used.free(0, &number.to_string()), None);
        }
        for number in 0..400_000 {
            assert_eq!(used.free(0, &number.to_string()), Some(format!("{number} (2)")));
        }
        let largest = used.many.iter().map(HashMap::len).max().unwrap();
        assert!(largest < 4_000, "{largest} titles move at once when a table grows");
    }
}
