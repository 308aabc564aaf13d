//! The verdict on a call: whether its outcome is allowed.

use super::attacker::Outcome;
use super::types::MARKERS;
use std::collections::HashSet;

/// The content of a table that the attacker may not read.
pub const SECRET: &str = "platypus";

/// The words that may appear in outputs because of the attacker's own data and the names of objects.
#[derive(Clone, Debug, Default)]
pub struct Vocabulary(HashSet<String>);

impl Vocabulary {
    pub fn learn(&mut self, text: &str) {
        self.0.extend(words(text).map(str::to_owned));
    }

    /// Returns a word of unknown origin: a number that is part of an address, or text from the server's memory.
    fn foreign_word<'t>(&self, text: &'t str) -> Option<&'t str> {
        words(text).find(|word| word.len() >= 6 && !self.0.contains(*word))
    }
}

/// Returns runs of letters and digits, without fractions, because scores depend on all stored rows.
fn words(text: &str) -> impl Iterator<Item = &str> {
    let is_separator = |letter: char| !letter.is_alphanumeric() && letter != '_' && letter != '.';
    text.split(is_separator).flat_map(|word| {
        let is_number = word.starts_with(|first: char| first.is_ascii_digit());
        word.split('.').take(if is_number { 1 } else { usize::MAX })
    })
}

/// Returns what is wrong with an outcome, if anything. Without a vocabulary only the bytes are checked, because
/// sentences have words of their own. If `is_content` is false, messages may show values.
pub fn judge(
    outcome: &Outcome,
    vocabulary: Option<&Vocabulary>,
    is_content: bool,
) -> Option<String> {
    match outcome {
        Outcome::Crash => Some("CRASH: the process was ended by a signal".to_owned()),
        Outcome::Endless => Some("ENDLESS: it cannot be cancelled".to_owned()),
        Outcome::Lost => Some("LOST: the session ended".to_owned()),
        Outcome::Error { code, text } => {
            if code.starts_with("XX") {
                return Some(format!("INTERNAL {code}: {text}"));
            }
            if code == "57014" {
                return Some(format!("ENDLESS: {text}"));
            }
            if ["panicked", "unwrap", "src/", "called `"].iter().any(|sign| text.contains(sign)) {
                return Some(format!("PANIC {code}: {text}"));
            }
            if text.contains(SECRET) {
                return Some(format!("LEAK {code}: {text}"));
            }
            let shown = is_content && MARKERS.iter().any(|marker| text.contains(marker));
            shown.then(|| format!("CONTENT {code}: {text}"))
        }
        Outcome::Rows(rows) => rows.iter().find_map(|row| {
            let odd = row.chars().find(|letter| !(' '..='~').contains(letter) && *letter != '\n');
            if row.contains(SECRET) {
                return Some(format!("LEAK: the secret is in {row:?}"));
            }
            if odd.is_some() {
                return Some(format!("LEAK: strange bytes in {row:?}"));
            }
            let word = vocabulary.and_then(|vocabulary| vocabulary.foreign_word(row));
            word.map(|word| format!("LEAK: {word:?} is not from the attacker's data in {row:?}"))
        }),
    }
}
