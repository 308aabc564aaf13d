/*!
Hybrid search against the sum of its parts.

The parts are the nearest chunks by a prepared SELECT, and the hits of the text leg alone. `search` also fuses them,
expands the best hits and assembles passages.
*/

use super::session::{CANDIDATES, Question, Session};
use crate::rounds::alternate;
use crate::table::{Bar, Table};

/// Measures it, and the vector leg alone.
pub async fn measure(session: &Session, questions: &[Question], table: &mut Table) {
    let question = |call: usize| &questions[call % questions.len()];
    for question in questions {
        assert_eq!(session.nearest(question).await.len(), CANDIDATES);
        assert_eq!(session.vector(question).await.len(), CANDIDATES);
        assert!(!session.hybrid(question).await.is_empty(), "nothing is found");
    }
    let figures = alternate(
        questions.len(),
        async |call| session.listed(question(call)).await,
        async |call| session.vector(question(call)).await,
    );
    let what = format!(
        "`search_hits` by vector, {CANDIDATES} hits, against a bare SELECT of the same columns"
    );
    table.times(&what, figures.await, Bar::AtMost(1.25));
    let figures = alternate(
        questions.len(),
        async |call| {
            let mut rows = session.nearest(question(call)).await;
            rows.extend(session.text(&question(call).text).await);
            rows
        },
        async |call| session.hybrid(question(call)).await,
    );
    let what = format!(
        "`search`, hybrid, ten passages of {CANDIDATES} hits of each leg, against the bare legs"
    );
    table.times(&what, figures.await, Bar::AtMost(1.5));
}
