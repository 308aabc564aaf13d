/*!
A set: documents, and questions with the text that answers them.

A folder with `docs/` and `questions.jsonl`, each line an object with `question`, `doc` (the name
of a file below `docs/`) and `spans` (pairs of offsets from the document's beginning, in Unicode
characters; any one of them answers). It may say what `kind` of question it is.
*/

use std::fs;
use std::ops::Range;
use std::path::Path;

use super::score::Answer;

/// Documents and questions.
pub struct Set {
    pub name: String,
    pub documents: Vec<Document>,
    pub questions: Vec<Question>,
}

/// A file of the set.
#[derive(Clone)]
pub struct Document {
    pub name: String,
    pub text: String,
}

/// A question and what answers it.
pub struct Question {
    pub text: String,
    /// The kind of question, if the set has kinds.
    pub kind: Option<String>,
    pub answer: Answer,
}

/// Returns the names of the sets in a folder, in order; none if the folder does not exist.
pub fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let sets = entries.filter(|entry| entry.path().join("questions.jsonl").is_file());
    let mut names: Vec<_> = sets.filter_map(|entry| entry.file_name().into_string().ok()).collect();
    names.sort();
    names
}

impl Set {
    /// Reads a set, its documents in the order of their names.
    ///
    /// # Panics
    ///
    /// Panics if a file cannot be read, or a span is outside of its document.
    pub fn read(folder: &Path, name: &str) -> Self {
        let folder = folder.join(name);
        let entries = fs::read_dir(folder.join("docs")).expect("a set has a folder docs");
        let mut documents: Vec<_> = entries
            .map(|entry| {
                let entry = entry.expect("docs can be listed");
                let name = entry.file_name().into_string().expect("names are UTF-8");
                let text = fs::read_to_string(entry.path()).expect("documents are UTF-8");
                Document { name, text }
            })
            .collect();
        documents.sort_by(|a, b| a.name.cmp(&b.name));
        let lines =
            fs::read_to_string(folder.join("questions.jsonl")).expect("there are questions");
        let questions = lines.lines().map(|line| {
            question(line, &documents).unwrap_or_else(|| panic!("{name}: no question: {line}"))
        });
        Self { name: name.into(), questions: questions.collect(), documents }
    }
}

fn question(line: &str, documents: &[Document]) -> Option<Question> {
    let value: serde_json::Value = serde_json::from_str(line).ok()?;
    let name = value["doc"].as_str()?;
    let document = documents.iter().position(|document| document.name == name)?;
    let text = &documents[document].text;
    let spans = value["spans"].as_array()?.iter().map(|pair| {
        let offset = |at: usize| usize::try_from(pair[at].as_u64()?).ok();
        bytes(text, offset(0)?..offset(1)?)
    });
    let spans: Vec<_> = spans.collect::<Option<_>>()?;
    let answered = !spans.is_empty() && spans.iter().all(|span| !span.is_empty());
    answered.then_some(Question {
        text: value["question"].as_str()?.to_owned(),
        kind: value["kind"].as_str().map(ToOwned::to_owned),
        answer: Answer { document, spans },
    })
}

/// Returns the bytes of a range of characters, or `None` if the text is shorter.
pub fn bytes(text: &str, characters: Range<usize>) -> Option<Range<usize>> {
    let at = |character| {
        let mut starts = text.char_indices().map(|(start, _)| start).chain([text.len()]);
        starts.nth(character)
    };
    Some(at(characters.start)?..at(characters.end)?)
}
