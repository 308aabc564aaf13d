//! Properties of any text, code or not, that is split as source code of each language.

#![cfg(feature = "code")]

use crate::invariants::inputs::limits;
use crate::invariants::languages::LANGUAGES;
use crate::invariants::splitting::{find_repeated_section, find_violation};
use passage_split::{Characters, Chunk, ChunkLimits, MediaType, SplitOptions, split};
use proptest::prelude::*;

/// Fragments of code, which are joined in any order.
const WORDS: [&str; 66] = [
    "class A ",
    "class B",
    "struct S ",
    "enum E ",
    "interface I ",
    "impl T for S ",
    "trait T ",
    "fn f() ",
    "def f(self)",
    "function g() ",
    "func (s *S) M() ",
    "func h() ",
    "int x(int a) ",
    "void N::m() ",
    "namespace n ",
    "module M",
    "mod m ",
    "export default ",
    "export const c = ",
    "const o = ",
    "x => ",
    "return 1",
    "if (a) ",
    "else ",
    "end",
    "do\n",
    "public ",
    "static ",
    "import a",
    "from b import c",
    "use d::{e, f}",
    "#include <g.h>\n",
    "using H",
    "require 'i'",
    "CREATE TABLE t ",
    "SELECT 1",
    ".rule ",
    "@media print ",
    "template <typename T> ",
    "/* comment */",
    "// line\n",
    "# hash\n",
    "-- dash\n",
    "/** doc\n */\n",
    "@decorator\n",
    "#[attribute]\n",
    "\"string\"",
    "'a'",
    "`b ${",
    "<<EOF\n",
    "<?php ",
    "?>",
    "{",
    "}",
    "(",
    ")",
    "[",
    "]",
    ";",
    ",",
    ":",
    " = ",
    "\n",
    "\r\n",
    "    ",
    "é",
];

fn codelike() -> impl Strategy<Value = String> {
    prop::collection::vec(prop::sample::select(WORDS.as_slice()), 0..60)
        .prop_map(|words| words.concat())
}

fn checked<'t>(text: &'t str, language: &str, limits: ChunkLimits) -> Vec<Chunk<'t>> {
    let media_type = MediaType::new(language);
    let options = SplitOptions::new(limits);
    let chunks = split(text, &media_type, &options, &Characters).unwrap().chunks;
    assert_eq!(find_violation(text, &chunks, limits, &Characters), None, "{language}");
    assert_eq!(find_repeated_section(&media_type, &chunks), None, "{language}");
    // Merged members have the section of their parent, but keep their level.
    assert!(chunks.iter().all(|chunk| chunk.level as usize <= chunk.section.len() + 1));
    chunks
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1_000, failure_persistence: None, ..Default::default() })]

    #[test]
    fn any_string_is_split_without_loss(
        text in any::<String>(), language in prop::sample::select(LANGUAGES.as_slice()), limits in limits(8..120)
    ) {
        checked(&text, language, limits);
    }

    #[test]
    fn random_code_is_split_without_loss(text in codelike(), limits in limits(8..120)) {
        for language in LANGUAGES {
            checked(&text, language, limits);
        }
    }

    #[test]
    fn splitting_is_deterministic(
        text in codelike(), language in prop::sample::select(LANGUAGES.as_slice()), limits in limits(8..120)
    ) {
        let once = checked(&text, language, limits);
        // Another document between the two, because the parser is reused.
        checked("class A { f() {", "text/javascript", limits);
        prop_assert_eq!(once, checked(&text, language, limits));
    }

    #[test]
    fn a_repeated_word_is_split_without_loss(
        words in prop::collection::vec(prop::sample::select(WORDS.as_slice()), 1..4),
        language in prop::sample::select(LANGUAGES.as_slice()),
    ) {
        let text = words.concat().repeat(300);
        checked(&text, language, ChunkLimits::CHARACTERS);
    }
}

#[test]
fn a_member_in_unreadable_text_is_at_most_one_level_below_its_section() {
    // Found by the property above.
    let text = "def f(self)impl T for S if (a) (template <typename T> return 1<<EOF\nreturn 1.rule -- dash\n\
        )trait T /* comment */void N::m() class A ";
    let limits = ChunkLimits { min: 0, preferred: 1, max: 8, window: 48 };
    for language in LANGUAGES {
        checked(text, language, limits);
    }
}

#[test]
fn a_hundred_thousand_brackets_are_split_without_loss() {
    for language in LANGUAGES {
        for word in ["(", "{", "[", "a<", "f(", "class A {", "%w(", "'a", "\""] {
            checked(&word.repeat(100_000 / word.len()), language, ChunkLimits::CHARACTERS);
        }
    }
}
