//! A class of 200 chunks, returned as a whole for a hit in its middle, against a range of ordinals.

use passage_tests::Cluster;

use super::CALLS;
use super::hits::Hits;
use super::load::Shape;
use super::sessions::{Session, ids};
use crate::rounds::alternate;
use crate::table::{Bar, Table};

const OURS: &str = "SELECT * FROM passage.expand_context($1, 'hierarchical', max_tokens => 0)";

/// Measures it from the client and inside the server; `under` names the policies of the role.
pub async fn measure(cluster: &Cluster, role: &str, shape: &Shape, table: &mut Table, under: &str) {
    let session = Session::open(cluster, role, shape).await;
    let hits = Hits::of(shape);
    let ours = session.prepare(OURS).await;
    for call in 0..20 {
        let hit = hits.one(call);
        let (floor, ours) =
            (session.floor_of_one(hit).await, session.ask(&ours, &[&hit.chunk]).await);
        assert_eq!(ours.len(), shape.text.period());
        assert_eq!(ids(&floor), ids(&ours));
    }
    let figures = alternate(
        CALLS,
        async |call| session.floor_of_one(hits.one(call)).await,
        async |call| session.ask(&ours, &[&hits.one(call).chunk]).await,
    );
    let what = format!("`hierarchical`, one hit, class of 200 chunks{under}");
    table.times(&what, figures.await, Bar::AtMost(1.5));
    let figures = session.in_server(&hits, OURS, 1).await;
    let what = format!("the same inside the server, class of 200 chunks{under}");
    table.times(&what, figures, Bar::None);
}
