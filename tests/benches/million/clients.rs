//! The throughput of several clients, up to the number of cores.

use std::time::{Duration, Instant};

use futures_util::future::join_all;
use passage_tests::Cluster;

use super::session::{Question, Session};
use crate::rounds::turns;
use crate::table::{Bar, Table};

/// The number of concurrent clients.
const CLIENTS: usize = 8;

/// The duration of each turn.
const TURN: Duration = Duration::from_secs(5);

/// The share of a core that each additional client must add, as long as there are cores. The clients themselves
/// need the rest, because they run on the same machine.
const SHARE: f64 = 0.8;

pub async fn measure(cluster: &Cluster, questions: &[Question], table: &mut Table) {
    let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let sessions = join_all((0..CLIENTS).map(|_| Session::open(cluster))).await;
    let figures = turns(
        async |_| throughput(&sessions[..1], questions).await,
        async |_| throughput(&sessions, questions).await,
    );
    let figures = figures.await;
    let written = |speed: f64| format!("{speed:.1} calls/s");
    let (floor, ours) = (written(figures.floor), written(figures.ours));
    let least = SHARE * cores.min(CLIENTS) as f64;
    let what = format!("`search`, hybrid, {CLIENTS} clients against one, on {cores} cores");
    table.row(&what, floor, ours, figures, Bar::AtLeast(least));
}

/// Returns calls per second of all sessions together, each of which calls again after its answer.
async fn throughput(sessions: &[Session], questions: &[Question]) -> f64 {
    let begun = Instant::now();
    let asked = sessions.iter().enumerate().map(async |(number, session)| {
        let mut calls = 0;
        while begun.elapsed() < TURN {
            // At any time all of them search for different questions.
            let question = &questions[(number * 13 + calls) % questions.len()];
            session.hybrid(question).await;
            calls += 1;
        }
        calls
    });
    let calls: usize = join_all(asked).await.into_iter().sum();
    calls as f64 / begun.elapsed().as_secs_f64()
}
