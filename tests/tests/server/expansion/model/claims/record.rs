//! Records: what a hit in structured data is widened to.

use super::Whole;
use crate::expansion::model::chunk::Chunk;
use crate::expansion::model::hit::Hit;
use crate::expansion::model::strategy::{Strategy, WholeOf};

/// A scope to which a hit may be widened.
pub struct Candidate<'a> {
    pub whole: Whole<'a>,
    /// Whether it is the record or the hit's own entry, and not a parent.
    pub is_required: bool,
}

/// The scopes of a hit, the widest first.
pub struct Candidates<'a> {
    pub scopes: Vec<Candidate<'a>>,
    /// Whether the record or the hit's own entry exceeds the budget.
    pub is_cut: bool,
}

/// Returns whether a hit is widened to a record.
pub fn applies(hit: &Hit) -> bool {
    hit.strategy.whole == WholeOf::Container
        && hit.chunk.kind.as_deref() == Some("data")
        && matches!(hit.chunk.unit.as_deref(), Some("container" | "member" | "value"))
        && hit.chunk.ordinal.is_some()
        && hit.chunk.depth() > 0
}

/// "A record has at most `max_tokens`, by default 2,048; 0 means no limit."
fn budget(strategy: &Strategy) -> i64 {
    match strategy.max_passage_tokens.or(strategy.max_tokens).unwrap_or(2_048) {
        0 => i64::from(u32::MAX),
        limit => limit,
    }
}

/// Returns the scopes to which a hit of data may be widened.
pub fn candidates<'a>(hit: &Hit<'a>) -> Candidates<'a> {
    let depth = hit.chunk.depth();
    let budget = budget(&hit.strategy);
    // "A parent may take a fifth of the budget, and of 2,048 tokens."
    let share = budget.min(2_048) / 5;
    let unit = hit.chunk.unit.as_deref();
    // "Own: of a value all its pieces, else the chunk. Record: the container of a value, else the own
    // section; several records have none, and the root is none."
    let record = match unit {
        Some("value") => depth - 1,
        Some("member") => 0,
        _ => depth,
    };
    let record = Some(record).filter(|record| *record > 1);
    let own = match unit {
        Some("value") => run(hit, depth, budget, true),
        _ => Some(Whole::record(hit, vec![hit.chunk], false)),
    };
    let mut found = Candidates { scopes: Vec::new(), is_cut: false };
    for required in
        [Some(own), record.map(|depth| run(hit, depth, budget, true))].into_iter().flatten()
    {
        match required {
            Some(whole) => found.scopes.push(Candidate { whole, is_required: true }),
            None => found.is_cut = true,
        }
    }
    let parent = match (record, unit) {
        (Some(record), _) => record - 1,
        (None, Some("value")) => depth - 1,
        (None, _) => depth,
    };
    let outermost = if record.is_none() && parent == 1 { 1 } else { 2 };
    let parents = (outermost..=parent).rev().map_while(|depth| run(hit, depth, share, false));
    found.scopes.extend(parents.map(|whole| Candidate { whole, is_required: false }));
    found.scopes.reverse();
    found
}

/// Returns the chunks around a hit that share so many of its titles, if they have at most so many tokens.
/// The hit alone is never too large, if it is required.
fn run<'a>(hit: &Hit<'a>, depth: usize, max_tokens: i64, is_required: bool) -> Option<Whole<'a>> {
    let (ordinal, titles) = (hit.chunk.ordinal?, hit.chunk.section.as_deref()?);
    // "At most as many chunks on each side as the budget has times 32 tokens."
    let reach = (budget(&hit.strategy) / 32).clamp(1, hit.strategy.reach().max(1));
    let chunks = hit.document.in_order();
    let near: Vec<_> =
        chunks.into_iter().filter(|(other, _)| (other - ordinal).abs() <= reach + 1).collect();
    let after: Vec<_> = near.iter().filter(|(other, _)| *other > ordinal).copied().collect();
    let before: Vec<_> = near.iter().rev().filter(|(other, _)| *other < ordinal).copied().collect();
    let (mut all, mut has_gap): (Vec<&'a Chunk>, bool) = (vec![hit.chunk], false);
    let mut is_far = false;
    for side in [before, after] {
        for (distance, (other, chunk)) in (1..).zip(side) {
            if (other - ordinal).abs() != distance {
                has_gap = true;
                break;
            }
            if !chunk.is_below(&titles[..depth]) {
                break;
            }
            is_far |= distance > reach;
            all.push(chunk);
        }
    }
    let tokens: i64 = all.iter().map(|chunk| chunk.cost()).sum();
    let fits = !is_far && (tokens <= max_tokens || is_required && all.len() == 1);
    all.sort_by_key(|chunk| chunk.ordinal);
    fits.then(|| Whole::record(hit, all, has_gap))
}
