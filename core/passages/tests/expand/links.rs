//! Linked sections: their claims, their order, and their passages. Each chunk has ten tokens.

use super::memory::{Store, passages, preset, titles};
use passage_core::Strategy;
use passage_core::expand::{
    Budget, ChunkRow, Hit, LinkedSection, Role, Selection, bridge_hits, plan, read_links,
};
use passage_core::reassemble::PassageChunks;

/// Returns two documents. The second one has a section of two chunks with a section below it.
fn store() -> Store {
    let guide: [&[&str]; 5] = [&["A"], &["A", "B"], &["A", "B"], &["A", "C"], &["A", "D"]];
    let rotate = &["L", "Rotate"];
    let logs: [&[&str]; 5] = [&["L"], rotate, rotate, &["L", "Rotate", "Size"], rotate];
    let document = |sections: &[&[&str]]| sections.iter().map(|section| titles(section)).collect();
    Store::of(vec![document(&guide), document(&logs)])
}

/// Returns a link of a hit to the section of a chunk.
fn link(store: &Store, hit: usize, (document, ordinal): (usize, usize)) -> LinkedSection {
    let section = store.documents[document][ordinal].section.clone();
    let document = Store::id(document, 999);
    LinkedSection { hit, document, section, first: ordinal as i32 }
}

fn expand(store: &Store, hits: &[Hit], links: Vec<LinkedSection>) -> (Vec<ChunkRow>, Selection) {
    let mut plan = plan(hits, false);
    bridge_hits(&mut plan, hits);
    read_links(&mut plan, hits, links);
    store.expand_plan(hits, &plan, Budget::of(hits))
}

/// Returns the selected chunks: role, hit, document and ordinal, and distance.
fn selected(
    (rows, selection): &(Vec<ChunkRow>, Selection),
) -> Vec<(Role, usize, (usize, usize), i32)> {
    let shown = |chunk: &passage_core::expand::SelectedChunk| {
        (chunk.role, chunk.hit, Store::position(rows[chunk.row].chunk), chunk.distance)
    };
    selection.chunks.iter().map(shown).collect()
}

#[test]
fn linked_sections_are_numbered_and_last() {
    let (store, none) = (store(), preset("none"));
    let hits = [store.hit((0, 1), 0, &none)];
    let links = vec![link(&store, 0, (1, 2)), link(&store, 0, (0, 4))];
    let expected = [
        (Role::Hit, 0, (0, 1), 0),
        (Role::Linked, 0, (1, 2), 1),
        (Role::Linked, 0, (1, 4), 2),
        (Role::Linked, 0, (0, 4), 3),
    ];
    assert_eq!(selected(&expand(&store, &hits, links)), expected);
}

#[test]
fn a_chunk_is_linked_only_if_nothing_else_claims_it_and_for_the_best_hit() {
    let (store, adjacent, none) = (store(), preset("adjacent"), preset("none"));
    let hits = [store.hit((0, 1), 0, &none), store.hit((0, 4), 1, &adjacent)];
    let links = vec![link(&store, 0, (0, 3)), link(&store, 0, (1, 0)), link(&store, 1, (1, 0))];
    let found = selected(&expand(&store, &hits, links));
    assert!(found.contains(&(Role::Adjacent, 1, (0, 3), -1)), "{found:?}");
    let linked: Vec<_> = found.into_iter().filter(|(role, ..)| *role == Role::Linked).collect();
    assert_eq!(linked, [(Role::Linked, 0, (1, 0), 2)]);
}

#[test]
fn the_budget_cuts_the_rest_of_linked_sections_but_not_the_passage() {
    let store = store();
    let strategy = Strategy { max_tokens: Some(20), ..preset("none") };
    let hits = [store.hit((0, 1), 0, &strategy)];
    let links = vec![link(&store, 0, (1, 1)), link(&store, 0, (0, 4))];
    let expanded = expand(&store, &hits, links);
    assert_eq!(selected(&expanded)[1..], [(Role::Linked, 0, (1, 1), 1)]);
    let (rows, selection) = &expanded;
    assert_eq!((selection.truncated[0], selection.cut_links[0]), (false, true));
    assert_eq!(selection.cut_tokens[0], 30);
    let found = passages(&hits, rows, selection, None);
    let flags = |passage: &PassageChunks| (passage.rank, passage.truncated, passage.complete);
    assert_eq!(found.iter().map(flags).collect::<Vec<_>>(), [(1, true, true), (2, true, false)]);
}

#[test]
fn the_context_of_a_hit_comes_before_its_links_and_these_before_the_next_hit() {
    let store = store();
    let strategy = Strategy { max_tokens: Some(40), ..preset("adjacent") };
    let hits = [store.hit((0, 0), 0, &strategy), store.hit((1, 3), 1, &strategy)];
    // The hit has two neighbors.
    let links = vec![link(&store, 0, (0, 4))];
    assert_eq!(selected(&expand(&store, &hits, links.clone())).len(), 4, "no link fits");
    let strategy = Strategy { max_tokens: Some(50), ..preset("adjacent") };
    let hits = [store.hit((0, 0), 0, &strategy), store.hit((1, 3), 1, &strategy)];
    let found = selected(&expand(&store, &hits, links));
    assert_eq!(found.last(), Some(&(Role::Linked, 0, (0, 4), 1)));
    assert!(found.iter().all(|(role, hit, ..)| *hit == 0 || *role == Role::Hit), "{found:?}");
}

#[test]
fn each_linked_section_is_a_passage_behind_that_of_its_hit() {
    let (store, none) = (store(), preset("none"));
    let hits = [store.hit((0, 1), 0, &none), store.hit((0, 4), 1, &none)];
    let links = vec![
        link(&store, 0, (1, 0)),
        link(&store, 0, (1, 3)),
        link(&store, 1, (0, 3)),
        link(&store, 1, (1, 1)),
    ];
    let (rows, selection) = expand(&store, &hits, links);
    let found = passages(&hits, &rows, &selection, Some(0));
    let shown = |passage: &PassageChunks| {
        let chunk = |index: &usize| Store::position(rows[selection.chunks[*index].row].chunk);
        let chunks = passage.chunks.iter().map(chunk).collect::<Vec<_>>();
        (passage.rank, passage.hits.clone(), chunks, passage.complete)
    };
    let expected = [
        (1, vec![0], vec![(0, 1)], true),
        (2, vec![], vec![(1, 0)], true),
        (3, vec![], vec![(1, 3)], true),
        (4, vec![1], vec![(0, 4)], true),
        (5, vec![], vec![(0, 3)], true),
        (6, vec![], vec![(1, 1), (1, 2), (1, 4)], false),
    ];
    assert_eq!(found.iter().map(shown).collect::<Vec<_>>(), expected);
}

#[test]
fn a_linked_chunk_does_not_come_first_as_a_bridge() {
    let (store, broad) = (store(), Strategy { max_tokens: Some(40), ..preset("broad") });
    // The ordinal between the hits of the first document is that of the linked chunk in the second one.
    let hits = [store.hit((0, 0), 0, &broad), store.hit((0, 2), 0, &broad)];
    let found = selected(&expand(&store, &hits, vec![link(&store, 0, (1, 1))]));
    assert!(found.iter().all(|(role, ..)| *role != Role::Linked), "{found:?}");
}
