//! The arguments of a call: JSON values, converted to the types of the function's signature.

use super::super::error::Error;
use super::super::unnamed_statement::Parameter;
use super::signature::{Argument, Function, STORE};
use passage_split::contains_nul;
use serde_json::{Map, Value};
use uuid::Uuid;

/// The given arguments with their values, in the order of their parameters.
pub(super) struct Arguments<'a> {
    given: Vec<(&'a str, Box<dyn Parameter + Send + 'a>)>,
}

impl<'a> Arguments<'a> {
    /// Converts given values to parameters, and adds the embedding and the name of the store. A value of null counts as
    /// not given.
    ///
    /// # Errors
    ///
    /// Returns [`Error::Argument`] for a value of another type, and [`Error::Nul`] for one with a NUL character.
    pub(super) fn new(
        function: &'a Function,
        given: &'a Map<String, Value>,
        embedding: Option<&'a [f32]>,
        store: &'a str,
    ) -> Result<Self, Error> {
        let mut arguments = Self { given: Vec::new() };
        for argument in &function.arguments {
            if argument.name == STORE {
                if store.contains('\0') {
                    return Err(Error::Nul(STORE.into()));
                }
                arguments.given.push((STORE, Box::new(store)));
            } else if let Some(value) = given.get(&argument.name).filter(|value| !value.is_null()) {
                let parameter = parameter(&argument.sql_type, value);
                let parameter = parameter.ok_or_else(|| another_type(argument))?;
                if let Some(name) = nul(&argument.name, value) {
                    return Err(Error::Nul(name.into()));
                }
                arguments.given.push((&argument.name, parameter));
            }
        }
        if let Some(embedding) = embedding {
            arguments.given.push(("embedding", Box::new(embedding)));
        }
        Ok(arguments)
    }

    /// Returns the SQL text of the call.
    pub(super) fn call(&self, function: &str) -> String {
        let argument = |(position, (name, _)): (usize, &(&str, _))| {
            // A parameter of type name would reject a long text, instead of finding no such store.
            let cast = if *name == STORE { "::text::name" } else { "" };
            format!("{name} => ${}{cast}", position + 1)
        };
        let arguments: Vec<_> = self.given.iter().enumerate().map(argument).collect();
        format!("passage.{function}({})", arguments.join(", "))
    }

    /// Returns the values of the parameters.
    pub(super) fn values(&self) -> Vec<&dyn Parameter> {
        self.given.iter().map(|(_, value)| &**value as &dyn Parameter).collect()
    }
}

/// Merges objects to the arguments of a call, without values of null. Those of a group are left out too, and so is a
/// group without any.
pub(super) fn given<const N: usize>(objects: [Value; N]) -> Map<String, Value> {
    let mut arguments = Map::new();
    for object in objects {
        let Value::Object(object) = object else { unreachable!("arguments are an object") };
        for (name, mut value) in object {
            if let Some(group) = value.as_object_mut() {
                group.retain(|_, value| !value.is_null());
            }
            if !value.is_null() && value != Value::Object(Map::new()) {
                arguments.insert(name, value);
            }
        }
    }
    arguments
}

/// Returns a number as an integer. One that does not fit becomes the largest integer, which the function rejects as out
/// of range.
pub(super) fn number(value: Option<u32>) -> Option<i32> {
    value.map(|number| i32::try_from(number).unwrap_or(i32::MAX))
}

fn another_type(argument: &Argument) -> Error {
    let Argument { name, sql_type, description, .. } = argument;
    Error::Argument {
        cause: format!("argument \"{name}\" must be {}", expected(sql_type)),
        remedy: description.as_ref().map_or_else(
            || "Correct the value, or leave the argument out.".into(),
            |description| format!("Correct the value: {description}."),
        ),
    }
}

/// Returns the name of the argument, or its key in a group, if the value contains a NUL character.
fn nul<'a>(name: &'a str, value: &'a Value) -> Option<&'a str> {
    let mut entries = value.as_object().into_iter().flatten();
    let key = entries.find(|(key, value)| !key.contains('\0') && contains_nul(value));
    contains_nul(value).then(|| key.map_or(name, |(key, _)| key))
}

/// Converts a JSON value to a parameter; `None` if it has another type.
fn parameter<'a>(sql_type: &str, value: &'a Value) -> Option<Box<dyn Parameter + Send + 'a>> {
    Some(match sql_type {
        "text" | "name" => Box::new(value.as_str()?),
        "integer" => Box::new(integer(value)?),
        "double precision" => Box::new(value.as_f64()?),
        "real" => Box::new(value.as_f64()? as f32),
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
        "double precision" | "real" => "a number",
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

    fn function(arguments: &[(&str, &str)]) -> Function {
        let argument = |(name, sql_type): &(&str, &str)| Argument {
            name: (*name).into(),
            sql_type: (*sql_type).into(),
            default: None,
            description: None,
        };
        Function {
            name: "f".into(),
            description: String::new(),
            arguments: arguments.iter().map(argument).collect(),
            columns: Vec::new(),
        }
    }

    #[test]
    fn a_call_contains_only_the_given_arguments() {
        let function =
            function(&[("uri", "text"), ("limits", "jsonb"), ("n", "integer"), ("store", "name")]);
        let values = given([
            json!({"uri": "a.md", "title": null, "limits": {"parents": null}}),
            json!({"n": number(Some(u32::MAX))}),
        ]);
        let arguments = Arguments::new(&function, &values, Some(&[0.5]), "rag").unwrap();
        assert_eq!(
            arguments.call("f"),
            "passage.f(uri => $1, n => $2, store => $3::text::name, embedding => $4)"
        );
        assert_eq!(format!("{:?}", arguments.values()[1]), i32::MAX.to_string());
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
            let function = function(&[("x", sql_type)]);
            let error = |value| {
                Arguments::new(&function, &given([json!({ "x": value })]), None, "rag").err()
            };
            assert!(error(good).is_none(), "{sql_type}");
            let error = error(bad).unwrap();
            assert!(error.to_string().starts_with("argument \"x\" must be "), "{error}");
        }
    }

    #[test]
    fn a_nul_character_is_rejected_with_the_name_of_the_argument_or_key() {
        let function = function(&[("query", "text"), ("filter", "jsonb"), ("store", "name")]);
        for (name, values, store) in [
            ("query", json!({"query": "a\0b"}), "rag"),
            ("kind", json!({"filter": {"version": "1", "kind": "\0"}}), "rag"),
            ("metadata", json!({"filter": {"metadata": {"a": ["\0"]}}}), "rag"),
            ("metadata", json!({"filter": {"metadata": {"a": {"\0": 1}}}}), "rag"),
            ("filter", json!({"filter": {"\0": 1}}), "rag"),
            ("store", json!({}), "r\0g"),
        ] {
            let error = Arguments::new(&function, &given([values]), None, store).err().expect(name);
            assert_eq!(error.to_string(), format!("\"{name}\" contains a NUL character"));
            assert!(error.remedy().starts_with("Remove the NUL"));
        }
    }
}
