//! The texts of findings in the sources, as patterns.

use super::case::Seen;
use std::fs;

/// A file with findings.
#[derive(Clone, Copy)]
pub enum Source {
    /// A file of `sql/`, without `.sql`.
    Sql(&'static str),
    /// A file of the client, below `client/store/src/admin/`.
    Rust(&'static str),
}

/// Parts of conditions and queries. A literal that contains one of them is not the text of a finding.
const QUERIES: [&str; 26] = [
    "SAVEPOINT",
    "SELECT object, problem",
    "string_agg(",
    "EXPLAIN ",
    "Relation Name",
    "Node Type",
    "Seq Scan",
    "Index Cond",
    " (NOT NULL|PRIMARY KEY)",
    " NOT NULL DEFAULT ",
    " USING .*",
    " DEFAULT (.*)$",
    " CHECK .*$",
    "{\"distributed\"",
    "(^|, )",
    "^CREATE",
    "^(GRANT",
    "CREATE OR REPLACE VIEW",
    " AND ",
    "place IS NULL",
    "= adopted.",
    "SELECT coalesce",
    "SELECT current_setting(",
    "BEGIN READ ONLY",
    " FROM (",
    "ROLLBACK",
];

/// The texts of findings.
pub struct Coverage(Vec<String>);

impl Coverage {
    pub fn of(sources: impl IntoIterator<Item = Source>) -> Self {
        let is_text = |literal: &String| {
            let is_pattern = literal.starts_with("% ") || literal.ends_with('%');
            let is_query = QUERIES.iter().any(|query| literal.contains(query));
            literal.trim().contains(' ') && !is_pattern && !is_query
        };
        Self(sources.into_iter().flat_map(literals).filter(is_text).collect())
    }

    /// Checks that each text is a part of a problem, or of a remedy that was carried out.
    pub fn assert_seen(&self, seen: &Seen, without_case: &[&str]) {
        let seen: Vec<&str> =
            seen.problems.iter().chain(&seen.remedies).map(|text| &**text).collect();
        let missing = self.missing(&seen, |text| !without_case.contains(&text));
        assert!(missing.is_empty(), "no case has these texts of findings: {missing:#?}");
        let stale: Vec<_> =
            without_case.iter().filter(|text| !self.0.iter().any(|it| it == *text)).collect();
        assert!(stale.is_empty(), "no finding has these texts: {stale:?}");
    }

    /// Checks that each problem, which begins with a small letter or a name, was seen.
    pub fn assert_problems_seen(&self, seen: &Seen) {
        let seen: Vec<&str> = seen.problems.iter().map(|text| &**text).collect();
        let missing =
            self.missing(&seen, |text| text.starts_with(|first: char| first.is_lowercase()));
        assert!(missing.is_empty(), "no case has these texts of findings: {missing:#?}");
    }

    fn missing(&self, seen: &[&str], counts: impl Fn(&str) -> bool) -> Vec<&str> {
        assert!(!self.0.is_empty());
        let is_seen = |text: &str| seen.iter().any(|seen| contains(seen, text));
        self.0.iter().map(|text| &**text).filter(|text| counts(text) && !is_seen(text)).collect()
    }
}

/// Returns whether a text contains a pattern, whose placeholders stand for any text.
fn contains(text: &str, pattern: &str) -> bool {
    let mut rest = text;
    placeholders(pattern).into_iter().all(|part| match rest.find(&part) {
        Some(at) => {
            rest = &rest[at + part.len()..];
            true
        }
        None => false,
    })
}

/// Divides a pattern at its placeholders: `%s`, `%%s`, `%1$I` of SQL, and `{}`, `{name}` of Rust.
fn placeholders(pattern: &str) -> Vec<String> {
    let mut parts = vec![String::new()];
    let mut letters = pattern.chars().peekable();
    while let Some(letter) = letters.next() {
        match letter {
            '%' => {
                let mut skipped = String::from(letter);
                while let Some(next) =
                    letters.next_if(|next| next.is_ascii_digit() || ['%', '$'].contains(next))
                {
                    skipped.push(next);
                }
                if letters.next_if(|next| ['s', 'I', 'L'].contains(next)).is_some() {
                    parts.push(String::new());
                } else {
                    parts.last_mut().expect("there is one").push_str(&skipped);
                }
            }
            '{' => {
                while letters.next().is_some_and(|next| next != '}') {}
                parts.push(String::new());
            }
            letter => parts.last_mut().expect("there is one").push(letter),
        }
    }
    parts
}

/// Returns the literals of a file.
fn literals(source: Source) -> Vec<String> {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/..");
    match source {
        Source::Sql(name) => {
            let text = fs::read_to_string(format!("{root}/sql/{name}.sql")).unwrap();
            let code = text.lines().filter(|line| !line.trim_start().starts_with("--"));
            let code = code.collect::<Vec<_>>().join("\n");
            quoted(&without_comments(&code), '\'')
        }
        Source::Rust(name) => {
            let text =
                fs::read_to_string(format!("{root}/client/store/src/admin/{name}.rs")).unwrap();
            let code = text.split("#[cfg(test)]").next().expect("a text has a first part");
            let code = code.lines().filter(|line| !line.trim_start().starts_with("//"));
            quoted(&code.collect::<Vec<_>>().join("\n"), '"')
        }
    }
}

/// Removes the statements COMMENT ON, which describe functions.
fn without_comments(code: &str) -> String {
    let mut parts = code.split("COMMENT ON FUNCTION ");
    let mut kept = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        kept.push_str(part.split_once("';").map_or("", |(_, rest)| rest));
    }
    kept
}

/// Returns what is between quotes. A doubled quote or one after a backslash is a part of it.
fn quoted(code: &str, quote: char) -> Vec<String> {
    let mut literals = Vec::new();
    let mut letters = code.chars().peekable();
    while let Some(letter) = letters.next() {
        if letter != quote {
            continue;
        }
        let mut literal = String::new();
        while let Some(letter) = letters.next() {
            match letter {
                letter if letter == quote => {
                    if quote == '\'' && letters.next_if_eq(&quote).is_some() {
                        literal.push(quote);
                    } else {
                        break;
                    }
                }
                '\\' if quote == '"' => match letters.next() {
                    Some('\n') => while letters.next_if(|next| next.is_whitespace()).is_some() {},
                    Some(escaped) => literal.push(escaped),
                    None => break,
                },
                letter => literal.push(letter),
            }
        }
        literals.push(literal);
    }
    literals
}
