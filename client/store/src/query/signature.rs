//! The signature of a function: its arguments with their types, its result columns and its comment.

use super::super::error::Error;
use serde::Serialize;
use serde_json::{Map, Value};
use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::Instant;

/// The functions of each name, and when their signatures were read.
pub(crate) type Signatures = Mutex<HashMap<String, (Arc<[Function]>, Instant)>>;

/// A function of the schema `passage`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Function {
    /// The name without the schema.
    pub name: String,
    /// The comment of the function: its first line says what it returns, the others describe the arguments.
    pub description: String,
    /// The arguments in their order.
    pub arguments: Vec<Argument>,
    /// The columns of a result row.
    pub columns: Vec<Column>,
}

/// An argument of a function.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Argument {
    /// The name.
    pub name: String,
    /// The SQL type, such as `uuid[]`.
    pub sql_type: String,
    /// The default as an SQL expression; `None` if the argument is required.
    pub default: Option<String>,
    /// The description of the argument in the comment of the function.
    pub description: Option<String>,
}

/// A column of a result.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Column {
    /// The name.
    pub name: String,
    /// The SQL type.
    pub sql_type: String,
}

impl Function {
    /// Returns whether a call with these arguments is complete and has no unknown ones.
    fn takes(&self, given: &Map<String, Value>) -> bool {
        self.missing(given).is_none() && self.unknown(given).is_none()
    }

    fn missing(&self, given: &Map<String, Value>) -> Option<&str> {
        let is_missing = |argument: &&Argument| {
            argument.default.is_none() && given.get(&argument.name).is_none_or(Value::is_null)
        };
        self.arguments.iter().find(is_missing).map(|argument| argument.name.as_str())
    }

    fn unknown<'a>(&self, given: &'a Map<String, Value>) -> Option<&'a str> {
        let is_known = |name: &str| {
            name != STORE && self.arguments.iter().any(|argument| argument.name == name)
        };
        given.keys().map(String::as_str).find(|name| !is_known(name))
    }

    /// Returns the names of the arguments that a caller may give.
    fn argument_names(&self) -> String {
        let names = self.arguments.iter().map(|argument| argument.name.as_str());
        names.filter(|name| *name != STORE).collect::<Vec<_>>().join(", ")
    }
}

/// The argument that names the store. The connection of a [`Store`] gives it.
pub(super) const STORE: &str = "store";

/// Returns the function, of those with one name, that takes the given arguments.
///
/// # Errors
///
/// Returns [`Error::Argument`] for an unknown or a missing argument.
pub(super) fn resolve<'a>(
    functions: &'a [Function],
    given: &Map<String, Value>,
) -> Result<&'a Function, Error> {
    if let Some(function) = functions.iter().find(|function| function.takes(given)) {
        return Ok(function);
    }
    let Some(first) = functions.first() else {
        return Err(Error::Argument {
            cause: "the extension in the database lacks the function".into(),
            remedy: "Run passage upgrade.".into(),
        });
    };
    let valid: Vec<_> = functions.iter().map(Function::argument_names).collect();
    let remedy = format!("Valid arguments: {}.", valid.join("; or "));
    if given.contains_key(STORE) {
        return Err(Error::Argument {
            cause: "argument \"store\" is not allowed: this server answers for one store".into(),
            remedy: "Leave it out, or start another server with --store.".into(),
        });
    }
    // An argument that no overload knows is the likeliest mistake.
    let unknown = given.keys().find(|name| {
        functions.iter().all(|function| function.arguments.iter().all(|known| known.name != **name))
    });
    let cause = match (unknown, first.missing(given)) {
        (Some(name), _) => {
            format!("unknown argument \"{}\" of {}", name.escape_debug(), first.name)
        }
        (None, Some(name)) => format!("argument \"{name}\" of {} is required", first.name),
        (None, None) => format!("no form of {} takes these arguments together", first.name),
    };
    Err(Error::Argument { cause, remedy })
}

/// Returns the description of an argument in a comment. Its lines have the form `a, b: text; c: text`.
pub(super) fn argument_description(comment: &str, argument: &str) -> Option<String> {
    let parts = comment.lines().skip(1).flat_map(|line| {
        // A semicolon also separates clauses of one text, so only a list of names begins a part.
        let mut parts: Vec<String> = Vec::new();
        for clause in line.split("; ") {
            match parts.last_mut() {
                Some(last) if names(clause).is_none() => {
                    last.push_str("; ");
                    last.push_str(clause);
                }
                _ => parts.push(clause.to_owned()),
            }
        }
        parts
    });
    parts
        .filter_map(|part| names(&part).map(|(names, text)| (names.to_owned(), text.to_owned())))
        .find_map(|(names, text)| names.split(", ").any(|name| name == argument).then_some(text))
}

/// Splits `a, b: text` into the names and the text.
fn names(part: &str) -> Option<(&str, &str)> {
    let (names, text) = part.split_once(": ")?;
    let is_name = |name: &str| {
        !name.is_empty()
            && name.chars().all(|char| char.is_ascii_lowercase() || "_0123456789".contains(char))
    };
    names.split(", ").all(is_name).then_some((names, text))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn function(arguments: &[(&str, &str, Option<&str>)]) -> Function {
        let argument = |(name, sql_type, default): &(&str, &str, Option<&str>)| Argument {
            name: (*name).into(),
            sql_type: (*sql_type).into(),
            default: default.map(Into::into),
            description: None,
        };
        Function {
            name: "f".into(),
            description: String::new(),
            arguments: arguments.iter().map(argument).collect(),
            columns: Vec::new(),
        }
    }

    fn object(value: &Value) -> Map<String, Value> {
        value.as_object().unwrap().clone()
    }

    #[test]
    fn the_comment_of_a_function_describes_each_argument() {
        let comment = "returns rows\nids: of the hits; unknown ids give no rows; scores: one for each\n\
                       after, before: numbers of chunks";
        let description = |name| argument_description(comment, name);
        assert_eq!(description("ids").as_deref(), Some("of the hits; unknown ids give no rows"));
        assert_eq!(description("scores").as_deref(), Some("one for each"));
        assert_eq!(description("before").as_deref(), Some("numbers of chunks"));
        assert_eq!(description("rows"), None);
    }

    #[test]
    fn the_overload_that_takes_the_arguments_is_called() {
        let by_uri = function(&[
            ("uri", "text", None),
            ("version", "text", Some("NULL")),
            ("store", "name", Some("NULL")),
        ]);
        let by_id = function(&[("document_id", "uuid", None), ("store", "name", Some("NULL"))]);
        let both = [by_uri, by_id];
        let resolved = |given: Value| {
            resolve(&both, &object(&given)).map(|function| function.arguments[0].name.clone())
        };
        assert_eq!(resolved(json!({"uri": "a", "version": null})).unwrap(), "uri");
        assert_eq!(resolved(json!({"document_id": "b"})).unwrap(), "document_id");
        let cause = |given: Value| resolved(given).unwrap_err().to_string();
        assert_eq!(cause(json!({"url": "a"})), "unknown argument \"url\" of f");
        assert_eq!(cause(json!({})), "argument \"uri\" of f is required");
        assert_eq!(
            cause(json!({"uri": "a", "document_id": "b"})),
            "no form of f takes these arguments together"
        );
        assert!(cause(json!({"uri": "a", "store": "b"})).contains("not allowed"));
    }
}
