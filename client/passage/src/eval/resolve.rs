//! Finds the wanted items of questions in a store, and reads their documents once.

use super::answer::{Answer, Item};
use super::document::{DocumentText, with_single_spaces};
use super::question::{Question, Wanted};
use crate::Error;
use crate::store::{self, DocumentFilter, ListedDocument, Passage, Store};
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::ops::Range;
use uuid::Uuid;

/// The maximum number of documents of a uri.
const MAX_DOCUMENTS: u32 = 1_000;

/// The documents with wanted items.
#[derive(Default)]
pub struct Resolver {
    documents: HashMap<Uuid, DocumentText>,
}

/// Why a question has no answer in a store: the cause and the remedy.
pub type Unanswerable = (String, String);

impl Resolver {
    /// Returns the answer to each question.
    ///
    /// # Errors
    ///
    /// Returns an error if the server fails. The inner error says what the store lacks.
    pub async fn answers(
        &mut self,
        store: &Store,
        questions: &[Question],
    ) -> Result<Vec<Result<Answer, Unanswerable>>, Error> {
        let wanted = || questions.iter().flat_map(|question| &question.wanted);
        let text = |wanted: &Wanted| match wanted {
            Wanted { uri: None, text: Some(text), .. } => Some(with_single_spaces(text)),
            _ => None,
        };
        let texts: Vec<_> = wanted().filter_map(text).collect();
        let mut documents_with_texts = store.documents_with_texts(&texts).await?.into_iter();
        let mut answers = Vec::with_capacity(questions.len());
        for question in questions {
            let mut items = Ok(Vec::new());
            for wanted in &question.wanted {
                let ids = match text(wanted) {
                    Some(_) => documents_with_texts.next(),
                    None => None,
                };
                let item = self.item(store, wanted, ids).await?;
                match (&mut items, item) {
                    (Ok(items), Ok(item)) => items.push(item),
                    (Ok(_), Err(error)) => items = Err(error),
                    (Err(_), _) => {}
                }
            }
            answers.push(items.map(Answer));
        }
        Ok(answers)
    }

    /// Returns the ranges of a passage in its document; none if it has no wanted item.
    pub fn ranges(&self, passage: &Passage) -> Vec<Range<usize>> {
        let document = self.documents.get(&passage.document_id);
        document.map(|document| document.ranges(&passage.chunk_ids)).unwrap_or_default()
    }

    /// Finds an item in the documents of its uri, or in those with its text.
    async fn item(
        &mut self,
        store: &Store,
        wanted: &Wanted,
        with_text: Option<Vec<Uuid>>,
    ) -> Result<Result<Item, Unanswerable>, Error> {
        let mut documents = Vec::new();
        match with_text {
            None => documents.extend(list(store, wanted, None).await?),
            Some(ids) => {
                for id in ids {
                    documents.extend(list(store, wanted, Some(id)).await?);
                }
            }
        }
        let (mut places, mut lacks) = (Vec::new(), None);
        for document in documents {
            let id = document.id;
            let text = match self.documents.entry(id) {
                Entry::Occupied(known) => known.into_mut(),
                Entry::Vacant(unknown) => {
                    let chunks = store.document_chunks(id, None, u32::MAX).await?;
                    unknown.insert(DocumentText::new(chunks))
                }
            };
            match text.parts(wanted) {
                Ok(parts) => places.push((id, parts)),
                Err(reason) => lacks = lacks.or(Some((document.uri.unwrap_or_default(), reason))),
            }
        }
        if !places.is_empty() {
            return Ok(Ok(Item(places)));
        }
        Ok(Err(match (lacks, &wanted.uri) {
            (Some((uri, reason)), _) => (
                format!("document \"{uri}\" {reason}"),
                "Correct the question. passage outline shows the sections of a document with their lines."
                    .into(),
            ),
            (None, Some(uri)) => {
                let error = store::Error::NoDocument(uri.clone());
                (error.to_string(), error.remedy())
            }
            (None, None) => (
                "no document has the wanted text".into(),
                "Copy it from the document, or name the document with \"uri\".".into(),
            ),
        }))
    }
}

/// Returns the documents that an item may mean; with an id, at most this one.
async fn list(
    store: &Store,
    wanted: &Wanted,
    id: Option<Uuid>,
) -> Result<Vec<ListedDocument>, store::Error> {
    let filter = DocumentFilter {
        uri: wanted.uri.clone(),
        id,
        collection: wanted.collection.clone(),
        version: wanted.version.clone(),
        limit: MAX_DOCUMENTS,
        ..DocumentFilter::default()
    };
    store.document_page(&filter).await
}
