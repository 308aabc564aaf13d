//! Generators of reStructuredText and `AsciiDoc`: with a known structure, and random.

use super::documents::{Document, Part, lines, words};
use proptest::prelude::*;

/// A markup language in which whole lines decide titles and blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    Rst,
    AsciiDoc,
}

impl Language {
    pub fn media_type(self) -> passage_split::MediaType {
        passage_split::MediaType::new(match self {
            Language::Rst => "text/x-rst",
            Language::AsciiDoc => "text/x-asciidoc",
        })
    }

    /// Writes a title of a level from 1 to 5.
    fn title(self, level: usize, title: &str) -> String {
        let mark = ["=", "-", "~", "^", "+"][level - 1].repeat(title.chars().count());
        match self {
            Language::Rst if level == 1 => format!("{mark}\n{title}\n{mark}"),
            Language::Rst => format!("{title}\n{mark}"),
            Language::AsciiDoc => format!("{} {title}", "=".repeat(level)),
        }
    }

    /// Writes a block in which title-like lines are not titles.
    fn block(self, shape: usize, text: &str) -> String {
        let indented = text.replace('\n', "\n   ");
        match (self, shape) {
            (_, 0) => text.to_owned(),
            (Language::Rst, 1) => format!(".. note:: {indented}\n\n   no title\n   ========"),
            (Language::Rst, 2) => format!("text::\n\n   {indented}\n   ----------------"),
            (Language::Rst, _) => format!("- {indented}\n\n  more\n\n- {indented}"),
            (Language::AsciiDoc, 1) => format!("[source]\n----\n{text}\n\n== no title\n----"),
            (Language::AsciiDoc, 2) => format!("|===\n| {text}\n\n| == no\n|==="),
            (Language::AsciiDoc, _) => format!("* {text}\n\n* more\n+\n====\n\n== no\n===="),
        }
    }
}

pub fn language() -> impl Strategy<Value = Language> {
    prop_oneof![Just(Language::Rst), Just(Language::AsciiDoc)]
}

/// Generates a document with a known structure; numbers make its titles unique.
pub fn lined(language: Language) -> impl Strategy<Value = Document> {
    let title = (1_usize..=5, words(1..4)).prop_map(|(level, title)| (level, title));
    let block = (0_usize..4, lines(1..4)).prop_map(|(shape, text)| (10 + shape, text));
    let parts = prop::collection::vec((prop_oneof![title, block], 1_usize..3), 0..14);
    let end = prop_oneof![4 => Just("\n"), 2 => Just("\r\n")];
    (parts, any::<bool>(), end).prop_map(move |(shapes, mark, end)| {
        let mut text = String::from(if mark { "\u{feff}" } else { "" });
        let mut parts: Vec<Part> = Vec::new();
        let mut path: Vec<(usize, String)> = Vec::new();
        let mut order: Vec<usize> = Vec::new();
        for (number, ((shape, words), blank)) in shapes.into_iter().enumerate() {
            let heading = shape < 10;
            let block = if heading {
                let title = format!("{words} {number}");
                // In reStructuredText, the first mark is that of level 1.
                if !order.contains(&shape) {
                    order.push(shape);
                }
                let level = match language {
                    Language::Rst => 1 + order.iter().position(|mark| *mark == shape).unwrap(),
                    Language::AsciiDoc => shape,
                };
                path.retain(|(above, _)| *above < level);
                path.push((level, title.clone()));
                language.title(shape, &title)
            } else {
                language.block(shape - 10, &words)
            };
            let start = text.len();
            text.push_str(&block.replace('\n', end));
            text.push_str(&end.repeat(blank + 1));
            parts.push(Part {
                bytes: start..text.len(),
                section: path.iter().map(|(_, title)| title.clone()).collect(),
                level: path.last().map_or(0, |(level, _)| *level as u32),
                heading,
            });
        }
        Document { text, parts }
    })
}

/// Generates strings of the markup of both languages in random order.
pub fn linedish() -> impl Strategy<Value = String> {
    let mark = prop::sample::select(vec![
        "=",
        "====",
        "----",
        "--",
        "~~~~",
        "== ",
        "=== ",
        ".. ",
        "..",
        "::",
        ".. code::",
        "- ",
        "* ",
        "1. ",
        "<1> ",
        "+",
        "|===",
        "| ",
        "```",
        "[source]",
        "[[a]]",
        ".Title",
        "== ==",
        "   ",
        "\t",
        "\n",
        "\n",
        "\n\n",
        "\r\n",
        "\r",
        "\u{feff}",
        "``",
        ":ref:`",
        "a::",
        "////",
        "[discrete]",
        "\u{3000}",
        "\u{a0}",
        "e\u{301}",
        "\0",
    ]);
    let text = prop_oneof![8 => mark.prop_map(str::to_owned), 3 => words(1..12)];
    prop::collection::vec(text, 0..60).prop_map(|parts| parts.concat())
}
