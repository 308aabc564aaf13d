/*!
The number of hits within a budget.

A search has more candidates than a reader needs, and each additional hit takes tokens from the context of the
better ones. With a budget, hits are selected best first as long as they fit. A piece of a function answers little,
so a hit in code costs the tokens of its whole unit. The remaining budget goes to single hits. A hit in prose costs
its own tokens, and hits alone fill the budget. The best hit is always selected.

If the caller asks for context, hits get a part of the budget, see `hit_allowance`. Each costs its own tokens then: the
rest of its unit is its context.

# Source

Measured on questions about articles and source code; `docs/benchmarks.md` has the figures.

Its twin in SQL is `sql/edition/select_hits.sql`.
*/

use passage_split::interrupt;
use std::collections::HashSet;
use std::hash::Hash;

/// The cost of a hit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HitCost<Unit> {
    /// The tokens of the chunk.
    pub tokens: u64,
    /// The unit of code that contains the chunk, with the unit's tokens; `None` for prose.
    pub unit: Option<(Unit, u64)>,
    /// The head of the container around the chunk, such as the line of its class, with its tokens.
    pub head: Option<(Unit, u64)>,
}

/// Selects hits for a budget in tokens, and returns a flag for each.
///
/// `costs` are the costs of the hits, best first. The best hit is always selected. A unit of code counts once.
///
/// ```
/// use passage_core::search::{HitCost, select_within_budget};
///
/// let costs = [300, 900, 200].map(|tokens| HitCost::<u32> { tokens, unit: None, head: None });
/// assert_eq!(select_within_budget(&costs, 600), [true, false, true]);
/// ```
pub fn select_within_budget<Unit: Copy + Eq + Hash>(
    costs: &[HitCost<Unit>],
    budget: u64,
) -> Vec<bool> {
    select_after(costs, budget, &[])
}

/// Selects hits for a budget, some of them before all others.
///
/// `first` are the indexes of these hits, best first. They cost only their own tokens at first. Then the heads of their
/// containers are reserved, so that a reader sees which class a method is of. The rest of their units follows in the order
/// of all hits.
pub(super) fn select_after<Unit: Copy + Eq + Hash>(
    costs: &[HitCost<Unit>],
    budget: u64,
    first: &[usize],
) -> Vec<bool> {
    let mut taken = vec![false; costs.len()];
    let mut whole: HashSet<Unit> = HashSet::new();
    let mut left = budget;
    for &index in first {
        let tokens = costs[index].tokens;
        if tokens <= left || index == 0 {
            left = left.saturating_sub(tokens);
            taken[index] = true;
        }
    }
    let mut heads: HashSet<Unit> = HashSet::new();
    for (head, tokens) in first.iter().filter(|at| taken[**at]).filter_map(|at| costs[*at].head) {
        if tokens <= left && heads.insert(head) {
            left -= tokens;
        }
    }
    for (index, HitCost { tokens, unit, .. }) in costs.iter().enumerate() {
        interrupt::poll_periodically(index);
        let all = match unit {
            Some((unit, _)) if whole.contains(unit) => 0,
            Some((_, all)) => *all.max(tokens),
            None => *tokens,
        };
        let cost = if taken[index] { all.saturating_sub(*tokens) } else { all };
        if cost <= left {
            left -= cost;
            whole.extend(unit.map(|(unit, _)| unit));
            taken[index] = true;
        } else if index == 0 && !taken[0] {
            left = left.saturating_sub(*tokens);
            taken[index] = true;
        }
    }
    // A piece of a function would take the room of the class lines and functions of the first hits.
    let is_single = |cost: &HitCost<Unit>| first.is_empty() || cost.unit.is_none();
    for (index, cost) in costs.iter().enumerate().filter(|(_, cost)| is_single(cost)) {
        interrupt::poll_periodically(index);
        let HitCost { tokens, .. } = cost;
        if !taken[index] && *tokens <= left {
            taken[index] = true;
            left -= tokens;
        }
    }
    taken
}

#[cfg(test)]
mod tests {
    use super::{HitCost, select_within_budget};

    fn prose(tokens: u64) -> HitCost<u8> {
        HitCost { tokens, unit: None, head: None }
    }

    fn code(tokens: u64, unit: u8, all: u64) -> HitCost<u8> {
        HitCost { tokens, unit: Some((unit, all)), head: None }
    }

    #[test]
    fn prose_hits_fill_the_budget_best_first() {
        let costs = [prose(60), prose(50), prose(30), prose(10), prose(1)];
        assert_eq!(select_within_budget(&costs, 100), [true, false, true, true, false]);
    }

    #[test]
    fn a_hit_in_code_costs_its_whole_unit() {
        // The second hit is in the same function and costs nothing.
        let costs = [code(20, 1, 60), code(20, 1, 60), code(20, 2, 50), code(30, 3, 40)];
        assert_eq!(select_within_budget(&costs, 100), [true, true, false, true]);
    }

    #[test]
    fn the_rest_of_the_budget_goes_to_single_hits() {
        let costs = [code(20, 1, 60), code(20, 2, 90), code(15, 3, 90)];
        assert_eq!(select_within_budget(&costs, 100), [true, true, true]);
        assert_eq!(select_within_budget(&costs, 90), [true, true, false]);
    }

    #[test]
    fn heads_of_the_first_hits_are_reserved_before_other_hits() {
        let in_class = |class| HitCost { head: Some((class, 30)), ..prose(20) };
        let costs = [in_class(1), prose(20), in_class(1), in_class(2), prose(20)];
        let select = |budget, first: &[usize]| super::select_after(&costs, budget, first);
        // Two hits of one class and one of another: 60 tokens of hits and 60 of heads, which leave room for one hit.
        assert_eq!(select(140, &[0, 2, 3]), [true, true, true, true, false]);
        assert_eq!(select(139, &[0, 2, 3]), [true, false, true, true, false]);
        assert_eq!(select(100, &[]), [true; 5], "without first hits nothing is reserved");
    }

    #[test]
    fn the_best_hit_is_always_selected() {
        assert_eq!(select_within_budget(&[prose(500), prose(600)], 100), [true, false]);
        assert_eq!(select_within_budget(&[prose(500), prose(60)], 100), [true, false]);
        // This holds even if the rest of its function does not fit.
        assert_eq!(
            select_within_budget(&[code(40, 1, 500), prose(60), prose(10)], 100),
            [true, true, false]
        );
        assert_eq!(select_within_budget::<u8>(&[], 100), [false; 0]);
    }
}
