//! The cost of `auto`, which on prose becomes `broad` once the media type is known.

use super::hits::Hits;
use super::sessions::{Session, ids};
use super::{CALLS, ROUNDS};
use crate::rounds::alternate;
use crate::table::{Bar, Table};

const OURS: &str = "SELECT * FROM passage.expand_context($1)";

/// Measures it against `broad`; `under` names the policies of the role.
pub async fn measure(session: &Session, hits: &Hits, table: &mut Table, under: &str) {
    let ours = session.prepare(OURS).await;
    for call in 0..20 {
        let hit = hits.one(call);
        let broad = session.ours_of_one(hit).await;
        assert_eq!(ids(&broad), ids(&session.ask(&ours, &[&hit.chunk]).await));
    }
    let figures = alternate(
        ROUNDS,
        CALLS,
        async |call| session.ours_of_one(hits.one(call)).await,
        async |call| session.ask(&ours, &[&hits.one(call).chunk]).await,
    );
    let what = format!("one hit on prose, `auto` against `broad`{under}");
    table.times(&what, figures.await, Bar::None);
}
