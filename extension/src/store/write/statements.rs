//! The statements of a document: calls of the writer in SQL, and the row that a document comes from.

use crate::server::spi::{Access, Statement};
use crate::server::sql_text::{EQUAL, MERGE};
use crate::store::layout::{Layout, StatementKey};

thread_local! {
    /// Finds the document of a uri.
    pub static FIND: Statement = Statement::new(
        "passage",
        "SELECT d.id, d.content_hash, d.is_orphan, d.chunk_count FROM _passage.stored_documents($1, 'ingest', ARRAY[$2], ARRAY[$3], ARRAY[$4]) AS d"
            .to_owned(),
        Access::Keys,
    );
    /// Writes a document.
    pub static WRITE: Statement = Statement::new("passage", write(), Access::Keys);
}

/// The parameter of the document, and the last one of its chunks.
const DOCUMENT: usize = 2;
const LAST: usize = 20;

fn write() -> String {
    let [values, derived, given, source_row] = [0, 1, 2, 3].map(|place| DOCUMENT + place);
    let chunks: Vec<_> = (source_row + 1..=LAST).map(|parameter| format!("${parameter}")).collect();
    format!(
        "SELECT w.outcome, w.kept, w.moved, w.added, w.removed FROM _passage.write_documents($1, \
         pg_catalog.jsonb_build_array(${values} {MERGE} pg_catalog.jsonb_build_object('metadata', \
         ${derived} {MERGE} ${given}::pg_catalog.jsonb, 'source_row', ${source_row})), {}) AS w",
        chunks.join(", ")
    )
}

/// Identifies a statement about the row that a document comes from.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct SourceRowStatement {
    /// Whether it records the row. Otherwise it locks the document against removal, and reads the row.
    pub records: bool,
    /// Whether Citus distributes the store. Then the statement is planned for each execution, because Citus finds the
    /// shard of a document among the values.
    pub is_distributed: bool,
}

impl StatementKey for SourceRowStatement {
    fn access(&self) -> Access {
        if self.is_distributed { Access::Any } else { Access::Index }
    }
}

impl SourceRowStatement {
    /// Returns the text of the statement for a store.
    pub fn text(self, layout: &Layout) -> String {
        let documents = &layout.documents.as_ref().expect("the store has documents").name;
        if self.records {
            format!("UPDATE {documents} SET source_row = $2 WHERE id {EQUAL} $1")
        } else {
            format!("SELECT d.source_row FROM {documents} AS d WHERE d.id {EQUAL} $1 FOR KEY SHARE")
        }
    }
}
