//! Properties of what is indexed and searched, over all scripts.
//!
//! Its twin in SQL is `sql/edition/tables.sql`.

use super::scripts::{is_syllable, is_unspaced_run, syllables};
use super::{Runs, identifier_parts, query_parts, searchable_text};
use proptest::prelude::*;
use std::collections::HashSet;
use unicode_normalization::UnicodeNormalization;

/// The length of a generated run, in bytes.
const MEGABYTE: usize = 1 << 20;

fn words(text: &str) -> Vec<String> {
    searchable_text(text, Runs::Pairs).split_whitespace().map(str::to_owned).collect()
}

fn parts(text: &str) -> HashSet<String> {
    identifier_parts(text).split_whitespace().map(str::to_owned).collect()
}

/// Returns a text with the signs of ASCII in full width.
fn full_width(text: &str) -> String {
    let wide = |character: char| match character {
        '!'..='~' => char::from_u32(u32::from(character) + 0xfee0).unwrap_or(character),
        other => other,
    };
    text.chars().map(wide).collect()
}

/// Words in the scripts that search treats differently, and any other characters.
fn word() -> impl Strategy<Value = String> {
    prop_oneof![
        "[日志文件轮换部署]{1,6}",
        "[カタカナデータのひらがな]{1,6}",
        "[데이터베이스를은의한글]{1,5}",
        "(ข้|มู|ที่|เป็|น|อ|ล|ร){1,5}",
        "(ខ្មែ|រ|ລາ|ວ|မြ|န်|မာ){1,4}",
        "(العربية|دليل|ملف|русский|файл|Köln|déjà|हिन्दी|फ़ाइल|Việt|naïve)",
        "(getUser|HTTPServer|install\\.sh|src/main\\.rs|v2\\.3\\.0-rc\\.1|203\\.0\\.113\\.7|C\\+\\+|C#|\\.NET|port8080)",
        "[a-zA-Z日한ข้é0-9._/-]{1,8}",
        "\\PC{1,4}",
    ]
    // A mark at the beginning belongs to the word before.
    .prop_filter("a word", |word| word.nfd().next().is_some_and(char::is_alphanumeric) || word == ".NET")
    .prop_filter("one word", |word| word.split_whitespace().count() == 1)
}

proptest! {
    #[test]
    fn a_word_of_a_text_has_its_lexemes_in_every_form(
        texts in prop::collection::vec(word(), 1..6),
        at in any::<prop::sample::Index>(),
    ) {
        let text = texts.join(" ");
        let word = at.get(&texts);
        let (all, all_parts) = (words(&text), parts(&text));
        let forms = [word.clone(), word.nfc().collect(), word.nfd().collect(), full_width(word)];
        for form in forms {
            let found = words(&form);
            let is_found = found.is_empty() || all.windows(found.len()).any(|window| window == found);
            prop_assert!(is_found, "{form}: {found:?} in {all:?}");
            prop_assert!(parts(&form).is_subset(&all_parts), "{form}: parts");
            // All parts of a query's word are parts or words of the text, so the word finds the text.
            let asked = query_parts(&form);
            let is_indexed = |part: &str| all_parts.contains(part) || all.iter().any(|word| word == part);
            prop_assert!(asked.split_whitespace().all(is_indexed), "{form}: {asked} in {all_parts:?}");
        }
    }

    #[test]
    fn a_syllable_of_a_text_is_found_alone(text in "([日志文件 轮换ab。、]|ข้|มู|เป็|ที่|한|글){0,12}") {
        let (all, last) = (words(&text), parts(&text));
        let runs = searchable_text(&text, Runs::Whole).into_owned();
        for run in runs.split_whitespace().filter(|word| is_unspaced_run(word)) {
            for ends in syllables(run).windows(2) {
                let syllable = &run[ends[0]..ends[1]];
                prop_assert!(is_syllable(syllable));
                let is_found = all.iter().chain(&last).any(|lexeme| lexeme.starts_with(syllable));
                prop_assert!(is_found, "{syllable} of {text}");
            }
        }
    }
}

/// Units of runs, with the bytes of their run. One of each kind has 1 MB.
const RUNS: [(&str, usize); 20] = [
    ("日本", MEGABYTE),
    ("v2.3.0-", MEGABYTE),
    ("ข้อ", 1 << 16),
    ("ខ្មែ", 1 << 16),
    ("한", 1 << 16),
    ("ｶﾞ", 1 << 16),
    ("日a", 1 << 16),
    ("aж", 1 << 16),
    ("e\u{301}", 1 << 16),
    ("aB", 1 << 16),
    ("a.", 1 << 16),
    ("/a.b", 1 << 16),
    ("1.", 1 << 16),
    ("1-2.", 1 << 16),
    ("C++ ", 1 << 16),
    ("C#", 1 << 16),
    (".NET", 1 << 16),
    ("ـ", 1 << 16),
    ("\u{200b}", 1 << 16),
    ("。", 1 << 16),
];

/// A long run has no more lexemes than characters, and no part of it is written more than a few times.
#[test]
fn the_words_of_a_long_run_are_linear() {
    for (unit, bytes) in RUNS {
        let text = unit.repeat(bytes / unit.len());
        let characters = text.chars().count();
        let written = [
            searchable_text(&text, Runs::Pairs).into_owned(),
            identifier_parts(&text),
            query_parts(&text),
        ];
        for written in written {
            assert!(written.split_whitespace().count() <= characters + 1, "{unit}");
            assert!(written.len() <= 4 * text.len(), "{unit}: {}", written.len());
        }
    }
}
