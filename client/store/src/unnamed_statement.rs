/*!
Statements without a name, which the server parses at each execution.

A named statement belongs to one session of the server. A transaction pooler executes each transaction in
any session, where another client may have given the same name to its statement. An unnamed statement
arrives with its parameters, in one message, and leaves nothing in the session. So it also saves a round trip.

The client declares the types of the parameters, so that the server does not have to describe them first.
*/

use serde_json::Value;
use std::fmt::Debug;
use tokio_postgres::types::{ToSql, Type};
use tokio_postgres::{Error, GenericClient, Row};
use uuid::Uuid;

/// A type of Rust with the type of PostgreSQL that a statement declares for it.
pub(super) trait SqlType {
    const TYPE: Type;
    /// The type of an array of such values.
    const ARRAY: Type;
    /// The type of an array of slices of such values, if there is one.
    const ARRAY_OF_SLICES: Type = Type::UNKNOWN;
}

macro_rules! sql_types {
    ($($rust:ty: $type:ident, $array:ident;)*) => {
        $(impl SqlType for $rust {
            const TYPE: Type = Type::$type;
            const ARRAY: Type = Type::$array;
        })*
    };
}

sql_types! {
    // The server infers the type of a text, which has the same format as text, varchar, bpchar and name.
    str: UNKNOWN, TEXT_ARRAY;
    String: UNKNOWN, TEXT_ARRAY;
    bool: BOOL, BOOL_ARRAY;
    i32: INT4, INT4_ARRAY;
    i64: INT8, INT8_ARRAY;
    u32: OID, OID_ARRAY;
    f32: FLOAT4, FLOAT4_ARRAY;
    f64: FLOAT8, FLOAT8_ARRAY;
    Uuid: UUID, UUID_ARRAY;
    Value: JSONB, JSONB_ARRAY;
}

/// Bytes are a `bytea`.
impl SqlType for u8 {
    const TYPE: Type = Type::CHAR;
    const ARRAY: Type = Type::BYTEA;
    const ARRAY_OF_SLICES: Type = Type::BYTEA_ARRAY;
}

impl<T: SqlType> SqlType for [T] {
    const TYPE: Type = T::ARRAY;
    const ARRAY: Type = T::ARRAY_OF_SLICES;
}

impl<T: SqlType> SqlType for Vec<T> {
    const TYPE: Type = T::ARRAY;
    const ARRAY: Type = T::ARRAY_OF_SLICES;
}

impl<T: SqlType> SqlType for Option<T> {
    const TYPE: Type = T::TYPE;
    const ARRAY: Type = T::ARRAY;
}

impl<T: SqlType + ?Sized> SqlType for &T {
    const TYPE: Type = T::TYPE;
    const ARRAY: Type = T::ARRAY;
}

/// A value for a parameter of a statement.
pub(super) trait Parameter: Debug + Sync {
    /// Returns the type that the statement declares.
    fn sql_type(&self) -> Type;

    fn value(&self) -> &(dyn ToSql + Sync);
}

impl<T: ToSql + Sync + SqlType> Parameter for T {
    fn sql_type(&self) -> Type {
        T::TYPE
    }

    fn value(&self) -> &(dyn ToSql + Sync) {
        self
    }
}

fn typed<'a>(parameters: &[&'a dyn Parameter]) -> Vec<(&'a (dyn ToSql + Sync), Type)> {
    parameters.iter().map(|parameter| (parameter.value(), parameter.sql_type())).collect()
}

/// Executes statements without a name. `clippy.toml` forbids the methods of the driver that name them.
pub(super) trait UnnamedStatements {
    /// Executes a statement, and returns the number of its rows.
    async fn execute_unnamed(&self, sql: &str, parameters: &[&dyn Parameter])
    -> Result<u64, Error>;

    /// Executes a query, and returns its rows.
    async fn query_unnamed(
        &self,
        sql: &str,
        parameters: &[&dyn Parameter],
    ) -> Result<Vec<Row>, Error>;

    /// Executes a query with one row.
    async fn query_one_unnamed(
        &self,
        sql: &str,
        parameters: &[&dyn Parameter],
    ) -> Result<Row, Error>;

    /// Executes a query with at most one row.
    async fn query_opt_unnamed(
        &self,
        sql: &str,
        parameters: &[&dyn Parameter],
    ) -> Result<Option<Row>, Error>;
}

impl<C: GenericClient> UnnamedStatements for C {
    async fn execute_unnamed(
        &self,
        sql: &str,
        parameters: &[&dyn Parameter],
    ) -> Result<u64, Error> {
        self.execute_typed(sql, &typed(parameters)).await
    }

    async fn query_unnamed(
        &self,
        sql: &str,
        parameters: &[&dyn Parameter],
    ) -> Result<Vec<Row>, Error> {
        self.query_typed(sql, &typed(parameters)).await
    }

    async fn query_one_unnamed(
        &self,
        sql: &str,
        parameters: &[&dyn Parameter],
    ) -> Result<Row, Error> {
        self.query_typed_one(sql, &typed(parameters)).await
    }

    async fn query_opt_unnamed(
        &self,
        sql: &str,
        parameters: &[&dyn Parameter],
    ) -> Result<Option<Row>, Error> {
        self.query_typed_opt(sql, &typed(parameters)).await
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn type_of(parameter: &dyn Parameter) -> Type {
        parameter.sql_type()
    }

    #[test]
    fn parameters_have_the_type_of_their_value_also_if_it_is_missing() {
        assert_eq!(type_of(&Some("word")), Type::UNKNOWN);
        assert_eq!(type_of(&None::<&Value>), Type::JSONB);
        assert_eq!(type_of(&vec![Some(1)]), Type::INT4_ARRAY);
        assert_eq!(type_of(&&[Uuid::nil()][..]), Type::UUID_ARRAY);
        assert_eq!(type_of(&&["word"][..]), Type::TEXT_ARRAY);
        assert_eq!(type_of(&Some(&b"bytes"[..])), Type::BYTEA);
        assert_eq!(type_of(&vec![&b"bytes"[..]]), Type::BYTEA_ARRAY);
    }
}
