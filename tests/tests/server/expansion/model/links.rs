//! Links: the sections that links of a hit lead to.

use super::chunk::{Chunk, Document, Link, Section};
use super::hit::Hit;
use std::collections::BTreeSet;
use uuid::Uuid;

/// A chunk of a section that a link of a hit leads to.
pub struct LinkedChunk<'a> {
    pub document: &'a Document,
    pub chunk: &'a Chunk,
    /// Its number among the linked chunks of the hit, from 1, which is its distance.
    pub number: i64,
}

/// "At most 50 chunks of a linked section."
pub const MAX_CHUNKS: usize = 50;

/// Returns the chunks of linked sections: "the first sections in the order of the links of the hit, each once, without those
/// that hits are in". "A hit without ordinal gets no context."
pub fn of<'a>(hits: &[Hit<'a>], hit: &Hit<'a>, documents: &[&'a Document]) -> Vec<LinkedChunk<'a>> {
    let mut found: BTreeSet<(Uuid, Section)> = BTreeSet::new();
    let mut linked = Vec::new();
    let links = hit.document.links.iter().filter(|link| link.from == hit.chunk.id);
    for link in links.filter(|_| hit.chunk.ordinal.is_some()) {
        let Some(document) = documents.iter().copied().find(|document| document.id == link.to)
        else {
            continue;
        };
        let Some((first, section)) = target(document, link) else { continue };
        let has_hit = |other: &Hit| other.document.id == document.id && other.chunk.is_in(&section);
        if hits.iter().any(has_hit) || found.len() as i64 >= hit.strategy.links {
            continue;
        }
        if !found.insert((document.id, section.clone())) {
            continue;
        }
        let of_section =
            |(ordinal, chunk): &(i64, &Chunk)| *ordinal >= first && chunk.is_in(&section);
        for (_, chunk) in document.in_order().into_iter().filter(of_section).take(MAX_CHUNKS) {
            let number = linked.len() as i64 + 1;
            linked.push(LinkedChunk { document, chunk, number });
        }
    }
    linked
}

/// Returns the chunk that a link leads to, by its ordinal and section: the first one of a section with the title, else the
/// first one of the document.
fn target(document: &Document, link: &Link) -> Option<(i64, Section)> {
    let has_title = |chunk: &Chunk, wanted: &str| {
        let titles = chunk.section.iter().flatten().take(32);
        titles.into_iter().any(|title| title == wanted)
    };
    let chunks = document.in_order();
    let titled =
        link.title.and_then(|title| chunks.iter().find(|(_, chunk)| has_title(chunk, title)));
    let (ordinal, chunk) = titled.or(chunks.first())?;
    Some((*ordinal, chunk.section.clone()?))
}
