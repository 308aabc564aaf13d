//! The functions of the extension as the catalogs describe them: arguments, result columns and comments.

use super::super::connection::Store;
use super::super::error::Error;
use super::super::unnamed_statement::Parameter;
use super::arguments::Arguments;
use passage_split::contains_nul;
use serde::Serialize;
use serde_json::{Map, Value};
use uuid::Uuid;

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

impl Store {
    /// Reads the descriptions of functions, sorted by name; of overloaded ones, the older comes first.
    ///
    /// # Errors
    ///
    /// Returns [`Error::Database`] if the database does not have the extension.
    pub async fn functions(&self, names: &[&str]) -> Result<Vec<Function>, Error> {
        self.must_exist().await?;
        let sql = "SELECT function.oid, proname::text, coalesce(pg_catalog.obj_description(function.oid, 'pg_proc'), ''), \
                   part.position <= pronargs, coalesce(proargnames[part.position], proname::text), \
                   pg_catalog.format_type(part.type, NULL), CASE WHEN part.position <= pronargs \
                   THEN pg_catalog.pg_get_function_arg_default(function.oid, part.position::integer) END \
                   FROM pg_catalog.pg_proc AS function CROSS JOIN LATERAL pg_catalog.unnest(\
                   coalesce(proallargtypes, proargtypes::oid[] || prorettype)) WITH ORDINALITY AS part(type, position) \
                   WHERE pronamespace = 'passage'::regnamespace AND proname = ANY ($1) ORDER BY proname, function.oid, position";
        let rows = self.query(sql, &[&names]).await?;
        let mut functions: Vec<(u32, Function)> = Vec::new();
        for row in &rows {
            let oid: u32 = row.get(0);
            if functions.last().is_none_or(|(last, _)| *last != oid) {
                functions.push((
                    oid,
                    Function {
                        name: row.get(1),
                        description: row.get(2),
                        arguments: Vec::new(),
                        columns: Vec::new(),
                    },
                ));
            }
            let (_, function) = functions.last_mut().expect("one was just added");
            let (name, sql_type): (String, String) = (row.get(4), row.get(5));
            if row.get(3) {
                let description = argument_description(&function.description, &name);
                function.arguments.push(Argument {
                    name,
                    sql_type,
                    default: row.get(6),
                    description,
                });
            } else {
                function.columns.push(Column { name, sql_type });
            }
        }
        Ok(functions.into_iter().map(|(_, function)| function).collect())
    }
}

/// Returns the description of an argument in a comment. Its lines have the form `a, b: text; c: text`.
fn argument_description(comment: &str, argument: &str) -> Option<String> {
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

    /// Converts given values to parameters. A value of null counts as not given.
    pub(super) fn arguments<'a>(
        &'a self,
        given: &'a Map<String, Value>,
    ) -> Result<Arguments<'a>, Error> {
        let mut arguments = Arguments::default();
        for argument in &self.arguments {
            let Some(value) = given.get(&argument.name).filter(|value| !value.is_null()) else {
                continue;
            };
            let parameter =
                parameter(&argument.sql_type, value).ok_or_else(|| Error::Argument {
                    cause: format!(
                        "argument \"{}\" must be {}",
                        argument.name,
                        expected(&argument.sql_type)
                    ),
                    remedy: argument.description.as_ref().map_or_else(
                        || "Correct the value, or leave the argument out.".into(),
                        |description| format!("Correct the value: {description}."),
                    ),
                })?;
            if contains_nul(value) {
                return Err(Error::Argument {
                    cause: format!("argument \"{}\" contains a NUL character", argument.name),
                    remedy: "Remove the NUL character: PostgreSQL does not accept it in text."
                        .into(),
                });
            }
            arguments.boxed(&argument.name, parameter);
        }
        Ok(arguments)
    }
}

/// The argument that names the store. The connection of a [`Store`] gives it.
const STORE: &str = "store";

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
            remedy: "Run ALTER EXTENSION pg_passage UPDATE; in the database.".into(),
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

/// Converts a JSON value to a parameter; `None` if it has another type.
fn parameter<'a>(sql_type: &str, value: &'a Value) -> Option<Box<dyn Parameter + Send + 'a>> {
    Some(match sql_type {
        "text" | "name" => Box::new(value.as_str()?),
        "integer" => Box::new(integer(value)?),
        "double precision" => Box::new(value.as_f64()?),
        "boolean" => Box::new(value.as_bool()?),
        "uuid" => Box::new(uuid(value)?),
        "uuid[]" => Box::new(array(value, uuid)?),
        "text[]" => Box::new(array(value, Value::as_str)?),
        "real[]" => Box::new(array(value, |number| Some(number.as_f64()? as f32))?),
        "double precision[]" => Box::new(array(value, |number| {
            if number.is_null() { Some(None) } else { number.as_f64().map(Some) }
        })?),
        // A string is also a JSON value, but an object in a string is nearly always a mistake of quoting.
        "jsonb" => Box::new((value.is_object() || value.is_array()).then_some(value)?),
        _ => return None,
    })
}

fn array<'a, T>(value: &'a Value, element: impl Fn(&'a Value) -> Option<T>) -> Option<Vec<T>> {
    value.as_array()?.iter().map(element).collect()
}

fn uuid(value: &Value) -> Option<Uuid> {
    value.as_str()?.parse().ok()
}

/// Returns an integer, also if it is written as 5.0.
fn integer(value: &Value) -> Option<i32> {
    let number = value.as_i64().or_else(|| {
        value
            .as_f64()
            .filter(|number| number.fract() == 0.0 && number.abs() < 1e15)
            .map(|number| number as i64)
    })?;
    i32::try_from(number).ok()
}

/// Returns a description of the values of a type.
fn expected(sql_type: &str) -> &str {
    match sql_type {
        "text" | "name" => "a string",
        "integer" => "an integer from -2147483648 to 2147483647",
        "double precision" => "a number",
        "boolean" => "true or false",
        "uuid" => "a uuid in a string",
        "uuid[]" => "an array of uuids in strings",
        "text[]" => "an array of strings",
        "real[]" => "an array of numbers",
        "double precision[]" => "an array of numbers or null",
        "jsonb" => "an object or an array",
        other => other,
    }
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

    #[test]
    fn a_value_of_another_type_is_an_error_that_names_the_argument() {
        for (sql_type, good, bad) in [
            ("text", json!("a"), json!(1)),
            ("integer", json!(5.0), json!(2_147_483_648_i64)),
            ("double precision", json!(0.5), json!("0.5")),
            ("boolean", json!(true), json!("true")),
            ("uuid", json!(Uuid::nil()), json!("x")),
            ("uuid[]", json!([Uuid::nil()]), json!([1])),
            ("text[]", json!(["a"]), json!("a")),
            ("real[]", json!([1, 0.5]), json!(["1"])),
            ("double precision[]", json!([1, null]), json!([true])),
            ("jsonb", json!({"a": 1}), json!("{}")),
        ] {
            let function = function(&[("x", sql_type, None)]);
            assert!(function.arguments(&object(&json!({ "x": good }))).is_ok(), "{sql_type}");
            let error = function.arguments(&object(&json!({ "x": bad }))).err().unwrap();
            assert!(error.to_string().starts_with("argument \"x\" must be "), "{error}");
        }
        let nul = object(&json!({"x": "a\0b"}));
        let error = function(&[("x", "text", None)]).arguments(&nul).err().unwrap();
        assert_eq!(error.to_string(), "argument \"x\" contains a NUL character");
    }
}
