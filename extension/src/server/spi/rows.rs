//! The result of a statement.

use super::statement::Value;
use crate::server::error::Error;
use crate::server::types::{Column, TextArray, Tsvector, from_sql};
use pgrx::datum::Uuid;
use pgrx::pg_sys::panic::ErrorReport;
use pgrx::{Array, FromDatum, PgLogLevel, PgTupleDesc, pg_sys};
use std::marker::PhantomData;
use std::rc::Rc;

/// The result of a statement, for as long as the connection is open.
pub struct Rows<'c> {
    /// The values of all rows, row by row, each with whether it is NULL.
    values: Vec<(pg_sys::Datum, bool)>,
    count: usize,
    /// The type of each column.
    types: Vec<pg_sys::Oid>,
    /// The store that was read, for messages.
    store: Rc<str>,
    connection: PhantomData<&'c ()>,
}

impl<'c> Rows<'c> {
    /// Creates the result from the values of all rows, row by row. A statement that returns no columns has `count` rows, too.
    pub(super) fn new(
        values: Vec<(pg_sys::Datum, bool)>,
        types: Vec<pg_sys::Oid>,
        count: usize,
        store: Rc<str>,
    ) -> Self {
        Self { values, count, types, store, connection: PhantomData }
    }

    /// Adds the rows of the same statement from another place.
    pub fn extend(&mut self, other: Self) {
        debug_assert!(self.types == other.types, "both are results of one statement");
        self.values.extend(other.values);
        self.count += other.count;
    }

    /// Returns the number of rows that were read or written.
    pub fn len(&self) -> usize {
        self.count
    }

    /// Returns the type of each column.
    pub(super) fn types(&self) -> &[pg_sys::Oid] {
        &self.types
    }

    /// Returns the number of columns.
    pub fn columns(&self) -> usize {
        self.types.len()
    }

    /// Returns a value, or `None` for NULL. Rows and columns are numbered from 0.
    ///
    /// # Panics
    ///
    /// Panics with an error of PostgreSQL, as PostgreSQL raises its own, if `T` cannot read the type of
    /// the column.
    pub fn get<T: Column + FromDatum>(&self, row: usize, column: usize) -> Option<T> {
        let datum = self.datum::<T>(row, column)?;
        // SAFETY: `datum` has compared the type of the column with the one that `T` reads; the value
        // lives as long as the connection, which is open.
        unsafe { T::from_datum(datum, false) }
    }

    /// Returns all values of a row, as arguments of another statement.
    pub fn values(&self, row: usize) -> impl Iterator<Item = Value> {
        let columns = self.types.len();
        let values = &self.values[row * columns..(row + 1) * columns];
        std::iter::zip(values, &self.types)
            .map(|((datum, is_null), oid)| Value { oid: *oid, datum: (!is_null).then_some(*datum) })
    }

    /// Returns a `uuid`, the nil uuid for NULL. A view may have a NULL id, which then matches nothing.
    pub fn uuid(&self, row: usize, column: usize) -> uuid::Uuid {
        self.get::<Uuid>(row, column).map_or(uuid::Uuid::nil(), from_sql)
    }

    /// Returns a value of the type `text` without copying it, unless it is compressed.
    ///
    /// # Panics
    ///
    /// Panics as [`Rows::get`] does.
    pub fn text(&self, row: usize, column: usize) -> Option<&'c str> {
        let datum = self.datum::<String>(row, column)?;
        // SAFETY: `datum` has checked that the column is a `text`; the result, and what is unpacked
        // while connected, is freed with the connection.
        unsafe { <&str>::from_datum(datum, false) }
    }

    /// Returns a value of the type `text[]` whose elements are not copied, unless it is compressed.
    ///
    /// # Panics
    ///
    /// Panics as [`Rows::get`] does.
    pub fn texts(&self, row: usize, column: usize) -> Option<Array<'c, &'c str>> {
        let datum = self.datum::<TextArray>(row, column)?;
        // SAFETY: as for `text`.
        unsafe { Array::from_datum(datum, false) }
    }

    /// Returns a value of the type `bytea` without copying it, unless it is compressed.
    ///
    /// # Panics
    ///
    /// Panics as [`Rows::get`] does.
    pub fn bytes(&self, row: usize, column: usize) -> Option<&'c [u8]> {
        let datum = self.datum::<Vec<u8>>(row, column)?;
        // SAFETY: as for `text`.
        unsafe { <&[u8]>::from_datum(datum, false) }
    }

    /// Returns a value of the type `tsvector` without copying it.
    ///
    /// # Panics
    ///
    /// Panics as [`Rows::get`] does.
    pub fn tsvector(&self, row: usize, column: usize) -> Option<Tsvector<'c>> {
        let datum = self.datum::<Tsvector>(row, column)?;
        // SAFETY: `datum` has checked that the column is a `tsvector`; the result, and what is unpacked
        // while connected, is freed with the connection.
        Some(unsafe { Tsvector::from_datum(datum) })
    }

    /// Returns a value that is not NULL, and compares the type of its column with the one that `T` reads.
    fn datum<T: Column>(&self, row: usize, column: usize) -> Option<pg_sys::Datum> {
        let columns = self.types.len();
        assert!(row < self.count && column < columns, "the value exists");
        let (datum, is_null) = self.values[row * columns + column];
        if is_null {
            return None;
        }
        let actual = self.types[column];
        if !T::reads(actual) {
            let (store, column) = (self.store.to_string(), column + 1);
            let error = Error::ResultType { store, column, actual, expected: T::SQL_TYPE };
            ErrorReport::from(error).report(PgLogLevel::ERROR);
        }
        Some(datum)
    }
}

/// Returns the types of the columns of a result.
///
/// # Safety
///
/// The description must be one of PostgreSQL.
pub(super) unsafe fn types_of(description: pg_sys::TupleDesc) -> Vec<pg_sys::Oid> {
    // SAFETY: the caller's promise; the description is copied.
    let described = unsafe { PgTupleDesc::from_pg_unchecked(description) };
    described.iter().map(|column| column.atttypid).collect()
}
