//! A thousand hits in one call, against the same hits in a hundred calls of ten.

use super::ROUNDS;
use super::hits::Hits;
use super::sessions::{Session, ids};
use crate::rounds::alternate;
use crate::table::{Bar, Table};

/// Measures it; `under` names the policies of the role.
pub async fn measure(session: &Session, hits: &Hits, table: &mut Table, under: &str) {
    let all = hits.all();
    let by_tens = async || {
        let mut rows = Vec::new();
        for ten in hits.tens() {
            rows.extend(session.ours_of_ten(ten).await);
        }
        rows
    };
    assert_eq!(ids(&by_tens().await), ids(&session.ours_of_ten(&all).await));
    let figures =
        alternate(ROUNDS, 1, async |_| by_tens().await, async |_| session.ours_of_ten(&all).await);
    let what = format!("1,000 hits in one call against a hundred of ten hits{under}");
    table.times(&what, figures.await, Bar::AtMost(1.3));
}
