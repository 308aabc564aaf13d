/*!
What a query asks for, in words.

A query is a line that a person types or a question that a program passes on, so there is nothing
that it may not hold. Double quotes make a phrase, which must be there as it stands; a minus before a
word or a phrase keeps out what has it; all other words are looked for, and the more of them a chunk
has the better. A quote that is never closed is no quote.

A query is bounded: of a text that somebody pasted the first words are taken.
*/

use std::collections::HashSet;

/// The most that is read of a query, in bytes.
const BYTES: usize = 16_384;

/// The most words that are looked for.
const WORDS: usize = 64;

/// The most phrases, and the most words and phrases that are kept out.
const PHRASES: usize = 8;

/// The longest word, in bytes; PostgreSQL leaves longer ones out of its index.
const WORD_BYTES: usize = 1_024;

/// The words of a query, as they were written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SearchQuery {
    /// What is looked for, each word once; those of phrases are among them.
    pub words: Vec<String>,
    /// What must be there, word by word.
    pub phrases: Vec<String>,
    /// Words and phrases that must not be there.
    pub excluded: Vec<String>,
}

impl SearchQuery {
    /// Takes a query apart. Any text is one.
    pub fn parse(text: &str) -> Self {
        let mut rest = &text[..text.floor_char_boundary(BYTES)];
        let mut query = Self::default();
        let mut seen = HashSet::new();
        loop {
            rest = rest.trim_start();
            if rest.is_empty() {
                return query;
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
                (Some(_), _) => add(&mut query.excluded, part),
                (None, Some(_)) => add(&mut query.phrases, part),
                (None, None) => {}
            }
            if minus.is_none() {
                let words = part.split_whitespace().filter(|word| word.len() <= WORD_BYTES);
                let new = words.filter(|word| seen.insert(word.to_lowercase()));
                let room = WORDS - query.words.len();
                query.words.extend(new.take(room).map(str::to_owned));
            }
        }
    }

    /// Tells whether nothing is looked for.
    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }
}

/// Returns the word that a text begins with. A quote that hangs onto it begins the next part, if it
/// is closed.
fn word(text: &str) -> &str {
    let end = text.find(char::is_whitespace).unwrap_or(text.len());
    let quote = text[..end].char_indices().skip(1).find(|(_, found)| *found == '"');
    let closed = quote.map(|(at, _)| at).filter(|at| text[at + 1..].contains('"'));
    &text[..closed.unwrap_or(end)]
}

/// Adds what must be there or must not, if it says anything.
fn add(parts: &mut Vec<String>, part: &str) {
    let says = part.len() <= WORD_BYTES && part.contains(char::is_alphanumeric);
    if says && parts.len() < PHRASES {
        parts.push(part.to_owned());
    }
}

#[cfg(test)]
mod tests {
    use super::SearchQuery;

    fn parsed(text: &str) -> [Vec<String>; 3] {
        let SearchQuery { words, phrases, excluded } = SearchQuery::parse(text);
        [words, phrases, excluded]
    }

    fn list(words: &[&str]) -> Vec<String> {
        words.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn words_phrases_and_what_is_kept_out() {
        let query = parsed(r#"restore "from a dump" -cloud -"point in time" lowest-direct a - b"#);
        let words = ["restore", "from", "a", "dump", "lowest-direct", "-", "b"];
        let excluded = ["cloud", "point in time"];
        assert_eq!(query, [list(&words), list(&["from a dump"]), list(&excluded)]);
    }

    #[test]
    fn a_quote_that_is_never_closed_is_no_quote() {
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
            let words = query.words.iter().chain(&query.phrases).chain(&query.excluded);
            for word in words {
                proptest::prop_assert!(text.contains(word.as_str()));
            }
        }
    }
}
