/*!
How good what is returned is, when every way of searching may return as much.

A way of searching gives passages, best first. As many as fit into a budget of tokens are returned,
whole, and what counts is how much of the wanted text is among them. A chunk that a search found is
a passage of its own; what a strategy makes of several has several spans and costs what all of its
text does.
*/

use std::ops::Range;

/// What is returned as a whole or not at all.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Passage {
    /// The number of its document in the set.
    pub document: usize,
    /// The bytes of the document that it holds, in any order; they may overlap.
    pub spans: Vec<Range<usize>>,
    /// What it takes of the budget.
    pub tokens: usize,
}

/// What a question wants.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wanted {
    /// The number of its document in the set.
    pub document: usize,
    /// The bytes of the document that answer it, each of them alone. Never empty, nor is any.
    pub spans: Vec<Range<usize>>,
}

/// What becomes of the passages behind the first that does not fit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Filling {
    /// None of them is returned.
    Stop,
    /// They are returned as far as they fit into what is left.
    Continue,
}

/// Takes what is ranked, best first, as long as it is together within the budget.
pub fn fill<T>(
    ranked: impl IntoIterator<Item = T>,
    tokens: impl Fn(&T) -> usize,
    budget: usize,
    filling: Filling,
) -> Vec<T> {
    let mut left = budget;
    let mut returned = Vec::new();
    for one in ranked {
        let tokens = tokens(&one);
        if tokens <= left {
            left -= tokens;
            returned.push(one);
        } else if filling == Filling::Stop {
            break;
        }
    }
    returned
}

/// The share of the wanted bytes that were returned, from 0 to 1: of the span of which it is most,
/// since any one answers. It is exactly 1 if a span was returned completely.
pub fn recall<'p>(wanted: &Wanted, returned: impl IntoIterator<Item = &'p Passage>) -> f64 {
    let there: Vec<_> = returned
        .into_iter()
        .filter(|passage| passage.document == wanted.document)
        .flat_map(|passage| &passage.spans)
        .collect();
    let share = |span: &Range<usize>| covered(span, &there) as f64 / span.len() as f64;
    wanted.spans.iter().map(share).fold(0.0, f64::max)
}

/// Counts the bytes of a span that lie in any of the others.
fn covered(span: &Range<usize>, others: &[&Range<usize>]) -> usize {
    let clip = |other: &&Range<usize>| other.start.max(span.start)..other.end.min(span.end);
    let mut parts: Vec<_> = others.iter().map(clip).collect();
    parts.sort_by_key(|part| part.start);
    let (mut bytes, mut end) = (0, span.start);
    for part in parts {
        bytes += part.end.saturating_sub(part.start.max(end));
        end = end.max(part.end);
    }
    bytes
}
