/*!
Proposes questions from the sections and sentences of a store.

`chunks, spread over documents -> title of a section, or rare words of a sentence -> question`

The questions have words of their answers, so they favor search by words. They are a start for a person, who replaces
them by questions that users ask.
*/

use super::question::{Question, Wanted};
use crate::store::SampledChunk;
use serde_json::Map;
use std::collections::{HashMap, HashSet};
use unicode_segmentation::UnicodeSegmentation;

/// The length in bytes of sentences that become questions.
const SENTENCE: std::ops::RangeInclusive<usize> = 40..=300;

/// The minimum number of words of such a sentence.
const MIN_WORDS: usize = 6;

/// The number of words of a question that is made of a sentence.
const QUERY_WORDS: usize = 6;

/// The minimum length of a word in characters, for scripts with short words without meaning of their own.
const MIN_WORD: usize = 3;

/// Returns up to `count` questions, in turn from a title and from a sentence, of chunks in this order. Each chunk gives at
/// most one, and no two have the same query.
///
/// # Examples
///
/// ```
/// use passage::eval::propose;
/// use passage::store::SampledChunk;
///
/// let chunk = SampledChunk {
///     uri: "docs/logging.md".into(),
///     section: vec!["Logging".into(), "Log rotation".into()],
///     content: "## Log rotation\n\nA new file begins every night.\n".into(),
///     ..SampledChunk::default()
/// };
/// let questions = propose(&[chunk], 5);
/// assert_eq!(questions[0].query, "Log rotation");
/// assert_eq!(questions[0].wanted[0].uri.as_deref(), Some("docs/logging.md"));
/// ```
pub fn propose(chunks: &[SampledChunk], count: usize) -> Vec<Question> {
    let frequencies = Frequencies::of(chunks);
    let mut questions: Vec<Question> = Vec::new();
    let mut seen = HashSet::new();
    for chunk in chunks {
        if questions.len() == count {
            break;
        }
        let by_title = || frequencies.by_title(chunk);
        let by_sentence = || frequencies.by_sentence(chunk);
        let made = if questions.len().is_multiple_of(2) {
            by_title().or_else(by_sentence)
        } else {
            by_sentence().or_else(by_title)
        };
        if let Some(question) = made.filter(|made| seen.insert(made.query.to_lowercase())) {
            questions.push(question);
        }
    }
    questions
}

/// How many chunks and sections have a word or a title.
struct Frequencies<'c> {
    words: HashMap<String, usize>,
    /// The sections that end with a title, with their documents.
    titles: HashMap<&'c str, HashSet<(&'c str, &'c [String])>>,
    /// The sections that have others below them, with their documents.
    above: HashSet<(&'c str, &'c [String])>,
}

impl<'c> Frequencies<'c> {
    fn of(chunks: &'c [SampledChunk]) -> Self {
        let mut frequencies =
            Self { words: HashMap::new(), titles: HashMap::new(), above: HashSet::new() };
        for SampledChunk { uri, section, content, .. } in chunks {
            let words: HashSet<String> = words(content).map(str::to_lowercase).collect();
            for word in words {
                *frequencies.words.entry(word).or_default() += 1;
            }
            if let Some(title) = section.last() {
                frequencies.titles.entry(title).or_default().insert((uri, section));
                let above = (1..section.len()).map(|depth| (&**uri, &section[..depth]));
                frequencies.above.extend(above);
            }
        }
        frequencies
    }

    /// Returns a question for the section of a chunk: its title, behind that of the section above or of the document if the
    /// title is one word or other sections have it. A section with others below it is too long to be an answer.
    fn by_title(&self, chunk: &SampledChunk) -> Option<Question> {
        let title = chunk.section.last()?.trim();
        if title.is_empty() || self.above.contains(&(&*chunk.uri, &chunk.section[..])) {
            return None;
        }
        let is_shared = self.titles.get(title).is_some_and(|sections| sections.len() > 1);
        let above = chunk.section.iter().rev().nth(1).or(chunk.title.as_ref());
        let above = above.map(|above| above.trim()).filter(|above| {
            !above.is_empty() && *above != title && (is_shared || words(title).count() < 2)
        });
        let query = above.map_or_else(|| title.to_owned(), |above| format!("{above} {title}"));
        let wanted = Wanted { section: Some(chunk.section.clone()), ..document(chunk) };
        Some(question(query, wanted))
    }

    /// Returns a question for the sentence of a chunk with the rarest words: these words, in their order.
    fn by_sentence(&self, chunk: &SampledChunk) -> Option<Question> {
        let of_sentence = |sentence: String| {
            let mut ranked: Vec<(usize, usize, String)> = Vec::new();
            for (at, word) in words(&without_targets(&sentence)).enumerate() {
                if ranked.iter().all(|(_, _, known)| known.to_lowercase() != word.to_lowercase()) {
                    let frequency = self.words.get(&word.to_lowercase()).copied().unwrap_or(1);
                    ranked.push((frequency, at, word.to_owned()));
                }
            }
            if ranked.len() < MIN_WORDS {
                return None;
            }
            ranked.sort_unstable();
            ranked.truncate(QUERY_WORDS);
            let frequency: usize = ranked.iter().map(|(frequency, ..)| frequency).sum();
            ranked.sort_unstable_by_key(|(_, at, _)| *at);
            let query: Vec<String> = ranked.into_iter().map(|(.., word)| word).collect();
            Some((frequency, query.join(" "), sentence))
        };
        let (_, query, text) = sentences(&chunk.content).filter_map(of_sentence).min()?;
        Some(question(query, Wanted { text: Some(text), ..document(chunk) }))
    }
}

fn document(chunk: &SampledChunk) -> Wanted {
    Wanted {
        uri: Some(chunk.uri.clone()),
        collection: Some(chunk.collection.clone()).filter(|collection| !collection.is_empty()),
        ..Wanted::default()
    }
}

fn question(query: String, wanted: Wanted) -> Question {
    Question { name: None, query, wanted: vec![wanted], filter: Map::new() }
}

/// Returns the words of a text that may distinguish it.
fn words(text: &str) -> impl Iterator<Item = &str> {
    text.unicode_words().filter(|word| {
        // Ideographs are words of one character.
        !word.is_ascii()
            || word.len() >= MIN_WORD && !word.bytes().all(|byte| byte.is_ascii_digit())
    })
}

/// Returns a text without the targets of its Markdown links, whose words are not those of the sentence.
fn without_targets(text: &str) -> String {
    let mut kept = String::new();
    let mut parts = text.split("](");
    kept.push_str(parts.next().unwrap_or_default());
    for part in parts {
        kept.push(' ');
        kept.push_str(part.split_once(')').map_or(part, |(_, behind)| behind));
    }
    kept
}

/// Returns the whole sentences of the paragraphs of a text, each in one line.
fn sentences(text: &str) -> impl Iterator<Item = String> {
    let mut is_code = false;
    let mut paragraphs = vec![String::new()];
    for line in text.lines() {
        let trimmed = line.trim();
        if trimmed.starts_with("```") || trimmed.starts_with("~~~") {
            is_code = !is_code;
            paragraphs.push(String::new());
        } else if is_code || !is_prose(line) {
            paragraphs.push(String::new());
        } else {
            let paragraph = paragraphs.last_mut().expect("there is one");
            paragraph.push_str(trimmed);
            paragraph.push(' ');
        }
    }
    paragraphs.into_iter().flat_map(|paragraph| {
        let sentences = paragraph.unicode_sentences().map(|sentence| sentence.trim().to_owned());
        sentences.filter(|sentence| is_whole(sentence)).collect::<Vec<_>>()
    })
}

/// Returns whether a line is part of a paragraph: not blank, a heading, a list, a table, a quotation or code.
fn is_prose(line: &str) -> bool {
    let begins_as_text = |char: char| char.is_alphanumeric() || "\"'`([*_".contains(char);
    let is_list =
        line.starts_with("* ") || line.trim_start().starts_with(|char: char| char.is_ascii_digit());
    let is_reference = line.starts_with('[') && line.contains("]: ");
    line.starts_with(begins_as_text) && !is_list && !is_reference
}

/// Returns whether a sentence is neither cut off nor too short or long.
fn is_whole(sentence: &str) -> bool {
    let begins = sentence.starts_with(|char: char| !char.is_lowercase());
    let ends = sentence.ends_with(['.', '!', '?', '。', '！', '？']);
    begins && ends && SENTENCE.contains(&sentence.len())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn chunk(uri: &str, section: &[&str], content: &str) -> SampledChunk {
        SampledChunk {
            uri: uri.into(),
            collection: "docs".into(),
            title: Some("Handbook".into()),
            section: section.iter().map(|&title| title.into()).collect(),
            content: content.into(),
        }
    }

    #[test]
    fn titles_and_sentences_take_turns_and_name_their_places() {
        let text = "## Rotation\n\nThe server begins a new file\nevery night at three, and keeps ninety of them. It is so.\n";
        let chunks = [
            chunk("a.md", &["Logging", "Rotation"], text),
            chunk("b.md", &["Logging", "Rotation"], text),
            chunk("c.md", &["Backup of the server"], "No sentence"),
            chunk(
                "c.md",
                &["Backup of the server", "Drill"],
                "See [a page](backup/of/all) once a quarter. No more.",
            ),
            chunk(
                "d.md",
                &["Words"],
                "Every [long sentence](its/target.md) has words enough to be a question.\n\n[its target]: of/a/reference.md It is one.",
            ),
        ];
        let questions = propose(&chunks, 5);
        let queries: Vec<_> = questions.iter().map(|one| one.query.as_str()).collect();
        assert_eq!(
            queries,
            [
                "Logging Rotation",
                "The server begins new file night",
                "Backup of the server Drill",
                "long sentence has words enough question",
            ]
        );
        let wanted = |at: usize| &questions[at].wanted[0];
        assert_eq!(wanted(0).section, Some(vec!["Logging".into(), "Rotation".into()]));
        assert_eq!(wanted(0).collection.as_deref(), Some("docs"));
        let sentence =
            "The server begins a new file every night at three, and keeps ninety of them.";
        assert_eq!(wanted(1).text.as_deref(), Some(sentence));
        assert_eq!(propose(&chunks, 2), questions[..2]);
    }

    #[test]
    fn code_lists_tables_and_parts_of_sentences_are_no_sentences() {
        let text = "was cut off at its beginning, which nobody can see here.\n\n\
            - A list has items that are sentences, but they need their list.\n\n```\nThe code says something long enough to be a sentence.\n```\n\n\
            | A table has cells that look like sentences but are none. |\n\n    Indented code is code, as long as it may be in this line.\n\n\
            This is the only sentence that is whole and has enough words.\n";
        let found: Vec<_> = sentences(text).collect();
        assert_eq!(found, ["This is the only sentence that is whole and has enough words."]);
    }

    proptest! {
        #[test]
        fn any_text_gives_questions_that_can_be_read(texts in prop::collection::vec("\\PC{0,60}|[A-Za-z .\n]{0,200}", 1..5)) {
            let chunks: Vec<_> = texts.iter().map(|text| chunk("a.md", &[text.trim()], text)).collect();
            let questions = propose(&chunks, 3);
            prop_assert!(questions.len() <= 3);
            let lines: Vec<_> = questions.iter().map(|one| serde_json::to_string(one).unwrap()).collect();
            if !lines.is_empty() {
                prop_assert_eq!(Question::read_lines("q", &lines.join("\n")).unwrap(), questions);
            }
        }
    }
}
