//! The arguments of a function of the extension, named, and only those that are given.

use super::Error;
use tokio_postgres::types::ToSql;

/// Arguments with their values, in the order of their parameters.
#[derive(Default)]
pub(super) struct Arguments<'a> {
    given: Vec<(&'static str, Box<dyn ToSql + Sync + Send + 'a>)>,
}

impl<'a> Arguments<'a> {
    /// Adds a text.
    ///
    /// # Errors
    ///
    /// [`Error::Nul`] if it holds one.
    pub(super) fn text(&mut self, name: &'static str, value: Option<&'a str>) -> Result<(), Error> {
        if value.is_some_and(|text| text.contains('\0')) {
            return Err(Error::Nul(name));
        }
        self.add(name, value);
        Ok(())
    }

    /// Adds a number; what PostgreSQL cannot count is out of every range.
    pub(super) fn number(&mut self, name: &'static str, value: Option<u32>) {
        self.add(name, value.map(|number| i32::try_from(number).unwrap_or(i32::MAX)));
    }

    /// Adds any other value.
    pub(super) fn add(&mut self, name: &'static str, value: Option<impl ToSql + Sync + Send + 'a>) {
        if let Some(value) = value {
            self.given.push((name, Box::new(value)));
        }
    }

    /// Writes the call of a function with them.
    pub(super) fn call(&self, function: &str) -> String {
        let argument = |(place, (name, _)): (usize, &(&str, _))| {
            // As a name a longer text would be an error, not another store.
            let cast = if *name == "store" { "::text::name" } else { "" };
            format!("{name} => ${}{cast}", place + 1)
        };
        let arguments: Vec<_> = self.given.iter().enumerate().map(argument).collect();
        format!("passage.{function}({})", arguments.join(", "))
    }

    /// Returns the values for the parameters.
    pub(super) fn values(&self) -> Vec<&(dyn ToSql + Sync)> {
        self.given.iter().map(|(_, value)| &**value as &(dyn ToSql + Sync)).collect()
    }
}
