/*!
The statement that looks for words of a store that begin like a word of the query.

Only a word that nothing has is looked for so, since a beginning may be that of many words. Which of
what comes is alike is decided by the words themselves.
*/

use super::words::Words;
use crate::interrupt::pause;
use crate::spi::{Connection, Value};
use crate::store::Store;
use crate::store::filters::{Filters, Shape};
use crate::store::hits::uuid;
use crate::store::layout::{Layout, Purpose};
use crate::store::operators::MATCHES;
use uuid::Uuid;

/// The most chunks that are read.
const MOST: i64 = 500;

impl Store {
    /// Reads the words of chunks that match a `tsquery`, given as its text, and pass the filters; of
    /// each with its document.
    pub fn words_like<'c>(
        &self,
        connection: &'c Connection,
        query: &str,
        filters: &Filters,
    ) -> Vec<(Uuid, Words<'c>)> {
        if !self.0.has_words() {
            return Vec::new();
        }
        let shape = filters.shape();
        let purpose = Purpose::WordsLike { filters: shape };
        let statement = self.0.statement(purpose, || statement(&self.0, shape));
        let mut values = vec![Value::new(query.to_owned()), Value::new(MOST)];
        values.extend(filters.values());
        let rows = connection.read(&statement, values);
        let words = |row| {
            pause(row);
            let tsv = rows.words(row, 3)?;
            let words = Words {
                id: uuid(rows.get(row, 0)),
                ordinal: None,
                tokens: None,
                section: rows.get(row, 2),
                tsv,
            };
            Some((uuid(rows.get(row, 1)), words))
        };
        (0..rows.len()).filter_map(words).collect()
    }
}

fn statement(layout: &Layout, filters: Shape) -> String {
    format!(
        "SELECT {id}, {document}, {section}, c.tsv FROM {chunks} AS c{documents} \
         WHERE c.tsv {MATCHES} $1::pg_catalog.tsquery{conditions} LIMIT $2",
        id = layout.chunks.column("c", "id", "uuid"),
        document = layout.chunks.column("c", "document_id", "uuid"),
        section = layout.section_key("c"),
        chunks = layout.chunks.name,
        documents = filters.join(layout, "c.document_id"),
        conditions = filters.conditions(layout, "c.document_id", None, 3),
    )
}
