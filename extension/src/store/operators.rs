/*!
Operators as statements of ours write them: with their schema.

Without it PostgreSQL takes an operator for exactly the types at hand from anywhere on the `search_path`
before one of `pg_catalog` that it would have to convert a value for. `BETWEEN`, `IN`, `LIKE` and
`IS DISTINCT FROM` stand for operators, too, so none is used; `IS NULL`, `coalesce`, `greatest` and
ORDER BY look up no name.

All of these bind alike, arithmetic no tighter than comparison: what is computed stands in parentheses.
*/

pub const EQUAL: &str = "OPERATOR(pg_catalog.=)";
pub const UNEQUAL: &str = "OPERATOR(pg_catalog.<>)";
pub const BELOW: &str = "OPERATOR(pg_catalog.<)";
pub const ABOVE: &str = "OPERATOR(pg_catalog.>)";
pub const AT_MOST: &str = "OPERATOR(pg_catalog.<=)";
pub const AT_LEAST: &str = "OPERATOR(pg_catalog.>=)";
pub const ADD: &str = "OPERATOR(pg_catalog.+)";
pub const SUBTRACT: &str = "OPERATOR(pg_catalog.-)";
pub const DIVIDE: &str = "OPERATOR(pg_catalog./)";
/// Tells whether a `tsvector` matches a `tsquery`.
pub const MATCHES: &str = "OPERATOR(pg_catalog.@@)";
/// Tells whether a text is like a pattern.
pub const LIKE: &str = "OPERATOR(pg_catalog.~~)";
/// Tells whether a `jsonb` contains another.
pub const CONTAINS: &str = "OPERATOR(pg_catalog.@>)";
/// Merges a `jsonb` into another.
pub const MERGE: &str = "OPERATOR(pg_catalog.||)";
/// Returns a field of a `jsonb`.
pub const FIELD: &str = "OPERATOR(pg_catalog.->)";
/// Returns a `jsonb` without a field.
pub const WITHOUT: &str = "OPERATOR(pg_catalog.-)";

/// Writes that a value is neither below the first nor above the last.
pub fn between(value: &str, first: &str, last: &str) -> String {
    format!("{value} {AT_LEAST} ({first}) AND {value} {AT_MOST} ({last})")
}
