/*!
Sessions whose calls are cancelled.

The aim is an error within 200 ms of the cancel. Other work on the machine can delay a wall clock by seconds.
So the close bound is on the processor time that the backend uses after the cancel, and a moment that exceeds it
is repeated. The bound on the wall clock is only exceeded by a call that never checks for interrupts.
*/

use crate::rng::Rng;
use passage_tests::Cluster;
use std::ops::Range;
use std::time::{Duration, Instant};
use tokio_postgres::Client;
use tokio_postgres::error::SqlState;

/// The largest processor time from the cancel to the error. The aim is 200 ms; what was made of four million headings
/// of Markdown is freed without a check for interrupts.
pub const MAX_WORK: Duration = Duration::from_millis(500);

/// The maximum number of repetitions of a moment that exceeds it: other work also slows the processor down.
const REPETITIONS: usize = 3;

/// A call whose processor time tells how fast the machine is, and its time where the bounds were chosen.
const REFERENCE: (&str, Duration) = (
    "SELECT sum(hashtext(n::text)) FROM generate_series(1, 500000) AS n",
    Duration::from_millis(100),
);

/// The largest time from the cancel to the error on a busy machine.
const MAX_TIME: Duration = Duration::from_secs(10);

/// A session that calls, and one that cancels it.
pub struct Session {
    caller: Client,
    canceller: Client,
    backend: i32,
    rng: Rng,
    moments: u32,
    /// The bound on the processor time from a cancel to the error.
    bound: Duration,
    /// The same, or more for values on which PostgreSQL itself works longer.
    max_work: Duration,
    worst: Delay,
}

/// How long a call ran after its cancel.
#[derive(Clone, Copy, Default)]
struct Delay {
    /// The processor time of the backend in this time, on Linux.
    work: Duration,
    time: Duration,
    /// The time from the beginning of the call to its cancel.
    after: Duration,
}

impl Session {
    /// Opens both sessions. `number` gives each test its own sequence of random moments.
    pub async fn of(cluster: &Cluster, number: u32) -> Self {
        let variable = |name: &str, default| {
            std::env::var(name).map_or(default, |value| value.parse().expect("it is a number"))
        };
        let seed = variable("PASSAGE_SEED", u64::from(std::process::id()));
        println!("PASSAGE_SEED={seed}");
        let (caller, canceller) = (cluster.client().await, cluster.client().await);
        caller.batch_execute("SET client_min_messages = error").await.expect("it is a setting");
        let backend =
            caller.query_one("SELECT pg_backend_pid()", &[]).await.expect("it is a query");
        // A server with assertions fills the memory that it frees.
        let asserts =
            caller.query_one("SHOW debug_assertions", &[]).await.expect("it is a setting");
        let slower = if asserts.get::<_, &str>(0) == "on" { 3 } else { 1 };
        let mut session = Self {
            caller,
            canceller,
            bound: MAX_WORK * slower,
            max_work: Duration::ZERO,
            backend: backend.get(0),
            rng: Rng::new(seed, number),
            moments: variable("PASSAGE_MOMENTS", 3) as u32,
            worst: Delay::default(),
        };
        let slowness = session.slowness().await;
        println!("slower by {slowness:.2} than the machine of the bounds");
        session.bound = session.bound.mul_f64(slowness);
        session.max_work = session.bound;
        session
    }

    /// Returns how much slower this machine is than the one where the bounds were chosen, at least 1.
    async fn slowness(&self) -> f64 {
        let (sql, usual) = REFERENCE;
        self.least_work(sql).await.div_duration_f64(usual).max(1.0)
    }

    /// Returns the session with another bound on the processor time from a cancel to the error.
    #[must_use]
    pub fn within(self, max_work: Duration) -> Self {
        let bound = self.bound.mul_f64(max_work.div_duration_f64(MAX_WORK));
        Self { bound, max_work: bound, ..self }
    }

    /// Sets the bound to twice the processor time of a statement of PostgreSQL, which has no check for interrupts, if
    /// that is longer than the bound of the session.
    ///
    /// Other programs slow down such copies of memory, although they do not slow down the processor.
    pub async fn allow_twice(&mut self, sql: Option<&str>) {
        self.max_work = self.bound;
        if let Some(sql) = sql {
            let work = self.least_work(sql).await;
            println!("{} ms of work without a check in PostgreSQL: {sql}", work.as_millis());
            self.max_work = self.bound.max(2 * work);
        }
    }

    /// Returns the least processor time of some runs of a statement, which may refuse a value as too large.
    async fn least_work(&self, sql: &str) -> Duration {
        let mut least = Duration::MAX;
        for _ in 0..REPETITIONS {
            let before = self.processor();
            if let Err(error) = self.caller.batch_execute(sql).await {
                assert!(error.code().is_some(), "{sql}: {error:?}");
            }
            least = least.min(self.processor().saturating_sub(before));
        }
        least
    }

    /// Runs the statements that a call needs before it.
    pub async fn prepare(&self, sql: &str) {
        self.caller.batch_execute(sql).await.expect("what a call needs can be made");
    }

    /// Runs a call to its end, then cancels it at random moments.
    ///
    /// Each run is a transaction that is rolled back, so a call that writes finds the same rows each time.
    /// A call may refuse its input as too large.
    pub async fn cancel(&mut self, what: &str, sql: &str) {
        let begun = Instant::now();
        self.caller.batch_execute("BEGIN").await.expect("a transaction begins");
        if let Err(error) = self.caller.batch_execute(sql).await {
            let refused = error.code() == Some(&SqlState::PROGRAM_LIMIT_EXCEEDED);
            assert!(refused, "{what}: {error:?}");
        }
        let whole = begun.elapsed();
        self.caller.batch_execute("ROLLBACK").await.expect("a transaction ends");

        let mut worst = Delay::default();
        for _ in 0..self.moments {
            let share = self.rng.below(1_000) as f64 / 1_000.0;
            let mut late = self.late(what, sql, whole.mul_f64(share)).await;
            for _ in 0..REPETITIONS {
                if late.work >= self.max_work {
                    let again = self.late(what, sql, late.after).await;
                    late = if again.work < late.work { again } else { late };
                }
            }
            if late.work.max(late.time / 20) > worst.work.max(worst.time / 20) {
                worst = late;
            }
        }
        println!(
            "{:5} ms of work, {:5} ms, cancelled at {:5} ms of {:5} ms: {what}",
            worst.work.as_millis(),
            worst.time.as_millis(),
            worst.after.as_millis(),
            whole.as_millis(),
        );
        assert!(worst.work < self.max_work, "{what}: worked {:?} after a cancel", worst.work);
        assert!(worst.time < MAX_TIME, "{what}: ended {:?} after a cancel", worst.time);
        self.worst.work = self.worst.work.max(worst.work);
        self.worst.time = self.worst.time.max(worst.time);
    }

    /// Returns a random number, which `PASSAGE_SEED` repeats.
    pub fn random(&mut self, range: Range<u64>) -> u64 {
        range.start + self.rng.below(range.end - range.start)
    }

    /// Lets a call run into a `statement_timeout` of 100 ms, unless it ends before.
    pub async fn time_out(&mut self, what: &str, sql: &str) {
        let (late, result) = self.run_into(what, sql, Duration::from_millis(100)).await;
        if let Err(error) = result {
            assert_eq!(error.code(), Some(&SqlState::QUERY_CANCELED), "{what}: {error:?}");
        }
        assert!(late.work < self.max_work, "{what}: worked {:?} after the timeout", late.work);
        assert!(late.time < MAX_TIME, "{what}: ended {:?} after the timeout", late.time);
    }

    /// Lets a call run into a `statement_timeout`, unless it ends before, also with an error of its own. Returns a
    /// description of a call that ends late.
    pub async fn overrun(&mut self, what: &str, sql: &str, timeout: Duration) -> Option<String> {
        let (mut late, mut result) = self.run_into(what, sql, timeout).await;
        for _ in 0..REPETITIONS {
            if late.work >= self.max_work {
                (late, result) = self.run_into(what, sql, timeout).await;
            }
        }
        if let Err(error) = &result {
            assert!(error.code().is_some(), "{what}: {error:?}");
        }
        let is_late = late.work >= self.max_work || late.time >= MAX_TIME;
        is_late.then(|| {
            let Delay { work, time, .. } = late;
            format!("{what}: worked {work:?} and ended {time:?} after a timeout of {timeout:?}")
        })
    }

    /// Runs a call with a `statement_timeout`. Returns how long it ran after the timeout, and its result.
    async fn run_into(
        &mut self,
        what: &str,
        sql: &str,
        timeout: Duration,
    ) -> (Delay, Result<(), tokio_postgres::Error>) {
        let sql = format!("BEGIN; SET LOCAL statement_timeout = {}; {sql}", timeout.as_millis());
        let (begun, before) = (Instant::now(), self.processor());
        let result = self.caller.batch_execute(&sql).await;
        let (time, work) = (begun.elapsed(), self.processor().saturating_sub(before));
        // The timeout also holds for this statement, which may wait for a busy processor.
        while let Err(error) = self.caller.batch_execute("ROLLBACK").await {
            assert_eq!(error.code(), Some(&SqlState::QUERY_CANCELED), "{what}: {error:?}");
        }
        let [work, time] = [work, time].map(|spent| spent.saturating_sub(timeout));
        println!(
            "{:5} ms of work, {:5} ms after the timeout: {what}",
            work.as_millis(),
            time.as_millis()
        );
        self.worst.work = self.worst.work.max(work);
        self.worst.time = self.worst.time.max(time);
        (Delay { work, time, after: timeout }, result)
    }

    /// Cancels a call after some time, and returns how long it ran on.
    async fn late(&self, what: &str, sql: &str, after: Duration) -> Delay {
        self.caller.batch_execute("BEGIN").await.expect("a transaction begins");
        let begun = Instant::now();
        let cancel = async {
            tokio::time::sleep(after).await;
            let cancelled = Instant::now();
            let sent =
                self.canceller.query_one("SELECT pg_cancel_backend($1)", &[&self.backend]).await;
            sent.expect("a role may cancel its own backends");
            (cancelled, self.processor())
        };
        let call = async {
            let result = self.caller.batch_execute(sql).await;
            (result, Instant::now(), self.processor())
        };
        let ((cancelled, before), (result, ended, behind)) = tokio::join!(cancel, call);
        // A cancel that arrives between two statements is ignored or cancels the next one, this ROLLBACK.
        // There is one cancel, so a second ROLLBACK succeeds.
        if self.caller.batch_execute("ROLLBACK").await.is_err() {
            self.caller.batch_execute("ROLLBACK").await.expect("the transaction ends");
        }
        if let Err(error) = result {
            let expected = [&SqlState::QUERY_CANCELED, &SqlState::PROGRAM_LIMIT_EXCEEDED];
            assert!(error.code().is_some_and(|code| expected.contains(&code)), "{what}: {error:?}");
        }
        Delay {
            work: behind.saturating_sub(before),
            time: ended.saturating_duration_since(cancelled),
            after: cancelled - begun,
        }
    }

    /// Returns the processor time of the backend so far, or zero on systems other than Linux.
    fn processor(&self) -> Duration {
        let file = format!("/proc/{}/schedstat", self.backend);
        let stat = std::fs::read_to_string(file).unwrap_or_default();
        let nanoseconds = stat.split(' ').next().and_then(|time| time.parse().ok());
        Duration::from_nanos(nanoseconds.unwrap_or_default())
    }

    /// Prints the largest times of all calls.
    pub fn report(&self) {
        let Delay { work, time, .. } = self.worst;
        println!("worst: {} ms of work, {} ms", work.as_millis(), time.as_millis());
    }
}
