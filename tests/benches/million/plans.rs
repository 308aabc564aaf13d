//! The indexes that the legs read, by the server's statistics.

use super::load::STORE;
use super::session::{Question, Session};
use crate::table::Table;

/// The number of counted calls.
const CALLS: usize = 20;

/// Returns a sentence for each leg about the indexes that its calls read.
///
/// # Panics
///
/// Panics if a leg scans a whole table.
pub async fn measure(session: &Session, questions: &[Question], table: &mut Table) {
    for leg in ["vector", "text"] {
        let before = counted(session).await;
        for question in &questions[..CALLS] {
            match leg {
                "vector" => session.vector(question).await,
                _ => session.text(&question.text).await,
            };
        }
        let after = counted(session).await;
        let read: Vec<_> = before
            .iter()
            .zip(after)
            .filter(|(before, after)| before.1 < after.1)
            .map(|(before, after)| format!("{} {}", before.0, after.1 - before.1))
            .collect();
        let read = read.join(", ");
        table.note(format!("{CALLS} calls of the {leg} leg read: {read}"));
        let index = if leg == "vector" { "embeddings_embedding_idx" } else { "chunks_tsv_idx" };
        assert!(read.contains(index), "the {leg} leg does not read {index}: {read}");
        for all in ["all of chunks", "all of embeddings"] {
            assert!(!read.contains(all), "the {leg} leg reads {all}: {read}");
        }
    }
}

/// Returns how often each index was read, and each table without one.
async fn counted(session: &Session) -> Vec<(String, i64)> {
    session.query("SELECT pg_stat_force_next_flush()").await;
    let sql = format!(
        "SELECT indexrelname::text AS name, idx_scan AS reads FROM pg_stat_user_indexes \
         WHERE schemaname = '{STORE}' UNION ALL \
         SELECT 'all of ' || relname, seq_scan FROM pg_stat_user_tables \
         WHERE schemaname = '{STORE}' ORDER BY name"
    );
    session.query(&sql).await.iter().map(|row| (row.get(0), row.get(1))).collect()
}
