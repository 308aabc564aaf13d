/*!
Reassembly: which chunks make one passage.

A passage is what a reader gets instead of single chunks. Hits of one document belong together when
they are near, that is at most `max_distance` ordinals apart, or when nothing is left out between
them; each brings its context along. Distant ones stay apart, and no chunk is in two passages.
*/

use crate::expand::{Choice, Hit, Pick, Role, Row};
use std::collections::BTreeMap;
use uuid::Uuid;

/// The chunks of one passage.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Passage {
    /// Its chunks in the order of their document, by their place in the list of picks.
    pub picks: Vec<usize>,
    /// Its hits, best first.
    pub hits: Vec<usize>,
    /// Whether the budget cut some of its context.
    pub truncated: bool,
    /// Whether nothing was cut and nothing is missing between its first and its last chunk.
    pub complete: bool,
}

/// Puts chosen chunks into passages, best first.
///
/// `max_distance` is in ordinals; `None` makes one passage of each document. A passage ranks by
/// its best hit; of equal ones, that of the better document and then the earlier comes first.
pub fn reassemble(
    hits: &[Hit],
    rows: &[Row],
    choice: &Choice,
    max_distance: Option<u32>,
) -> Vec<Passage> {
    let mut documents: BTreeMap<Uuid, Vec<usize>> = BTreeMap::new();
    for (i, pick) in choice.picks.iter().enumerate() {
        documents.entry(hits[pick.hit].document).or_default().push(i);
    }
    let mut passages: Vec<Passage> = documents
        .values()
        .flat_map(|picks| document(hits, rows, choice, picks, max_distance))
        .collect();
    // The picks are in the order that ties are broken by.
    passages.sort_by_key(|passage| (hits[passage.hits[0]].class, passage.picks[0]));
    passages
}

/// Puts the chunks of one document into passages.
fn document(
    hits: &[Hit],
    rows: &[Row],
    choice: &Choice,
    picks: &[usize],
    max_distance: Option<u32>,
) -> Vec<Passage> {
    let ordinal = |pick: &Pick| rows[pick.row].ordinal;
    // The passage of each hit: the hits come in order, and each either joins the one before or not.
    let mut of_hit: BTreeMap<usize, usize> = BTreeMap::new();
    let mut before: Option<usize> = None;
    let mut count = 0;
    for (place, pick) in picks.iter().enumerate() {
        let pick = &choice.picks[*pick];
        if pick.role != Role::Hit {
            continue;
        }
        let joins = before.is_some_and(|before| {
            let gap = ordinal(&choice.picks[picks[before]])
                .zip(ordinal(pick))
                .map(|(a, b)| b.abs_diff(a));
            match (max_distance, gap) {
                (None, _) => true,
                (Some(most), Some(gap)) => gap <= most || gap as usize == place - before,
                (Some(_), None) => false,
            }
        });
        count += usize::from(!joins);
        of_hit.insert(pick.hit, count - 1);
        before = Some(place);
    }
    let mut passages =
        vec![
            Passage { picks: Vec::new(), hits: Vec::new(), truncated: false, complete: true };
            count
        ];
    for &pick in picks {
        let chosen = &choice.picks[pick];
        let passage = &mut passages[of_hit[&chosen.hit]];
        if let Some(last) = passage.picks.last() {
            let follows = ordinal(&choice.picks[*last])
                .zip(ordinal(chosen))
                .is_some_and(|(a, b)| b.checked_sub(a) == Some(1));
            passage.complete &= follows;
        }
        passage.picks.push(pick);
        if chosen.role == Role::Hit {
            passage.hits.push(chosen.hit);
            passage.truncated |= choice.cut[chosen.hit];
        }
    }
    for passage in &mut passages {
        passage.complete &= !passage.truncated;
        passage.hits.sort_by_key(|hit| (hits[*hit].class, *hit));
    }
    passages
}
