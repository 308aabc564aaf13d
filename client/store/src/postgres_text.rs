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

/// Returns texts as the text of a `text[]`, each in quotes.
pub(crate) fn array_literal(texts: &[String]) -> String {
    let quote = |text: &String| format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""));
    format!("{{{}}}", texts.iter().map(quote).collect::<Vec<_>>().join(","))
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

    #[test]
    fn array_literal_escapes_quotes_and_backslashes() {
        let texts = [r#"a "b""#, r"c\d", "NULL", ""].map(str::to_owned);
        assert_eq!(array_literal(&texts), r#"{"a \"b\"","c\\d","NULL",""}"#);
    }
}
