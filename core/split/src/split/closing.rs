//! Closing parts: the brackets and marks at the end of a unit, which are worth nothing alone.
//!
//! Its twin in SQL is `sql/edition/closing.sql`.

use std::ops::Range;

/// Returns a text without the closing brackets and the lines with only `end` at its end.
pub(super) fn without_closing(text: &str) -> &str {
    let is_bracket = |char: char| char.is_ascii_whitespace() || "})];,".contains(char);
    let mut rest = text;
    loop {
        rest = rest.trim_end_matches(is_bracket);
        match rest.strip_suffix("end") {
            Some(before) if starts_line(before) => rest = before,
            _ => return rest,
        }
    }
}

/// Returns whether each line of a text closes something: brackets and separators, `end` or `#endif`, and comments
/// after them.
pub(super) fn is_closing(text: &str) -> bool {
    let mut lines = text.lines().map(str::trim_ascii).filter(|line| !line.is_empty()).peekable();
    lines.peek().is_some() && lines.all(closes)
}

/// Returns whether a line without surrounding white space closes something.
fn closes(line: &str) -> bool {
    let comment = ["//", "/*", " #"].iter().filter_map(|mark| line.find(mark)).min();
    let line = comment.map_or(line, |at| line[..at].trim_ascii_end());
    let is_mark = line.starts_with(['}', ')', ']']) || line.starts_with("end");
    line == "#endif" || is_mark && without_closing(line).is_empty()
}

/// Returns whether a part of a text is one line with closing brackets only, or a line with only `end`.
pub(super) fn is_closing_line(text: &str, bytes: Range<usize>) -> bool {
    let (before, part) = (&text[..bytes.start], &text[bytes]);
    let line = part.trim_ascii();
    let blank = &part[..part.len() - part.trim_ascii_start().len()];
    is_closing(line)
        && !line.contains(['\n', '\r'])
        && (blank.contains(['\n', '\r']) || starts_line(before))
}

/// Returns a text without its last lines that are not blank, `None` if one of them is more than closing brackets.
pub fn without_closing_lines(text: &str, lines: usize) -> Option<&str> {
    let mut rest = text.trim_ascii_end();
    for _ in 0..lines {
        let start = rest.rfind(['\n', '\r'])? + 1;
        is_closing(&rest[start..]).then_some(())?;
        rest = rest[..start].trim_ascii_end();
    }
    // The line end belongs to the line before.
    let after = &text[rest.len()..];
    let end = after.find('\n').or_else(|| after.find('\r')).map_or(0, |at| at + 1);
    Some(&text[..rest.len() + end])
}

/// Returns whether a text ends with the closing part of a unit that begins before it.
///
/// Brackets in strings count too, so the result is a guess.
pub fn closes_outer_unit(text: &str) -> bool {
    let text = text.trim_ascii_end();
    let line = &text[text.rfind(['\n', '\r']).map_or(0, |end| end + 1)..];
    let first = text.lines().find(|line| !line.trim_ascii().is_empty()).unwrap_or_default();
    let indent = |line: &str| line.len() - line.trim_ascii_start().len();
    let count = |marks: &[u8]| text.bytes().filter(|byte| marks.contains(byte)).count();
    is_closing(line)
        && if line.trim_ascii() == "end" {
            indent(line) < indent(first)
        } else {
            count(b"})]") > count(b"{([")
        }
}

/// Returns whether only blanks follow the last line end of a text.
fn starts_line(text: &str) -> bool {
    let line = text.trim_end_matches([' ', '\t']);
    line.is_empty() || line.ends_with(['\n', '\r'])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn closing_brackets_are_found_at_the_end_of_a_text() {
        assert_eq!(without_closing("go(a);\n  }\n};\n"), "go(a");
        assert_eq!(without_closing("  run\n  end\nend\n"), "  run");
        assert_eq!(without_closing("the end\n"), "the end");
        assert_eq!(without_closing("}\n"), "");
    }

    #[test]
    fn a_member_with_the_bracket_of_its_class_closes_an_outer_unit() {
        for text in ["  b() {\n  }\n}\n\n", "b() { return [1]; }\n};\n", "  def a; 1; end\nend\n"] {
            assert!(closes_outer_unit(text), "{text}");
        }
        for text in ["", "func (s *S) b() {\n}\n", "  def a\n    1\n  end\n", "  b(\n  )"] {
            assert!(!closes_outer_unit(text), "{text}");
        }
    }

    #[test]
    fn a_closing_line_has_nothing_else_on_its_line() {
        let text = "fn a() {\n}\n\n}\n";
        assert!(is_closing_line(text, 11..text.len()));
        assert!(is_closing_line("  run\n  end\nend\n", 12..16));
        assert!(!is_closing_line(text, 9..text.len()), "two lines");
        assert!(!is_closing_line("fn a() {}}\n", 9..11));
    }

    #[test]
    fn closing_lines_are_left_out_from_the_end() {
        let text = "fn a() {\n}\n  }\n\n}\n\n";
        assert_eq!(without_closing_lines(text, 0), Some("fn a() {\n}\n  }\n\n}\n"));
        assert_eq!(without_closing_lines(text, 1), Some("fn a() {\n}\n  }\n"));
        assert_eq!(without_closing_lines(text, 2), Some("fn a() {\n}\n"));
        assert_eq!(without_closing_lines("a() {\r\n}\r\n}", 1), Some("a() {\r\n}\r\n"));
        assert_eq!(without_closing_lines("a() {\n}\n#endif /* A */\n", 1), Some("a() {\n}\n"));
        assert_eq!(without_closing_lines("a;\nb }\n", 1), None);
        assert_eq!(without_closing_lines("}\n", 1), None);
    }

    #[test]
    fn a_closing_part_has_no_other_text() {
        for closing in [
            "};\n",
            "  })\n]);\n",
            "end\n",
            "  end\nend",
            "end # Shop\n",
            "}  // namespace shop\n",
            "#endif /* SHOP_H */\n",
            "#endif\n\n}\n",
        ] {
            assert!(is_closing(closing), "{closing}");
        }
        for other in
            ["", "\n", ";", "} else {", "endpoint", "a }", "// end\n}\n", "#else\n", "#endiffy"]
        {
            assert!(!is_closing(other), "{other}");
        }
    }
}
