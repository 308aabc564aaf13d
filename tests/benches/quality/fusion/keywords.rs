/*!
Queries of keywords: three to five words of a sentence, for which the sentence is the answer.

Such a query looks for a text that its author has seen. The words find it, and the embedding of loose words finds
little, so it is the opposite of a question in other words.
*/

use passage::eval::SplitMix;

use super::super::score::Answer;
use super::super::set::{Document, Question, Set};

/// The number of queries for a set.
const COUNT: usize = 250;

/// A fixed seed, so that a rerun has the same queries.
const SEED: u64 = 7;

/// The sizes of a sentence in bytes.
const SENTENCE: std::ops::RangeInclusive<usize> = 40..=400;

/// Returns the queries for the documents of a set.
pub fn keywords(set: &Set) -> Set {
    let mut random = SplitMix(SEED);
    let mut questions = Vec::with_capacity(COUNT);
    while questions.len() < COUNT {
        let document = random.below(set.documents.len());
        questions.extend(query(document, &set.documents[document], &mut random));
    }
    let name = format!("{}, keywords", set.name);
    Set { name, documents: set.documents.clone(), questions }
}

/// Takes words of the sentence after a random place, if there is one.
fn query(
    document: usize,
    Document { text, .. }: &Document,
    random: &mut SplitMix,
) -> Option<Question> {
    let place = text.floor_char_boundary(random.below(text.len()));
    let start = place + text[place..].find(". ")? + 2;
    let end = start + text[start..].find(". ")? + 1;
    let sentence = &text[start..end];
    if !SENTENCE.contains(&sentence.len()) || sentence.contains('\n') {
        return None;
    }
    let is_word = |word: &&str| word.len() >= 4 && word.chars().all(char::is_alphabetic);
    let words: Vec<_> = sentence.split_whitespace().filter(is_word).collect();
    let count = 3 + random.below(3);
    if words.len() < count + 2 {
        return None;
    }
    let mut chosen = Vec::with_capacity(count);
    while chosen.len() < count {
        let word = random.below(words.len());
        if !chosen.contains(&word) {
            chosen.push(word);
        }
    }
    chosen.sort_unstable();
    let words: Vec<_> = chosen.into_iter().map(|word| words[word]).collect();
    let answer = Answer { document, spans: std::iter::once(start..end).collect() };
    Some(Question { text: words.join(" "), kind: None, answer })
}
