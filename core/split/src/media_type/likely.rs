/*!
Markdown and source code, recognized from lines that only they have.

A text of unknown name is mostly prose, so the evidence must be strong: a wrong guess splits prose by a grammar, and hides
its paragraphs. Each line may be a mark of one or several languages. The certainty of a guess is the share of the best
language among all marks, multiplied by how much of the text looks like it:

```text
import os                  Python 3
                           -
def run(path):             Python 3
    return path            any code
```

Marks of languages that extend each other, such as C and C++, count for both, and the more common one wins a tie.
*/

use super::MediaType;
use super::language_marks::{LANGUAGES, ends_code, is_comment, is_mark, starts_with_any};

/// The least certainty of a type that documents get.
pub(super) const CERTAIN: f64 = 0.8;

/// The number of bytes at the beginning that are examined.
const MAX_HEAD: usize = 16_384;

/// The marks of a language beyond which more do not count, and the least sum of their weights.
const MAX_MARKS: u32 = 4;
const LEAST_WEIGHT: u32 = 5;

/// A guess with its certainty, 0 to 1.
#[derive(Clone, Debug, PartialEq)]
pub struct LikelyType {
    /// The media type.
    pub media_type: MediaType,
    /// The certainty. Documents get types of at least 0.8.
    pub certainty: f64,
}

impl MediaType {
    /// Returns the type that a text without a name most likely has: Markdown or source code. `None` if nothing tells.
    ///
    /// ```
    /// use passage_split::MediaType;
    ///
    /// let likely = MediaType::likely("import os\n\ndef run(path):\n    return os.stat(path)\n").unwrap();
    /// assert_eq!(likely.media_type.name(), "text/x-python");
    /// assert!(likely.certainty > 0.9);
    /// assert_eq!(MediaType::likely("Some words, and more of them."), None);
    /// ```
    pub fn likely(text: &str) -> Option<LikelyType> {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let head = &text[..text.floor_char_boundary(MAX_HEAD)];
        let (markdown, code) = (markdown(head), code(head));
        let is_code = |markdown: &LikelyType| {
            code.as_ref().is_some_and(|code| code.certainty > markdown.certainty)
        };
        markdown.filter(|markdown| !is_code(markdown)).or(code)
    }
}

/// Returns how likely a text is Markdown. Each kind of mark counts once or twice, so that one line proves nothing.
fn markdown(head: &str) -> Option<LikelyType> {
    let has_front_matter = front_matter(head).is_some();
    let body = front_matter(head).unwrap_or(head);
    let (mut headings, mut fences, mut entries, mut anchors) = (0_u32, 0_u32, 0_u32, 0_u32);
    let (mut lines, mut code_lines, mut in_fence, mut is_after_blank) = (0_u32, 0_u32, false, true);
    for line in body.lines() {
        let bare = line.trim();
        if bare.starts_with("```") || bare.starts_with("~~~") {
            fences += 1;
            in_fence = !in_fence;
        } else if !in_fence && !bare.is_empty() {
            lines += 1;
            let title = line.trim_start_matches('#');
            let depth = line.len() - title.len();
            let is_title =
                title.starts_with(' ') && title.trim().starts_with(char::is_alphanumeric);
            // One `#` is mostly a comment of a script, unless it stands alone.
            headings += u32::from(is_title && (2..=6).contains(&depth) && is_after_blank);
            headings += u32::from(is_title && depth == 1 && is_after_blank && lines == 1);
            let number = bare.trim_start_matches(|char: char| char.is_ascii_digit());
            let is_numbered = number.len() < bare.len() && number.starts_with(". ");
            entries += u32::from(is_numbered || starts_with_any(bare, &["- ", "* ", "+ "]));
            let has_link = bare.find("](").is_some_and(|at| bare[..at].contains('['));
            anchors += u32::from(has_link && bare[bare.find("](").unwrap_or(0)..].contains(')'));
            let is_statement = bare.ends_with(['{', '}', ';']) || bare.starts_with("//");
            code_lines += u32::from(is_statement || is_mark(bare));
        }
        is_after_blank = bare.is_empty();
    }
    let weight = if has_front_matter { 4 } else { 0 }
        + 2 * headings.min(2)
        + if fences >= 2 { 3 } else { 0 }
        + entries.min(3)
        + 2 * anchors.min(2);
    // Comments of code have headings and lists too.
    let share_of_prose = 1.0 - f64::from(code_lines) / f64::from(lines.max(1));
    let certainty = share_of_prose * (f64::from(weight) / 4.0).min(1.0);
    (weight >= 3).then_some(LikelyType { media_type: MediaType::MARKDOWN, certainty })
}

/// Returns the text behind front matter: lines of YAML between two lines `---`. If YAML follows too, the text is a list of
/// YAML documents.
fn front_matter(head: &str) -> Option<&str> {
    let (first, rest) = head.split_once('\n')?;
    (first.trim_end() == "---").then_some(())?;
    let end = rest.find("\n---").map(|at| at + 4)?;
    let is_entry = |line: &str| {
        line.trim().is_empty() || line.starts_with([' ', '#', '-']) || line.contains(':')
    };
    let (matter, body) = (&rest[..end - 4], &rest[end..]);
    let is_line = body.starts_with(['\n', '\r']);
    let has_text = body.lines().any(|line| !is_entry(line) || line.starts_with("# "));
    (is_line && has_text && matter.lines().all(is_entry)).then_some(body)
}

/// Returns the most likely programming language.
fn code(head: &str) -> Option<LikelyType> {
    let mut counts: Vec<Vec<u32>> =
        LANGUAGES.iter().map(|(_, marks)| vec![0; marks.len()]).collect();
    let (mut lines, mut code_lines, mut in_fence) = (0_u32, 0_u32, false);
    for line in head.lines() {
        let bare = line.trim();
        // Code in fences is a part of Markdown.
        if bare.starts_with("```") {
            in_fence = !in_fence;
        }
        if bare.is_empty() || in_fence {
            continue;
        }
        let mut is_mark = false;
        for ((_, marks), counts) in LANGUAGES.iter().zip(&mut counts) {
            for ((_, is), count) in marks.iter().zip(counts) {
                if is(bare) {
                    *count += 1;
                    is_mark = true;
                }
            }
        }
        lines += 1;
        let is_indented = line.starts_with([' ', '\t']);
        code_lines += u32::from(is_mark || is_indented || ends_code(bare) || is_comment(bare));
    }
    let weights: Vec<u32> = LANGUAGES
        .iter()
        .zip(&counts)
        .map(|((_, marks), counts)| {
            marks
                .iter()
                .zip(counts)
                .map(|((weight, _), count)| weight * (*count).min(MAX_MARKS))
                .sum()
        })
        .collect();
    let best = (0..weights.len()).rev().max_by_key(|index| weights[*index])?;
    let kinds = counts[best].iter().filter(|count| **count > 0).count();
    if weights[best] < LEAST_WEIGHT || kinds < 2 {
        return None;
    }
    let relatives = ["text/javascript text/x-typescript", "text/x-c text/x-c++"];
    let name = LANGUAGES[best].0;
    let is_other = |other: &usize| {
        let is_related = |pair: &&str| pair.contains(name) && pair.contains(LANGUAGES[*other].0);
        *other != best && !relatives.iter().any(is_related)
    };
    let second = (0..weights.len()).filter(is_other).map(|other| weights[other]).max().unwrap_or(0);
    let margin = f64::from(weights[best]) / f64::from(weights[best] + second);
    // Half of the marks say nothing, two thirds are certain.
    let margin = ((margin - 0.5) * 6.0).clamp(0.0, 1.0);
    let certainty = margin * (f64::from(code_lines) / f64::from(lines.max(1)) * 1.2).min(1.0);
    Some(LikelyType { media_type: MediaType::new(name), certainty })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn likely(text: &str) -> Option<String> {
        let likely = MediaType::likely(text).filter(|likely| likely.certainty >= CERTAIN);
        likely.map(|likely| likely.media_type.name().to_owned())
    }

    #[test]
    fn markdown_is_recognized_by_several_marks() {
        for text in [
            "---\ntitle: A\ntags: [a, b]\n---\n\nSome words.\n",
            "# Title\n\nSome words.\n\n## Setup\n\nMore words.\n",
            "Words first.\n\n```sh\nmake install\n```\n\n- one\n- two\n",
            "See [the guide](guide.md).\n\n1. First\n2. Second\n3. Third\n",
        ] {
            assert_eq!(likely(text).as_deref(), Some("text/markdown"), "{text}");
        }
        for text in [
            "Some words.\n\nMore words, and a dash - here.\n",
            "- milk\n- bread\n",
            "# a comment of a script\nset -e\nmake\n",
            "Title\n=====\n\n.. code-block:: python\n\n   import os\n",
            "---\n\nA line above.\n",
            "---\na: b\n---\nc: d\ne:\n  - f\n",
        ] {
            assert_eq!(likely(text), None, "{text}");
        }
    }

    #[test]
    fn source_code_is_recognized_by_lines_of_its_language() {
        for (name, text) in [
            ("text/x-python", "import os\n\n# note\ndef run(path):\n    return os.stat(path)\n"),
            (
                "text/x-rust",
                "use std::fs;\n\npub fn run(path: &str) -> u32 {\n    let x = 1;\n    x\n}\n",
            ),
            (
                "text/javascript",
                "const fs = require('fs');\n\nfunction run(a) {\n  return a === 1;\n}\n",
            ),
            ("text/x-typescript", "export interface A {\n  b: string;\n}\n\nconst a = 1;\n"),
            ("text/x-go", "package main\n\nimport (\n\t\"fmt\"\n)\n\nfunc main() {\n\tx := 1\n}\n"),
            ("text/x-java", "package a.b;\n\nimport java.util.List;\n\npublic class A {\n}\n"),
            ("text/x-c", "#include <stdio.h>\n\nint main(void) {\n    return 0;\n}\n"),
            ("text/x-c++", "#include <vector>\n\nnamespace a {\nstd::vector<int> b;\n}\n"),
            ("text/x-ruby", "require 'json'\n\nmodule A\n  def run\n    1\n  end\nend\n"),
            (
                "text/x-csharp",
                "using System;\n\nnamespace A\n{\n    public class B\n    {\n    }\n}\n",
            ),
        ] {
            assert_eq!(likely(text).as_deref(), Some(name), "{text}");
        }
    }

    #[test]
    fn comments_that_look_like_headings_stay_code() {
        let script = "# A script\n\n## First\n\nimport os\n\n## Second\n\ndef a(b):\n    pass\n";
        assert_eq!(likely(script).as_deref(), Some("text/x-python"));
        let guide = "# Guide\n\nWords.\n\n```python\nimport os\n\ndef a(b):\n    pass\n```\n";
        assert_eq!(likely(guide).as_deref(), Some("text/markdown"));
    }

    #[test]
    fn prose_about_code_stays_prose() {
        for text in [
            "The class of the object decides. Import the module from the package, then return it;\nthe rest follows.\n",
            "from here to there we import goods:\nclass A of them first\n",
            "I use Rust. The fn keyword begins a function (like def in Python).\n",
            "",
            "x = 1\n",
        ] {
            assert_eq!(likely(text), None, "{text}");
        }
    }
}
