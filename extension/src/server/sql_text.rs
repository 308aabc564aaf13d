/*!
Operators and expressions for the text of statements, each with its schema.

Without a schema PostgreSQL prefers an operator for exactly the given types from any schema of the
`search_path` to one of `pg_catalog` that needs a conversion. `BETWEEN`, `IN`, `LIKE` and
`IS DISTINCT FROM` stand for operators too, so no statement uses them. `IS NULL`, `coalesce`,
`greatest` and ORDER BY look up no name.

All operators in this notation have the same precedence, arithmetic and comparison alike, so computed
operands need parentheses.
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
/// Matches a `tsvector` with a `tsquery`.
pub const MATCHES: &str = "OPERATOR(pg_catalog.@@)";
/// Matches a text with a pattern of LIKE.
pub const LIKE: &str = "OPERATOR(pg_catalog.~~)";
/// Matches a text with a pattern of LIKE, without regard to case.
pub const ILIKE: &str = "OPERATOR(pg_catalog.~~*)";
/// Compares whether a `jsonb` contains another one.
pub const CONTAINS: &str = "OPERATOR(pg_catalog.@>)";
/// Concatenates two texts.
pub const CONCATENATE: &str = "OPERATOR(pg_catalog.||)";
/// Merges two `jsonb`.
pub const MERGE: &str = "OPERATOR(pg_catalog.||)";
/// Returns a field of a `jsonb`.
pub const FIELD: &str = "OPERATOR(pg_catalog.->)";
/// Returns a value at a path of a `jsonb` as text.
pub const TEXT_AT: &str = "OPERATOR(pg_catalog.#>>)";
/// Compares whether a `jsonb` has one of some keys.
pub const HAS_ANY: &str = "OPERATOR(pg_catalog.?|)";

/// A section key that is unknown.
pub const NO_KEY: &str = "NULL::pg_catalog.int8";

/// Returns the condition that a value is in a range, both ends included.
pub fn between(value: &str, first: &str, last: &str) -> String {
    format!("{value} {AT_LEAST} ({first}) AND {value} {AT_MOST} ({last})")
}

/// Returns a section with an empty title for each NULL, as keys and probes have it.
pub fn normalized_section(section: &str) -> String {
    format!("pg_catalog.array_replace({section}, NULL::pg_catalog.text, ''::pg_catalog.text)")
}

/// Returns a section as the literal of a `text[]`, every title in quotes. An array of sections is an
/// array of such literals, since SQL has no ragged arrays and `unnest` flattens nested ones.
pub fn section_literal(section: &[String]) -> String {
    let quote =
        |title: &String| format!("\"{}\"", title.replace('\\', "\\\\").replace('"', "\\\""));
    format!("{{{}}}", section.iter().map(quote).collect::<Vec<_>>().join(","))
}

/// Returns a pattern of LIKE that matches a text, in which a star stands for any text.
pub fn like_pattern(text: &str) -> String {
    text.replace('\\', r"\\").replace('%', r"\%").replace('_', r"\_").replace('*', "%")
}

/// Returns an identifier in double quotes.
pub fn quote_identifier(identifier: &str) -> String {
    format!("\"{}\"", identifier.replace('"', "\"\""))
}
