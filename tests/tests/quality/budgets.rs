//! Budgets and recall.

use crate::score::{Answer, Filling, ReturnedPassage, cut, fill, recall, with_white_space};
use std::ops::Range;

fn passage(document: usize, spans: &[(usize, usize)], tokens: usize) -> ReturnedPassage {
    ReturnedPassage { document, spans: ranges(spans), tokens }
}

fn ranges(spans: &[(usize, usize)]) -> Vec<Range<usize>> {
    spans.iter().map(|(start, end)| *start..*end).collect()
}

#[test]
fn a_budget_is_filled_with_whole_passages_best_first() {
    let sizes = [40, 50, 20, 5, 6].map(|tokens| passage(0, &[(0, 1)], tokens));
    let taken = |budget, filling| -> Vec<usize> {
        let returned = fill(&sizes, |one| one.tokens, budget, filling);
        returned.iter().map(|passage| passage.tokens).collect()
    };
    assert_eq!(taken(100, Filling::Stop), [40, 50]);
    assert_eq!(taken(100, Filling::Continue), [40, 50, 5]);
    assert_eq!(taken(110, Filling::Stop), [40, 50, 20], "a budget may be used up");
    assert_eq!(taken(4, Filling::Continue), [0; 0]);
}

#[test]
fn the_first_passage_that_does_not_fit_is_cut() {
    let texts = ["0123456789", "äöü456789"];
    let size = |text: &str| text.chars().count();
    let ranked =
        [passage(0, &[(0, 4), (6, 10)], 0), passage(1, &[(0, 12)], 0), passage(0, &[(0, 2)], 0)];
    let cut = |budget| cut(&ranked, &texts, budget, size);
    assert_eq!(cut(3), [passage(0, &[(0, 3)], 3)]);
    assert_eq!(cut(6), [passage(0, &[(0, 4), (6, 8)], 6)]);
    // A character of two bytes is not divided.
    assert_eq!(cut(10), [passage(0, &[(0, 4), (6, 10)], 8), passage(1, &[(0, 4)], 2)]);
    assert_eq!(cut(8).last(), Some(&passage(1, &[(0, 0)], 0)));
    // Repeated text has its cost again.
    let tokens = |budget| cut(budget).iter().map(|passage| passage.tokens).sum::<usize>();
    assert_eq!((tokens(18), tokens(19), tokens(99)), (18, 19, 19));
}

#[test]
fn a_chunk_without_its_white_space_has_it_again() {
    let text = "a\n\n  b\u{a0}\nc ";
    assert_eq!(with_white_space(text, 5..6), 1..9, "no-break space has two bytes");
    assert_eq!(with_white_space(text, 0..1), 0..5);
    assert_eq!(with_white_space(text, 9..10), 6..11);
}

#[test]
fn recall_is_the_share_of_the_wanted_bytes() {
    let answer = Answer { document: 1, spans: ranges(&[(100, 200)]) };
    let recalled = |passages: &[ReturnedPassage]| recall(&answer, passages);
    let close = |a: f64, b: f64| assert!((a - b).abs() < 1e-12, "{a} for {b}");
    close(recalled(&[]), 0.0);
    close(recalled(&[passage(1, &[(0, 100), (200, 300)], 0)]), 0.0);
    close(recalled(&[passage(0, &[(0, 300)], 0)]), 0.0);
    close(recalled(&[passage(1, &[(150, 300)], 0)]), 0.5);
    // Neither the order nor repeated text changes the recall.
    close(recalled(&[passage(1, &[(180, 190), (90, 110)], 0), passage(1, &[(105, 120)], 0)]), 0.3);
    assert!(recalled(&[passage(1, &[(140, 200)], 0), passage(1, &[(90, 141)], 0)]) >= 1.0);
}

#[test]
fn any_span_is_a_complete_answer() {
    let answer = Answer { document: 0, spans: ranges(&[(0, 100), (500, 520)]) };
    let half_and_all = passage(0, &[(0, 50), (490, 530)], 0);
    assert!(recall(&answer, [&half_and_all]) >= 1.0);
    let (a, b) = (passage(0, &[(0, 50)], 0), passage(0, &[(500, 505)], 0));
    assert!((recall(&answer, [&a, &b]) - 0.5).abs() < 1e-12);
}
