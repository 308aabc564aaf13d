/*!
The part of a budget that the hits of a search get, if the caller asks for context.

Each hit brings its context before the next hit is taken. Context is known only after expansion, and depends on the
other hits: they may share a class. So the division is found in at most three rounds. In the first one, the share of the
context is kept from the hits. If the context of these hits leaves tokens, more hits get them: first in the proportion
of hits to context that the strategy had, then the rest alone.

Its twin in SQL is `sql/edition/select_hits.sql`.
*/

/// The rounds after the first one.
const REFILLS: u32 = 2;

/// The tokens of a budget that hits may take.
#[derive(Clone, Debug)]
pub struct HitAllowance {
    budget: u64,
    for_hits: u64,
    refills: u32,
}

impl HitAllowance {
    /// Returns the allowance of the first round.
    ///
    /// `context_share` is the share of the budget that is kept for context, 0 to 1.
    pub fn new(budget: u64, context_share: f64) -> Self {
        let for_hits = (budget as f64 * (1.0 - context_share)).round() as u64;
        let refills = if for_hits < budget { REFILLS } else { 0 };
        Self { budget, for_hits, refills }
    }

    /// Returns the tokens that hits may take in this round.
    pub fn for_hits(&self) -> u64 {
        self.for_hits
    }

    /// Starts the next round if more hits may fit, and returns whether there is one.
    ///
    /// `hits` are the tokens of the selected hits, `used` those of hits and context.
    ///
    /// ```
    /// use passage_core::search::HitAllowance;
    ///
    /// let mut allowance = HitAllowance::new(1_000, 0.5);
    /// assert_eq!(allowance.for_hits(), 500);
    /// // The hits brought 100 tokens of context, so of the budget five sixths are for hits.
    /// assert!(allowance.refill(500, 600));
    /// assert_eq!(allowance.for_hits(), 833);
    /// // The hits after them brought less.
    /// assert!(allowance.refill(800, 950));
    /// assert_eq!(allowance.for_hits(), 850);
    /// assert!(!allowance.refill(840, 990), "there are at most three rounds");
    /// ```
    pub fn refill(&mut self, hits: u64, used: u64) -> bool {
        if self.refills == 0 || used >= self.budget {
            return false;
        }
        self.refills -= 1;
        let share = hits.max(1) as f64 / used.max(hits).max(1) as f64;
        let mut next = (self.budget as f64 * share) as u64;
        if self.refills == 0 || next <= self.for_hits {
            self.refills = 0;
            next = hits + (self.budget - used);
        }
        let grows = next > self.for_hits;
        self.for_hits = next.max(self.for_hits);
        grows
    }
}

#[cfg(test)]
mod tests {
    use super::HitAllowance;

    #[test]
    fn hits_without_context_get_the_whole_budget() {
        let mut allowance = HitAllowance::new(1_000, 0.75);
        assert_eq!(allowance.for_hits(), 250);
        assert!(allowance.refill(200, 200));
        assert_eq!(allowance.for_hits(), 1_000);
    }

    #[test]
    fn context_that_fills_the_budget_leaves_no_more_hits() {
        let mut allowance = HitAllowance::new(1_000, 0.5);
        assert!(!allowance.refill(500, 1_000));
        assert!(!HitAllowance::new(1_000, 0.5).refill(450, 990), "the share of hits is reached");
    }

    #[test]
    fn a_search_without_a_share_has_one_round() {
        let mut allowance = HitAllowance::new(1_000, 0.0);
        assert_eq!(allowance.for_hits(), 1_000);
        assert!(!allowance.refill(100, 100));
    }
}
