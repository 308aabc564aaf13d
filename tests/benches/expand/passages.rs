//! Ten hits as passages, expanded and reassembled in one call, against reading their chunks.

use std::collections::HashMap;

use tokio_postgres::Statement;
use uuid::Uuid;

use super::CALLS;
use super::hits::Hits;
use super::sessions::{Session, ids};
use crate::rounds::alternate;
use crate::table::{Bar, Table};

pub const OURS: &str = "SELECT * FROM passage.reassemble($1, strategy => 'broad')";

/// Measures it from the client and inside the server; `what` names the store.
pub async fn measure(
    session: &Session,
    hits: &Hits,
    table: &mut Table,
    what: impl Fn(&str) -> String,
    bar: Bar,
) {
    let ours = session.prepare(OURS).await;
    check(session, hits, &ours).await;
    let figures = alternate(
        CALLS,
        async |call| session.floor_of_ten(hits.ten(call)).await,
        async |call| session.ask(&ours, &[&hits.ten(call).chunks]).await,
    );
    table.times(&what("`reassemble`, ten hits"), figures.await, bar);
    let figures = session.in_server(hits, OURS, 10).await;
    table.times(&what("the same inside the server"), figures, Bar::None);
}

/// Proves that the passages have the rows of the floor, and their concatenated text.
async fn check(session: &Session, hits: &Hits, ours: &Statement) {
    for call in 0..20 {
        let ten = hits.ten(call);
        let mut floor = session.floor_of_ten(ten).await;
        let ours = session.ask(ours, &[&ten.chunks]).await;
        assert_eq!(ours.len(), 10);
        let mut chunks: Vec<Uuid> =
            ours.iter().flat_map(|row| row.get::<_, Vec<Uuid>>("chunk_ids")).collect();
        chunks.sort();
        assert_eq!(chunks, ids(&floor));
        floor.sort_by_key(|row| row.get::<_, i32>("ordinal"));
        let mut texts: HashMap<Uuid, String> = HashMap::new();
        for row in &floor {
            texts.entry(row.get("document_id")).or_default().push_str(row.get("content"));
        }
        for row in &ours {
            assert_eq!(row.get::<_, &str>("content"), texts[&row.get("document_id")]);
        }
    }
}
