//! The questions of `tests/quality`: enough of every kind, with valid answers.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::set::{Set, bytes};

fn folder() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn set() -> Set {
    Set::read(folder(), "quality")
}

/// The lines of `questions.jsonl`.
fn questions() -> Vec<Value> {
    let lines = fs::read_to_string(folder().join("quality/questions.jsonl")).unwrap();
    lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// Returns the pairs of numbers in a field.
fn pairs(question: &Value, field: &str) -> Vec<[usize; 2]> {
    serde_json::from_value(question[field].clone()).unwrap()
}

fn name(question: &Value) -> &str {
    question["id"].as_str().unwrap()
}

#[test]
fn there_are_enough_questions_over_long_documents() {
    let set = set();
    assert!(set.questions.len() >= 60, "{} questions", set.questions.len());
    let long = set.documents.iter().filter(|document| document.text.len() > 20_000);
    assert!(long.clone().count() >= 10, "{} long documents", long.count());
    assert!(set.documents.iter().any(|document| document.text.len() > 60_000));
    let all: usize = set.documents.iter().map(|document| document.text.len()).sum();
    assert!(all < 1_000_000, "{all} bytes are too many to keep");
}

#[test]
fn every_kind_and_every_document_has_enough_questions() {
    let set = set();
    let (mut kinds, mut documents) = (BTreeMap::new(), vec![0; set.documents.len()]);
    for question in &set.questions {
        *kinds.entry(question.kind.as_deref().unwrap_or_default()).or_insert(0) += 1;
        documents[question.answer.document] += 1;
    }
    let names: Vec<_> = kinds.keys().copied().collect();
    assert_eq!(names, ["keyword", "paraphrase", "phrase", "question"]);
    assert!(kinds.values().all(|count| *count >= 15), "{kinds:?}");
    assert!(documents.iter().all(|count| *count >= 5), "{documents:?}");
}

#[test]
fn no_question_is_repeated() {
    let questions = questions();
    let ids: BTreeSet<_> = questions.iter().map(name).collect();
    let texts: BTreeSet<_> =
        questions.iter().map(|question| question["question"].as_str()).collect();
    assert_eq!((ids.len(), texts.len()), (questions.len(), questions.len()));
}

#[test]
fn answers_are_whole_lines_with_their_numbers() {
    let set = set();
    for question in questions() {
        let document = set.documents.iter().find(|one| question["doc"] == one.name.as_str());
        let text = &document.unwrap().text;
        let (spans, lines) = (pairs(&question, "spans"), pairs(&question, "lines"));
        assert_eq!(spans.len(), lines.len(), "{}", name(&question));
        for ([start, end], expected) in spans.into_iter().zip(lines) {
            let span = bytes(text, start..end).unwrap();
            let whole = (span.start == 0 || text[..span.start].ends_with('\n'))
                && (span.end == text.len() || text[span.end..].starts_with('\n'));
            assert!(whole, "{}: {span:?} is not whole lines", name(&question));
            let line = |at: usize| text[..at].matches('\n').count() + 1;
            assert_eq!([line(span.start), line(span.end)], expected, "{}", name(&question));
            let gold = &text[span];
            assert!(!gold.starts_with(char::is_control) && !gold.ends_with('\n'));
            assert!(gold.trim().len() >= 40, "{}: hardly an answer", name(&question));
            assert_eq!(text.matches(gold).count(), 1, "{}: it comes twice", name(&question));
        }
    }
}

#[test]
fn answers_are_at_the_beginning_in_the_middle_and_at_the_end() {
    let set = set();
    let mut thirds = [0; 3];
    for question in &set.questions {
        let text = &set.documents[question.answer.document].text;
        thirds[question.answer.spans[0].start * 3 / text.len()] += 1;
    }
    assert!(thirds.iter().all(|count| *count * 5 >= set.questions.len()), "{thirds:?}");
}

/// The second set, of short factual questions.
fn facts() -> (Set, Vec<Value>) {
    let lines = fs::read_to_string(folder().join("quality/facts/questions.jsonl")).unwrap();
    let questions = lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    (Set::read(folder(), "quality/facts"), questions)
}

#[test]
fn factual_questions_are_short_and_different() {
    let (set, questions) = facts();
    assert_eq!(set.questions.len(), 200);
    let ids: BTreeSet<_> = questions.iter().map(name).collect();
    let texts: BTreeSet<_> = set.questions.iter().map(|question| &question.text).collect();
    assert_eq!((ids.len(), texts.len()), (200, 200));
    for text in texts {
        let words = text.split_whitespace().count();
        assert!((3..=13).contains(&words) && text.ends_with('?'), "{text}");
    }
    let mut documents = vec![0; set.documents.len()];
    set.questions.iter().for_each(|question| documents[question.answer.document] += 1);
    assert!(documents.iter().all(|count| *count >= 10), "{documents:?}");
    let all: usize = set.documents.iter().map(|document| document.text.len()).sum();
    assert!(all < 700_000, "{all} bytes are too many to keep");
}

#[test]
fn answers_to_factual_questions_are_whole_sentences_that_occur_once() {
    let (set, questions) = facts();
    for question in &questions {
        let document = set.documents.iter().find(|one| question["doc"] == one.name.as_str());
        let text = &document.unwrap().text;
        let (spans, lines) = (pairs(question, "spans"), pairs(question, "lines"));
        assert_eq!(spans.len(), lines.len(), "{}", name(question));
        for ([start, end], expected) in spans.into_iter().zip(lines) {
            let span = bytes(text, start..end).unwrap();
            let (before, gold, after) =
                (&text[..span.start], &text[span.clone()], &text[span.end..]);
            let ends = |text: &str| text.ends_with(['.', '?', '!', '"', '\n']);
            assert!(before.is_empty() || ends(before.trim_end_matches(' ')), "{}", name(question));
            assert!(ends(gold) || after.starts_with('\n'), "{}: {gold}", name(question));
            assert!(after.starts_with([' ', '\n']), "{}: {gold}", name(question));
            let line = |at: usize| text[..at].matches('\n').count() + 1;
            assert_eq!([line(span.start), line(span.end)], expected, "{}", name(question));
            assert!((30..=600).contains(&gold.len()), "{}: {gold}", name(question));
            assert_eq!(text.matches(gold).count(), 1, "{}: it comes twice", name(question));
        }
    }
}
