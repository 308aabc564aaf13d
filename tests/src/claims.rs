/*!
Claims of the documentation, and their evidence.

A claim is a number of a text, or a name between backquotes. The text has the evidence:

- its blocks of SQL, commands and output, which [`Example`](crate::example::Example) runs
- the lines of files that it quotes in comments: `<!-- source: core/split/src/split/options.rs: max: 200 -->`

A file must contain what is quoted of it. So a changed constant, or a row of the benchmarks that was measured again,
fails until the page is changed, too.
*/

use std::collections::BTreeSet;
use std::fs;

use crate::markdown::root;

const SOURCE: &str = "source: ";

/// The claims of a text, with their evidence.
#[derive(Clone, Debug)]
pub struct Claims {
    /// The numbers of the text, without those between backquotes.
    pub numbers: BTreeSet<String>,
    /// The texts between backquotes.
    pub names: Vec<String>,
    /// The blocks and the quoted lines.
    pub evidence: String,
}

impl Claims {
    /// Reads the claims of a text of the documentation.
    ///
    /// # Errors
    ///
    /// Returns a description of a quoted line that its file does not contain.
    pub fn of(text: &str) -> Result<Self, String> {
        let (text, blocks) = split(text, "```", "```");
        let (text, comments) = split(&text, "<!--", "-->");
        let mut evidence = blocks;
        for comment in comments {
            if let Some(source) = comment.trim().strip_prefix(SOURCE) {
                evidence.push(quoted(source)?.to_owned());
            }
        }
        let (text, _) = split(&text, "](", ")");
        let (prose, names) = split(&text, "`", "`");
        Ok(Self { numbers: numbers(&prose), names, evidence: evidence.join("\n") })
    }

    /// Returns the numbers for which the text has no evidence.
    pub fn unknown_numbers(&self) -> Vec<String> {
        self.numbers.difference(&numbers(&self.evidence)).cloned().collect()
    }
}

/// Returns the text of a source, `path: text`, if the file contains it.
fn quoted(source: &str) -> Result<&str, String> {
    let (path, quote) = source.split_once(": ").ok_or(format!("no path and text: {source}"))?;
    let file = fs::read_to_string(root().join(path)).map_err(|error| format!("{path}: {error}"))?;
    let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    if words(&file).contains(&words(quote)) {
        Ok(quote)
    } else {
        Err(format!("{path} does not contain: {quote}"))
    }
}

/// Returns a text without its parts between two marks, and these parts.
fn split(text: &str, begin: &str, end: &str) -> (String, Vec<String>) {
    let (mut rest, mut outside, mut inside) = (text, String::new(), Vec::new());
    while let Some((before, after)) = rest.split_once(begin) {
        let (part, after) = after.split_once(end).unwrap_or((after, ""));
        outside += before;
        outside.push(' ');
        inside.push(part.to_owned());
        rest = after;
    }
    (outside + rest, inside)
}

/// Returns the numbers of a text in one form: `1,024`, `1_024` and `1024` are equal, and so are `.5` and `0.50`.
pub fn numbers(text: &str) -> BTreeSet<String> {
    let inside = |character: char| character.is_alphanumeric() || "._,".contains(character);
    text.split(|character| !inside(character)).filter_map(number).collect()
}

/// Returns the number with which a word begins, such as 90 of `90MB`.
fn number(word: &str) -> Option<String> {
    let digits: String = word.chars().filter(|character| !",_".contains(*character)).collect();
    let end = digits.find(|character: char| !character.is_ascii_digit() && character != '.');
    let digits = digits[..end.unwrap_or(digits.len())].trim_end_matches('.');
    Some(digits.parse::<f64>().ok()?.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cases;

    #[test]
    fn numbers_have_one_form() {
        let found = numbers("At .861, 1,024 or 1_000 and 90MB; v2, L6-v2, .50 (15).");
        let expected = ["0.5", "0.861", "1000", "1024", "15", "90"];
        assert_eq!(found, expected.map(str::to_owned).into());
    }

    #[test]
    fn blocks_and_quoted_lines_are_evidence() {
        let text = "5, 7, `name`, [8](9.md) and 6.\n```text\n 5\n```\n<!-- source: tests/src/claims.rs: 7, `name` -->";
        let claims = Claims::of(text).unwrap();
        assert_eq!(claims.unknown_numbers(), ["6", "8"]);
        assert_eq!(claims.names, ["name"]);
        for wrong in
            cases(["tests/src/lib.rs: no such text", "tests/nowhere.rs: text", "README.md"])
        {
            assert!(Claims::of(&format!("<!-- source: {wrong} -->")).is_err(), "{wrong}");
        }
    }
}
