//! Bridges: a single chunk between two hits of prose comes before other context. Each chunk has ten tokens.

use super::memory::{Store, preset};
use passage_core::Strategy;
use passage_core::expand::{Budget, Hit, bridge_hits, plan};
use passage_split::Kind;

/// Returns the ordinals around hits of a document within a budget, the best hit first.
fn around(store: &Store, ordinals: &[usize], strategy: &Strategy, max_tokens: u32) -> Vec<usize> {
    let ranked = ordinals.iter().enumerate();
    let hits: Vec<Hit> = ranked.map(|(rank, at)| store.hit((0, *at), rank, strategy)).collect();
    let mut plan = plan(&hits, false);
    bridge_hits(&mut plan, &hits);
    let budget = Budget { max_tokens: Some(max_tokens), ..Budget::default() };
    let (rows, selection) = store.expand_plan(&hits, &plan, budget);
    let ordinal = |row: usize| rows[row].ordinal.unwrap() as usize;
    selection.chunks.iter().map(|chunk| ordinal(chunk.row)).collect()
}

#[test]
fn the_chunk_between_two_hits_comes_before_other_context() {
    let prose = Store::of(vec![vec![vec![]; 9]]);
    let adjacent = preset("adjacent");
    assert_eq!(around(&prose, &[1, 3], &adjacent, 30), [1, 2, 3]);
    // The second hit is the worst one, but its passage jumps over a chunk.
    assert_eq!(around(&prose, &[6, 1, 3], &adjacent, 40), [1, 2, 3, 6]);
    assert_eq!(around(&prose, &[5, 1, 3], &adjacent, 50), [1, 2, 3, 4, 5]);
    assert_eq!(around(&prose, &[1, 3], &adjacent, 20), [1, 3], "no room");
    // Two chunks are a gap that the strategy decides.
    assert_eq!(around(&prose, &[1, 4], &adjacent, 30), [0, 1, 4]);
}

#[test]
fn a_bridge_is_for_prose_and_for_strategies_with_context() {
    let mut store = Store::of(vec![vec![vec![]; 9]]);
    assert_eq!(around(&store, &[1, 3], &preset("none"), 90), [1, 3]);
    // A section is not a window: the next section is a bridge all the same.
    let section = Store::one(&[&["A"], &["B"], &["C"]]);
    assert_eq!(around(&section, &[0, 2], &preset("section"), 90), [0, 1, 2]);
    store.kind = Some(Kind::Code);
    assert_eq!(around(&store, &[1, 3], &preset("adjacent"), 30), [0, 1, 3]);
}
