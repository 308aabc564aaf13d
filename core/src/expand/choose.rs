/*!
From rows to context: who a chunk belongs to, and what the budget leaves.

A chunk comes back once, for its best hit: the one with the best score, of equal ones the nearest.
Budgets never touch hits. Context is spent in the order of its hit's score, its distance and its
role; where a chunk no longer fits, the rest of its hit's context is cut with it, so that what
remains of a window has no hole that only a budget made.
*/

use super::{Hit, Plan, Role};
use crate::Strategy;
use crate::section::{self, Section};
use std::cmp::Reverse;
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use uuid::Uuid;

/// A chunk that was read; its place in the list of rows is how it is known here.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// The probe that returned it, or `None` for a hit that was read by its id.
    pub probe: Option<usize>,
    /// The chunk.
    pub chunk: Uuid,
    /// Its position.
    pub ordinal: Option<i32>,
    /// What it costs of the budget.
    pub tokens: u32,
}

/// Tells the sections of rows, which are looked at for few of them.
pub trait Titles {
    /// Returns the section of a row, empty where the store has none.
    fn titles(&self, row: usize) -> Section;
}

/// How much may come back at the most; `None` is no bound.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Budget {
    /// Tokens of hits and context together.
    pub max_tokens: Option<u32>,
    /// Hits and context together.
    pub max_chunks: Option<u32>,
}

impl Budget {
    /// Returns the budget of a call: where its hits have several strategies, that of the most
    /// generous.
    pub fn of(hits: &[Hit]) -> Self {
        let most = |limit: fn(&Strategy) -> Option<u32>| {
            let limits = hits.iter().map(|hit| limit(hit.strategy)).collect::<Option<Vec<_>>>();
            limits.and_then(|limits| limits.into_iter().max())
        };
        Self {
            max_tokens: most(|strategy| strategy.max_tokens),
            max_chunks: most(|strategy| strategy.max_chunks),
        }
    }
}

/// A chunk that comes back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pick {
    /// Its place in the list of rows.
    pub row: usize,
    /// The hit it is there for, by its place in the list of hits.
    pub hit: usize,
    /// Why it is there.
    pub role: Role,
    /// Its ordinal less that of its hit.
    pub distance: i32,
}

/// What comes back.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Choice {
    /// The chunks, ordered by the best score of their document, then by ordinal.
    pub picks: Vec<Pick>,
    /// For each hit, whether the budget cut some of its context.
    pub cut: Vec<bool>,
}

/// The order in which chunks are claimed and context is spent.
type Worth = (usize, u32, Role, usize);

/// Gives every chunk its hit and role, and spends the budget.
///
/// `rows` hold the hits themselves and what the probes of `plan` returned; a chunk may be among
/// them several times. A hit without a row does not come back.
pub fn choose(
    hits: &[Hit],
    plan: &Plan,
    rows: &[Row],
    titles: &impl Titles,
    budget: Budget,
) -> Choice {
    let mut found = HashMap::with_capacity(hits.len());
    for (row, chunk) in rows.iter().enumerate().filter(|(_, row)| row.probe.is_none()) {
        found.entry(chunk.chunk).or_insert(row);
    }
    let mut picks: Vec<Pick> = hits
        .iter()
        .enumerate()
        .filter_map(|(hit, Hit { chunk, .. })| {
            found.get(chunk).map(|row| Pick { row: *row, hit, role: Role::Hit, distance: 0 })
        })
        .collect();

    let mut context: Vec<(Worth, Pick)> = claim(hits, plan, rows, titles)
        .into_iter()
        .filter(|(chunk, _)| !found.contains_key(chunk))
        .map(|(_, claimed)| claimed)
        .collect();
    context.sort_unstable_by_key(|(worth, pick)| (*worth, rows[pick.row].ordinal));

    let mut cut = vec![false; hits.len()];
    let mut tokens: u64 = picks.iter().map(|pick| u64::from(rows[pick.row].tokens)).sum();
    for (_, pick) in context {
        let cost = u64::from(rows[pick.row].tokens);
        let fits = budget.max_tokens.is_none_or(|most| tokens + cost <= u64::from(most))
            && budget.max_chunks.is_none_or(|most| picks.len() < most as usize);
        if fits && !cut[pick.hit] {
            tokens += cost;
            picks.push(pick);
        } else {
            cut[pick.hit] = true;
        }
    }
    order(hits, rows, &mut picks);
    Choice { picks, cut }
}

/// Finds for every chunk the hit it is worth most to.
fn claim(
    hits: &[Hit],
    plan: &Plan,
    rows: &[Row],
    sections: &impl Titles,
) -> HashMap<Uuid, (Worth, Pick)> {
    let mut of_probe: Vec<Vec<usize>> = vec![Vec::new(); plan.probes.len()];
    for (row, chunk) in rows.iter().enumerate() {
        if let (Some(probe), Some(_)) = (chunk.probe, chunk.ordinal) {
            of_probe[probe].push(row);
        }
    }
    for of_probe in &mut of_probe {
        of_probe.sort_unstable_by_key(|row| rows[*row].ordinal);
    }
    let mut claims: HashMap<Uuid, (Worth, Pick)> = HashMap::with_capacity(rows.len());
    for want in &plan.wants {
        let hit = &hits[want.hit];
        let Some(ordinal) = hit.ordinal else { continue };
        let titles = hit.section.as_ref().map_or(&[][..], |section| &section[..want.titles]);
        let of_probe = &of_probe[want.probe];
        let start = of_probe.partition_point(|row| rows[*row].ordinal < Some(want.first));
        let wanted = of_probe[start..]
            .iter()
            .take_while(|row| rows[**row].ordinal <= Some(want.last))
            .filter(|row| titles.is_empty() || sections.titles(**row).starts_with(titles));
        let nearest = match want.role {
            Role::Parent => nearest_ancestor(hit, wanted.clone().copied(), rows, sections),
            _ => None,
        };
        for &row in wanted {
            let role = match nearest {
                Some(nearest) if nearest != row => Role::Ancestor,
                _ => want.role,
            };
            let distance = rows[row].ordinal.map_or(0, |other| other.saturating_sub(ordinal));
            let worth = (hit.class, distance.unsigned_abs(), role, want.hit);
            let pick = Pick { row, hit: want.hit, role, distance };
            match claims.entry(rows[row].chunk) {
                Entry::Vacant(entry) => {
                    entry.insert((worth, pick));
                }
                Entry::Occupied(mut entry) if worth < entry.get().0 => {
                    entry.insert((worth, pick));
                }
                Entry::Occupied(_) => {}
            }
        }
    }
    claims
}

/// Of the chunks that stand for the sections above a hit, the one for the nearest section.
fn nearest_ancestor(
    hit: &Hit,
    mut wanted: impl Iterator<Item = usize>,
    rows: &[Row],
    sections: &impl Titles,
) -> Option<usize> {
    let first = wanted.next()?;
    let section = hit.section.as_deref().unwrap_or_default();
    let above = section.len().saturating_sub(1);
    let depth = |row: usize| section::common(&sections.titles(row), section).len().min(above);
    // Most hits have one such chunk, whose titles then need not be looked at.
    let Some(second) = wanted.next() else { return Some(first) };
    [first, second].into_iter().chain(wanted).max_by_key(|row| (depth(*row), rows[*row].ordinal))
}

/// Orders chunks by the best hit of their document, then by ordinal.
fn order(hits: &[Hit], rows: &[Row], picks: &mut [Pick]) {
    let mut best: HashMap<Uuid, (usize, usize)> = HashMap::new();
    for (i, hit) in hits.iter().enumerate() {
        let place = best.entry(hit.document).or_insert((hit.class, i));
        *place = (*place).min((hit.class, i));
    }
    picks.sort_by_key(|pick| {
        let row = &rows[pick.row];
        // A chunk without an ordinal comes behind those that have one.
        (best[&hits[pick.hit].document], Reverse(row.ordinal.is_some()), row.ordinal, pick.hit)
    });
}
