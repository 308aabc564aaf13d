/*!
Groups of arguments in one JSON object, such as the limits of a call.

A group has a fixed list of keys, and any other key is an error: a misspelt limit must not be ignored. A NULL counts
as a key that is not given.
*/

use crate::Error;
use crate::metadata_filter::MAX_VALUES;
use serde_json::{Map, Value};

/// A JSON object of arguments, with the names of all valid keys.
pub struct JsonGroup<'v> {
    argument: &'static str,
    values: &'v Map<String, Value>,
}

impl<'v> JsonGroup<'v> {
    /// Reads an object. `argument` is its name in errors.
    ///
    /// ```
    /// use passage_core::JsonGroup;
    /// use serde_json::json;
    ///
    /// let limits = json!({ "parents": 2, "windows": null });
    /// let group = JsonGroup::new("limits", &["parents", "windows"], &limits)?;
    /// assert_eq!(group.integer("parents"), Ok(Some(2)));
    /// assert_eq!(group.value("windows"), None);
    /// # Ok::<(), passage_core::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Returns [`Error::NotAnObject`] for another value, and [`Error::UnknownKey`] for a key that is not valid.
    pub fn new(
        argument: &'static str,
        keys: &'static [&'static str],
        value: &'v Value,
    ) -> Result<Self, Error> {
        let values = value.as_object().ok_or(Error::NotAnObject { argument })?;
        let unknown = values.keys().find(|key| !keys.contains(&key.as_str()));
        match unknown {
            Some(key) => Err(Error::UnknownKey { argument, key: key.clone(), keys }),
            None => Ok(Self { argument, values }),
        }
    }

    /// Returns any value.
    pub fn value(&self, key: &'static str) -> Option<&'v Value> {
        self.values.get(key).filter(|value| !value.is_null())
    }

    /// Returns an integer.
    ///
    /// # Errors
    ///
    /// Returns [`Error::KeyType`] for any other value. An integer that SQL's `integer` cannot hold becomes the
    /// nearest that it can, which is out of the range of all limits.
    pub fn integer(&self, key: &'static str) -> Result<Option<i32>, Error> {
        let integer = |value: &Value| {
            // 4 and 4.0 are the same JSON number.
            let whole = value.as_f64().filter(|number| number.fract() == 0.0);
            whole.map(|number| number as i32)
        };
        self.read(key, "an integer", integer)
    }

    /// Returns a number.
    ///
    /// # Errors
    ///
    /// Returns [`Error::KeyType`] for any other value.
    pub fn number(&self, key: &'static str) -> Result<Option<f64>, Error> {
        self.read(key, "a number", Value::as_f64)
    }

    /// Returns a text.
    ///
    /// # Errors
    ///
    /// Returns [`Error::KeyType`] for any other value.
    pub fn text(&self, key: &'static str) -> Result<Option<String>, Error> {
        self.read(key, "a string", |value| value.as_str().map(str::to_owned))
    }

    /// Returns a list of texts. A text alone is a list of one.
    ///
    /// # Errors
    ///
    /// Returns [`Error::KeyType`] for any other value, and [`Error::TooManyValues`] for more than [`MAX_VALUES`].
    pub fn texts(&self, key: &'static str) -> Result<Option<Vec<String>>, Error> {
        let text = |value: &Value| value.as_str().map(str::to_owned);
        let texts = self.read(key, "a string or a list of strings", |value| match value {
            Value::Array(values) => values.iter().map(text).collect(),
            value => text(value).map(|text| vec![text]),
        })?;
        match texts.as_ref().map(Vec::len).filter(|count| *count > MAX_VALUES) {
            Some(count) => {
                let argument = self.argument;
                Err(Error::TooManyValues { argument, key, count, max: MAX_VALUES })
            }
            None => Ok(texts),
        }
    }

    /// Returns a truth value.
    ///
    /// # Errors
    ///
    /// Returns [`Error::KeyType`] for any other value.
    pub fn boolean(&self, key: &'static str) -> Result<Option<bool>, Error> {
        self.read(key, "true or false", Value::as_bool)
    }

    fn read<T>(
        &self,
        key: &'static str,
        expected: &'static str,
        convert: impl FnOnce(&Value) -> Option<T>,
    ) -> Result<Option<T>, Error> {
        let wrong_type = || Error::KeyType { argument: self.argument, key, expected };
        self.value(key).map(|value| convert(value).ok_or_else(wrong_type)).transpose()
    }
}

/// Returns the value of an argument that a call gives alone or in a group.
///
/// # Errors
///
/// Returns [`Error::GivenTwice`] if the call gives both.
pub fn one_of<T>(
    (group, key): (&'static str, &'static str),
    alone: Option<T>,
    in_group: Option<T>,
) -> Result<Option<T>, Error> {
    match (alone, in_group) {
        (Some(_), Some(_)) => Err(Error::GivenTwice { key, group }),
        (alone, in_group) => Ok(alone.or(in_group)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    const KEYS: &[&str] = &["count", "share", "name", "all"];

    #[test]
    fn values_have_the_types_of_their_keys() {
        let value = json!({ "count": 4.0, "share": 1, "name": "x", "all": true });
        let group = JsonGroup::new("limits", KEYS, &value).unwrap();
        assert_eq!(group.integer("count"), Ok(Some(4)));
        assert_eq!(group.number("share"), Ok(Some(1.0)));
        assert_eq!(group.text("name"), Ok(Some("x".to_owned())));
        assert_eq!(group.boolean("all"), Ok(Some(true)));
        let wrong = |key, expected| Error::KeyType { argument: "limits", key, expected };
        let value = json!({ "count": 1.5, "share": "1", "name": 1, "all": "yes" });
        let group = JsonGroup::new("limits", KEYS, &value).unwrap();
        assert_eq!(group.integer("count"), Err(wrong("count", "an integer")));
        assert_eq!(group.number("share"), Err(wrong("share", "a number")));
        assert_eq!(group.text("name"), Err(wrong("name", "a string")));
        assert_eq!(group.boolean("all"), Err(wrong("all", "true or false")));
        let value = json!({ "count": 1e300 });
        let group = JsonGroup::new("limits", KEYS, &value).unwrap();
        assert_eq!(group.integer("count"), Ok(Some(i32::MAX)));
    }

    #[test]
    fn a_text_is_a_list_of_one() {
        let value = json!({ "name": ["x", "y"], "count": "z", "all": [], "share": ["x", 1] });
        let group = JsonGroup::new("limits", KEYS, &value).unwrap();
        assert_eq!(group.texts("name"), Ok(Some(vec!["x".to_owned(), "y".to_owned()])));
        assert_eq!(group.texts("count"), Ok(Some(vec!["z".to_owned()])));
        assert_eq!(group.texts("all"), Ok(Some(Vec::new())));
        let expected = "a string or a list of strings";
        let wrong = Error::KeyType { argument: "limits", key: "share", expected };
        assert_eq!(group.texts("share"), Err(wrong));
        let value = json!({ "name": vec!["x"; 1_001] });
        let group = JsonGroup::new("limits", KEYS, &value).unwrap();
        let many =
            Error::TooManyValues { argument: "limits", key: "name", count: 1_001, max: 1_000 };
        assert_eq!(group.texts("name"), Err(many));
    }

    #[test]
    fn unknown_keys_and_other_values_than_objects_are_errors() {
        let error = |value| JsonGroup::new("limits", KEYS, &value).err().unwrap();
        let unknown = Error::UnknownKey { argument: "limits", key: "cuont".into(), keys: KEYS };
        assert_eq!(error(json!({ "cuont": 1 })), unknown);
        for value in [json!([1]), json!(null), json!("{}"), json!(3)] {
            assert_eq!(error(value), Error::NotAnObject { argument: "limits" });
        }
    }

    #[test]
    fn an_argument_is_given_once() {
        assert_eq!(one_of(("limits", "count"), Some(1), None), Ok(Some(1)));
        assert_eq!(one_of(("limits", "count"), None, Some(1)), Ok(Some(1)));
        let twice = Error::GivenTwice { key: "count", group: "limits" };
        assert_eq!(one_of(("limits", "count"), Some(1), Some(1)), Err(twice));
    }
}
