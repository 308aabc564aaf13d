//! Marks of programming languages: lines that texts in other languages seldom have.

/// A mark of a language: its weight, and whether a line, without its indentation, is one.
pub(super) type Mark = (u32, fn(&str) -> bool);

/// The marks of each language. Of two with the same weights the first one wins.
pub(super) const LANGUAGES: [(&str, &[Mark]); 10] = [
    (
        "text/x-python",
        &[
            (3, |line| line.starts_with("def ") && line.contains('(') && line.ends_with(':')),
            (3, |line| line.starts_with("async def ") && line.ends_with(':')),
            (2, |line| line.starts_with("class ") && line.ends_with(':')),
            (3, |line| {
                line.starts_with("from ") && line.contains(" import ") && !line.ends_with(';')
            }),
            (2, |line| is_dotted(line.strip_prefix("import "), false)),
            (2, |line| {
                starts_with_any(line, &["elif ", "except ", "except:"]) && line.ends_with(':')
            }),
            (1, |line| line.contains("self.")),
            (3, |line| line.starts_with("if __name__ ==")),
        ],
    ),
    (
        "text/x-rust",
        &[
            (3, |line| {
                starts_with_any(without_pub(line), &["fn ", "async fn ", "const fn "])
                    && line.contains('(')
            }),
            (3, |line| line.starts_with("impl") && line.ends_with('{')),
            (2, |line| without_pub(line).starts_with("use ") && line.contains("::")),
            (2, |line| line.starts_with("#[") && line.ends_with(']')),
            (2, |line| line.starts_with("let mut ")),
            (2, |line| {
                starts_with_any(without_pub(line), &["mod ", "struct ", "enum ", "trait "])
                    && ends_code(line)
            }),
            (1, |line| line.starts_with("let ") && line.ends_with(';')),
            (2, |line| line.starts_with("match ") && line.ends_with('{')),
        ],
    ),
    (
        "text/javascript",
        &[
            (3, |line| {
                starts_with_any(without_export(line), &["function ", "async function "])
                    && line.contains('(')
            }),
            (2, |line| line.starts_with("const ") && line.contains(" = ")),
            (3, |line| line.starts_with("import ") && line.contains(" from ") && has_quote(line)),
            (2, |line| line.contains("=> {") || line.ends_with("=>")),
            (3, |line| line.contains("require(") && has_quote(line)),
            (2, |line| line.starts_with("module.exports")),
            (2, |line| line.contains("===") || line.contains("!==")),
            (1, |line| line.starts_with("let ") && line.contains(" = ")),
        ],
    ),
    (
        "text/x-typescript",
        &[
            (4, |line| without_export(line).starts_with("interface ") && line.ends_with('{')),
            (4, |line| without_export(line).starts_with("type ") && line.contains(" = ")),
            (3, |line| {
                [": string", ": number", ": boolean", ": Promise<"]
                    .iter()
                    .any(|mark| line.contains(mark))
            }),
            (3, |line| line.starts_with("import type ")),
            (3, |line| {
                starts_with_any(without_export(line), &["function ", "async function "])
                    && line.contains('(')
            }),
            (2, |line| line.starts_with("const ") && line.contains(" = ")),
            (3, |line| line.starts_with("import ") && line.contains(" from ") && has_quote(line)),
            (2, |line| line.contains("=> {")),
            (2, |line| line.contains("===") || line.contains("!==")),
        ],
    ),
    (
        "text/x-go",
        &[
            (4, |line| line.strip_prefix("package ").is_some_and(is_name)),
            (3, |line| line.starts_with("func ") && line.ends_with('{')),
            (2, |line| line.contains(" := ")),
            (3, |line| {
                line.starts_with("type ")
                    && starts_with_any(
                        line.rsplit(' ').nth(1).unwrap_or(""),
                        &["struct", "interface"],
                    )
            }),
            (2, |line| line == "import ("),
            (2, |line| line.starts_with("if err != nil")),
        ],
    ),
    (
        "text/x-java",
        &[
            (4, |line| is_dotted(line.strip_prefix("package "), true)),
            (3, |line| {
                is_dotted(
                    line.strip_prefix("import ")
                        .map(|rest| rest.strip_prefix("static ").unwrap_or(rest)),
                    true,
                )
            }),
            (3, |line| line.starts_with("@Override")),
            (2, |line| {
                starts_with_any(
                    line,
                    &["public class ", "public final class ", "public interface "],
                )
            }),
            (2, |line| {
                starts_with_any(
                    line,
                    &["public static ", "private static ", "private final ", "protected "],
                )
            }),
            (1, |line| starts_with_any(line, &["public ", "private "]) && ends_code(line)),
        ],
    ),
    (
        "text/x-csharp",
        &[
            (3, |line| is_dotted(line.strip_prefix("using "), true)),
            (3, |line| {
                line.strip_prefix("namespace ")
                    .is_some_and(|rest| rest.starts_with(char::is_uppercase))
            }),
            (2, |line| line.contains("{ get;")),
            (2, |line| {
                starts_with_any(
                    line,
                    &["public class ", "internal class ", "public sealed ", "public record "],
                )
            }),
            (1, |line| {
                starts_with_any(line, &["public ", "private ", "internal "]) && ends_code(line)
            }),
        ],
    ),
    (
        "text/x-c",
        &[
            (4, |line| line.starts_with("#include ") && line.ends_with(['>', '"'])),
            (2, |line| line.starts_with("#define ")),
            (2, |line| starts_with_any(line, &["#ifdef ", "#ifndef ", "#endif"])),
            (2, |line| {
                starts_with_any(line, &["static ", "void ", "int ", "char ", "unsigned "])
                    && ends_code(line)
            }),
            (2, |line| starts_with_any(line, &["typedef ", "struct "]) && ends_code(line)),
        ],
    ),
    (
        "text/x-c++",
        &[
            (3, |line| line.starts_with("#include <") && !line.contains(".h>")),
            (4, |line| line.starts_with("template") && line.contains('<')),
            (3, |line| line.contains("std::")),
            (3, |line| {
                starts_with_any(line, &["using namespace ", "namespace "]) && ends_code(line)
            }),
            (3, |line| matches!(line, "public:" | "private:" | "protected:")),
            (2, |line| line.starts_with("#include ") && line.ends_with(['>', '"'])),
        ],
    ),
    (
        "text/x-ruby",
        &[
            (3, |line| starts_with_any(line, &["require '", "require \"", "require_relative "])),
            (3, |line| line.starts_with("def ") && !line.ends_with([':', '{', ';'])),
            (2, |line| line == "end"),
            (2, |line| line.starts_with("module ") && line[7..].starts_with(char::is_uppercase)),
            (3, |line| line.starts_with("attr_")),
            (2, |line| line.ends_with(" do") || line.contains(" do |")),
        ],
    ),
];

/// Returns whether a line is a mark of a programming language.
pub(super) fn is_mark(line: &str) -> bool {
    LANGUAGES.iter().any(|(_, marks)| marks.iter().any(|(_, is)| is(line)))
}

/// Returns whether a line ends as lines of code do and sentences do not.
pub(super) fn ends_code(line: &str) -> bool {
    line.ends_with(['{', '}', ';', ')', '(', ']', '[', '=', ',']) && !line.ends_with("](")
}

/// Returns whether a line is a comment in one of the languages.
pub(super) fn is_comment(line: &str) -> bool {
    starts_with_any(line, &["//", "/*", "* ", "*/", "# ", "## ", "\"\"\""])
        || line == "#"
        || line == "*"
}

pub(super) fn starts_with_any(line: &str, starts: &[&str]) -> bool {
    starts.iter().any(|start| line.starts_with(start))
}

fn without_pub(line: &str) -> &str {
    let rest = line.strip_prefix("pub").unwrap_or(line);
    let rest =
        rest.strip_prefix("(crate)").or_else(|| rest.strip_prefix("(super)")).unwrap_or(rest);
    rest.trim_start()
}

fn without_export(line: &str) -> &str {
    let rest = line.strip_prefix("export ").unwrap_or(line);
    rest.strip_prefix("default ").unwrap_or(rest)
}

fn has_quote(line: &str) -> bool {
    line.contains(['\'', '"'])
}

fn is_name(text: &str) -> bool {
    let is_part = |char: char| char.is_ascii_alphanumeric() || char == '_';
    !text.is_empty() && text.chars().all(is_part)
}

/// Returns whether a text is a name with dots, and ends with a semicolon or does not.
fn is_dotted(text: Option<&str>, semicolon: bool) -> bool {
    let Some(text) = text else { return false };
    let name = text.strip_suffix(';');
    let is_part = |part: &str| is_name(part) || part == "*";
    name.is_some() == semicolon && name.unwrap_or(text).split('.').all(is_part)
}
