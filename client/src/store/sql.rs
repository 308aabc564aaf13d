//! Names in SQL.

/// Quotes an identifier.
pub fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_quote_in_a_name_stays_in_it() {
        assert_eq!(super::quoted(r#"a"; DROP"#), r#""a""; DROP""#);
    }
}
