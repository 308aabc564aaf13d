/*!
How many hits are taken.

A search has more candidates than anybody wants to read, and every hit that is taken takes room from
the context of those before it. Where there is a budget, hits are taken best first as long as they
fit. A piece of a function answers little, so a hit in code counts with the rest of its own unit;
what is then left goes to single hits. Of prose a hit is worth its own tokens, and hits alone fill the
budget. The best hit is always taken: what answers best is never dropped for what is small.

Without a budget the number of passages is the limit, so hits are taken until they make so many.

# Source

Measured on questions over headed articles and over source code; `docs/benchmarks.md` has the figures.
*/

use std::collections::{HashMap, HashSet};
use std::hash::Hash;

/// A hit that a budget may be spent on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HitCost<Unit> {
    /// The tokens of the chunk.
    pub tokens: u64,
    /// The unit of code that it is a piece of, with the tokens of all of it; `None` for prose.
    pub unit: Option<(Unit, u64)>,
}

/// Chooses hits, given best first, for a budget in tokens: for each whether it is taken.
pub fn select_within_budget<Unit: Copy + Eq + Hash>(
    offers: &[HitCost<Unit>],
    budget: u64,
) -> Vec<bool> {
    let mut taken = vec![false; offers.len()];
    let mut whole: HashSet<Unit> = HashSet::new();
    let mut left = budget;
    for (place, HitCost { tokens, unit }) in offers.iter().enumerate() {
        let cost = match unit {
            Some((unit, _)) if whole.contains(unit) => 0,
            Some((_, all)) => *all.max(tokens),
            None => *tokens,
        };
        if cost <= left {
            left -= cost;
            whole.extend(unit.map(|(unit, _)| unit));
            taken[place] = true;
        } else if place == 0 {
            left = left.saturating_sub(*tokens);
            taken[place] = true;
        }
    }
    for (place, HitCost { tokens, .. }) in offers.iter().enumerate() {
        if !taken[place] && *tokens <= left {
            taken[place] = true;
            left -= tokens;
        }
    }
    taken
}

/// Returns how many hits, given best first with their document and ordinal, make so many passages at
/// the most. Hits of a document up to `max_distance` apart are of one; with `None` all are.
pub fn count_for_passages<Document: Copy + Eq + Hash>(
    hits: &[(Document, Option<i32>)],
    passages: usize,
    max_distance: Option<u32>,
) -> usize {
    let mut seen: HashMap<Document, Vec<Option<i32>>> = HashMap::new();
    let mut count = 0;
    for (taken, (document, ordinal)) in hits.iter().enumerate() {
        let others = seen.entry(*document).or_default();
        let near = |other: &Option<i32>| match (max_distance, other.zip(*ordinal)) {
            (None, _) => true,
            (Some(most), Some((a, b))) => a.abs_diff(b) <= most,
            (Some(_), None) => false,
        };
        if !others.iter().any(near) {
            if count == passages {
                return taken;
            }
            count += 1;
        }
        others.push(*ordinal);
    }
    hits.len()
}

#[cfg(test)]
mod tests {
    use super::{HitCost, count_for_passages, select_within_budget};

    fn prose(tokens: u64) -> HitCost<u8> {
        HitCost { tokens, unit: None }
    }

    fn code(tokens: u64, unit: u8, all: u64) -> HitCost<u8> {
        HitCost { tokens, unit: Some((unit, all)) }
    }

    #[test]
    fn prose_fills_the_budget_best_first() {
        let offers = [prose(60), prose(50), prose(30), prose(10), prose(1)];
        assert_eq!(select_within_budget(&offers, 100), [true, false, true, true, false]);
    }

    #[test]
    fn a_piece_of_code_is_taken_with_all_of_its_unit() {
        // The second hit is of the same function and costs nothing more.
        let offers = [code(20, 1, 60), code(20, 1, 60), code(20, 2, 50), code(30, 3, 40)];
        assert_eq!(select_within_budget(&offers, 100), [true, true, false, true]);
    }

    #[test]
    fn what_is_left_goes_to_single_hits() {
        let offers = [code(20, 1, 60), code(20, 2, 90), code(15, 3, 90)];
        assert_eq!(select_within_budget(&offers, 100), [true, true, true]);
        assert_eq!(select_within_budget(&offers, 90), [true, true, false]);
    }

    #[test]
    fn the_best_hit_is_taken_whatever_it_costs() {
        assert_eq!(select_within_budget(&[prose(500), prose(600)], 100), [true, false]);
        assert_eq!(select_within_budget(&[prose(500), prose(60)], 100), [true, false]);
        // Also where the rest of its function does not fit, which is no reason to fill up with others.
        assert_eq!(
            select_within_budget(&[code(40, 1, 500), prose(60), prose(10)], 100),
            [true, true, false]
        );
        assert_eq!(select_within_budget::<u8>(&[], 100), [false; 0]);
    }

    #[test]
    fn hits_are_taken_until_they_make_so_many_passages() {
        let hits = [
            ('a', Some(1)),
            ('a', Some(4)),
            ('b', Some(9)),
            ('a', Some(20)),
            ('b', Some(7)),
            ('c', None),
        ];
        assert_eq!(count_for_passages(&hits, 2, Some(3)), 3, "the next one would be a third");
        assert_eq!(count_for_passages(&hits, 3, Some(3)), 5);
        assert_eq!(count_for_passages(&hits, 9, Some(3)), 6);
        assert_eq!(count_for_passages(&hits, 2, None), 5);
        assert_eq!(count_for_passages(&hits, 0, Some(3)), 0);
    }
}
