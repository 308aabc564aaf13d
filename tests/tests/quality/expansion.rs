//! Expansion of chunks in memory, within budgets.

use crate::score::ReturnedPassage;
use crate::shares::{Share, returned};
use crate::store::{Chunk, Store};
use passage_core::Strategy;
use passage_split::{Kind, MediaType, Unit};

/// A chunk of ten tokens and ten bytes, which its place in the document identifies.
fn chunk(document: usize, ordinal: usize, section: &[&str], kind: Kind, unit: Unit) -> Chunk {
    Chunk {
        level: section.len() as u32,
        section: section.iter().map(ToString::to_string).collect(),
        kind,
        unit,
        imports: Vec::new(),
        content: "0123456789".into(),
        passage: ReturnedPassage {
            document,
            spans: std::iter::once(ordinal * 10..ordinal * 10 + 10).collect(),
            tokens: 10,
        },
    }
}

/// A guide at 0 to 6, the one of seeds 000 and 004; a program with a class at 7 to 14; and another program at 15
/// to 21, in which a class is interrupted.
fn chunks() -> Vec<Chunk> {
    let guide: [&[&str]; 7] = [
        &["Guide"],
        &["Guide", "Installation"],
        &["Guide", "Installation", "Prerequisites"],
        &["Guide", "Installation", "Steps"],
        &["Guide", "Installation", "Steps", "Step1"],
        &["Guide", "Installation", "Configuration"],
        &["Guide", "Use"],
    ];
    let program: [(&[&str], Unit); 8] = [
        (&[], Unit::Module),
        (&["Stack"], Unit::Container),
        (&["Stack", "push"], Unit::Member),
        (&["Stack", "push"], Unit::Member),
        (&["Stack", "pop"], Unit::Member),
        (&["Stack", "len"], Unit::Member),
        (&["Stack"], Unit::Container),
        (&["main"], Unit::Member),
    ];
    let interrupted: [(&[&str], Unit); 7] = [
        (&[], Unit::Module),
        (&[], Unit::Module),
        (&[], Unit::Module),
        (&["Pair"], Unit::Container),
        (&["Pair", "first"], Unit::Member),
        (&["helper"], Unit::Member),
        (&["Pair"], Unit::Container),
    ];
    let prose = guide.iter().enumerate();
    let prose = prose.map(|(at, section)| chunk(0, at, section, Kind::Prose, Unit::Text));
    let code = [&program[..], &interrupted].into_iter().zip(1..).flat_map(|(units, document)| {
        let units = units.iter().enumerate();
        units.map(move |(at, (titles, unit))| chunk(document, at, titles, Kind::Code, *unit))
    });
    prose.chain(code).collect()
}

fn media_types() -> [MediaType; 3] {
    ["text/markdown", "text/x-python", "text/x-python"].map(MediaType::new)
}

/// Returns the chunks that are returned with one.
fn with(index: usize, strategy: &Strategy) -> Vec<usize> {
    let (chunks, media_types) = (chunks(), media_types());
    Store::new(&chunks, &media_types).expand(&[(index, strategy)]).concat()
}

fn preset(name: &str) -> Strategy {
    Strategy::preset(name).unwrap()
}

#[test]
fn strategies_return_the_context_of_their_descriptions() {
    for (name, index, expected) in [
        ("none", 3, &[3][..]),
        ("broad", 3, &[1, 2, 3, 4, 5]),
        ("broad", 5, &[1, 3, 5]),
        ("adjacent", 3, &[1, 2, 3, 4, 5]),
        ("section", 3, &[3, 4]),
        ("section", 1, &[1, 2, 3, 4, 5]),
        ("document", 3, &[0, 1, 2, 3, 4, 5, 6]),
        ("merge", 4, &[4]),
        // Nothing of another document, even if it is adjacent.
        ("adjacent", 7, &[7, 8, 9, 10]),
        ("adjacent", 6, &[4, 5, 6]),
        ("section", 9, &[9, 10]),
        ("document", 14, &[7, 8, 9, 10, 11, 12, 13, 14]),
    ] {
        assert_eq!(with(index, &preset(name)), expected, "{name} of {index}");
    }
    let mut ancestors = preset("none");
    ancestors.relatives.parents = 2;
    assert_eq!(with(4, &ancestors), [1, 3, 4]);
    let mut own = preset("none");
    own.relatives.siblings = passage_core::strategy::Siblings::Section;
    (own.relatives.preceding, own.relatives.following) = (1, 1);
    assert_eq!([15, 16, 17].map(|index| with(index, &own).len()), [2, 3, 2]);
    assert_eq!((with(15, &own), with(17, &own)), (vec![15, 16], vec![16, 17]));
}

#[test]
fn a_member_gets_the_rest_of_itself_and_its_class_first() {
    let within = |max_tokens| Strategy { max_tokens, ..preset("hierarchical") };
    assert_eq!(with(10, &within(None)), [8, 9, 10, 11, 12, 13]);
    assert_eq!(with(10, &within(Some(20))), [9, 10]);
    assert_eq!(with(10, &within(Some(40))), [8, 9, 10, 13], "then head and closing part");
    assert_eq!(with(14, &within(None)), [14], "a function stands alone");
    assert_eq!(with(19, &within(None)), [18, 19, 21], "and is not a part of a class around it");
}

#[test]
fn hits_of_a_class_are_one_passage() {
    let (chunks, media_types) = (chunks(), media_types());
    let (store, whole) = (Store::new(&chunks, &media_types), preset("hierarchical"));
    let passages = store.expand(&[(3, &whole), (9, &whole), (12, &whole)]);
    assert_eq!(passages, [vec![3, 4], vec![8, 9, 10, 11, 12, 13]]);
}

/// Returns the chunks of each passage as tens of their first bytes.
fn asked(ranked: &[usize], name: &str, share: Share, budget: usize) -> Vec<Vec<usize>> {
    let (chunks, media_types) = (chunks(), media_types());
    let passages = returned(&Store::new(&chunks, &media_types), ranked, name, share, budget);
    assert!(passages.iter().all(|passage| passage.tokens == passage.spans.len() * 10));
    assert!(passages.iter().map(|passage| passage.tokens).sum::<usize>() <= budget);
    let index = |passage: &ReturnedPassage, start: usize| passage.document * 7 + start / 10;
    let indexes = passages
        .iter()
        .map(|passage| passage.spans.iter().map(|span| index(passage, span.start)).collect());
    indexes.collect()
}

#[test]
fn hits_take_their_share_then_context_then_further_hits() {
    let ranked = [10, 3, 5, 14, 6];
    // Only the first hit is expanded, and other hits fill the rest.
    let first = [vec![9, 10], vec![3], vec![5]];
    assert_eq!(asked(&ranked, "section", Share::Percent(25), 40), first);
    // Two hits take their half; one of them gets one chunk more, the other hit gets the next.
    assert_eq!(asked(&ranked, "section", Share::Percent(50), 40), [vec![9, 10], vec![3, 4]]);
    // A hit is returned even with a small share, and no chunk is returned twice.
    let again = asked(&[10, 9, 3], "section", Share::Percent(1), 30);
    assert_eq!(again, [vec![9, 10], vec![3]]);
}

#[test]
fn with_the_whole_budget_for_hits_only_hits_are_returned() {
    let ranked = [10, 3, 5, 14, 6];
    for name in ["none", "document"] {
        let mut all = asked(&ranked, name, Share::All, 40).concat();
        all.sort_unstable();
        assert_eq!(all, [3, 5, 10, 14], "{name}");
    }
}

#[test]
fn a_whole_unit_is_returned_completely_or_its_hit_alone() {
    // The class would need 60 tokens: the first hit waits, and the section of the second one is returned.
    let whole = asked(&[10, 3, 14], "hierarchical", Share::Whole, 40);
    assert_eq!(whole, [vec![3, 4], vec![14], vec![10]]);
    let whole = asked(&[10, 3, 14], "hierarchical", Share::Whole, 60);
    assert_eq!(whole, [vec![8, 9, 10, 11, 12, 13]]);
    // No unit fits as a whole, so the best hit is expanded as far as possible.
    assert_eq!(asked(&[10], "hierarchical", Share::Whole, 20), [vec![9, 10]]);
}
