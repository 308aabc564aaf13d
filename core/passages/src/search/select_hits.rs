/*!
The hits that make the passages of a search.

Hits of a search are read best first until they form as many passages as the caller asks for. Hits in the same scope,
such as a class, form one passage, and so do hits of a document that are near each other. So ten hits may be one
passage, and the search must read more candidates.

A budget of the caller goes to the best hits, wherever they are. The default budget only bounds a call that asks for
a number of passages. So the best hit of each passage comes first, and all other hits share the rest. If the caller asks
for context, `for_hits` keeps a part of either budget for it.

Its twin in SQL is `sql/edition/select_hits.sql`.
*/

use super::hit_budget::{HitCost, select_after};
use passage_split::interrupt;
use std::collections::{BTreeMap, HashMap};
use std::hash::Hash;

/// A hit that a search may return.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HitCandidate<Document, Unit> {
    /// Its document.
    pub document: Document,
    /// Its ordinal in the document.
    pub ordinal: Option<i32>,
    /// The scope that it is widened to. Hits of one scope form one passage.
    pub scope: Option<usize>,
    /// Its cost.
    pub cost: HitCost<Unit>,
}

/// The limits of the hits of a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HitLimits {
    /// The number of passages that the hits form.
    pub passages: usize,
    /// The maximum distance of hits in a passage, in ordinals; `None` makes one passage of each document.
    pub max_distance: Option<u32>,
    /// The maximum tokens of the hits.
    pub budget: HitBudget,
    /// The part of the budget that hits may take; `None` means all of it. The best hit may exceed it.
    pub for_hits: Option<u64>,
}

/// The maximum tokens of the hits of a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HitBudget {
    /// No maximum.
    Unlimited,
    /// A maximum of the caller: the best hits, as many as fit.
    Given(u64),
    /// A default: first the best hit of each passage.
    Default(u64),
}

impl HitBudget {
    /// Returns the maximum tokens of hits and context, if there is one.
    pub fn tokens(self) -> Option<u64> {
        match self {
            Self::Unlimited => None,
            Self::Given(tokens) | Self::Default(tokens) => Some(tokens),
        }
    }
}

/// The selected hits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SelectedHits {
    /// For each candidate, whether it is selected.
    pub is_selected: Vec<bool>,
    /// The reason why there are no more.
    pub end: SelectionEnd,
}

/// The reason why no more hits were selected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SelectionEnd {
    /// The next candidate forms one passage too many.
    Passages,
    /// A candidate does not fit into the budget. With a default budget, it is the best one of a passage.
    Budget,
    /// There are no more candidates.
    Candidates,
}

/// Selects hits among candidates, which are best first.
///
/// ```
/// use passage_core::search::{HitBudget, HitCandidate, HitCost, HitLimits, SelectionEnd, select_hits};
///
/// let cost = HitCost::<u32> { tokens: 100, unit: None, head: None };
/// let candidates = [('a', 1), ('a', 2), ('b', 1)].map(|(document, ordinal)| HitCandidate {
///     document, ordinal: Some(ordinal), scope: None, cost,
/// });
/// let limits = HitLimits {
///     passages: 1, max_distance: Some(3), budget: HitBudget::Unlimited, for_hits: None,
/// };
/// let selected = select_hits(&candidates, limits);
/// assert_eq!(selected.is_selected, [true, true, false]);
/// assert_eq!(selected.end, SelectionEnd::Passages);
/// ```
pub fn select_hits<Document: Copy + Eq + Hash, Unit: Copy + Eq + Hash>(
    candidates: &[HitCandidate<Document, Unit>],
    limits: HitLimits,
) -> SelectedHits {
    let mut passages = Passages::new(limits.max_distance);
    let mut firsts = Vec::new();
    let mut count = 0;
    for candidate in candidates {
        interrupt::poll_periodically(count);
        let joined = passages.joined_by(candidate);
        if joined.is_empty() {
            if passages.count >= limits.passages {
                break;
            }
            firsts.push(count);
        }
        passages.add(candidate, &joined);
        count += 1;
    }
    let costs: Vec<_> = candidates[..count].iter().map(|candidate| candidate.cost).collect();
    let select = |budget: u64, firsts: &[usize]| {
        let for_hits = limits.for_hits.map_or(budget, |max| max.min(budget));
        select_after(&costs, for_hits, firsts)
    };
    let mut is_selected = match limits.budget {
        HitBudget::Unlimited => vec![true; count],
        HitBudget::Given(budget) => select(budget, &[]),
        HitBudget::Default(budget) => {
            let selected = select(budget, &[]);
            let is_all = selected.iter().all(|is_selected| *is_selected);
            if is_all { selected } else { select(budget, &firsts) }
        }
    };
    // Hits that join a passage may be missing for lack of budget, while other passages still fit.
    let is_spent = match limits.budget {
        HitBudget::Default(_) => firsts.iter().any(|first| !is_selected[*first]),
        HitBudget::Unlimited | HitBudget::Given(_) => is_selected.contains(&false),
    };
    let end = if is_spent {
        SelectionEnd::Budget
    } else if count < candidates.len() {
        SelectionEnd::Passages
    } else {
        SelectionEnd::Candidates
    };
    is_selected.resize(candidates.len(), false);
    SelectedHits { is_selected, end }
}

/// The passages that hits form so far, as disjoint sets of hits.
struct Passages<Document> {
    max_distance: Option<u32>,
    /// The number of passages.
    count: usize,
    /// For each hit, a hit of the same passage; the last one refers to itself.
    parents: Vec<usize>,
    of_scope: HashMap<usize, usize>,
    by_ordinal: HashMap<Document, BTreeMap<i32, usize>>,
    /// A hit of each document, for passages of whole documents.
    of_document: HashMap<Document, usize>,
}

impl<Document: Copy + Eq + Hash> Passages<Document> {
    fn new(max_distance: Option<u32>) -> Self {
        Self {
            max_distance,
            count: 0,
            parents: Vec::new(),
            of_scope: HashMap::new(),
            by_ordinal: HashMap::new(),
            of_document: HashMap::new(),
        }
    }

    /// Returns hits of the passages that a hit belongs to.
    fn joined_by<Unit>(&self, hit: &HitCandidate<Document, Unit>) -> Vec<usize> {
        let mut joined: Vec<usize> =
            hit.scope.and_then(|scope| self.of_scope.get(&scope).copied()).into_iter().collect();
        let Some(max) = self.max_distance else {
            joined.extend(self.of_document.get(&hit.document));
            return joined;
        };
        if let (Some(ordinal), Some(ordinals)) = (hit.ordinal, self.by_ordinal.get(&hit.document)) {
            let before = ordinals.range(..=ordinal).next_back();
            let after = ordinals.range(ordinal..).next();
            let both = before.into_iter().chain(after);
            joined.extend(both.filter(|(at, _)| at.abs_diff(ordinal) <= max).map(|(_, hit)| *hit));
        }
        joined
    }

    /// Adds a hit to the passages that it joins.
    fn add<Unit>(&mut self, hit: &HitCandidate<Document, Unit>, joined: &[usize]) {
        let index = self.parents.len();
        self.parents.push(index);
        self.count += 1;
        for other in joined {
            let (other, own) = (self.root(*other), self.root(index));
            if other != own {
                self.parents[own] = other;
                self.count -= 1;
            }
        }
        if let Some(scope) = hit.scope {
            self.of_scope.entry(scope).or_insert(index);
        }
        if let Some(ordinal) = hit.ordinal {
            self.by_ordinal.entry(hit.document).or_default().entry(ordinal).or_insert(index);
        }
        self.of_document.entry(hit.document).or_insert(index);
    }

    fn root(&mut self, mut hit: usize) -> usize {
        while self.parents[hit] != hit {
            self.parents[hit] = self.parents[self.parents[hit]];
            hit = self.parents[hit];
        }
        hit
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns candidates of a document, ordinal and scope each, with a cost of ten tokens.
    fn candidates(hits: &[(char, i32, Option<usize>)]) -> Vec<HitCandidate<char, u8>> {
        let cost = HitCost { tokens: 10, unit: None, head: None };
        let candidate = |&(document, ordinal, scope): &(char, i32, Option<usize>)| {
            // An ordinal below 0 is an unknown one.
            let ordinal = Some(ordinal).filter(|at| *at >= 0);
            HitCandidate { document, ordinal, scope, cost }
        };
        hits.iter().map(candidate).collect()
    }

    /// Returns the indexes of the selected hits, and why there are no more.
    fn selected(
        hits: &[(char, i32, Option<usize>)],
        passages: usize,
        max_distance: Option<u32>,
        budget: HitBudget,
    ) -> (Vec<usize>, SelectionEnd) {
        let limits = HitLimits { passages, max_distance, budget, for_hits: None };
        let SelectedHits { is_selected, end } = select_hits(&candidates(hits), limits);
        let indexes = is_selected.iter().enumerate().filter(|(_, is)| **is);
        (indexes.map(|(index, _)| index).collect(), end)
    }

    #[test]
    fn hits_are_selected_until_they_form_enough_passages() {
        let hits =
            [('a', 1, None), ('a', 4, None), ('b', 9, None), ('a', 20, None), ('b', 7, None)];
        let count = |passages, distance| {
            let (hits, end) = selected(&hits, passages, distance, HitBudget::Unlimited);
            (hits.len(), end)
        };
        assert_eq!(count(2, Some(3)), (3, SelectionEnd::Passages), "the next one would be a third");
        assert_eq!(count(3, Some(3)), (5, SelectionEnd::Candidates));
        assert_eq!(count(2, None), (5, SelectionEnd::Candidates));
        assert_eq!(count(0, Some(3)), (0, SelectionEnd::Passages));
        let unknown = [('a', -1, None), ('a', -1, None)];
        assert_eq!(selected(&unknown, 9, Some(3), HitBudget::Unlimited).0, [0, 1]);
        assert_eq!(selected(&unknown, 1, Some(3), HitBudget::Unlimited).0, [0]);
        assert_eq!(selected(&unknown, 1, None, HitBudget::Unlimited).0, [0, 1]);
    }

    #[test]
    fn hits_of_one_scope_form_one_passage() {
        let class = [
            ('a', 1, Some(7)),
            ('a', 90, Some(7)),
            ('a', 50, Some(7)),
            ('b', 1, Some(8)),
            ('c', 1, None),
        ];
        let two = selected(&class, 2, Some(3), HitBudget::Unlimited);
        assert_eq!(two, (vec![0, 1, 2, 3], SelectionEnd::Passages));
    }

    #[test]
    fn a_hit_between_two_passages_makes_one_of_them() {
        let hits = [('a', 1, None), ('a', 7, None), ('a', 4, None), ('b', 1, None), ('c', 1, None)];
        let two = selected(&hits, 2, Some(3), HitBudget::Unlimited);
        assert_eq!(two, (vec![0, 1, 2, 3], SelectionEnd::Passages));
    }

    #[test]
    fn a_budget_of_the_caller_goes_to_the_best_hits() {
        let hits = [('a', 1, None), ('a', 2, None), ('a', 3, None), ('b', 1, None), ('c', 1, None)];
        let selected_within = |tokens| selected(&hits, 3, Some(3), HitBudget::Given(tokens));
        assert_eq!(selected_within(30), (vec![0, 1, 2], SelectionEnd::Budget));
        assert_eq!(selected_within(50), (vec![0, 1, 2, 3, 4], SelectionEnd::Candidates));
        // The chunk between two hits takes no tokens from the next hit.
        let hits = [('a', 1, None), ('a', 3, None), ('b', 1, None)];
        let all = selected(&hits, 3, Some(3), HitBudget::Given(30));
        assert_eq!(all, (vec![0, 1, 2], SelectionEnd::Candidates));
    }

    #[test]
    fn the_default_budget_goes_to_the_best_hit_of_each_passage_first() {
        let hits = [('a', 1, None), ('a', 2, None), ('a', 3, None), ('b', 1, None), ('c', 1, None)];
        let selected_within = |tokens| selected(&hits, 3, Some(3), HitBudget::Default(tokens));
        assert_eq!(selected_within(30), (vec![0, 3, 4], SelectionEnd::Candidates));
        assert_eq!(selected_within(40), (vec![0, 1, 3, 4], SelectionEnd::Candidates));
        assert_eq!(selected_within(20), (vec![0, 3], SelectionEnd::Budget));
        assert_eq!(selected_within(50), (vec![0, 1, 2, 3, 4], SelectionEnd::Candidates));
        assert_eq!(
            selected_within(5),
            (vec![0], SelectionEnd::Budget),
            "the best hit is always selected"
        );
    }

    #[test]
    fn hits_leave_a_part_of_the_budget_for_context() {
        let hits = [('a', 1, None), ('b', 1, None), ('c', 1, None), ('d', 1, None)];
        for budget in [HitBudget::Given(40), HitBudget::Default(40)] {
            let select = |for_hits| {
                let limits = HitLimits { passages: 9, max_distance: Some(3), budget, for_hits };
                select_hits(&candidates(&hits), limits)
            };
            assert_eq!(select(None).is_selected, [true; 4]);
            assert_eq!(select(Some(20)).is_selected, [true, true, false, false]);
            assert_eq!(select(Some(20)).end, SelectionEnd::Budget);
            assert_eq!(select(Some(0)).is_selected, [true, false, false, false]);
            assert_eq!(select(Some(100)).is_selected, [true; 4], "at most the budget");
        }
    }
}
