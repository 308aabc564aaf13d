/*!
Parsing of search queries.

A query is typed by a person or passed on by a program, so any text is valid. Double quotes delimit a phrase, which
must match exactly. A minus excludes the word or phrase behind it. All other words are optional, and chunks with
more of them rank higher. An unclosed quote is ignored. Someone who enters `-Xmx512m` and nothing else looks for this
option, so unquoted exclusions alone are words. A path also finds the name of its file, and the path of a file of prose
alone finds the words that its title may have.

The words are those of the searchable text: normalized, and split where the script changes.

Queries are bounded: of a pasted text only the first words count.

Its twin in SQL is `sql/edition/words.sql`.
*/

use super::file_names::{file_name, title_words};
use super::normalize::normalize;
use super::scripts::is_unspaced_run;
use super::searchable_text::{Runs, searchable_text};
use std::collections::HashSet;

/// The maximum length of a query, in bytes. The rest is ignored.
const BYTES: usize = 16_384;

/// The maximum number of words.
const WORDS: usize = 64;

/// The maximum number of phrases, and of exclusions.
const PHRASES: usize = 8;

/// The maximum length of a word, in bytes. PostgreSQL does not index longer words.
const WORD_BYTES: usize = 1_024;

/// A parsed query. Phrases and exclusions are as written, in the usual forms of their characters.
///
/// ```
/// use passage_core::search::SearchQuery;
///
/// let query = SearchQuery::parse("index \"build time\" -hash");
/// assert_eq!(query.words, ["index", "build", "time"]);
/// assert_eq!((&*query.phrases[0], &*query.excluded[0]), ("build time", "hash"));
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SearchQuery {
    /// The words, each once, including those of phrases.
    pub words: Vec<String>,
    /// The phrases that a chunk must contain.
    pub phrases: Vec<String>,
    /// The words and phrases that a chunk must not contain.
    pub excluded: Vec<String>,
}

impl SearchQuery {
    /// Parses a query. Any text is valid.
    pub fn parse(text: &str) -> Self {
        let text = normalize(&text[..text.floor_char_boundary(BYTES)]);
        let mut rest = &*text;
        let mut query = Self::default();
        let mut seen = HashSet::new();
        let mut excluded = Vec::new();
        loop {
            rest = rest.trim_start();
            if rest.is_empty() {
                break;
            }
            let minus = rest.strip_prefix('-').filter(|behind| {
                behind.starts_with(|first: char| first == '"' || first.is_alphanumeric())
            });
            let behind = minus.unwrap_or(rest);
            let phrase = behind.strip_prefix('"').and_then(|inside| inside.split_once('"'));
            let part = if let Some((phrase, behind)) = phrase {
                rest = behind;
                phrase
            } else {
                let word = word(behind);
                rest = &behind[word.len()..];
                word
            };
            match (minus, phrase) {
                (Some(_), _) => excluded.push((part, phrase.is_some())),
                (None, Some(_)) => add(&mut query.phrases, part),
                (None, None) => {}
            }
            if minus.is_none() {
                query.add_words(part, &mut seen);
            }
        }
        let is_excluded = !query.words.is_empty();
        for (part, is_quoted) in excluded {
            if is_excluded || is_quoted {
                add(&mut query.excluded, part);
            } else {
                query.add_words(part, &mut seen);
            }
        }
        if let [word] = &query.words[..] {
            let title = title_words(word);
            query.add_words(&title, &mut seen);
        }
        query.add_file_names(&mut seen);
        query
    }

    fn add_words(&mut self, part: &str, seen: &mut HashSet<String>) {
        let text = searchable_text(part, Runs::Whole);
        let words = text.split_whitespace().filter_map(|word| {
            if is_unspaced_run(word) {
                return Some(&word[..word.floor_char_boundary(WORD_BYTES)]);
            }
            (word.len() <= WORD_BYTES).then_some(word)
        });
        let new = words.filter(|word| seen.insert(word.to_lowercase()));
        let room = WORDS - self.words.len();
        self.words.extend(new.take(room).map(str::to_owned));
    }

    /// Adds the name of the file of each path.
    fn add_file_names(&mut self, seen: &mut HashSet<String>) {
        let names: Vec<_> = self.words.iter().filter_map(|word| file_name(word)).collect();
        let names = names.join(" ");
        self.add_words(&names, seen);
    }

    /// Returns whether the query has no words.
    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }
}

/// Returns the first word of a text. A closed quote directly behind it begins the next part.
fn word(text: &str) -> &str {
    let end = text.find(char::is_whitespace).unwrap_or(text.len());
    let quote = text[..end].char_indices().skip(1).find(|(_, character)| *character == '"');
    let closed = quote.map(|(at, _)| at).filter(|at| text[at + 1..].contains('"'));
    &text[..closed.unwrap_or(end)]
}

/// Adds a phrase or an exclusion, unless it has no letters or digits.
fn add(parts: &mut Vec<String>, part: &str) {
    let says = part.len() <= WORD_BYTES && part.contains(char::is_alphanumeric);
    if says && parts.len() < PHRASES {
        parts.push(part.to_owned());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(text: &str) -> [Vec<String>; 3] {
        let SearchQuery { words, phrases, excluded } = SearchQuery::parse(text);
        [words, phrases, excluded]
    }

    fn list(words: &[&str]) -> Vec<String> {
        words.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn words_phrases_and_exclusions_are_parsed() {
        let query = parsed(r#"restore "from a dump" -cloud -"point in time" lowest-direct a - b"#);
        let words = ["restore", "from", "a", "dump", "lowest-direct", "-", "b"];
        let excluded = ["cloud", "point in time"];
        assert_eq!(query, [list(&words), list(&["from a dump"]), list(&excluded)]);
    }

    #[test]
    fn exclusions_alone_are_words() {
        assert_eq!(parsed("-Xmx512m"), [list(&["Xmx512m"]), list(&[]), list(&[])]);
        assert_eq!(parsed("--dry-run"), [list(&["--dry-run"]), list(&[]), list(&[])]);
        assert_eq!(parsed("-a -b"), [list(&["a", "b"]), list(&[]), list(&[])]);
        assert_eq!(parsed("-\"a b\""), [list(&[]), list(&[]), list(&["a b"])]);
        assert_eq!(parsed("heap -Xmx512m")[2], ["Xmx512m"]);
    }

    #[test]
    fn words_end_where_the_script_changes() {
        assert_eq!(parsed("使用docker部署")[0], ["使用", "docker", "部署"]);
        assert_eq!(parsed("ＡＰＩ　ｶﾞｲﾄﾞ。")[0], ["API", "ガイド"]);
        assert_eq!(parsed("C++ or .NET")[0], ["cplusplus", "or", "dotnet"]);
        assert_eq!(parsed(&"日".repeat(2_000))[0], ["日".repeat(341)]);
    }

    #[test]
    fn a_path_has_the_name_of_its_file() {
        assert_eq!(parsed("src/a.ts exports")[0], ["src/a.ts", "exports", "a.ts"]);
        assert_eq!(parsed("docs/guide.md")[0], ["docs/guide.md", "guide", "guide.md"]);
        assert_eq!(parsed("see docs/guide.md")[0], ["see", "docs/guide.md", "guide.md"]);
        assert_eq!(parsed("and/or")[0], ["and/or"]);
        assert_eq!(parsed("README")[0], ["README"]);
    }

    #[test]
    fn an_unclosed_quote_is_ignored() {
        assert_eq!(parsed(r#"12" disk"#), [list(&["12\"", "disk"]), list(&[]), list(&[])]);
        assert_eq!(parsed(r#"x"a b"y"#), [list(&["x", "a", "b", "y"]), list(&["a b"]), list(&[])]);
        assert_eq!(parsed("\""), [list(&["\""]), list(&[]), list(&[])]);
        assert_eq!(parsed("\"\""), [list(&[]), list(&[]), list(&[])]);
    }

    #[test]
    fn a_long_query_is_bounded() {
        let long: Vec<_> = (0..20_000).map(|number| format!("w{number}")).collect();
        let long = long.join(" ");
        assert_eq!(SearchQuery::parse(&long).words.len(), 64);
        assert!(SearchQuery::parse(&"x".repeat(100_000)).is_empty());
        assert!(SearchQuery::parse(" \t\n").is_empty());
    }

    proptest::proptest! {
        #[test]
        fn any_text_is_a_query(text in "(?s)[-\"a é日\u{202e}\\\\' \t\n😀]{0,40}") {
            let query = SearchQuery::parse(&text);
            let usual = normalize(&text);
            for part in query.phrases.iter().chain(&query.excluded) {
                proptest::prop_assert!(usual.contains(part.as_str()));
            }
            let searched = searchable_text(&text, Runs::Whole);
            for word in &query.words {
                proptest::prop_assert!(searched.contains(word.as_str()));
            }
        }
    }
}
