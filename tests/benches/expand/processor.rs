/*!
The processor time of the server for a call, against that of a SELECT of the same rows.

The time that a client measures includes the round trip, which both ways have, and waits for the processor on a busy
machine. So this is the harder floor: the time that the kernel counts for the server process of the session, on Linux.
*/

use std::fs;

use super::CALLS;
use super::hits::Hits;
use super::passages;
use super::sessions::Session;
use crate::rounds::{Figures, turns};
use crate::table::{Bar, Table};

/// One hit by the default strategy.
const AUTO: &str = "SELECT * FROM passage.expand_context($1)";

/// Measures the calls; `what` names the store, and `bar` says whether the limits apply to it.
pub async fn measure(
    session: &Session,
    hits: &Hits,
    table: &mut Table,
    what: impl Fn(&str) -> String,
    bar: impl Fn(f64) -> Bar,
) {
    let Some(process) = ServerProcess::of(session).await else { return };
    let (auto, joined) = (session.prepare(AUTO).await, session.prepare(passages::OURS).await);
    let what = |call: &str| what(&format!("processor time of {call}"));

    let floor = async |call| session.floor_of_one(hits.one(call)).await;
    let broad = async |call| session.ours_of_one(hits.one(call)).await;
    let figures = process.compare(floor, broad).await;
    table.times(&what("`expand_context`, one hit"), figures, bar(1.8));
    let floor = async |call| session.floor_of_one(hits.one(call)).await;
    let default = async |call| session.ask(&auto, &[&hits.one(call).chunk]).await;
    let figures = process.compare(floor, default).await;
    table.times(&what("`expand_context`, one hit, `auto`"), figures, bar(2.0));
    let floor = async |call| session.floor_of_ten(hits.ten(call)).await;
    let ten = async |call| session.ours_of_ten(hits.ten(call)).await;
    let figures = process.compare(floor, ten).await;
    table.times(&what("`expand_contexts`, ten hits"), figures, bar(1.8));
    let floor = async |call| session.floor_of_ten(hits.ten(call)).await;
    let passages = async |call| session.ask(&joined, &[&hits.ten(call).chunks]).await;
    let figures = process.compare(floor, passages).await;
    table.times(&what("`reassemble`, ten hits"), figures, bar(2.0));
}

/// The server process of a session.
struct ServerProcess {
    /// The file whose first number is the time that the process ran, in nanoseconds.
    schedstat: String,
}

impl ServerProcess {
    /// Returns the process of a session, or `None` on a system that does not count its time in nanoseconds.
    async fn of(session: &Session) -> Option<Self> {
        let sql = session.prepare("SELECT pg_backend_pid()").await;
        let rows = session.ask(&sql, &[]).await;
        let process = Self { schedstat: format!("/proc/{}/schedstat", rows[0].get::<_, i32>(0)) };
        process.nanoseconds().map(|_| process)
    }

    fn nanoseconds(&self) -> Option<u64> {
        fs::read_to_string(&self.schedstat).ok()?.split(' ').next()?.parse().ok()
    }

    /// Compares both ways in alternating rounds. The result of a round is the mean time of its calls in microseconds.
    async fn compare<R>(
        &self,
        mut floor: impl AsyncFnMut(usize) -> R,
        mut ours: impl AsyncFnMut(usize) -> R,
    ) -> Figures {
        turns(
            async |round| self.mean(round, &mut floor).await,
            async |round| self.mean(round, &mut ours).await,
        )
        .await
    }

    async fn mean<R>(&self, round: usize, call: &mut impl AsyncFnMut(usize) -> R) -> f64 {
        let time = || self.nanoseconds().expect("the process runs");
        let begun = time();
        for number in round * CALLS..(round + 1) * CALLS {
            call(number).await;
        }
        (time() - begun) as f64 / 1e3 / CALLS as f64
    }
}
