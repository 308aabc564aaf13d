/*!
Recall within a budget of tokens.

A way of searching ranks passages. As many whole passages as fit into a budget are returned, and the share of the
wanted text in them counts. A chunk that a search found is a passage of its own. A passage that a strategy makes of
several chunks has several spans, and its cost is that of its whole text.
*/

use std::ops::Range;
use std::slice;

use passage::eval::share;

/// A passage, which is returned as a whole or not at all.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReturnedPassage {
    /// The number of its document in the set.
    pub document: usize,
    /// The bytes of the document that it contains, in any order; they may overlap.
    pub spans: Vec<Range<usize>>,
    /// Its share of the budget in tokens.
    pub tokens: usize,
}

/// The answer to a question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// The number of its document in the set.
    pub document: usize,
    /// The bytes of the document that answer it, each of them alone. Neither the list nor a span is empty.
    pub spans: Vec<Range<usize>>,
}

/// The passages after the first one that does not fit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Filling {
    /// No other passage is returned.
    Stop,
    /// Smaller passages fill the rest of the budget.
    Continue,
}

/// Takes ranked passages, best first, as long as their sum is within the budget.
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

/// Takes ranked passages, best first, and cuts the first one that does not fit, as a program cuts a prompt. A
/// passage also pays for text that another one has.
///
/// `texts` are those of all documents, and `size` counts the tokens of a text.
pub fn cut(
    ranked: &[ReturnedPassage],
    texts: &[&str],
    budget: usize,
    size: impl Fn(&str) -> usize,
) -> Vec<ReturnedPassage> {
    let mut left = budget;
    let mut returned = Vec::new();
    for passage in ranked {
        let mut part = ReturnedPassage { spans: Vec::new(), tokens: 0, ..passage.clone() };
        for span in &passage.spans {
            let text = &texts[passage.document][span.clone()];
            let (length, tokens) = beginning(text, left, &size);
            let end = span.start + length;
            part.spans.push(span.start..end);
            part.tokens += tokens;
            left -= tokens;
            if end < span.end {
                returned.push(part);
                return returned;
            }
        }
        returned.push(part);
    }
    returned
}

/// Returns a range of a text with the white space around it, which a splitter may have left out.
pub fn with_white_space(text: &str, span: Range<usize>) -> Range<usize> {
    let after = &text[span.end..];
    text[..span.start].trim_end().len()..span.end + after.len() - after.trim_start().len()
}

/// Returns the length and the tokens of the longest beginning of a text that has at most `maximum` tokens.
fn beginning(text: &str, maximum: usize, size: impl Fn(&str) -> usize) -> (usize, usize) {
    let whole = size(text);
    if whole <= maximum {
        return (text.len(), whole);
    }
    // The beginning up to `fits` fits, and the one up to `exceeds` does not.
    let (mut fits, mut exceeds, mut tokens) = (0_usize, text.len(), 0);
    loop {
        let middle = text.floor_char_boundary(fits.midpoint(exceeds));
        let middle = if middle > fits { middle } else { text.ceil_char_boundary(fits + 1) };
        if middle >= exceeds {
            return (fits, tokens);
        }
        match size(&text[..middle]) {
            counted if counted <= maximum => (fits, tokens) = (middle, counted),
            _ => exceeds = middle,
        }
    }
}

/// Returns the share of the answer's bytes that were returned, from 0 to 1. The span with the largest share counts,
/// because any span answers. The share is exactly 1 if a span was returned completely.
pub fn recall<'p>(answer: &Answer, returned: impl IntoIterator<Item = &'p ReturnedPassage>) -> f64 {
    let spans: Vec<_> = returned
        .into_iter()
        .filter(|passage| passage.document == answer.document)
        .flat_map(|passage| passage.spans.clone())
        .collect();
    answer.spans.iter().map(|span| share(slice::from_ref(span), &spans)).fold(0.0, f64::max)
}
