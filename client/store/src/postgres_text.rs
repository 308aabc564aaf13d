//! Quoted names and literals in SQL.

/// Quotes an identifier for an SQL statement.
///
/// # Examples
///
/// ```
/// use passage_store::quote_identifier;
///
/// assert_eq!(quote_identifier("rag"), r#""rag""#);
/// assert_eq!(quote_identifier(r#"a"b"#), r#""a""b""#);
/// ```
pub fn quote_identifier(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

/// Quotes a string literal for an SQL statement.
pub(crate) fn quote_literal(text: &str) -> String {
    format!("'{}'", text.replace('\'', "''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quote_identifier_doubles_quotes() {
        assert_eq!(quote_identifier(r#"a"; DROP"#), r#""a""; DROP""#);
    }

    #[test]
    fn quote_literal_doubles_quotes() {
        assert_eq!(quote_literal("it's"), "'it''s'");
    }
}
