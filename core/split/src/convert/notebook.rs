/*!
Jupyter notebooks, converted to Markdown.

Markdown cells stay unchanged. Code cells become fences with the kernel's language, and raw cells become
fences without one. Outputs and attachments are omitted: they are results, mostly pictures. The module
reads formats 3 and 4, which store the cells in different places.
*/

use crate::{Error, MediaType, interrupt, split::title};
use serde::{
    Deserialize, Deserializer,
    de::{DeserializeSeed, IgnoredAny, MapAccess, SeqAccess, Visitor},
};
use std::fmt::{self, Write};

/// A notebook. Only its cells, language and title are read.
#[derive(Deserialize)]
struct Notebook {
    #[serde(default)]
    metadata: Metadata,
    /// The cells since format 4.
    cells: Option<Vec<Cell>>,
    /// The cells up to format 3.
    worksheets: Option<Vec<Worksheet>>,
}

#[derive(Default, Deserialize)]
struct Metadata {
    #[serde(default)]
    language_info: Option<Named>,
    #[serde(default)]
    kernelspec: Option<Kernel>,
    #[serde(default)]
    title: Option<Source>,
}

#[derive(Deserialize)]
struct Named {
    #[serde(default)]
    name: String,
}

#[derive(Deserialize)]
struct Kernel {
    #[serde(default)]
    language: String,
}

#[derive(Deserialize)]
struct Worksheet {
    #[serde(default)]
    cells: Vec<Cell>,
}

#[derive(Deserialize)]
struct Cell {
    #[serde(default, rename = "cell_type")]
    kind: String,
    #[serde(default)]
    source: Source,
    /// The source of a code cell up to format 3.
    #[serde(default)]
    input: Source,
    /// The language of a code cell up to format 3.
    #[serde(default)]
    language: Option<String>,
    /// The level of a heading cell up to format 3.
    #[serde(default)]
    level: Option<usize>,
}

/// A string, or a list of lines. Any other value counts as empty.
#[derive(Default)]
struct Source(String);

impl<'de> Deserialize<'de> for Source {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut text = String::new();
        Text { into: &mut text, inside: false }.deserialize(deserializer)?;
        Ok(Self(text))
    }
}

/// Reads a source directly into its text, so that a list of a million numbers takes no memory.
struct Text<'s> {
    into: &'s mut String,
    /// Whether the value is an item of a list.
    inside: bool,
}

impl<'de> DeserializeSeed<'de> for Text<'_> {
    /// Whether the value was a string or a list of strings.
    type Value = bool;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<bool, D::Error> {
        interrupt::poll();
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Text<'_> {
    type Value = bool;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("any value")
    }

    fn visit_str<E>(self, text: &str) -> Result<bool, E> {
        self.into.push_str(text);
        Ok(true)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<bool, A::Error> {
        let mut are_texts = !self.inside;
        while are_texts {
            let item = Text { into: self.into, inside: true };
            match items.next_element_seed(item)? {
                Some(is_text) => are_texts = is_text,
                None => return Ok(true),
            }
        }
        // A list with any other value counts as empty.
        if !self.inside {
            self.into.clear();
        }
        while items.next_element::<IgnoredAny>()?.is_some() {}
        Ok(false)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<bool, A::Error> {
        while entries.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(false)
    }

    fn visit_bool<E>(self, _: bool) -> Result<bool, E> {
        Ok(false)
    }

    fn visit_i64<E>(self, _: i64) -> Result<bool, E> {
        Ok(false)
    }

    fn visit_u64<E>(self, _: u64) -> Result<bool, E> {
        Ok(false)
    }

    fn visit_f64<E>(self, _: f64) -> Result<bool, E> {
        Ok(false)
    }

    fn visit_unit<E>(self) -> Result<bool, E> {
        Ok(false)
    }
}

/// Converts a notebook to Markdown and returns the text and the title.
///
/// The title is that of the metadata, else the first heading.
///
/// # Errors
///
/// Returns [`Error::InvalidNotebook`] if the text is not valid JSON or has no cells.
pub(super) fn convert(text: &str) -> Result<(String, Option<String>), Error> {
    let json = text.strip_prefix('\u{feff}').unwrap_or(text);
    // serde would also accept an array as the struct.
    if !json.trim_start().starts_with('{') {
        return Err(Error::InvalidNotebook { line: 1, column: 1 });
    }
    let notebook: Notebook = interrupt::json(json)
        .map_err(|error| Error::InvalidNotebook { line: error.line(), column: error.column() })?;
    let Metadata { language_info, kernelspec, title: named } = notebook.metadata;
    let language = language_info
        .map(|info| info.name)
        .filter(|name| !name.is_empty())
        .or(kernelspec.map(|kernel| kernel.language))
        .unwrap_or_default();
    let cells = match (notebook.cells, notebook.worksheets) {
        (Some(cells), _) => cells,
        (None, Some(sheets)) => sheets.into_iter().flat_map(|sheet| sheet.cells).collect(),
        (None, None) => return Err(Error::InvalidNotebook { line: 1, column: 1 }),
    };
    let mut text = String::new();
    for cell in &cells {
        interrupt::poll();
        write_cell(&mut text, cell, &language).expect("writing to a string succeeds");
    }
    let named = named.map(|title| title.0.trim().to_owned()).filter(|title| !title.is_empty());
    let title = named.or_else(|| title(&text, &MediaType::MARKDOWN));
    Ok((text, title))
}

/// Appends a cell behind a blank line.
fn write_cell(text: &mut String, cell: &Cell, language: &str) -> fmt::Result {
    let source = if cell.source.0.is_empty() { &cell.input.0 } else { &cell.source.0 };
    let source = source.trim_end();
    if source.trim_start().is_empty() {
        return Ok(());
    }
    if !text.is_empty() {
        text.push('\n');
    }
    let fence = "`".repeat(longest_run(source).max(2) + 1);
    match cell.kind.as_str() {
        "code" => {
            let language = one_word(cell.language.as_deref().unwrap_or(language));
            writeln!(text, "{fence}{language}\n{source}\n{fence}")
        }
        "raw" => writeln!(text, "{fence}\n{source}\n{fence}"),
        "heading" => {
            let level = cell.level.unwrap_or(1).clamp(1, 6);
            writeln!(text, "{} {}", "#".repeat(level), source.trim().replace(['\n', '\r'], " "))
        }
        _ => writeln!(text, "{source}"),
    }
}

/// Returns the length of the longest run of backticks.
fn longest_run(text: &str) -> usize {
    text.split(|char| char != '`').map(str::len).max().unwrap_or(0)
}

/// Returns a language if it is one word, as the line of a fence requires; else the empty string.
fn one_word(language: &str) -> &str {
    let plain = |char: char| char.is_alphanumeric() || matches!(char, '+' | '-' | '#' | '.' | '_');
    if language.chars().all(plain) { language } else { "" }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(json: &str) -> String {
        convert(json).unwrap().0
    }

    #[test]
    fn a_source_that_is_neither_text_nor_lines_is_empty() {
        for source in [
            "1",
            "true",
            "null",
            "1.5",
            r#"{"a": 1}"#,
            r#"[["a"]]"#,
            r#"["a", 1, "b"]"#,
            r#"[1, "a"]"#,
        ] {
            let json = format!(r#"{{"cells": [{{"source": {source}, "input": "x"}}]}}"#);
            assert_eq!(text(&json), "x\n", "{source}");
        }
        let json = r#"{"cells": [{"source": ["a", "\u00e9", "b"]}]}"#;
        assert_eq!(text(json), "a\u{e9}b\n");
    }

    #[test]
    fn cells_become_markdown_and_fences() {
        let (text, title) = convert(
            r##"{"nbformat": 4, "metadata": {"language_info": {"name": "julia"}}, "cells": [
            {"cell_type": "markdown", "source": ["# A\n", "words"], "attachments": {"a": 1}},
            {"cell_type": "code", "source": "x = 1\n", "outputs": [{"text": "left out"}]},
            {"cell_type": "raw", "source": "```"},
            {"cell_type": "code", "source": []}]}"##,
        )
        .unwrap();
        let expected = "# A\nwords\n\n```julia\nx = 1\n```\n\n````\n```\n````\n";
        assert_eq!(text, expected);
        assert_eq!(title.as_deref(), Some("A"));
    }

    #[test]
    fn format_3_has_sheets_inputs_and_headings() {
        let json = r#"{"nbformat": 3, "metadata": {"name": ""}, "worksheets": [{"cells": [
            {"cell_type": "heading", "level": 2, "source": ["B"]},
            {"cell_type": "code", "language": "python", "input": ["y = 2"], "outputs": []}]}]}"#;
        assert_eq!(text(json), "## B\n\n```python\ny = 2\n```\n");
    }

    #[test]
    fn the_kernel_language_is_the_fallback() {
        let json = r#"{"metadata": {"kernelspec": {"language": "R"}},
            "cells": [{"cell_type": "code", "source": "1"}]}"#;
        assert_eq!(text(json), "```R\n1\n```\n");
        let json = r#"{"cells": [{"cell_type": "code", "source": "1"}]}"#;
        assert_eq!(text(json), "```\n1\n```\n");
    }

    #[test]
    fn an_invalid_notebook_is_an_error_with_line_and_column() {
        let error = convert("{\"cells\": [\n  secret]}").unwrap_err();
        assert_eq!(error, Error::InvalidNotebook { line: 2, column: 3 });
        assert!(!error.to_string().contains("secret"), "{error}");
        assert_eq!(convert("{\"a\": 1}"), Err(Error::InvalidNotebook { line: 1, column: 1 }));
        assert_eq!(convert("[1]").unwrap_err(), Error::InvalidNotebook { line: 1, column: 1 });
        assert_eq!(convert("").unwrap_err(), Error::InvalidNotebook { line: 1, column: 1 });
    }
}
