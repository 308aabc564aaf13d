//! Named arguments for a call of one of the extension's functions.

use super::super::error::Error;
use super::super::unnamed_statement::Parameter;
use passage_split::contains_nul;
use serde_json::{Map, Value};

/// The given arguments with their values, in the order of their parameters.
#[derive(Default)]
pub(super) struct Arguments<'a> {
    given: Vec<(&'a str, Box<dyn Parameter + Send + 'a>)>,
}

impl<'a> Arguments<'a> {
    /// Adds a text.
    ///
    /// # Errors
    ///
    /// Returns [`Error::Nul`] if the text contains a NUL character.
    pub(super) fn text(&mut self, name: &'static str, value: Option<&'a str>) -> Result<(), Error> {
        if value.is_some_and(|text| text.contains('\0')) {
            return Err(Error::Nul(name));
        }
        self.add(name, value);
        Ok(())
    }

    /// Adds a number. One that does not fit into an integer becomes the largest integer, which the
    /// function rejects as out of range.
    pub(super) fn number(&mut self, name: &'static str, value: Option<u32>) {
        self.add(name, value.map(|number| i32::try_from(number).unwrap_or(i32::MAX)));
    }

    /// Adds any other value.
    pub(super) fn add(&mut self, name: &'a str, value: Option<impl Parameter + Send + 'a>) {
        if let Some(value) = value {
            self.given.push((name, Box::new(value)));
        }
    }

    /// Adds a group of arguments as a JSON object with the values that are not null.
    ///
    /// # Errors
    ///
    /// Returns [`Error::Nul`] with the name of the key if a value contains a NUL character.
    pub(super) fn group<const N: usize>(
        &mut self,
        name: &'a str,
        values: [(&'static str, Value); N],
    ) -> Result<(), Error> {
        if let Some((key, _)) = values.iter().find(|(_, value)| contains_nul(value)) {
            return Err(Error::Nul(key));
        }
        let given = values.into_iter().filter(|(_, value)| !value.is_null());
        let object: Map<_, _> = given.map(|(key, value)| (key.to_owned(), value)).collect();
        self.add(
            name,
            Some(Value::Object(object)).filter(|object| *object != Value::Object(Map::new())),
        );
        Ok(())
    }

    /// Adds a value whose type is known only at run time.
    pub(super) fn boxed(&mut self, name: &'a str, value: Box<dyn Parameter + Send + 'a>) {
        self.given.push((name, value));
    }

    /// Returns the SQL text of the call.
    pub(super) fn call(&self, function: &str) -> String {
        let argument = |(position, (name, _)): (usize, &(&str, _))| {
            // A parameter of type name would reject a long text, instead of finding no such store.
            let cast = if *name == "store" { "::text::name" } else { "" };
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn call_contains_only_the_given_arguments() {
        let mut arguments = Arguments::default();
        arguments.text("uri", Some("a.md")).unwrap();
        arguments.text("title", None).unwrap();
        arguments.number("max_tokens", Some(u32::MAX));
        assert_eq!(arguments.call("f"), "passage.f(uri => $1, max_tokens => $2)");
        assert_eq!(format!("{:?}", arguments.values()[1]), i32::MAX.to_string());
    }

    #[test]
    fn a_group_has_the_given_keys_and_is_left_out_without_any() {
        let mut arguments = Arguments::default();
        arguments.group("limits", [("parents", Value::Null)]).unwrap();
        arguments.group("filter", [("kind", "code".into()), ("path", Value::Null)]).unwrap();
        assert_eq!(arguments.call("f"), "passage.f(filter => $1)");
        assert!(format!("{:?}", arguments.values()[0]).contains("kind"));
        assert!(arguments.group("filter", [("kind", "a\0".into())]).is_err());
    }
}
