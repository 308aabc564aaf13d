//! Closing lines in the chunk of a unit: the level of the chunk is that of the outermost unit that it closes.

use super::memory::{Store, preset};
use passage_core::Strategy;
use passage_core::assemble::Part;
use passage_core::expand::{Budget, Selection, add_closing_lines};
use passage_core::gaps::ChunkPosition;
use passage_split::Kind;

/// Returns a store with the level of each chunk.
fn store(chunks: &[(&str, &str, i32, &str)]) -> Store {
    let units = chunks.iter().map(|(unit, titles, _, text)| (*unit, *titles, *text));
    let mut store = Store::units(Kind::Code, &units.collect::<Vec<_>>());
    for (chunk, (_, _, level, _)) in store.documents[0].iter_mut().zip(chunks) {
        chunk.level = Some(*level);
    }
    store
}

/// Returns a class whose last method has four chunks, the last of them with the bracket of the class.
fn long_last_method() -> Store {
    store(&[
        ("container", "C", 1, "class C {\n"),
        ("member", "C/a", 2, "  a() {}\n"),
        ("member", "C/b", 2, "  b() {}\n"),
        ("member", "C/c", 2, "  c() {\n"),
        ("member", "C/c", 2, "    one\n"),
        ("member", "C/c", 2, "    two\n"),
        ("member", "C/c", 1, "  }\n}\n"),
    ])
}

/// Returns a namespace with a class, whose last unit is a class with a method of three chunks.
fn nested_classes() -> Store {
    store(&[
        ("module", "N", 1, "namespace N {\n"),
        ("container", "N/X", 2, "class X {\n"),
        ("member", "N/X/a", 3, "  a() {}\n"),
        ("container", "N/X/A", 3, "  class A {\n"),
        ("member", "N/X/A/k", 4, "    k() {}\n"),
        ("member", "N/X/A/m", 4, "    m() {\n"),
        ("member", "N/X/A/m", 4, "      one\n"),
        ("member", "N/X/A/m", 1, "    }\n  }\n}\n}\n"),
    ])
}

/// Returns the ordinals and the text around a hit within a budget; 0 means no limit.
fn passage(store: &Store, ordinal: usize, max_tokens: u32) -> (Vec<usize>, String) {
    passage_of(store, &[ordinal], max_tokens)
}

/// Returns the ordinals and the text around hits, the best first.
fn passage_of(store: &Store, ordinals: &[usize], max_tokens: u32) -> (Vec<usize>, String) {
    let strategy = Strategy { max_tokens: Some(max_tokens), ..preset("hierarchical") };
    let ranked = ordinals.iter().enumerate();
    let hits: Vec<_> = ranked.map(|(rank, at)| store.hit((0, *at), rank, &strategy)).collect();
    let (rows, selection) = store.expand(&hits, Budget::of(&hits));
    let ordinal = |row: usize| rows[row].ordinal.unwrap() as usize;
    let content = |row: usize| {
        let part =
            Part { content: (&*store.documents[0][ordinal(row)].content).into(), span: None };
        selection.part(row, part).content.into_owned()
    };
    let selected = || selection.chunks.iter().map(|selected| selected.row);
    let part = |row: usize| {
        let part = Part { content: content(row).into(), span: None };
        let ordinal = Some(ordinal(row) as i32);
        (part, ChunkPosition { ordinal, ..ChunkPosition::default() })
    };
    let mut parts: Vec<_> = selected().map(part).collect();
    let hits: Vec<usize> = (0..hits.len()).collect();
    add_closing_lines(&selection, &hits, &mut parts, part);
    let text = parts.iter().map(|(part, _)| &*part.content).collect();
    (selected().map(ordinal).collect(), text)
}

#[test]
fn a_long_last_method_with_the_bracket_of_its_class_ends_the_class() {
    let class = long_last_method();
    let all: String = class.documents[0].iter().map(|chunk| &*chunk.content).collect();
    assert_eq!(passage(&class, 1, 0), ((0..=6).collect(), all));
    assert_eq!(passage(&class, 1, 70).0, [0, 1, 2, 3, 4, 5, 6]);
    assert_eq!(passage(&class, 1, 60).0, [0, 1, 3, 4, 5, 6]);
    // The statement before the bracket may continue in its chunk.
    let text = "class C {\n  a() {}\n  c() {\n    two\n  }\n}\n".to_owned();
    assert_eq!(passage(&class, 1, 50), (vec![0, 1, 3, 5, 6], text));
    // No room for the end: the head alone, with the closing line of the class.
    let text = "class C {\n  a() {}\n  b() {}\n}\n".to_owned();
    assert_eq!(passage(&class, 1, 40), (vec![0, 1, 2], text));
    // A hit in the last method does not parse without the head.
    assert_eq!(passage(&class, 4, 50).0, [0, 3, 4, 5, 6]);
    assert_eq!(passage(&class, 4, 60).0, [0, 2, 3, 4, 5, 6]);
}

#[test]
fn a_class_that_ends_with_a_long_class_has_the_ends_of_both() {
    let classes = nested_classes();
    assert_eq!(passage(&classes, 2, 70).0, [1, 2, 3, 4, 5, 6, 7]);
    assert_eq!(passage(&classes, 2, 60).0, [1, 2, 3, 5, 6, 7]);
    // The closing line of `X` is not that of the namespace around it.
    let text = "class X {\n  a() {}\n}\n".to_owned();
    assert_eq!(passage(&classes, 2, 50), (vec![1, 2], text));
    // Of two open classes each has its line, and the nearest comes first.
    let text = "class X {\n  a() {}\n  class A {\n    k() {}\n  }\n}\n".to_owned();
    assert_eq!(passage_of(&classes, &[4, 2], 40), (vec![1, 2, 3, 4], text));
    let text = "  a() {}\n  class A {\n    k() {}\n  }\n".to_owned();
    assert_eq!(passage_of(&classes, &[4, 2], 30), (vec![2, 3, 4], text));
}

#[test]
fn a_passage_leaves_out_the_closing_lines_of_units_around_its_scope() {
    let classes = nested_classes();
    let (ordinals, text) = passage(&classes, 4, 0);
    assert_eq!(ordinals, [3, 4, 5, 6, 7]);
    assert!(text.ends_with("one\n    }\n  }\n"), "{text}");
    let (ordinals, text) = passage(&classes, 2, 0);
    assert_eq!(ordinals, [1, 2, 3, 4, 5, 6, 7]);
    assert!(text.ends_with("one\n    }\n  }\n}\n"), "{text}");
}

#[test]
fn the_last_chunk_of_two_scopes_closes_the_outer_one() {
    let functions = store(&[
        ("member", "f", 1, "f = function() {\n"),
        ("member", "f", 2, "  one\n"),
        ("member", "f/g", 2, "  g() {\n"),
        ("member", "f/g", 3, "    two\n"),
        ("member", "f/g", 1, "  }\n}\n"),
    ]);
    assert_eq!(passage(&functions, 3, 0), (vec![2, 3, 4], "  g() {\n    two\n  }\n".to_owned()));
    let all: String = functions.documents[0].iter().map(|chunk| &*chunk.content).collect();
    for hits in [[3, 1], [1, 3]] {
        assert_eq!(passage_of(&functions, &hits, 0), ((0..=4).collect(), all.clone()), "{hits:?}");
    }
}

#[test]
fn a_closing_line_behind_a_directive_needs_the_member_before_it() {
    let class = store(&[
        ("module", "N", 1, "namespace N {\n"),
        ("container", "N/A", 2, "class A {\n"),
        ("member", "N/A/a", 3, "a() {}\n"),
        ("member", "N/A/b", 3, "#if X\nb() {}\n"),
        ("container", "N/A", 1, "#endif\n}\n}\n"),
    ]);
    let text = "class A {\na() {}\n#if X\nb() {}\n#endif\n}\n".to_owned();
    assert_eq!(passage(&class, 2, 40), (vec![1, 2, 3, 4], text));
    let text = "class A {\na() {}\n}\n".to_owned();
    assert_eq!(passage(&class, 2, 30), (vec![1, 2], text));
}

#[test]
fn chunks_without_levels_keep_their_closing_lines() {
    let mut classes = nested_classes();
    for level in [None, Some(0)] {
        classes.documents[0].iter_mut().for_each(|chunk| chunk.level = level);
        let (_, text) = passage(&classes, 7, 0);
        assert!(text.ends_with("    }\n  }\n}\n}\n"), "{text}");
    }
}

#[test]
fn the_last_lines_of_a_part_are_counted() {
    let selection = Selection { outer_closings: [(3, 2)].into(), ..Selection::default() };
    assert_eq!(selection.lines_left_out(3, "a {\n}\n\n  }\r\n\n}"), 4);
    assert_eq!(selection.lines_left_out(3, "a {\n}\n"), 0, "fewer closing lines");
    assert_eq!(selection.lines_left_out(2, "a {\n}\n}\n}\n"), 0, "another row");
}
