//! The documents that have given texts, whose white space may differ.

use super::super::connection::Store;
use super::super::error::Error;
use uuid::Uuid;

/// The maximum number of documents for a text.
const MAX_DOCUMENTS: i64 = 100;

impl Store {
    /// Returns for each text the documents that have it, at most a hundred, also if it is in several chunks. Each run of white space equals
    /// any other; the texts must have single spaces. It reads all chunks of the store once.
    ///
    /// # Errors
    ///
    /// Returns [`Error::Database`] if the store does not exist or the caller may not read it.
    pub async fn documents_with_texts(&self, texts: &[String]) -> Result<Vec<Vec<Uuid>>, Error> {
        let mut documents = vec![Vec::new(); texts.len()];
        if texts.is_empty() {
            return Ok(documents);
        }
        let sql = format!(
            "WITH documents AS MATERIALIZED (SELECT document_id, \
                 regexp_replace(string_agg(content, '' ORDER BY ordinal, id), '[ \\t\\n\\f\\r]+', ' ', 'g') AS text \
                 FROM {schema}.chunks GROUP BY document_id) \
             SELECT wanted.number, found.document_id FROM unnest($1::text[]) WITH ORDINALITY AS wanted (text, number) \
             CROSS JOIN LATERAL (SELECT document_id FROM documents WHERE strpos(documents.text, wanted.text) > 0 \
                 ORDER BY document_id LIMIT {MAX_DOCUMENTS}) AS found",
            schema = self.schema
        );
        for row in self.query(&sql, &[&texts]).await? {
            let number = usize::try_from(row.get::<_, i64>(0)).expect("ordinality is positive");
            documents[number - 1].push(row.get(1));
        }
        Ok(documents)
    }
}
