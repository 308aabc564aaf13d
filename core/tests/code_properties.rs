//! What holds of every text under every language, code or not.

#![cfg(feature = "code")]

use passage_core::{Characters, Chunk, Limits, MediaType, Options, Sizer, split};
use proptest::prelude::*;

const LANGUAGES: [&str; 16] = [
    "text/x-rust",
    "text/x-typescript",
    "text/x-tsx",
    "text/javascript",
    "text/x-jsx",
    "text/x-python",
    "text/x-go",
    "text/x-java",
    "text/x-c",
    "text/x-c++",
    "text/x-csharp",
    "text/x-ruby",
    "text/x-php",
    "text/x-shellscript",
    "text/x-sql",
    "text/css",
];

/// What code is made of, in no order that a parser would like.
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

fn limits() -> impl Strategy<Value = Limits> {
    let own = (8_usize..120).prop_flat_map(|max| {
        (Just(max), 1..=max).prop_flat_map(|(max, preferred)| {
            let min = 0..=preferred;
            min.prop_map(move |min| Limits { min, preferred, max, window: max + 40 })
        })
    });
    prop_oneof![3 => own, 1 => Just(Limits::CHARACTERS)]
}

fn checked<'t>(text: &'t str, language: &str, limits: Limits) -> Vec<Chunk<'t>> {
    let options = Options::new(limits);
    let chunks = split(text, &MediaType::new(language), &options, &Characters).unwrap().chunks;
    let joined: String = chunks.iter().map(|chunk| chunk.content).collect();
    assert_eq!(joined, text, "{language}");
    let mut end = 0;
    for chunk in &chunks {
        assert_eq!(chunk.bytes.start, end);
        assert!(!chunk.content.is_empty());
        end = chunk.bytes.end;
        assert_eq!(chunk.size, Characters.size(chunk.content));
        assert!(chunk.size <= limits.max, "{} > {}", chunk.size, limits.max);
        // Members that are merged stand in the section around them, but keep their level.
        assert!(chunk.level as usize <= chunk.section.len() + 1);
        assert!(!(chunk.content.ends_with('\r') && text[end..].starts_with('\n')));
    }
    chunks
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1_000, failure_persistence: None, ..Default::default() })]

    #[test]
    fn any_string_is_split_without_loss(
        text in any::<String>(), language in prop::sample::select(LANGUAGES.as_slice()), limits in limits()
    ) {
        checked(&text, language, limits);
    }

    #[test]
    fn anything_like_code_is_split_without_loss(text in codelike(), limits in limits()) {
        for language in LANGUAGES {
            checked(&text, language, limits);
        }
    }

    #[test]
    fn the_same_document_is_split_the_same(
        text in codelike(), language in prop::sample::select(LANGUAGES.as_slice()), limits in limits()
    ) {
        let once = checked(&text, language, limits);
        // Another document between the two: a parser is used again.
        checked("class A { f() {", "text/javascript", limits);
        prop_assert_eq!(once, checked(&text, language, limits));
    }

    #[test]
    fn one_word_again_and_again_is_split_without_loss(
        words in prop::collection::vec(prop::sample::select(WORDS.as_slice()), 1..4),
        language in prop::sample::select(LANGUAGES.as_slice()),
    ) {
        let text = words.concat().repeat(300);
        checked(&text, language, Limits::CHARACTERS);
    }
}

#[test]
fn a_hundred_thousand_brackets_are_split_without_loss() {
    for language in LANGUAGES {
        for word in ["(", "{", "[", "a<", "f(", "class A {", "%w(", "'a", "\""] {
            checked(&word.repeat(100_000 / word.len()), language, Limits::CHARACTERS);
        }
    }
}
