/*!
Reads a group of arguments from its JSON object.

Any key that the group does not have is an error: a misspelt limit must not be ignored. A NULL counts as a key that is not
given.

Its twin in SQL is `sql/edition/arguments.sql`.
*/

use super::group::{ArgumentGroup, ArgumentType, MAX_OFFSET, MAX_OFFSETS};
use crate::Error;
use crate::metadata_filter::MAX_VALUES;
use crate::strategy::{check_limit, check_range};
use serde_json::{Map, Value};

/// The JSON object of a group.
pub struct JsonGroup<'v> {
    group: &'static ArgumentGroup,
    values: &'v Map<String, Value>,
}

impl<'v> JsonGroup<'v> {
    /// Reads an object. `unused` are the keys that the function does not use, which are errors too.
    ///
    /// ```
    /// use passage_core::arguments::{JsonGroup, LIMITS};
    /// use serde_json::json;
    ///
    /// let limits = json!({ "parents": 2, "windows": null });
    /// let group = JsonGroup::new(&LIMITS, &[], &limits)?;
    /// assert_eq!(group.integer("parents"), Ok(Some(2)));
    /// assert_eq!(group.value("windows"), None);
    /// # Ok::<(), passage_core::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Returns [`Error::NotAnObject`] for another value, and [`Error::UnknownKey`] for a key that is not valid.
    pub fn new(
        group: &'static ArgumentGroup,
        unused: &[&str],
        value: &'v Value,
    ) -> Result<Self, Error> {
        let values = value.as_object().ok_or(Error::NotAnObject { argument: group.name })?;
        let is_valid = |key: &str| group.key(key).is_some() && !unused.contains(&key);
        match values.keys().find(|key| !is_valid(key)) {
            None => Ok(Self { group, values }),
            Some(key) => {
                let names = group.keys.iter().map(|key| key.name);
                let keys = names.filter(|key| !unused.contains(key)).collect();
                Err(Error::UnknownKey { argument: group.name, key: key.clone(), keys })
            }
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
        self.read(key, "an integer", integer)
    }

    /// Returns a number in the range of its key.
    ///
    /// # Errors
    ///
    /// Returns [`Error::KeyType`] for any other value, and [`Error::NumberOutOfRange`] for other numbers.
    pub fn number(&self, key: &'static str) -> Result<Option<f64>, Error> {
        let number = self.read(key, "a number", Value::as_f64)?;
        match (number, self.group.key(key).map(|key| key.value)) {
            (Some(number), Some(ArgumentType::Number(min, max))) => {
                check_range(key, number, min, max).map(Some)
            }
            (number, _) => Ok(number),
        }
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
                let argument = self.group.name;
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

    /// Returns an integer from 0 to [`MAX_LIMIT`](passage_split::MAX_LIMIT).
    ///
    /// # Errors
    ///
    /// Returns [`Error::KeyType`] for any other value, and [`Error::OutOfRange`] for other integers.
    pub fn limit(&self, key: &'static str) -> Result<Option<u32>, Error> {
        self.integer(key)?.map(|value| check_limit(key, value)).transpose()
    }

    /// Returns a list of offsets in a text, ascending and each once.
    ///
    /// # Errors
    ///
    /// Returns [`Error::KeyType`] for any other value, [`Error::TooManyValues`] for more than [`MAX_OFFSETS`], and
    /// [`Error::OutOfRange`] for an offset below 0 or above [`MAX_OFFSET`].
    pub fn offsets(&self, key: &'static str) -> Result<Vec<usize>, Error> {
        let offsets = self.read(key, "a list of integers", |value| {
            value.as_array()?.iter().map(integer).collect::<Option<Vec<_>>>()
        })?;
        let offsets = offsets.unwrap_or_default();
        if offsets.len() > MAX_OFFSETS {
            let (argument, count) = (self.group.name, offsets.len());
            return Err(Error::TooManyValues { argument, key, count, max: MAX_OFFSETS });
        }
        let checked = offsets.into_iter().map(|offset| {
            let value = i64::from(offset);
            let out_of_range = Error::OutOfRange { argument: key, value, max: MAX_OFFSET };
            usize::try_from(offset).ok().filter(|_| value <= MAX_OFFSET).ok_or(out_of_range)
        });
        let mut offsets = checked.collect::<Result<Vec<_>, _>>()?;
        offsets.sort_unstable();
        offsets.dedup();
        Ok(offsets)
    }

    /// Returns a word as the value that it names.
    ///
    /// # Errors
    ///
    /// Returns [`Error::KeyType`] for any other value, and the error of `parse`.
    pub fn word<T>(
        &self,
        key: &'static str,
        parse: impl FnOnce(&str) -> Result<T, Error>,
    ) -> Result<Option<T>, Error> {
        self.text(key)?.as_deref().map(parse).transpose()
    }

    /// Returns two texts.
    ///
    /// # Errors
    ///
    /// Returns [`Error::KeyType`] for any other value.
    pub fn two_texts(&self, key: &'static str) -> Result<Option<[String; 2]>, Error> {
        let text = |value: &Value| value.as_str().map(str::to_owned);
        self.read(key, "a list of two strings", |value| match value.as_array()?.as_slice() {
            [first, second] => Some([text(first)?, text(second)?]),
            _ => None,
        })
    }

    fn read<T>(
        &self,
        key: &'static str,
        expected: &'static str,
        convert: impl FnOnce(&Value) -> Option<T>,
    ) -> Result<Option<T>, Error> {
        let wrong_type = || Error::KeyType { argument: self.group.name, key, expected };
        self.value(key).map(|value| convert(value).ok_or_else(wrong_type)).transpose()
    }
}

/// Returns an integer. One that SQL's `integer` cannot hold becomes the nearest that it can.
fn integer(value: &Value) -> Option<i32> {
    // 4 and 4.0 are the same JSON number.
    let whole = value.as_f64().filter(|number| number.fract() == 0.0);
    whole.map(|number| number as i32)
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
    use crate::arguments::{FILTER, LIMITS, OUTPUT, RANKING, SPLITTING};
    use serde_json::json;

    #[test]
    fn values_have_the_types_of_their_keys() {
        let value = json!({ "parents": 4.0, "threshold": 1, "within": "x" });
        let group = JsonGroup::new(&LIMITS, &[], &value).unwrap();
        assert_eq!(group.integer("parents"), Ok(Some(4)));
        assert_eq!(group.number("threshold"), Ok(Some(1.0)));
        assert_eq!(group.text("within"), Ok(Some("x".to_owned())));
        let wrong = |key, expected| Error::KeyType { argument: "limits", key, expected };
        let value = json!({ "parents": 1.5, "threshold": "1", "within": 1 });
        let group = JsonGroup::new(&LIMITS, &[], &value).unwrap();
        assert_eq!(group.integer("parents"), Err(wrong("parents", "an integer")));
        assert_eq!(group.number("threshold"), Err(wrong("threshold", "a number")));
        assert_eq!(group.text("within"), Err(wrong("within", "a string")));
        let value = json!({ "parents": 1e300, "children": -1 });
        let group = JsonGroup::new(&LIMITS, &[], &value).unwrap();
        assert_eq!(group.integer("parents"), Ok(Some(i32::MAX)));
        for key in ["parents", "children"] {
            assert!(matches!(group.limit(key), Err(Error::OutOfRange { .. })), "{key}");
        }
    }

    #[test]
    fn a_text_is_a_list_of_one() {
        let value =
            json!({ "kind": ["x", "y"], "version": "z", "uri": [], "collection": ["x", 1] });
        let group = JsonGroup::new(&FILTER, &[], &value).unwrap();
        assert_eq!(group.texts("kind"), Ok(Some(vec!["x".to_owned(), "y".to_owned()])));
        assert_eq!(group.texts("version"), Ok(Some(vec!["z".to_owned()])));
        assert_eq!(group.texts("uri"), Ok(Some(Vec::new())));
        let expected = "a string or a list of strings";
        let wrong = Error::KeyType { argument: "filter", key: "collection", expected };
        assert_eq!(group.texts("collection"), Err(wrong));
        let value = json!({ "kind": vec!["x"; 1_001], "include_orphaned": "yes" });
        let group = JsonGroup::new(&FILTER, &[], &value).unwrap();
        let many =
            Error::TooManyValues { argument: "filter", key: "kind", count: 1_001, max: 1_000 };
        assert_eq!(group.texts("kind"), Err(many));
        assert!(group.boolean("include_orphaned").is_err());
    }

    #[test]
    fn offsets_are_sorted_and_bounded() {
        let offsets = |value: Value| {
            let value = json!({ "split_offsets": value });
            JsonGroup::new(&SPLITTING, &[], &value).unwrap().offsets("split_offsets")
        };
        assert_eq!(offsets(json!([9, 1.0, 9, 0])), Ok(vec![0, 1, 9]));
        assert_eq!(offsets(json!([])), Ok(Vec::new()));
        assert_eq!(offsets(json!(null)), Ok(Vec::new()));
        let (argument, key) = ("splitting", "split_offsets");
        let wrong = Error::KeyType { argument, key, expected: "a list of integers" };
        for value in [json!(1), json!("1"), json!({}), json!([1, null]), json!([0.5]), json!([[1]])]
        {
            assert_eq!(offsets(value), Err(wrong.clone()));
        }
        let out_of_range = |value| Err(Error::OutOfRange { argument: key, value, max: MAX_OFFSET });
        assert_eq!(offsets(json!([1, -1])), out_of_range(-1));
        assert_eq!(offsets(json!([1_i64 << 30])), out_of_range(1 << 30));
        assert_eq!(offsets(json!([1e300])), out_of_range(i64::from(i32::MAX)));
        assert_eq!(offsets(json!(vec![1; MAX_OFFSETS])), Ok(vec![1]));
        let many = Error::TooManyValues { argument, key, count: MAX_OFFSETS + 1, max: MAX_OFFSETS };
        assert_eq!(offsets(json!(vec![1; MAX_OFFSETS + 1])), Err(many));
    }

    #[test]
    fn marks_are_two_texts() {
        for marks in [json!(["<b>"]), json!("<b>"), json!([1, 2]), json!(["", "", ""])] {
            let value = json!({ "marks": marks });
            let group = JsonGroup::new(&OUTPUT, &[], &value).unwrap();
            assert!(matches!(group.two_texts("marks"), Err(Error::KeyType { .. })), "{marks}");
        }
    }

    #[test]
    fn unknown_and_unused_keys_and_other_values_than_objects_are_errors() {
        let error =
            |unused: &[&str], value| JsonGroup::new(&RANKING, unused, &value).err().unwrap();
        let Error::UnknownKey { keys, .. } = error(&[], json!({ "cadidates": 1 })) else {
            panic!("another error")
        };
        assert_eq!(keys.len(), RANKING.keys.len());
        let Error::UnknownKey { keys, .. } = error(&["rrf_k"], json!({ "rrf_k": 1 })) else {
            panic!("another error")
        };
        assert!(!keys.contains(&"rrf_k"));
        for value in [json!([1]), json!(null), json!("{}"), json!(3)] {
            assert_eq!(error(&[], value), Error::NotAnObject { argument: "ranking" });
        }
    }

    #[test]
    fn an_argument_is_given_once() {
        assert_eq!(one_of(("limits", "parents"), Some(1), None), Ok(Some(1)));
        assert_eq!(one_of(("limits", "parents"), None, Some(1)), Ok(Some(1)));
        let twice = Error::GivenTwice { key: "parents", group: "limits" };
        assert_eq!(one_of(("limits", "parents"), Some(1), Some(1)), Err(twice));
    }
}
