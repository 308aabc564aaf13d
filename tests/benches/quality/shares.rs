/*!
The returned text of a question: hits, the context that a strategy adds to them, and other hits.

A caller with a budget of tokens must decide which hits a strategy expands: the share. Other hits without context
fill the rest of the budget.
*/

use std::collections::HashSet;
use std::fmt;

use passage_core::Strategy;
use passage_split::MediaType;

use super::score::{Filling, ReturnedPassage, fill};
use super::store::Store;

/// The hits that a strategy expands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Share {
    /// The hits that fit without the strategy; their context gets the rest of the budget.
    All,
    /// The best hits that take at most a percentage of the budget together, without leaving one out.
    Percent(usize),
    /// Each hit that fits together with its context, next to those before it.
    Whole,
}

/// The number of hits that are tried for [`Share::Whole`], the best first.
const TRIED: usize = 50;

/// Returns the passages within a budget, given ranked chunks.
pub fn returned(
    store: &Store,
    ranked: &[usize],
    preset: &str,
    share: Share,
    budget: usize,
) -> Vec<ReturnedPassage> {
    let hits = hits(store, ranked, preset, share, budget);
    let mut passages = expanded(store, &hits, preset, Some(budget));
    let left = budget.saturating_sub(passages.iter().map(|passage| cost(store, passage)).sum());
    let taken: HashSet<_> = passages.iter().flatten().copied().collect();
    let others = ranked.iter().filter(|index| !taken.contains(index)).map(|index| vec![*index]);
    passages.extend(fill(others, |index| cost(store, index), left, Filling::Continue));
    passages.iter().map(|indexes| passage(store, indexes)).collect()
}

/// Returns the hits that a strategy expands, at least one if there is any.
fn hits(store: &Store, ranked: &[usize], preset: &str, share: Share, budget: usize) -> Vec<usize> {
    let within = |budget, filling| {
        fill(ranked.iter().copied(), |index| cost(store, &[*index]), budget, filling)
    };
    let mut hits = match share {
        Share::All => within(budget, Filling::Continue),
        Share::Percent(percent) => within(budget * percent / 100, Filling::Stop),
        Share::Whole => {
            let mut hits = Vec::new();
            for index in ranked.iter().take(TRIED) {
                hits.push(*index);
                let whole = expanded(store, &hits, preset, None);
                if whole.iter().map(|indexes| cost(store, indexes)).sum::<usize>() > budget {
                    hits.pop();
                }
            }
            hits
        }
    };
    if hits.is_empty() {
        hits.extend(ranked.first());
    }
    hits
}

/// Returns the chunks of the passages that a preset makes of hits.
fn expanded(
    store: &Store,
    hits: &[usize],
    preset: &str,
    max_tokens: Option<usize>,
) -> Vec<Vec<usize>> {
    let limits = |index: &usize| limits(preset, store.media_type(*index), max_tokens);
    let strategies: Vec<_> = hits.iter().map(limits).collect();
    let hits: Vec<_> = hits.iter().copied().zip(&strategies).collect();
    store.expand(&hits)
}

/// Returns the limits of a preset for a hit in a document of some type, within a budget.
fn limits(preset: &str, media_type: &MediaType, max_tokens: Option<usize>) -> Strategy {
    let strategy = match preset {
        "auto" => Strategy::auto(media_type),
        name => Strategy::preset(name).expect("it is a preset"),
    };
    let max_tokens = max_tokens.and_then(|max| u32::try_from(max).ok());
    Strategy { max_tokens, ..strategy }
}

/// Returns the tokens of chunks.
fn cost(store: &Store, indexes: &[usize]) -> usize {
    indexes.iter().map(|index| store.chunk(*index).passage.tokens).sum()
}

/// Concatenates chunks of one document.
fn passage(store: &Store, indexes: &[usize]) -> ReturnedPassage {
    let parts = || indexes.iter().map(|index| &store.chunk(*index).passage);
    ReturnedPassage {
        document: parts().next().expect("a passage has a hit").document,
        spans: parts().flat_map(|part| part.spans.clone()).collect(),
        tokens: cost(store, indexes),
    }
}

impl fmt::Display for Share {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::All => formatter.write_str("all"),
            Self::Percent(percent) => write!(formatter, "{percent} %"),
            Self::Whole => formatter.write_str("whole"),
        }
    }
}
