/*!
Manual pages: roff with the macros `man` or `mdoc`.

`.SH` and `.Sh` open a section, `.SS` and `.Ss` one below it. A macro that begins a paragraph, and a blank line,
begin a block, so the name of an option stays with its description. Examples and tables are one block each.
Titles are shown as a reader sees them, without quotes and escapes:

```text
.SH "SEE ALSO"      ->  SEE ALSO
.SS The \-v option  ->  The -v option
```
*/

use super::{
    block_builder::{BlockBuilder, Line, Lines},
    blocks::Blocks,
};

/// The macros that begin a paragraph, an item of a list or a change of the indentation.
const PARAGRAPHS: [&str; 10] = ["PP", "P", "LP", "TP", "TQ", "IP", "HP", "Pp", "Lp", "It"];

/// The macros around text that is one block, such as an example.
const FRAMES: [(&str, &str); 5] =
    [("nf", "fi"), ("EX", "EE"), ("TS", "TE"), ("Bd", "Ed"), ("de", ".")];

/// Finds the blocks of a document.
pub(super) fn blocks(text: &str) -> Blocks {
    let lines = Lines::of(text);
    let mut builder = BlockBuilder::new();
    let (mut at, mut begins) = (0, true);
    while let Some(line) = lines.get(at) {
        at += 1;
        let name = macro_name(line.text);
        match name {
            "SH" | "Sh" | "SS" | "Ss" => {
                let level = if name.eq_ignore_ascii_case("sh") { 1 } else { 2 };
                let mut title = argument(line);
                // The title may be on the next line.
                if title.is_empty()
                    && let Some(next) = lines.get(at)
                {
                    title = visible(next.text);
                    at += 1;
                }
                builder.heading(line.start, level, &title);
                begins = true;
            }
            _ if PARAGRAPHS.contains(&name) => {
                // Several items may have one description.
                if !matches!(name, "TQ") {
                    builder.body(line.start);
                }
                begins = false;
            }
            _ if line.text.is_empty() => begins = true,
            _ => {
                if std::mem::take(&mut begins) {
                    builder.body(line.start);
                }
                if let Some((_, end)) = FRAMES.iter().find(|(begin, _)| *begin == name) {
                    let found = lines.from(at).find(|(_, line)| macro_name(line.text) == *end);
                    at = found.map_or(at, |(found, _)| found + 1);
                }
            }
        }
    }
    builder.finish(text)
}

/// Returns the name of the page with its number, such as `passwd(5)`.
pub(super) fn title(text: &str) -> Option<String> {
    let lines = Lines::of(text);
    let (_, line) = lines.from(0).find(|(_, line)| matches!(macro_name(line.text), "TH" | "Dt"))?;
    let arguments =
        line.text.split_ascii_whitespace().skip(1).map(|word| visible(word.trim_matches('"')));
    let [name, number] = &arguments.take(2).collect::<Vec<_>>()[..] else { return None };
    (!name.is_empty()).then(|| format!("{name}({number})"))
}

/// Returns the name of the macro that a line calls, empty for a line of text.
fn macro_name(line: &str) -> &str {
    let Some(call) = line.strip_prefix(['.', '\'']) else { return "" };
    call.trim_start().split([' ', '\t']).next().unwrap_or_default()
}

/// Returns the arguments of a macro as text.
fn argument(line: Line<'_>) -> String {
    let call = line.text[1..].trim_start();
    let (_, argument) = call.split_once([' ', '\t']).unwrap_or_default();
    let argument = argument.trim();
    let quoted = argument.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
    visible(&quoted.unwrap_or(argument).replace("\"\"", "\""))
}

/// Returns a text without its escapes: fonts, sizes, dashes and quotes.
fn visible(text: &str) -> String {
    let (mut shown, mut rest) = (String::new(), text);
    while let Some((before, escape)) = rest.split_once('\\') {
        shown.push_str(before);
        let mut chars = escape.chars();
        let (character, behind) = match chars.next() {
            Some('-') => ("-", chars.as_str()),
            Some('e' | '\\') => ("\\", chars.as_str()),
            Some(' ' | '~' | '0') => (" ", chars.as_str()),
            // A font or a size, or the name of a character.
            Some('f' | 's' | '*') => ("", after_name(chars.as_str()).1),
            Some('(' | '[') => {
                let (name, behind) = after_name(escape);
                (named_character(name), behind)
            }
            _ => ("", chars.as_str()),
        };
        shown.push_str(character);
        rest = behind;
    }
    shown.push_str(rest);
    shown.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Divides a text after a name: one character, two after `(`, or those in square brackets.
fn after_name(text: &str) -> (&str, &str) {
    if let Some(rest) = text.strip_prefix('[') {
        return rest.split_once(']').unwrap_or((rest, ""));
    }
    let (rest, count) = text.strip_prefix('(').map_or((text, 1), |rest| (rest, 2));
    let end = rest.char_indices().nth(count).map_or(rest.len(), |(end, _)| end);
    rest.split_at(end)
}

/// Returns a character by its name.
fn named_character(name: &str) -> &'static str {
    match name {
        "aq" | "cq" | "oq" => "'",
        "dq" | "lq" | "rq" => "\"",
        "em" => "\u{2014}",
        "en" => "\u{2013}",
        "bu" => "\u{2022}",
        "co" => "\u{a9}",
        "rs" => "\\",
        "ti" => "~",
        "ha" => "^",
        "hy" | "mi" => "-",
        _ => "",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MAN: &str = ".\\\" A comment.\n.TH TOOL 1 2026-01-02 \"tool 1.0\"\n.SH NAME\ntool \\- copies\n\
        .SH \"THE OPTIONS\"\n.SS The \\fB\\-v\\fR option\n.TP\n.B \\-v\nSays more.\n.TP\n.B \\-q\nSays less.\n\n\
        More words.\n.nf\n\n.PP\nan example\n.fi\n.SH\nSEE ALSO\nother(1)\n";

    #[test]
    fn sections_and_items_of_man_are_found() {
        let blocks = blocks(MAN);
        let found: Vec<_> = blocks
            .list
            .iter()
            .map(|block| {
                (blocks.sections.title(block.section), MAN[block.start..].lines().next().unwrap())
            })
            .collect();
        let expected = [
            ("", ".\\\" A comment."),
            ("NAME", ".SH NAME"),
            ("NAME", "tool \\- copies"),
            ("THE OPTIONS", ".SH \"THE OPTIONS\""),
            ("The -v option", ".SS The \\fB\\-v\\fR option"),
            ("The -v option", ".TP"),
            ("The -v option", ".TP"),
            ("The -v option", "More words."),
            ("SEE ALSO", ".SH"),
            ("SEE ALSO", "other(1)"),
        ];
        assert_eq!(found, expected);
        assert_eq!(title(MAN).as_deref(), Some("TOOL(1)"));
    }

    #[test]
    fn sections_of_mdoc_are_found() {
        let text = ".Dd January 2, 2026\n.Dt TOOL 8\n.Os\n.Sh DESCRIPTION\nWords.\n.Pp\nMore.\n.Ss Files\n.Bl -tag\n.It Pa /etc\nA folder.\n.El\n";
        let blocks = blocks(text);
        assert_eq!(title(text).as_deref(), Some("TOOL(8)"));
        assert_eq!(blocks.sections.path(2), ["DESCRIPTION", "Files"]);
    }

    #[test]
    fn escapes_are_shown_as_characters() {
        assert_eq!(
            visible("a\\-b \\fBbold\\fP \\(aqq\\(aq \\[u20AC] \\f[I]i\\f[] \\s-1x \\e \\"),
            "a-b bold 'q' i 1x \\"
        );
    }
}
