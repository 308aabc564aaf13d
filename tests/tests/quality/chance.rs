//! The intervals of the bootstrap.

use crate::bootstrap::{Difference, difference};

#[test]
fn equal_answers_have_no_difference() {
    let answers = [0.0, 1.0, 0.25, 1.0];
    let none = Difference { mean: 0.0, low: 0.0, high: 0.0 };
    assert_eq!(difference(&answers, &answers), none);
    assert_eq!(difference(&[0.5; 9], &[0.75; 9]), Difference { mean: 0.25, low: 0.25, high: 0.25 });
}

/// 175 questions of which 20 are won: the distribution is binomial, so the interval is known. An equal number of
/// wins and losses could be chance.
#[test]
fn the_interval_matches_the_binomial_distribution() {
    let first = [0.0; 175];
    let won: Vec<_> = (0..175).map(|number| f64::from(number < 20)).collect();
    let interval = difference(&first, &won);
    let share: f64 = 20.0 / 175.0;
    let deviation = (share * (1.0 - share) / 175.0).sqrt();
    assert!((interval.mean - share).abs() < 1e-9, "{interval:?}");
    assert!((interval.low - (share - 1.96 * deviation)).abs() < 0.01, "{interval:?}");
    assert!((interval.high - (share + 1.96 * deviation)).abs() < 0.01, "{interval:?}");

    let both: Vec<_> =
        (0..175).map(|number| f64::from(number < 20) - f64::from(number > 154)).collect();
    let even = difference(&first, &both);
    assert!(even.low < -0.04 && even.high > 0.04, "{even:?}");
    assert_eq!(difference(&first, &both), even, "a rerun says the same");
}

#[test]
fn a_difference_is_marked_if_it_is_more_than_chance() {
    let written = |mean, low, high| Difference { mean, low, high }.to_string();
    assert_eq!(written(0.043, -0.002, 0.1), "(+0.043: -0.002 to +0.100)");
    assert_eq!(written(0.043, 0.002, 0.1), "(+0.043: +0.002 to +0.100) *");
    assert_eq!(written(-0.2, -0.3, -0.1), "(-0.200: -0.300 to -0.100) *");
    assert_eq!(written(0.0, 0.0, 0.0), "(same)");
}
