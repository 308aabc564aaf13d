//! The cost of a call in stores of different sizes, which should be equal.

use passage_tests::Cluster;
use passage_tests::cluster::OWNER;
use tokio_postgres::Statement;

use crate::expand::CALLS;
use crate::expand::hits::Hits;
use crate::expand::load::Shape;
use crate::expand::sessions::Session;
use crate::rounds::alternate;
use crate::table::{Bar, Table};

/// A store with its hits, the statements that expand one and ten of them, and the floor of ten.
struct Sized {
    chunks: usize,
    hits: Hits,
    one: Statement,
    ten: Statement,
    floor: Statement,
}

/// Measures each store against the first one, all in one session, because two sessions differ.
pub async fn measure(cluster: &Cluster, shapes: &[Shape], table: &mut Table) {
    let session = Session::open(cluster, OWNER, &shapes[0]).await;
    let mut stores = Vec::new();
    for shape in shapes {
        let hits = Hits::of(shape);
        let own = Session::open(cluster, OWNER, shape).await;
        own.check(&hits, shape).await;
        let floor = session.prepare(&own.floor_of_ten).await;
        let ours = async |function: &str| {
            let store = shape.store;
            let sql = format!(
                "SELECT * FROM passage.{function}($1, strategy => 'broad', store => '{store}')"
            );
            session.prepare(&sql).await
        };
        let (one, ten) = (ours("expand_context").await, ours("expand_contexts").await);
        // The rows that COPY wrote are on disk; this loads those of the hits into memory.
        for ten_hits in hits.tens() {
            session.ask(&ten, &[&ten_hits.chunks]).await;
        }
        stores.push(Sized { chunks: shape.documents * shape.chunks, hits, one, ten, floor });
    }
    let one =
        async |store: &Sized, call| session.ask(&store.one, &[&store.hits.one(call).chunk]).await;
    let ten =
        async |store: &Sized, call| session.ask(&store.ten, &[&store.hits.ten(call).chunks]).await;
    let floor = async |store: &Sized, call| {
        let ten = store.hits.ten(call);
        session.ask(&store.floor, &[&ten.documents, &ten.first, &ten.last]).await
    };
    let (small, large) = stores.split_first().expect("there are several");
    for store in large {
        let against = format!("{} chunks against {}", grouped(store.chunks), grouped(small.chunks));
        let what = format!("one hit, store of {against}");
        compare(table, &what, Bar::AtMost(1.3), (small, store), &one).await;
        let what = format!("ten hits, store of {against}");
        compare(table, &what, Bar::AtMost(1.3), (small, store), &ten).await;
        let what = format!("a SELECT of the same rows, store of {against}");
        compare(table, &what, Bar::None, (small, store), &floor).await;
    }
}

/// Runs the same statement in two stores alternately.
async fn compare<R>(
    table: &mut Table,
    what: &str,
    bar: Bar,
    (small, large): (&Sized, &Sized),
    ask: &impl AsyncFn(&Sized, usize) -> R,
) {
    let small = async |call| ask(small, call).await;
    let figures = alternate(CALLS, small, async |call| ask(large, call).await);
    table.times(what, figures.await, bar);
}

/// Formats a number with a comma before each three digits.
fn grouped(number: usize) -> String {
    match number {
        ..1_000 => number.to_string(),
        _ => format!("{},{:03}", grouped(number / 1_000), number % 1_000),
    }
}
