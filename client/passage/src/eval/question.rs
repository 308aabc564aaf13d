//! The questions of an evaluation, and what answers them.

use crate::Error;
use passage_core::misspelling::nearest;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// A question, and what a search must return for it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Question {
    /// A name for reports.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The question, in words.
    pub query: String,
    /// The wanted items, all of which are wanted; at least one.
    pub wanted: Vec<Wanted>,
    /// Conditions on the chunks to search, as in `passage.filter`.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub filter: Map<String, Value>,
}

/// A part of a document that answers a question. Its fields narrow each other: a text and a section mean this text in this
/// section. It has a uri or a text.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Wanted {
    /// The uri of the document.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub uri: Option<String>,
    /// The collection of the document.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub collection: Option<String>,
    /// The version of the collection.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// The titles of the section, from the root; sections below it belong to it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub section: Option<Vec<String>>,
    /// The first and the last line.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lines: Option<[u32; 2]>,
    /// The text, whose white space may differ from that of the document.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
}

const QUESTION_KEYS: [&str; 4] = ["query", "wanted", "filter", "name"];
const WANTED_KEYS: [&str; 6] = ["uri", "collection", "version", "section", "lines", "text"];

/// The remedy for a line that is not a question.
const FORM: &str = "A line is an object such as {\"query\": \"How do I rotate logs?\", \"wanted\": [{\"uri\": \"docs/logging.md\", \
     \"lines\": [10, 20]}]}.";

impl Question {
    /// Reads questions from JSON lines. `name` names the file in errors. Empty lines are left out.
    ///
    /// # Errors
    ///
    /// Returns [`Error::Usage`] with the number of the first line that is not a question, or if there is no question.
    ///
    /// # Examples
    ///
    /// ```
    /// use passage::eval::Question;
    ///
    /// let lines = r#"{"query": "How do I rotate logs?", "wanted": [{"uri": "docs/logging.md", "lines": [10, 20]}]}"#;
    /// assert_eq!(Question::read_lines("questions.jsonl", lines)?.len(), 1);
    ///
    /// let error = Question::read_lines("questions.jsonl", r#"{"qeury": "How?"}"#).unwrap_err();
    /// assert_eq!(error.to_string(), "questions.jsonl:1: unknown key \"qeury\"");
    /// assert!(error.remedy().starts_with("Perhaps you mean \"query\"."));
    /// # Ok::<_, passage::Error>(())
    /// ```
    pub fn read_lines(name: &str, lines: &str) -> Result<Vec<Self>, Error> {
        let lines = lines.strip_prefix('\u{feff}').unwrap_or(lines);
        let mut questions = Vec::new();
        for (number, line) in (1..).zip(lines.lines()).filter(|(_, line)| !line.trim().is_empty()) {
            let question = Self::parse(line);
            questions.push(question.map_err(|Fault { cause, remedy }| {
                Error::usage(&format!("{name}:{number}: {cause}"), &remedy)
            })?);
        }
        if questions.is_empty() {
            return Err(Error::usage(&format!("{name} has no questions"), FORM));
        }
        Ok(questions)
    }

    fn parse(line: &str) -> Result<Self, Fault> {
        let value: Value = serde_json::from_str(line).map_err(|error| {
            // The parser's own message may quote the line.
            Fault::new(format!("invalid JSON at column {}", error.column()), FORM)
        })?;
        let mut fields = Fields::new(value, "a question", &QUESTION_KEYS)?;
        let query = fields.text("query")?.filter(|query| !query.trim().is_empty());
        let query = query.ok_or_else(|| Fault::new("\"query\" is missing or empty", FORM))?;
        let items = match fields.take("wanted") {
            Some(Value::Array(items)) if !items.is_empty() => items,
            Some(item @ Value::Object(_)) => vec![item],
            _ => {
                return Err(Fault::new(
                    "\"wanted\" must be an array with at least one object",
                    FORM,
                ));
            }
        };
        let filter = match fields.take("filter") {
            None => Map::new(),
            Some(Value::Object(filter)) => filter,
            Some(_) => {
                let remedy = "Its keys are those of passage.filter, as in {\"kind\": \"code\"}.";
                return Err(Fault::new("\"filter\" must be an object", remedy));
            }
        };
        let wanted = items.into_iter().map(Wanted::parse).collect::<Result<_, _>>()?;
        Ok(Self { name: fields.text("name")?, query, wanted, filter })
    }
}

impl Wanted {
    fn parse(value: Value) -> Result<Self, Fault> {
        let mut fields = Fields::new(value, "an item of \"wanted\"", &WANTED_KEYS)?;
        let wanted = Self {
            uri: fields.text("uri")?,
            collection: fields.text("collection")?,
            version: fields.text("version")?,
            section: fields.typed(
                "section",
                "an array with at least one title",
                |titles: &Vec<String>| !titles.is_empty(),
            )?,
            lines: fields.typed(
                "lines",
                "a first and a last line, such as [10, 20]",
                |[first, last]: &[u32; 2]| (1..=*last).contains(first),
            )?,
            text: fields.text("text")?,
        };
        let is_blank =
            |text: &Option<String>| text.as_ref().is_some_and(|text| text.trim().is_empty());
        if is_blank(&wanted.text) || is_blank(&wanted.uri) {
            return Err(Fault::new("\"uri\" and \"text\" must not be empty", FORM));
        }
        if wanted.uri.is_none() && wanted.text.is_none() {
            let cause = "an item of \"wanted\" must have a \"uri\" or a \"text\"";
            return Err(Fault::new(cause, &valid(&WANTED_KEYS)));
        }
        Ok(wanted)
    }
}

/// An error in a line.
struct Fault {
    cause: String,
    remedy: String,
}

impl Fault {
    fn new(cause: impl Into<String>, remedy: &str) -> Self {
        Self { cause: cause.into(), remedy: remedy.into() }
    }
}

/// The fields of an object.
struct Fields(Map<String, Value>);

impl Fields {
    /// Checks that a value is an object with these keys.
    fn new(value: Value, what: &str, keys: &[&str]) -> Result<Self, Fault> {
        let Value::Object(map) = value else {
            return Err(Fault::new(format!("{what} must be an object"), FORM));
        };
        if let Some(unknown) = map.keys().find(|key| !keys.contains(&key.as_str())) {
            let meant = nearest(unknown, keys.iter().copied());
            let meant =
                meant.map(|key| format!("Perhaps you mean \"{key}\". ")).unwrap_or_default();
            // A long key may be content of a document, so only its beginning is shown.
            let shown: String =
                unknown.chars().take(40).filter(|char| !char.is_control()).collect();
            return Err(Fault::new(format!("unknown key \"{shown}\""), &(meant + &valid(keys))));
        }
        Ok(Self(map))
    }

    /// Takes a field out. A null value counts as missing.
    fn take(&mut self, key: &str) -> Option<Value> {
        self.0.remove(key).filter(|value| !value.is_null())
    }

    fn text(&mut self, key: &str) -> Result<Option<String>, Fault> {
        self.typed(key, "a string without a NUL", |text: &String| !text.contains('\0'))
    }

    fn typed<T: serde::de::DeserializeOwned>(
        &mut self,
        key: &str,
        expected: &str,
        is_valid: impl Fn(&T) -> bool,
    ) -> Result<Option<T>, Fault> {
        let Some(value) = self.take(key) else { return Ok(None) };
        match serde_json::from_value(value).ok().filter(is_valid) {
            Some(value) => Ok(Some(value)),
            None => Err(Fault::new(format!("\"{key}\" must be {expected}"), FORM)),
        }
    }
}

fn valid(keys: &[&str]) -> String {
    format!("Valid keys are {}.", keys.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_line_may_have_every_key() {
        let line = r#"{"name": "rotate", "query": "How?", "filter": {"kind": "code"}, "wanted": [
            {"uri": "a.md", "collection": "c", "version": "1", "section": ["A", "B"], "lines": [3, 3], "text": "x"}, {"text": "y"}]}"#
            .replace('\n', " ");
        let lines = format!(
            "\u{feff}\n{line}\r\n\n{{\"query\": \"Why?\", \"wanted\": {{\"uri\": \"b.md\"}}}}"
        );
        let questions = Question::read_lines("q", &lines).unwrap();
        assert_eq!(questions.len(), 2);
        assert_eq!(questions[0].wanted[0].section, Some(vec!["A".into(), "B".into()]));
        assert_eq!(questions[0].wanted[0].lines, Some([3, 3]));
        assert_eq!(questions[1].wanted[0].uri.as_deref(), Some("b.md"));
        // A written question is read back.
        let written: Vec<_> =
            questions.iter().map(|one| serde_json::to_string(one).unwrap()).collect();
        assert_eq!(Question::read_lines("q", &written.join("\n")).unwrap(), questions);
    }

    #[test]
    fn a_wrong_line_names_its_number_and_what_is_valid() {
        for (line, cause, remedy) in [
            (r#"{"query": "a""#, "invalid JSON at column", "A line is an object"),
            ("[]", "a question must be an object", "A line is an object"),
            (r#"{"query": " ", "wanted": []}"#, "\"query\" is missing or empty", "A line"),
            (r#"{"query": "a"}"#, "\"wanted\" must be an array", "A line is an object"),
            (r#"{"query": "a", "wanted": []}"#, "\"wanted\" must be an array", "A line"),
            (
                r#"{"query": "a", "wnted": []}"#,
                "unknown key \"wnted\"",
                "Perhaps you mean \"wanted\". Valid keys are query,",
            ),
            (
                r#"{"query": "a", "wanted": [{"url": "x"}]}"#,
                "unknown key \"url\"",
                "Perhaps you mean \"uri\". Valid keys are uri,",
            ),
            (
                r#"{"query": "a", "wanted": [{"section": ["A"]}]}"#,
                "must have a \"uri\" or a \"text\"",
                "Valid keys",
            ),
            (
                r#"{"query": "a", "wanted": [{"uri": "x", "section": []}]}"#,
                "\"section\" must be an array",
                "A line",
            ),
            (
                r#"{"query": "a", "wanted": [{"uri": "x", "lines": [4, 3]}]}"#,
                "\"lines\" must be a first",
                "A line",
            ),
            (
                r#"{"query": "a", "wanted": [{"uri": "x", "lines": [0, 3]}]}"#,
                "\"lines\" must be a first",
                "A line",
            ),
            (
                r#"{"query": "a", "wanted": [{"uri": "x", "lines": [3]}]}"#,
                "\"lines\" must be a first",
                "A line",
            ),
            (r#"{"query": "a", "wanted": [{"text": " "}]}"#, "must not be empty", "A line"),
            (
                r#"{"query": "a\u0000", "wanted": [{"text": "b"}]}"#,
                "\"query\" must be a string without",
                "A line",
            ),
            (
                r#"{"query": "a", "wanted": [{"text": "b"}], "filter": "code"}"#,
                "\"filter\" must be an object",
                "passage.filter",
            ),
        ] {
            let lines =
                format!("{{\"query\": \"a\", \"wanted\": [{{\"uri\": \"a.md\"}}]}}\n{line}");
            let error = Question::read_lines("q.jsonl", &lines).unwrap_err();
            assert!(error.to_string().starts_with("q.jsonl:2: "), "{error}");
            assert!(error.to_string().contains(cause), "{line}: {error}");
            assert!(
                error.remedy().starts_with(remedy) || error.remedy().contains(remedy),
                "{}",
                error.remedy()
            );
        }
        assert!(
            Question::read_lines("q.jsonl", "\n").unwrap_err().to_string().contains("no questions")
        );
    }

    proptest! {
        #[test]
        fn any_text_is_read_or_refused(text in "\\PC{0,80}") {
            drop(Question::read_lines("q", &text));
        }
    }
}
