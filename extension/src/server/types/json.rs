//! Values of the type `jsonb` that the extension reads or creates.

use super::jsonb;
use crate::server::error::Error;
use passage_core::Error as Request;
use passage_core::arguments::ArgumentGroup;
use pgrx::{FromDatum, IntoDatum, pg_sys};
use serde::de::{DeserializeOwned, IgnoredAny};
use serde_json::Value;
use std::collections::BTreeMap;

/// A value of the type `jsonb` as its text. pgrx's own type fails on a deeply nested value, and reports
/// that as an error of the extension.
#[derive(Clone, Debug)]
pub struct Json(String);

impl Json {
    /// Returns the text of a value.
    pub fn from_value(value: &Value) -> Self {
        Self(value.to_string())
    }

    /// Returns an array of values, each given as its text.
    pub fn array(values: &[&str]) -> Self {
        Self(format!("[{}]", values.join(",")))
    }

    /// Returns an object without keys.
    pub fn empty_object() -> Self {
        Self("{}".to_owned())
    }

    /// Returns the text.
    pub fn text(&self) -> &str {
        &self.0
    }

    /// Parses the text. Returns `None` where it is nested too deeply, holds a number out of range, or
    /// does not have the structure of `T`.
    pub fn parse<T: DeserializeOwned>(&self) -> Option<T> {
        passage_split::interrupt::json(&self.0).ok()
    }

    /// Parses an argument that must be an object.
    ///
    /// # Errors
    ///
    /// Returns [`Request::NotAnObject`] for another value, and [`Request::UnreadableValue`] for a value of a key
    /// that is nested too deeply or holds a number out of range.
    pub fn into_object(self, argument: &'static str) -> Result<Value, Error> {
        if let Some(value) = self.parse() {
            return Ok(value);
        }
        let is_unreadable =
            |key: &String| self.field(key).is_some_and(|value| value.parse::<Value>().is_none());
        Err(Error::Request(match self.keys().into_iter().find(is_unreadable) {
            Some(key) => Request::UnreadableValue { argument, key },
            None => Request::NotAnObject { argument },
        }))
    }

    /// Parses the argument of a group. NULL counts as an object without keys.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`Self::into_object`] and of `parse`.
    pub fn parse_group<T>(
        argument: Option<Self>,
        group: &ArgumentGroup,
        parse: impl FnOnce(&Value) -> Result<T, Request>,
    ) -> Result<T, Error> {
        let value = argument.unwrap_or_else(Self::empty_object).into_object(group.name)?;
        Ok(parse(&value)?)
    }

    /// Returns the keys of an object, and none of another value.
    pub fn keys(&self) -> Vec<String> {
        // Values that are ignored have no limits.
        #[expect(clippy::zero_sized_map_values, reason = "serde reads no object as a set")]
        let values: BTreeMap<String, IgnoredAny> = self.parse().unwrap_or_default();
        values.into_keys().collect()
    }

    /// Returns the object without a key.
    pub fn without(&self, key: &str) -> Self {
        let (object, key) = (jsonb::parse(&self.0), key.into_datum());
        // SAFETY: the function takes a jsonb and a text, keeps no pointer to them, and returns a jsonb in memory
        // of the call.
        let rest = unsafe {
            let rest =
                pgrx::direct_function_call_as_datum(pg_sys::jsonb_delete, &[Some(object), key]);
            rest.and_then(|rest| Self::from_polymorphic_datum(rest, false, pg_sys::JSONBOID))
        };
        rest.expect("jsonb_delete returns a jsonb")
    }

    /// Returns the value of a key of an object with all its digits, which parsing may lose.
    pub fn field(&self, key: &str) -> Option<Self> {
        let (object, key) = (jsonb::parse(&self.0), key.into_datum());
        // SAFETY: the function takes a jsonb and a text, keeps no pointer to them, and returns NULL or a jsonb
        // in memory of the call.
        unsafe {
            let field = pgrx::direct_function_call_as_datum(
                pg_sys::jsonb_object_field,
                &[Some(object), key],
            );
            Self::from_polymorphic_datum(field?, false, pg_sys::JSONBOID)
        }
    }
}

impl FromDatum for Json {
    unsafe fn from_polymorphic_datum(
        datum: pg_sys::Datum,
        is_null: bool,
        _type: pg_sys::Oid,
    ) -> Option<Self> {
        if is_null {
            return None;
        }
        // SAFETY: the value is a jsonb, as the declared type of an argument or the type of a column that
        // `Rows` compared; its text is a string in memory of the call that ends in NUL.
        unsafe {
            let text = pgrx::direct_function_call_as_datum(pg_sys::jsonb_out, &[Some(datum)])?;
            let text = std::ffi::CStr::from_ptr(text.cast_mut_ptr());
            Some(Self(text.to_string_lossy().into_owned()))
        }
    }
}

impl IntoDatum for Json {
    fn into_datum(self) -> Option<pg_sys::Datum> {
        Some(jsonb::parse(&self.0))
    }

    fn type_oid() -> pg_sys::Oid {
        pg_sys::JSONBOID
    }
}

sql_argument!(Json);
sql_result!(Json);
sql_name!(Json, "jsonb");
