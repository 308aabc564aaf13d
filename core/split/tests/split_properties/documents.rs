//! Generators of random Markdown, and of Markdown with a known structure.

use proptest::prelude::*;
use std::ops::Range;

/// A document with a known structure.
#[derive(Clone, Debug)]
pub struct Document {
    pub text: String,
    pub parts: Vec<Part>,
}

/// A heading or a block of a document.
#[derive(Clone, Debug)]
pub struct Part {
    /// Its bytes, including the blank lines after it.
    pub bytes: Range<usize>,
    pub section: Vec<String>,
    pub level: u32,
    pub heading: bool,
}

impl Document {
    /// Returns the headings that a block follows directly, each with that block.
    pub fn headings_with_bodies(&self) -> impl Iterator<Item = (Range<usize>, Range<usize>)> {
        let pairs = self.parts.windows(2).filter(|pair| pair[0].heading && !pair[1].heading);
        pairs.map(|pair| (pair[0].bytes.clone(), pair[1].bytes.clone()))
    }

    /// Returns the blocks after another block, which are not tied to a heading, without lists, because
    /// two lists in a row are one block.
    pub fn free_blocks(&self) -> impl Iterator<Item = Range<usize>> {
        let pairs = self.parts.windows(2).filter(|pair| !pair[0].heading && !pair[1].heading);
        let blocks = pairs.map(|pair| pair[1].bytes.clone());
        blocks.filter(|bytes| !self.text[bytes.start..].starts_with("- "))
    }
}

#[derive(Clone, Debug)]
enum Shape {
    Heading(usize, String, bool),
    Block(String),
}

/// Generates words without markup.
pub fn words(count: Range<usize>) -> impl Strategy<Value = String> {
    let word =
        prop_oneof![4 => "[a-z]{1,9}", 1 => "[a-zäöüß€漢字]{1,5}", 1 => "[A-Z][a-z]{0,30}\\."];
    prop::collection::vec(word, count).prop_map(|words| words.join(" "))
}

pub fn lines(count: Range<usize>) -> impl Strategy<Value = String> {
    prop::collection::vec(words(1..9), count).prop_map(|lines| lines.join("\n"))
}

fn shape() -> impl Strategy<Value = Shape> {
    let fence = prop::collection::vec(prop_oneof!["# [a-z]{1,9}", "", "    [a-z]{0,30};"], 0..9);
    let row = "\\| [a-z]{1,9} \\| [a-z]{0,20} \\|";
    prop_oneof![
        4 => (1_usize..=6, words(1..4), any::<bool>()).prop_map(|(l, t, s)| Shape::Heading(l, t, s)),
        4 => lines(1..5).prop_map(Shape::Block),
        2 => fence.prop_map(|lines| Shape::Block(format!("```x\n{}\n```", lines.join("\n")))),
        1 => prop::collection::vec(row, 1..9)
            .prop_map(|rows| Shape::Block(format!("| a | b |\n|---|---|\n{}", rows.join("\n")))),
        1 => prop::collection::vec(words(1..9), 1..6).prop_map(|items| {
            let items: Vec<_> = items.iter().map(|item| format!("- {item}\n  # x")).collect();
            Shape::Block(items.join("\n"))
        }),
        1 => lines(1..4).prop_map(|text| {
            let lines: Vec<_> = text.lines().map(|line| format!("> # {line}")).collect();
            Shape::Block(lines.join("\n"))
        }),
        1 => words(1..9).prop_map(|text| Shape::Block(format!("<div>\n# {text}\n</div>"))),
    ]
}

/// Generates a document with a known structure; numbers make its titles unique.
pub fn document() -> impl Strategy<Value = Document> {
    let parts = prop::collection::vec((shape(), 1_usize..4), 0..14);
    let front = prop::option::of("[a-z]{1,9}");
    let end = prop_oneof![4 => Just("\n"), 2 => Just("\r\n")];
    (parts, front, any::<bool>(), end, any::<bool>()).prop_map(
        |(shapes, front, mark, end, last)| {
            let mut text = String::new();
            if mark {
                text.push('\u{feff}');
            }
            if let Some(title) = front {
                text.push_str(&format!("---\ntitle: {title}\n---\n\n").replace('\n', end));
            }
            let mut parts = Vec::new();
            let mut path: Vec<(usize, String)> = Vec::new();
            for (number, (shape, blank)) in shapes.into_iter().enumerate() {
                let (block, heading) = match shape {
                    Shape::Heading(level, title, setext) => {
                        let title = format!("{title} {number}");
                        path.retain(|(above, _)| *above < level);
                        path.push((level, title.clone()));
                        let text = match level {
                            1 if setext => format!("{title}\n==="),
                            2 if setext => format!("{title}\n---"),
                            _ => format!("{} {title}", "#".repeat(level)),
                        };
                        (text, true)
                    }
                    Shape::Block(text) => (text, false),
                };
                let start = text.len();
                text.push_str(&block.replace('\n', end));
                parts.push(Part {
                    bytes: start..text.len(),
                    section: path.iter().map(|(_, title)| title.clone()).collect(),
                    level: path.last().map_or(0, |(level, _)| *level as u32),
                    heading,
                });
                text.push_str(&end.repeat(blank + 1));
                parts.last_mut().expect("a part was added").bytes.end = text.len();
            }
            if last && let Some(part) = parts.last_mut() {
                text.truncate(text.trim_end().len());
                part.bytes.end = text.len();
            }
            Document { text, parts }
        },
    )
}

/// Generates strings of Markdown's markup in random order.
pub fn markdownish() -> impl Strategy<Value = String> {
    let mark = prop::sample::select(vec![
        "# ",
        "## ",
        "###### ",
        "#",
        "===",
        "---",
        "+++",
        "- ",
        "1. ",
        "> ",
        "```",
        "~~~",
        "|",
        "|-|-|",
        "<div>",
        "<!--",
        "-->",
        "[a]: b",
        "[^1]: ",
        "[^1]",
        "**",
        "`",
        "\\",
        "&amp;",
        "title: x",
        "\n",
        "\n",
        "\n\n",
        "\r\n",
        "\r\n\r\n",
        "\r",
        "\t",
        "    ",
        " ",
        " ",
        "\u{feff}",
        "\u{3000}",
        "e\u{301}",
        "👩‍👧",
        "。",
        "\u{a0}",
        "\u{2028}",
        "\u{c}",
        "\u{85}",
        "\0",
    ]);
    let text = prop_oneof![
        12 => mark.prop_map(str::to_owned),
        3 => words(1..30),
        1 => "[a-z]{50,400}",
        1 => ("[ \t\n]{1,3}", 1..200_usize).prop_map(|(space, count)| space.repeat(count)),
    ];
    prop::collection::vec(text, 0..60).prop_map(|parts| parts.concat())
}
