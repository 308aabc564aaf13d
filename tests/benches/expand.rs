/*!
Expansion against the SELECT of the same rows by a caller who knows them.

The floor is the fastest possible query: adjacent rows of a document, read by one range of ordinals through the
index, without looking up the hit first. It returns the additional columns of the functions (role, distance,
hit, scores) as constants. The harder floor is the processor time of the server, without the round trip that both
ways have.
*/

mod classes;
mod explain;
pub mod hits;
pub mod load;
mod passages;
mod processor;
pub mod sessions;

use std::path::Path;

use crate::rounds::alternate;
use crate::table::{Bar, Table};
use hits::Hits;
use load::{Shape, Text};
use sessions::{OURS_OF_ONE, OURS_OF_TEN, Session, ids};

/// Calls of each way in a round.
pub const CALLS: usize = 200;

/// 5,000 manuals of 100 chunks, ten manuals of 100,000 chunks, and source code with classes of 200 chunks.
const STORES: [Shape; 3] = [
    Shape {
        store: "rag",
        documents: 5_000,
        visible: 2_500,
        chunks: 100,
        text: Text::Manual,
        bare: false,
    },
    Shape {
        store: "large",
        documents: 10,
        visible: 10,
        chunks: 100_000,
        text: Text::Manual,
        bare: false,
    },
    Shape {
        store: "code",
        documents: 200,
        visible: 200,
        chunks: 1_000,
        text: Text::Classes(200),
        bare: false,
    },
];

/// Loads the stores, or uses the kept ones, and measures.
pub async fn measure(table: &mut Table, keep: Option<&Path>) {
    let mut cluster = load::cluster(keep, &STORES).await;
    let [shape_of_small, shape_of_large, code] = STORES;
    let (small, large) = (Hits::of(&shape_of_small), Hits::of(&shape_of_large));
    for (role, under) in [("owner", ""), ("reader", ", row-level security")] {
        let of_small = Session::open(&cluster, role, &shape_of_small).await;
        let of_large = Session::open(&cluster, role, &shape_of_large).await;
        of_small.check(&small, &shape_of_small).await;
        of_large.check(&large, &shape_of_large).await;

        for (session, hits, size) in [(&of_small, &small, "100"), (&of_large, &large, "100,000")] {
            // The bar applies only to the first store.
            let bar = |max| if size == "100" { Bar::AtMost(max) } else { Bar::None };
            let what = |what: &str| format!("{what}, documents of {size} chunks{under}");
            let figures = alternate(
                CALLS,
                async |call| session.floor_of_one(hits.one(call)).await,
                async |call| session.ours_of_one(hits.one(call)).await,
            );
            table.times(&what("`expand_context`, one hit"), figures.await, bar(1.8));
            let figures = session.in_server(hits, OURS_OF_ONE, 1).await;
            table.times(&what("the same inside the server"), figures, Bar::None);
            let figures = alternate(
                CALLS,
                async |call| session.floor_of_ten(hits.ten(call)).await,
                async |call| session.ours_of_ten(hits.ten(call)).await,
            );
            table.times(&what("`expand_contexts`, ten hits"), figures.await, bar(2.2));
            let figures = session.in_server(hits, OURS_OF_TEN, 10).await;
            table.times(&what("the same inside the server"), figures, Bar::None);
            passages::measure(session, hits, table, what, bar(2.5)).await;
            processor::measure(session, hits, table, what, bar).await;
            table.note(explain::buffers(session, hits, &what("Buffers")).await);
        }

        let figures = alternate(
            CALLS,
            async |call| of_small.ours_of_one(small.one(call)).await,
            async |call| of_large.ours_of_one(large.one(call)).await,
        );
        let what = format!("one hit, document of 100,000 chunks against one of 100{under}");
        table.times(&what, figures.await, Bar::AtMost(1.3));
        let figures = alternate(
            CALLS,
            async |call| of_small.ours_of_ten(small.ten(call)).await,
            async |call| of_large.ours_of_ten(large.ten(call)).await,
        );
        let what = format!("ten hits, documents of 100,000 chunks against 100{under}");
        table.times(&what, figures.await, Bar::AtMost(1.3));
        measure_thousand(&of_small, &small, table, under).await;
        measure_auto(&of_small, &small, table, under).await;
        classes::measure(&cluster, role, &code, table, under).await;
    }
    cluster.stop();
}

/// Measures a thousand hits in one call against the same hits in a hundred calls of ten; `under` names the policies of the role.
async fn measure_thousand(session: &Session, hits: &Hits, table: &mut Table, under: &str) {
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
        alternate(1, async |_| by_tens().await, async |_| session.ours_of_ten(&all).await);
    let what = format!("1,000 hits in one call against a hundred of ten hits{under}");
    table.times(&what, figures.await, Bar::AtMost(1.3));
}

/// Measures the cost of `auto` against `broad`, which it becomes on prose once the media type is known; `under` names the policies of the role.
async fn measure_auto(session: &Session, hits: &Hits, table: &mut Table, under: &str) {
    let ours = session.prepare("SELECT * FROM passage.expand_context($1)").await;
    for call in 0..20 {
        let hit = hits.one(call);
        let broad = session.ours_of_one(hit).await;
        assert_eq!(ids(&broad), ids(&session.ask(&ours, &[&hit.chunk]).await));
    }
    let figures = alternate(
        CALLS,
        async |call| session.ours_of_one(hits.one(call)).await,
        async |call| session.ask(&ours, &[&hits.one(call).chunk]).await,
    );
    let what = format!("one hit on prose, `auto` against `broad`{under}");
    table.times(&what, figures.await, Bar::None);
}
