//! Properties of units, for any calls of a parser and any text.

use super::*;
use crate::{Characters, section::Section};
use proptest::prelude::*;

/// A call of a parser.
#[derive(Clone, Copy, Debug)]
enum Say {
    Open { title: usize, unit: Unit },
    Close,
    Item,
}

fn say() -> impl Strategy<Value = Say> {
    let unit = prop_oneof![
        Just(Unit::Container),
        Just(Unit::Member),
        Just(Unit::Value),
        Just(Unit::Module)
    ];
    prop_oneof![
        3 => (0..3_usize, unit).prop_map(|(title, unit)| Say::Open { title, unit }),
        3 => Just(Say::Close),
        1 => Just(Say::Item),
    ]
}

/// The bytes and titles of each unit that was opened.
type Opened = Vec<(Range<usize>, Section)>;

/// Splits a text by calls, each with the bytes since the one before.
fn split(
    text: &str,
    says: &[(usize, Say)],
    limits: ChunkLimits,
    members: Members,
) -> (Vec<Draft>, Opened) {
    let boundaries = Boundaries::default();
    let mut units = Units::new(text, limits, &Characters, members, &boundaries);
    let (mut at, mut open, mut opened) = (0, Vec::new(), Opened::new());
    for (bytes, say) in says {
        at += bytes;
        match *say {
            Say::Open { title, unit } => {
                units.open(at, ["a", "b", "c d"][title], unit);
                open.push(opened.len());
                opened.push((at..at, units.path.clone()));
            }
            Say::Close => {
                if let Some(index) = open.pop() {
                    units.close(at);
                    opened[index].0.end = at;
                }
            }
            Say::Item => units.item(at, 0, None),
        }
    }
    (units.finish(), opened)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2_000, failure_persistence: None, ..Default::default() })]

    #[test]
    fn drafts_cover_any_text_whatever_a_parser_says(
        text in "[a-c \n\r\u{e9}]{0,300}",
        says in prop::collection::vec((0..40_usize, say()), 0..30),
        preferred in 1..60_usize,
        is_data in any::<bool>(),
    ) {
        let limits = ChunkLimits { min: preferred / 3, preferred, max: preferred + 20, window: 100 };
        let members = if is_data { Members::Entries } else { Members::Declarations };
        let (drafts, _) = split(&text, &says, limits, members);
        let mut end = 0;
        for draft in &drafts {
            prop_assert_eq!(draft.bytes.start, end);
            prop_assert!(draft.bytes.end > end);
            end = draft.bytes.end;
            prop_assert_eq!(draft.size, Characters.size(&text[draft.bytes.clone()]));
            prop_assert!(draft.size <= limits.max);
        }
        prop_assert_eq!(end, text.len());
    }

    #[test]
    fn the_chunks_of_a_section_are_its_unit_whole(
        text in "[a-c\n]{300}",
        says in prop::collection::vec((0..40_usize, say()), 0..30),
        preferred in 1..60_usize,
    ) {
        let limits = ChunkLimits { min: preferred / 3, preferred, max: preferred + 20, window: 100 };
        let (drafts, opened) = split(&text, &says, limits, Members::Declarations);
        for (bytes, section) in opened {
            let own: Vec<_> = drafts.iter().filter(|draft| draft.section.starts_with(&section)).collect();
            let Some((first, last)) = own.first().zip(own.last()) else { continue };
            let chunk_text = text[first.bytes.start..last.bytes.end].trim();
            let whole = text[bytes.start.min(300)..bytes.end.min(300)].trim();
            // An unclosed unit ends with the text.
            if bytes.end > bytes.start {
                prop_assert_eq!(chunk_text, whole);
            }
        }
    }
}

/// Reads `(title text (title text))`, where each pair of brackets is a unit and an item.
fn brackets(text: &str, limits: ChunkLimits) -> Vec<(String, String, Unit)> {
    let boundaries = Boundaries::default();
    let mut units = Units::new(text, limits, &Characters, Members::Declarations, &boundaries);
    let mut depth = 0;
    for (at, char) in text.char_indices() {
        match char {
            '(' => {
                let title: String =
                    text[at + 1..].chars().take_while(char::is_ascii_alphabetic).collect();
                let unit = if title.starts_with('m') { Unit::Member } else { Unit::Container };
                units.item(at, 0, None);
                units.open(at, &title, unit);
                depth += 1;
            }
            ')' if depth > 0 => {
                depth -= 1;
                units.close(at + 1);
            }
            _ => {}
        }
    }
    let drafts = units.finish();
    let row =
        |draft: &Draft| (text[draft.bytes.clone()].to_owned(), draft.section.join("/"), draft.unit);
    drafts.iter().map(row).collect()
}

fn limits(min: usize, preferred: usize, max: usize) -> ChunkLimits {
    ChunkLimits { min, preferred, max, window: max + 100 }
}

fn rows(chunks: &[(String, String, Unit)]) -> Vec<(&str, &str, Unit)> {
    chunks.iter().map(|(text, section, unit)| (&**text, &**section, *unit)).collect()
}

#[test]
fn a_container_that_fits_is_one_chunk_and_keeps_its_section() {
    let chunks = brackets("use x;\n(C 12 (mA 12) (mB 12))\n", limits(2, 30, 40));
    let expected =
        [("use x;\n", "", Unit::Module), ("(C 12 (mA 12) (mB 12))\n", "C", Unit::Container)];
    assert_eq!(rows(&chunks), expected);
}

#[test]
fn a_large_container_has_head_members_and_closing_part() {
    let chunks = brackets("(C 12345678 (mA 1234567890) (mB 1234567890) .)", limits(0, 16, 20));
    let expected = [
        ("(C 12345678 ", "C", Unit::Container),
        ("(mA 1234567890) ", "C/mA", Unit::Member),
        ("(mB 1234567890)", "C/mB", Unit::Member),
        (" .)", "C", Unit::Container),
    ];
    assert_eq!(rows(&chunks), expected);
}

#[test]
fn small_members_of_one_parent_are_merged_and_have_its_section() {
    let chunks = brackets("(C 1234567890 (mA 1) (mB 1) (mC 1234567890123))", limits(8, 16, 18));
    let expected = [
        ("(C 1234567890 ", "C", Unit::Container),
        ("(mA 1) (mB 1) ", "C", Unit::Member),
        ("(mC 1234567890123)", "C/mC", Unit::Member),
        (")", "C", Unit::Container),
    ];
    assert_eq!(rows(&chunks), expected);
}

#[test]
fn nothing_is_merged_across_the_edge_of_a_divided_unit() {
    let chunks = brackets("(C x (D 1234567890 (mA 1234567890)) y) (mZ 1)", limits(1, 14, 20));
    let sections: Vec<&str> = chunks.iter().map(|(_, section, _)| section.as_str()).collect();
    assert_eq!(sections, ["C", "C/D", "C/D/mA", "C", "mZ"]);
}

#[test]
fn equal_titles_under_one_parent_are_numbered() {
    let chunks = brackets("(mA 1234567890) (mA 1234567890)", limits(0, 16, 16));
    let sections: Vec<&str> = chunks.iter().map(|(_, section, _)| section.as_str()).collect();
    assert_eq!(sections, ["mA", "mA (2)"]);
}

#[test]
fn a_hundred_thousand_open_units_end_at_the_greatest_depth() {
    let text = "(C ".repeat(100_000);
    let chunks = brackets(&text, limits(20, 60, 100));
    let deepest = chunks.iter().map(|(_, section, _)| section.split('/').count()).max();
    assert_eq!(deepest, Some(MAX_DEPTH));
    assert_eq!(chunks.iter().map(|(text, ..)| text.len()).sum::<usize>(), text.len());
}
