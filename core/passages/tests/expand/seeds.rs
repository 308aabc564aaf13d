//! The examples of the papers on which the project is based.

use super::memory::{Store, guide, passages, preset};
use passage_core::Strategy;
use passage_core::expand::{Budget, Role};
use passage_core::strategy::StrategyOverrides;
use passage_split::Kind;
use passage_split::section::Section;
use serde_json::json;

#[test]
fn seed_000_example_1_simple_hierarchical_expansion() {
    use Role::{Child, Following, Hit, Parent, Preceding};
    let expected = [(Parent, 1), (Preceding, 2), (Hit, 3), (Child, 4), (Following, 5)];
    for strategy in ["auto", "broad", "reassembly"] {
        assert_eq!(guide().context(3, &preset(strategy)), expected);
    }
}

#[test]
fn seed_000_example_2_two_hits_of_a_document_share_their_context() {
    let (guide, broad) = (guide(), preset("broad"));
    let hits = [guide.hit((0, 2), 0, &broad), guide.hit((0, 5), 1, &broad)];
    let (rows, selection) = guide.expand(&hits, Budget::default());
    let ordinals: Vec<_> =
        selection.chunks.iter().map(|selected| rows[selected.row].ordinal).collect();
    assert_eq!(ordinals, [1, 2, 3, 5].map(Some));
    let passages = passages(&hits, &rows, &selection, Some(3));
    assert_eq!(passages.len(), 1);
    assert_eq!(passages[0].hits, [0, 1]);
}

#[test]
fn seed_000_example_3_each_document_has_its_own_passage() {
    let store = Store { documents: [guide().documents, guide().documents].concat(), ..guide() };
    let broad = preset("broad");
    let hits = [store.hit((1, 3), 0, &broad), store.hit((0, 3), 1, &broad)];
    let (rows, selection) = store.expand(&hits, Budget::default());
    let passages = passages(&hits, &rows, &selection, None);
    assert_eq!(passages.iter().map(|passage| passage.hits.clone()).collect::<Vec<_>>(), [[0], [1]]);
}

#[test]
fn seed_000_a_chunk_without_relatives_has_no_context() {
    let store = Store::one(&[&["A", "B"]]);
    assert_eq!(store.context(0, &preset("reassembly")), [(Role::Hit, 0)]);
}

/// Returns a store of one document with ten chunks of one kind, without sections.
fn ten(kind: Kind) -> Store {
    Store { kind: Some(kind), ..Store::of(vec![vec![Section::new(); 10]]) }
}

fn ordinals(store: &Store, at: usize, strategy: &Strategy) -> Vec<usize> {
    store.context(at, strategy).into_iter().map(|(_, ordinal)| ordinal).collect()
}

#[test]
fn seed_002_prose_gets_two_chunks_on_each_side_code_three_and_references_one() {
    let adjacent = preset("adjacent");
    assert_eq!(ordinals(&ten(Kind::Prose), 5, &adjacent), [3, 4, 5, 6, 7]);
    assert_eq!(ordinals(&ten(Kind::Code), 5, &adjacent), [2, 3, 4, 5, 6, 7, 8]);
    assert_eq!(ordinals(&ten(Kind::ApiReference), 5, &adjacent), [4, 5, 6]);
    // At the beginning of a document, no chunks precede.
    assert_eq!(ordinals(&ten(Kind::Prose), 0, &adjacent), [0, 1, 2]);
}

#[test]
fn seed_002_more_context_for_code_examples() {
    let mut strategy = preset("adjacent");
    let windows = Some(json!({ "code": 4 }));
    StrategyOverrides { windows, ..StrategyOverrides::default() }.apply(&mut strategy).unwrap();
    assert_eq!(ordinals(&ten(Kind::Code), 5, &strategy), [1, 2, 3, 4, 5, 6, 7, 8, 9]);
    assert_eq!(ordinals(&ten(Kind::Prose), 5, &strategy), [3, 4, 5, 6, 7]);
}

#[test]
fn seed_002_at_most_fifty_chunks_and_every_hit() {
    let store = Store::of(vec![vec![Section::new(); 400]]);
    let adjacent = preset("adjacent");
    for (hits, chunks) in [(8, 38), (20, 50), (60, 60)] {
        let hits: Vec<_> = (0..hits).map(|i| store.hit((0, i * 6), i, &adjacent)).collect();
        let (_, selection) = store.expand(&hits, Budget::of(&hits));
        let returned_hits =
            selection.chunks.iter().filter(|selected| selected.role == Role::Hit).count();
        assert_eq!((returned_hits, selection.chunks.len()), (hits.len(), chunks));
    }
}

/// Returns the class of seed 004: a method in several chunks, and the code around the class.
fn auth() -> Store {
    Store::units(
        Kind::Code,
        &[
            ("module", "", "import { hash } from 'crypto';\n"),
            ("container", "AuthService", "class AuthService {\n"),
            ("member", "AuthService/constructor", "  constructor() {}\n"),
            ("member", "AuthService/validateUser", "  validateUser() {\n"),
            ("member", "AuthService/validateUser", "  }\n"),
            ("container", "AuthService/Session", "  static Session = class {\n"),
            ("member", "AuthService/Session/open", "    open() {}\n"),
            ("container", "AuthService/Session", "  };\n"),
            ("container", "AuthService", "}\n"),
            ("member", "main", "function main() {}\n"),
        ],
    )
}

#[test]
fn seed_004_a_hit_in_a_method_returns_the_complete_class() {
    let hierarchical = preset("hierarchical");
    assert_eq!(ordinals(&auth(), 3, &hierarchical), [1, 2, 3, 4, 5, 6, 7, 8]);
    // A hit in its head does so too. A nested class is a class of its own.
    assert_eq!(ordinals(&auth(), 1, &hierarchical), [1, 2, 3, 4, 5, 6, 7, 8]);
    assert_eq!(ordinals(&auth(), 6, &hierarchical), [5, 6, 7]);
    assert_eq!(ordinals(&auth(), 9, &hierarchical), [9]);
}

#[test]
fn seed_004_hits_of_a_document_share_their_common_class() {
    let (store, hierarchical) = (auth(), preset("hierarchical"));
    let hits = [store.hit((0, 6), 0, &hierarchical), store.hit((0, 2), 1, &hierarchical)];
    let (rows, selection) = store.expand(&hits, Budget::of(&hits));
    let passages = passages(&hits, &rows, &selection, Some(0));
    assert_eq!((passages.len(), passages[0].chunks.len(), passages[0].complete), (1, 8, true));
}

/// Returns the configuration of seed 004, cut into single entries; `open` is the beginning of its inner
/// object.
fn configuration(open: &str) -> Store {
    Store::units(
        Kind::Data,
        &[
            ("container", "root", "{ "),
            ("container", "root/server", open),
            ("value", "root/server/host", r#" "host": "a","#),
            ("value", "root/server/timeout", r#" "timeout": 30 "#),
            ("container", "root/server", "},"),
            ("value", "root/debug", r#" "debug": true }"#),
        ],
    )
}

#[test]
fn seed_004_a_hit_in_a_property_returns_the_complete_object() {
    let hierarchical = preset("hierarchical");
    let store = configuration(r#""server": {"#);
    assert_eq!(ordinals(&store, 3, &hierarchical), [1, 2, 3, 4]);
    // An entry of the root, which is small.
    assert_eq!(ordinals(&store, 5, &hierarchical), [0, 1, 2, 3, 4, 5]);
}

#[test]
fn seed_004_an_object_that_does_not_parse_falls_back_to_broad_context() {
    let (store, hierarchical) = (configuration(r#""server": {!"#), preset("hierarchical"));
    let hits = [store.hit((0, 3), 0, &hierarchical)];
    let (rows, selection) = store.expand(&hits, Budget::of(&hits));
    assert_eq!(selection.fell_back, [true]);
    assert_eq!(selection.chunks.len(), store.context(3, &preset("broad")).len());
    assert!(!passages(&hits, &rows, &selection, None)[0].complete);
}
