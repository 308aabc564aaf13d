/*!
Makefiles: units are rules and definitions.

A rule extends from the comments above its targets to its last command, and has its targets as title. So
does a variable of several lines, `define NAME ... endef`. Special targets such as `.PHONY` belong to the
rule after them unless a blank line follows. Variables, conditionals and includes are text of the file.
*/

use super::{
    block_builder::{Line, Lines},
    units::Units,
};
use crate::{SyntaxError, Unit};

/// Finds the units of a document.
#[expect(clippy::unnecessary_wraps, reason = "a parser of units may fail")]
pub(super) fn units(text: &str, units: &mut Units<'_>) -> Result<(), SyntaxError> {
    let lines = Lines::of(text);
    let start_of = |at: usize| lines.get(at).map_or(text.len(), |line| line.start);
    // The beginning of the comments and special targets above the next line.
    let mut lead = None;
    let mut at = 0;
    while let Some(line) = lines.get(at) {
        if line.text.starts_with('#') || is_special(line.text) {
            lead.get_or_insert(line.start);
            at += 1;
            continue;
        }
        let lead = lead.take();
        let Some((title, kind)) = titled(line) else {
            at = after_continued(&lines, at);
            continue;
        };
        at = match kind {
            Kind::Rule => end_of_rule(&lines, at),
            Kind::Definition => end_of_definition(&lines, at),
        };
        units.open(lead.unwrap_or(line.start), title, Unit::Member);
        units.close(start_of(at));
    }
    Ok(())
}

enum Kind {
    /// Targets and the commands that make them.
    Rule,
    /// A variable of several lines.
    Definition,
}

/// Returns the title of the unit that begins with a line.
fn titled(line: Line<'_>) -> Option<(&str, Kind)> {
    if line.is_indented() {
        return None;
    }
    let definition = defined(line.text).map(|name| (name, Kind::Definition));
    definition.or_else(|| Some((targets(line.text)?, Kind::Rule)))
}

/// Returns the index of the line after one and those that continue it.
fn after_continued(lines: &Lines<'_>, at: usize) -> usize {
    let is_last = |at: usize| lines.get(at).is_none_or(|line| !line.text.ends_with('\\'));
    (at..lines.len()).find(|at| is_last(*at)).map_or(lines.len(), |last| last + 1)
}

/// Returns the index of the line after the commands of a rule. Blank lines and comments between two commands
/// belong to it.
fn end_of_rule(lines: &Lines<'_>, at: usize) -> usize {
    let mut end = after_continued(lines, at);
    let mut ahead = end;
    while let Some(line) = lines.get(ahead) {
        if line.text.starts_with('\t') {
            end = after_continued(lines, ahead);
            ahead = end;
        } else if line.is_blank() || line.text.starts_with('#') {
            ahead += 1;
        } else {
            break;
        }
    }
    end
}

/// Returns the index of the line after the end of a definition.
fn end_of_definition(lines: &Lines<'_>, at: usize) -> usize {
    let end = lines.from(at).find(|(_, line)| line.text.trim_start() == "endef");
    end.map_or(lines.len(), |(end, _)| end + 1)
}

/// Returns whether a line has a special target such as `.PHONY`.
fn is_special(words: &str) -> bool {
    let name = words.strip_prefix('.').unwrap_or_default();
    name.starts_with(|char: char| char.is_ascii_uppercase())
        && name
            .split([':', ' '])
            .next()
            .is_some_and(|name| name.bytes().all(|byte| byte.is_ascii_uppercase() || byte == b'_'))
        && words.contains(':')
}

/// Returns the name of a variable of several lines.
fn defined(words: &str) -> Option<&str> {
    let name = words.strip_prefix("define ").or_else(|| words.strip_prefix("override define "))?;
    Some(name.trim_end_matches(['=', ':', '?', '+', ' ']).trim())
}

/// Returns the targets of a rule.
fn targets(words: &str) -> Option<&str> {
    let mut depth = 0_usize;
    let bytes = words.as_bytes();
    for (at, byte) in words.bytes().enumerate() {
        match byte {
            b'(' | b'{' => depth += 1,
            b')' | b'}' => depth = depth.saturating_sub(1),
            b'=' | b'#' if depth == 0 => return None,
            b':' if depth == 0 => {
                let rest = words[at..].trim_start_matches(':');
                let is_variable = rest.starts_with('=');
                // A drive of Windows.
                let is_drive = at == 1 && matches!(bytes.get(2), Some(b'/' | b'\\'));
                if is_drive {
                    continue;
                }
                let targets = words[..at].trim_end_matches('&').trim();
                return (!is_variable && !targets.is_empty()).then_some(targets);
            }
            _ => {}
        }
    }
    None
}
