/*!
Linked sections: the context that the links of a hit lead to.

The store resolves links, so the caller passes the sections. Each is read by one probe, from the chunk that the link leads
to. Of a chunk that is context for another reason too, this other reason counts. So a section that surrounds the hit does
not come twice.

Its twin in SQL is `sql/edition/links.sql`.
*/

use super::probe::{Plan, Probe, RowRequest, Shape};
use super::{Hit, Rule};
use passage_split::interrupt;
use passage_split::key::section_key;
use passage_split::section::Section;
use uuid::Uuid;

/// The maximum number of chunks of a linked section.
pub(crate) const LINKED_CHUNKS: u32 = 50;

/// A section that a link of a hit leads to.
#[derive(Clone, Debug, PartialEq)]
pub struct LinkedSection {
    /// The index of the hit.
    pub hit: usize,
    /// The document, of the hit or another one.
    pub document: Uuid,
    /// The section.
    pub section: Section,
    /// The ordinal of the chunk that the link leads to.
    pub first: i32,
}

/// Adds the sections that links lead to to a plan, for each hit in the order of its links.
///
/// They come after the other context of their hit. A hit without an ordinal gets none.
pub fn read_links(plan: &mut Plan, hits: &[Hit], links: Vec<LinkedSection>) {
    for (index, link) in links.into_iter().enumerate() {
        interrupt::poll_periodically(index);
        let LinkedSection { hit, document, section, first } = link;
        if hits[hit].ordinal.is_none() {
            continue;
        }
        let range = (first, i32::MAX);
        let probe = plan.read(Probe {
            document,
            shape: Shape::SectionForward,
            keys: vec![section_key(&section)],
            section,
            first: range.0,
            last: range.1,
            limit: LINKED_CHUNKS,
        });
        plan.requests.push(RowRequest::of(hit, probe, Rule::Links, range));
        plan.has_links = true;
    }
}
