//! Rounds of two alternating ways to do the same work.

use std::ops::Range;
use std::time::Instant;

use crate::machine::ProcessorTime;

/// Rounds of each comparison.
pub const ROUNDS: usize = 15;

/// The result of the rounds: medians, and the spread of their quotients.
#[derive(Clone, Copy, Debug)]
pub struct Figures {
    /// The median of the floor.
    pub floor: f64,
    /// The median of our way.
    pub ours: f64,
    /// The median of the rounds' quotients, ours divided by the floor.
    pub ratio: f64,
    /// The quartiles of the quotients.
    pub spread: (f64, f64),
    /// The share of the machine's processor time that other programs used meanwhile, if it is known.
    pub others: Option<f64>,
}

impl Figures {
    /// Computes the figures from the floor and our result of each round.
    pub fn new(rounds: &[(f64, f64)]) -> Self {
        let sorted = |value: fn(&(f64, f64)) -> f64| {
            let mut values: Vec<_> = rounds.iter().map(value).collect();
            values.sort_by(f64::total_cmp);
            values
        };
        let ratios = sorted(|(floor, ours)| ours / floor);
        let at = |quarter: usize| ratios[(ratios.len() - 1) * quarter / 4];
        Self {
            floor: middle(&sorted(|round| round.0)),
            ours: middle(&sorted(|round| round.1)),
            ratio: middle(&ratios),
            spread: (at(1), at(3)),
            others: None,
        }
    }
}

/// Runs both ways in each round, each of them first in every other round. The first round fills caches and plans
/// and does not count. Each way gets the number of the round and returns its figure.
pub async fn turns(
    floor: impl AsyncFnMut(usize) -> f64,
    ours: impl AsyncFnMut(usize) -> f64,
) -> Figures {
    few_turns(ROUNDS, floor, ours).await
}

/// Does the same with fewer rounds than [`ROUNDS`], for rounds that take minutes.
pub async fn few_turns(
    rounds: usize,
    mut floor: impl AsyncFnMut(usize) -> f64,
    mut ours: impl AsyncFnMut(usize) -> f64,
) -> Figures {
    let (mut measured, begun) = (Vec::with_capacity(rounds), ProcessorTime::now());
    for round in 0..=rounds {
        let both = if round % 2 == 0 {
            let floor = floor(round).await;
            (floor, ours(round).await)
        } else {
            let ours = ours(round).await;
            (floor(round).await, ours)
        };
        if round > 0 {
            measured.push(both);
        }
    }
    Figures { others: begun.others_since(), ..Figures::new(&measured) }
}

/// Calls both ways `calls` times in each round, with numbers that continue through the rounds from 0. The result
/// of a round is the median time of its calls in microseconds.
pub async fn alternate<R>(
    calls: usize,
    mut floor: impl AsyncFnMut(usize) -> R,
    mut ours: impl AsyncFnMut(usize) -> R,
) -> Figures {
    let calls_of = |round: usize| round * calls..(round + 1) * calls;
    turns(
        async |round| median(calls_of(round), &mut floor).await,
        async |round| median(calls_of(round), &mut ours).await,
    )
    .await
}

/// Returns the median time of a call in microseconds.
async fn median<R>(calls: Range<usize>, call: &mut impl AsyncFnMut(usize) -> R) -> f64 {
    let mut times = Vec::with_capacity(calls.len());
    for number in calls {
        let begun = Instant::now();
        let result = call(number).await;
        times.push(begun.elapsed().as_secs_f64() * 1e6);
        drop(result);
    }
    times.sort_by(f64::total_cmp);
    middle(&times)
}

fn middle(sorted: &[f64]) -> f64 {
    sorted[sorted.len() / 2]
}

/// Times of calls.
pub struct Times {
    /// The times in microseconds, sorted.
    sorted: Vec<f64>,
    /// The share of the machine's processor time that other programs used meanwhile, if it is known.
    pub others: Option<f64>,
}

impl Times {
    /// Calls for each number several times. The first call fills caches and does not count.
    pub async fn of<R>(numbers: usize, times: usize, call: impl AsyncFn(usize) -> R) -> Self {
        let (mut took, begun) = (Vec::with_capacity(numbers * times), ProcessorTime::now());
        for time in 0..=times {
            for number in 0..numbers {
                let begun = Instant::now();
                let result = call(number).await;
                let elapsed = begun.elapsed().as_secs_f64() * 1e6;
                drop(result);
                took.extend((time > 0).then_some(elapsed));
            }
        }
        Self { others: begun.others_since(), ..Self::new(took) }
    }

    /// Sorts times in microseconds.
    pub fn new(mut times: Vec<f64>) -> Self {
        times.sort_by(f64::total_cmp);
        Self { sorted: times, others: None }
    }

    /// Returns a percentile of the times.
    pub fn percentile(&self, percent: usize) -> f64 {
        self.sorted[(self.sorted.len() * percent / 100).min(self.sorted.len() - 1)]
    }
}
