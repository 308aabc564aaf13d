/*!
The lexemes of a query, as PostgreSQL's parser produces them.

A word may have several lexemes: itself and the parts of a compound. All of them are ranked. A chunk has the word
if it contains the whole or all parts.

Nobody knows which of the lexemes of a run without spaces are words: of `日志多久轮换一次`, the chunk that answers has
`日志` and `轮换`, but no chunk has `志多`. So each lexeme of a run is a word of its own. A query of one syllable is the
beginning of the pairs that have it, and the index also has the last syllable of each run.

Its twin in SQL is `sql/edition/words.sql`.
*/

use super::scripts::is_syllable;
use std::collections::HashMap;

/// The maximum number of ranked lexemes of a query.
const MAX_LEXEMES: usize = 64;

/// A word of a query.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct QueryWord {
    /// The word as written.
    pub text: String,
    /// The indexes of the lexemes of the whole word.
    pub whole: Vec<usize>,
    /// The indexes of the lexemes of its parts; empty for a simple word.
    pub parts: Vec<usize>,
}

/// The lexemes of a query without duplicates, and its words.
///
/// ```
/// use passage_core::search::QueryLexemes;
///
/// let mut lexemes = QueryLexemes::default();
/// lexemes.add("getUser", vec!["getuser".into()], vec!["get".into(), "user".into()]);
/// assert_eq!(lexemes.words[0].parts, [1, 2]);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct QueryLexemes {
    /// The lexemes, in order of appearance.
    pub list: Vec<String>,
    /// The words with lexemes, in query order.
    pub words: Vec<QueryWord>,
    indexes: HashMap<String, usize>,
}

impl QueryLexemes {
    /// Adds a word with the lexemes of the whole and of its parts. A word without lexemes, such as a stop
    /// word, is ignored.
    pub fn add(&mut self, text: &str, whole: Vec<String>, parts: Vec<String>) {
        let whole: Vec<_> = whole.into_iter().filter_map(|lexeme| self.index_of(lexeme)).collect();
        let parts: Vec<_> = parts.into_iter().filter_map(|lexeme| self.index_of(lexeme)).collect();
        if !whole.is_empty() || !parts.is_empty() {
            self.words.push(QueryWord { text: text.to_owned(), whole, parts });
        }
    }

    /// Adds a run of a script without spaces. Each of its lexemes is a word.
    pub fn add_run(&mut self, lexemes: Vec<String>) {
        for lexeme in lexemes {
            if !self.indexes.contains_key(&lexeme) {
                self.add(&lexeme.clone(), vec![lexeme], Vec::new());
            }
        }
    }

    /// Replaces a lexeme of misspelled words. Returns the old texts of these words; the new one is `text`.
    pub fn correct(&mut self, misspelled: usize, lexeme: &str, text: &str) -> Vec<String> {
        let Some(corrected) = self.index_of(lexeme.to_owned()) else { return Vec::new() };
        let words = self.words.iter_mut().filter(|word| word.whole == [misspelled]);
        let replace = |word: &mut QueryWord| {
            word.whole = vec![corrected];
            std::mem::replace(&mut word.text, text.to_owned())
        };
        words.map(replace).collect()
    }

    fn index_of(&mut self, lexeme: String) -> Option<usize> {
        if let Some(index) = self.indexes.get(&lexeme) {
            return Some(*index);
        }
        (self.list.len() < MAX_LEXEMES).then(|| {
            self.indexes.insert(lexeme.clone(), self.list.len());
            self.list.push(lexeme);
            self.list.len() - 1
        })
    }

    /// Estimates the number of chunks with a word from the number of chunks with each lexeme.
    pub fn estimate_chunks(&self, word: &QueryWord, with: &[f64]) -> f64 {
        let all = |indexes: &[usize]| {
            indexes.iter().map(|index| with[*index]).min_by(f64::total_cmp).unwrap_or_default()
        };
        all(&word.whole) + all(&word.parts)
    }

    /// Returns the text of a `tsquery` that matches chunks with a word.
    pub fn word_query(&self, word: &QueryWord) -> String {
        let all = |indexes: &[usize]| {
            let terms: Vec<_> = indexes.iter().map(|index| term(&self.list[*index])).collect();
            terms.join("&")
        };
        match (&word.whole[..], &word.parts[..]) {
            (whole, []) => format!("({})", all(whole)),
            ([], parts) => format!("({})", all(parts)),
            (whole, parts) => format!("({}|{})", all(whole), all(parts)),
        }
    }
}

/// Quotes a lexeme for the text of a `tsquery`.
///
/// ```
/// assert_eq!(passage_core::search::quote_lexeme("it's"), "'it''s'");
/// ```
pub fn quote_lexeme(lexeme: &str) -> String {
    format!("'{}'", lexeme.replace('\\', r"\\").replace('\'', "''"))
}

/// Returns the term of a `tsquery` for a lexeme of a query. A syllable also matches the pairs that begin with it.
///
/// ```
/// use passage_core::search::term;
///
/// assert_eq!((term("docker"), term("鍵")), ("'docker'".into(), "'鍵':*".into()));
/// ```
pub fn term(lexeme: &str) -> String {
    let prefix = if is_syllable(lexeme) { ":*" } else { "" };
    format!("{}{prefix}", quote_lexeme(lexeme))
}

#[cfg(test)]
mod tests {
    use super::QueryLexemes;

    impl QueryLexemes {
        /// Returns the lexemes of words without parts.
        pub(crate) fn of_words(words: &[&str]) -> Self {
            let mut lexemes = Self::default();
            for word in words {
                lexemes.add(word, vec![(*word).to_owned()], vec![]);
            }
            lexemes
        }
    }

    #[test]
    fn a_word_is_matched_by_the_whole_or_by_all_of_its_parts() {
        let mut lexemes = QueryLexemes::default();
        let list = |words: &[&str]| words.iter().map(ToString::to_string).collect::<Vec<_>>();
        lexemes.add("getUser", list(&["getus"]), list(&["get", "user"]));
        lexemes.add("o'x\\", list(&["o'x\\"]), vec![]);
        lexemes.add("the", vec![], vec![]);
        lexemes.add("get", list(&["get"]), vec![]);
        assert_eq!(lexemes.list, ["getus", "get", "user", "o'x\\"]);
        let matching: Vec<_> = lexemes.words.iter().map(|word| lexemes.word_query(word)).collect();
        assert_eq!(matching, ["('getus'|'get'&'user')", r"('o''x\\')", "('get')"]);
    }

    #[test]
    fn a_misspelled_word_is_replaced() {
        let mut lexemes = QueryLexemes::of_words(&["encodng", "index"]);
        assert_eq!(lexemes.correct(0, "encod", "encoding"), ["encodng"]);
        let matching: Vec<_> = lexemes.words.iter().map(|word| lexemes.word_query(word)).collect();
        assert_eq!(
            (matching, &*lexemes.words[0].text),
            (vec!["('encod')".to_owned(), "('index')".to_owned()], "encoding")
        );
    }

    #[test]
    fn each_lexeme_of_a_run_is_a_word() {
        let mut lexemes = QueryLexemes::default();
        for run in [["日志", "志多"], ["轮换", "日志"]] {
            lexemes.add_run(run.map(str::to_owned).to_vec());
        }
        let matching: Vec<_> = lexemes.words.iter().map(|word| lexemes.word_query(word)).collect();
        assert_eq!(matching, ["('日志')", "('志多')", "('轮换')"]);
    }

    #[test]
    fn a_syllable_begins_pairs() {
        let mut lexemes = QueryLexemes::default();
        lexemes.add_run(vec!["鍵".to_owned()]);
        assert_eq!(lexemes.word_query(&lexemes.words[0]), "('鍵':*)");
    }

    #[test]
    fn the_lexemes_of_a_long_run_are_bounded() {
        let mut lexemes = QueryLexemes::default();
        lexemes.add_run((0..1_000).map(|number| format!("鍵{number}")).collect());
        assert_eq!(
            (lexemes.list.len(), lexemes.words.len()),
            (super::MAX_LEXEMES, super::MAX_LEXEMES)
        );
    }
}
