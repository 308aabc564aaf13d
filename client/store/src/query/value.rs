//! Values of JSON rows that may be NULL, or that JSON lacks.

use serde::de::Error;
use serde::{Deserialize, Deserializer};

/// Reads the titles of a section. A view of another program may show NULL for the section or for a title.
pub(super) fn titles<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<String>, D::Error> {
    let titles: Vec<Option<String>> = or_empty(deserializer)?;
    Ok(titles.into_iter().flatten().collect())
}

/// Reads a list, which is empty if it is NULL.
pub(super) fn or_empty<'de, D: Deserializer<'de>, T: Deserialize<'de>>(
    deserializer: D,
) -> Result<Vec<T>, D::Error> {
    Ok(Option::deserialize(deserializer)?.unwrap_or_default())
}

/// Reads a number, also an infinity or NaN, which PostgreSQL writes as a string.
pub(super) fn number<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
    optional_number(deserializer)?.ok_or_else(|| D::Error::custom("a number is NULL"))
}

/// Reads such a number, or NULL.
pub(super) fn optional_number<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<f64>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Number {
        Finite(f64),
        Text(String),
    }
    let number = |number| match number {
        Number::Finite(number) => Ok(number),
        Number::Text(text) => text.parse().map_err(|_| D::Error::custom("a number is a text")),
    };
    Option::deserialize(deserializer)?.map(number).transpose()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Deserialize)]
    struct Row {
        #[serde(deserialize_with = "number")]
        score: f64,
        #[serde(deserialize_with = "optional_number")]
        text_score: Option<f64>,
    }

    #[test]
    fn numbers_that_json_lacks_are_read_from_strings() {
        let read = |row| serde_json::from_str::<Row>(row).map(|row| (row.score, row.text_score));
        assert_eq!(read(r#"{"score":0.5,"text_score":null}"#).unwrap(), (0.5, None));
        let infinities = read(r#"{"score":"-Infinity","text_score":"Infinity"}"#).unwrap();
        assert_eq!(infinities, (f64::NEG_INFINITY, Some(f64::INFINITY)));
        let (_, text_score) = read(r#"{"score":1,"text_score":"NaN"}"#).unwrap();
        assert!(text_score.unwrap().is_nan());
        for row in [r#"{"score":null,"text_score":1}"#, r#"{"score":"secret","text_score":1}"#] {
            assert!(!read(row).unwrap_err().to_string().contains("secret"));
        }
    }
}
