/*!
The lexemes of a query: what PostgreSQL makes of its words.

A word may be several lexemes: itself and the parts of a compound. All of them are ranked; whether a
chunk has the word is asked by the whole or by all parts together.
*/

use std::collections::HashMap;

/// The most lexemes of a query that are ranked.
const MOST: usize = 64;

/// A word of a query.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct QueryWord {
    /// What the parser makes of the word as it stands, by places in the list of lexemes.
    pub whole: Vec<usize>,
    /// What it makes of its parts; none for a plain word.
    pub parts: Vec<usize>,
}

/// The lexemes of a query, each once, and the words that they are of.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct QueryLexemes {
    /// The lexemes.
    pub list: Vec<String>,
    /// The words that have any, in the order of the query.
    pub words: Vec<QueryWord>,
    places: HashMap<String, usize>,
}

impl QueryLexemes {
    /// Adds a word with what it is made of; a word without lexemes, as a stop word is, is none.
    pub fn add(&mut self, whole: Vec<String>, parts: Vec<String>) {
        let whole: Vec<_> = whole.into_iter().filter_map(|lexeme| self.place(lexeme)).collect();
        let parts: Vec<_> = parts.into_iter().filter_map(|lexeme| self.place(lexeme)).collect();
        if !whole.is_empty() || !parts.is_empty() {
            self.words.push(QueryWord { whole, parts });
        }
    }

    fn place(&mut self, lexeme: String) -> Option<usize> {
        if let Some(place) = self.places.get(&lexeme) {
            return Some(*place);
        }
        (self.list.len() < MOST).then(|| {
            self.places.insert(lexeme.clone(), self.list.len());
            self.list.push(lexeme);
            self.list.len() - 1
        })
    }

    /// Returns about how many chunks have a word, where so many have each lexeme.
    pub fn estimate_chunks(&self, word: &QueryWord, with: &[f64]) -> f64 {
        let all = |places: &[usize]| {
            places.iter().map(|place| with[*place]).min_by(f64::total_cmp).unwrap_or_default()
        };
        all(&word.whole) + all(&word.parts)
    }

    /// Returns the `tsquery` that matches a chunk with a word, as text.
    pub fn word_query(&self, word: &QueryWord) -> String {
        let all = |places: &[usize]| {
            let quote_lexeme: Vec<_> =
                places.iter().map(|place| quote_lexeme(&self.list[*place])).collect();
            quote_lexeme.join("&")
        };
        match (&word.whole[..], &word.parts[..]) {
            (whole, []) => format!("({})", all(whole)),
            ([], parts) => format!("({})", all(parts)),
            (whole, parts) => format!("({}|{})", all(whole), all(parts)),
        }
    }
}

/// Returns a lexeme as it stands in the text of a `tsquery`.
pub fn quote_lexeme(lexeme: &str) -> String {
    format!("'{}'", lexeme.replace('\\', r"\\").replace('\'', "''"))
}

#[cfg(test)]
mod tests {
    use super::QueryLexemes;

    #[test]
    fn a_word_is_matched_by_the_whole_or_by_all_of_its_parts() {
        let mut lexemes = QueryLexemes::default();
        let list = |words: &[&str]| words.iter().map(ToString::to_string).collect::<Vec<_>>();
        lexemes.add(list(&["getus"]), list(&["get", "user"]));
        lexemes.add(list(&["o'x\\"]), vec![]);
        lexemes.add(vec![], vec![]);
        lexemes.add(list(&["get"]), vec![]);
        assert_eq!(lexemes.list, ["getus", "get", "user", "o'x\\"]);
        let matching: Vec<_> = lexemes.words.iter().map(|word| lexemes.word_query(word)).collect();
        assert_eq!(matching, ["('getus'|'get'&'user')", r"('o''x\\')", "('get')"]);
    }
}
