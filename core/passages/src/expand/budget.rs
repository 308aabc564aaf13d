/*!
The budget of a result, and what is spent of it.

A budget has limits for the whole result and a limit for the context of each hit. It never drops a hit. If
neither the call nor a strategy limits the tokens, the default of the function applies. So a result is bounded
unless the caller asks for more.

Its twin in SQL is `sql/edition/ledger.sql`.
*/

use super::Hit;
use super::selection::{SelectedChunk, Verdict};
use crate::Strategy;
use std::collections::BTreeMap;

/// The maximum size of a result; `None` means unlimited.
///
/// ```
/// use passage_core::expand::Budget;
///
/// let budget = Budget { max_tokens: Some(2_048), ..Budget::default() };
/// assert_ne!(budget, Budget::default());
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Budget {
    /// The tokens of hits and context together.
    pub max_tokens: Option<u32>,
    /// The tokens of the context of one hit whose strategy limits no tokens.
    pub max_passage_tokens: Option<u32>,
    /// The number of hits and context chunks together.
    pub max_chunks: Option<u32>,
}

/// The limits of hits whose strategy limits no tokens; 0 means no limit.
///
/// ```
/// use passage_core::expand::{Budget, DefaultBudget};
///
/// let default = DefaultBudget { max_tokens: 4_096, max_passage_tokens: 0 };
/// assert_eq!(Budget::with_default(&[], default).max_passage_tokens, None);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DefaultBudget {
    /// The tokens of hits and context together.
    pub max_tokens: u32,
    /// The tokens of the context of one hit.
    pub max_passage_tokens: u32,
}

/// The tokens and chunks that were spent.
#[derive(Clone, Debug, Default)]
pub(super) struct Spending {
    /// The tokens of hits and context.
    pub(super) tokens: u64,
    /// The number of hits and context chunks.
    pub(super) chunks: usize,
    /// The tokens of the context of each hit, without those that the call names.
    of_hits: Vec<u64>,
}

impl DefaultBudget {
    /// Limits the context of each hit of a strategy that limits no tokens.
    ///
    /// Strategies need the limit before the budget is spent, because it bounds the reads of records. A default
    /// of the whole result does not limit a hit.
    ///
    /// ```
    /// use passage_core::Strategy;
    /// use passage_core::expand::DefaultBudget;
    ///
    /// let mut strategy = Strategy::preset("hierarchical").unwrap();
    /// DefaultBudget { max_tokens: 0, max_passage_tokens: 0 }.apply(&mut strategy);
    /// assert_eq!(strategy.max_passage_tokens, Some(0));
    /// ```
    pub fn apply(self, strategy: &mut Strategy) {
        let is_whole = self.max_passage_tokens == 0 && self.max_tokens > 0;
        if strategy.max_tokens.is_none() && strategy.max_passage_tokens.is_none() && !is_whole {
            strategy.max_passage_tokens = Some(self.max_passage_tokens);
        }
    }
}

impl Budget {
    /// Returns the budget of a call without default limits.
    pub fn of(hits: &[Hit]) -> Self {
        Self::with_default(hits, DefaultBudget::default())
    }

    /// Returns the budget of a call. If its hits have several strategies, the largest limits apply.
    pub fn with_default(hits: &[Hit], default: DefaultBudget) -> Self {
        let largest = |limit: &dyn Fn(&Strategy) -> Option<u32>| {
            let limits = hits.iter().map(|hit| limit(hit.strategy)).collect::<Option<Vec<_>>>();
            limits.and_then(|limits| limits.into_iter().max())
        };
        let max_tokens =
            |strategy: &Strategy| limit(strategy.max_tokens.unwrap_or(default.max_tokens));
        Self {
            max_tokens: largest(&max_tokens),
            max_passage_tokens: limit(default.max_passage_tokens),
            max_chunks: largest(&|strategy| strategy.max_chunks),
        }
    }

    /// Returns the budget without some tokens of the whole result.
    #[must_use]
    pub fn without(self, tokens: u32) -> Self {
        Self { max_tokens: self.max_tokens.map(|max| max.saturating_sub(tokens)), ..self }
    }

    /// Returns the verdict on chunks of context, each with its tokens.
    pub(super) fn verdict(
        self,
        spending: &Spending,
        hits: &[Hit],
        chunks: &[(SelectedChunk, u64)],
    ) -> Verdict {
        let exceeds = |max: Option<u32>, tokens| max.is_some_and(|max| tokens > u64::from(max));
        let tokens: u64 = chunks.iter().map(|(_, tokens)| tokens).sum();
        if exceeds(self.max_tokens, spending.tokens + tokens) {
            return Verdict::MaxTokens;
        }
        let mut of_hits: BTreeMap<usize, u64> = BTreeMap::new();
        for (chunk, tokens) in chunks.iter().filter(|(chunk, _)| !is_named(hits, chunk)) {
            *of_hits.entry(chunk.hit).or_default() += tokens;
        }
        for (hit, tokens) in of_hits {
            let (max, verdict) = self.of_hit(hits[hit].strategy);
            if exceeds(max, spending.of_hits[hit] + tokens) {
                return verdict;
            }
        }
        match self.max_chunks {
            Some(max) if spending.chunks + chunks.len() > max as usize => Verdict::MaxChunks,
            _ => Verdict::Kept,
        }
    }

    /// Returns the limit of the context of a hit, and the verdict on context above it.
    ///
    /// A strategy with `max_tokens` bounds its hits even where another strategy of the call has no limit.
    fn of_hit(self, strategy: &Strategy) -> (Option<u32>, Verdict) {
        match (strategy.max_passage_tokens, strategy.max_tokens) {
            (Some(max), _) => (limit(max), Verdict::MaxPassageTokens),
            (None, Some(max)) => (limit(max), Verdict::MaxTokens),
            (None, None) => (self.max_passage_tokens, Verdict::MaxPassageTokens),
        }
    }
}

impl Spending {
    /// Creates an account for so many hits, with nothing spent.
    pub(super) fn new(hits: usize) -> Self {
        Self { of_hits: vec![0; hits], ..Self::default() }
    }

    /// Adds a hit.
    pub(super) fn add_hit(&mut self, tokens: u64) {
        self.tokens += tokens;
        self.chunks += 1;
    }

    /// Adds a chunk of context.
    pub(super) fn add_context(&mut self, hits: &[Hit], chunk: &SelectedChunk, tokens: u64) {
        self.add_hit(tokens);
        if !is_named(hits, chunk) {
            self.of_hits[chunk.hit] += tokens;
        }
    }
}

/// Returns whether the call names the limit that selected a chunk. The default limit of a hit does not cut it.
fn is_named(hits: &[Hit], chunk: &SelectedChunk) -> bool {
    hits[chunk.hit].strategy.named.contains(chunk.rule.name())
}

/// Returns a limit from a setting or an argument, in which 0 means none.
fn limit(max: u32) -> Option<u32> {
    (max > 0).then_some(max)
}
