//! The questions: equally many of each set of `quality`. The store has the documents that they are about.

use passage::embed::Model;
use passage::source::SourceDocument;

use super::load::model_folder;
use super::session::Question;
use super::vectors;
use crate::quality::set::Set;
use crate::quality::sets::sets;

/// The number of questions of each set.
const OF_EACH: usize = 34;

/// Returns the questions; the sets alternate.
pub fn asked() -> Vec<String> {
    let questions = all().map(|set| {
        let step = (set.questions.len() / OF_EACH).max(1);
        set.questions.into_iter().step_by(step).take(OF_EACH).map(|question| question.text)
    });
    let mut sets: Vec<_> = questions.collect();
    (0..OF_EACH)
        .flat_map(|_| sets.iter_mut().filter_map(Iterator::next).collect::<Vec<_>>())
        .collect()
}

/// Returns the questions with their embeddings.
pub fn embedded() -> Vec<Question> {
    let asked = asked();
    let model = Model::load(&model_folder()).expect("the model is there");
    let texts: Vec<_> = asked.iter().map(String::as_str).collect();
    let embeddings = vectors::known(&model, &texts);
    let question = |(text, embedding)| Question { text, embedding };
    asked.into_iter().zip(embeddings).map(question).collect()
}

/// Returns the documents that the questions are about.
pub fn documents() -> impl Iterator<Item = SourceDocument> {
    all().flat_map(|set| {
        let uri = move |name: &str| format!("{}/{name}", set.name);
        set.documents.into_iter().map(move |one| SourceDocument::bytes(uri(&one.name), one.text))
    })
}

fn all() -> impl Iterator<Item = Set> {
    sets(None, &[]).into_iter().map(|location| location.read())
}
