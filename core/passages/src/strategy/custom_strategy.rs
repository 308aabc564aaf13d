//! Custom strategies: the rows of a store's table `strategies`.

use super::{Strategy, StrategyOverrides};
use crate::Error;
use passage_split::MediaType;
use serde::Deserialize;

/// A row of the table `strategies`. Missing columns count as NULL.
///
/// ```
/// use passage_core::strategy::CustomStrategy;
///
/// let row = r#"{"name": "wide", "base": "broad", "children": 9}"#;
/// let row: CustomStrategy = serde_json::from_str(row)?;
/// assert_eq!(row.strategy()?.relatives.children, 9);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct CustomStrategy {
    /// The name, as a call gives it.
    pub name: String,
    /// The preset that supplies all other limits; without one, `none`.
    pub base: Option<String>,
    /// The media types for which `auto` selects this strategy: names, `text/*`, or `*/*` for all.
    pub default_for: Option<MediaTypePatterns>,
    /// The changed limits.
    #[serde(flatten)]
    pub limits: StrategyOverrides,
}

/// Patterns of media types, from a SQL array of any number of dimensions.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(untagged)]
pub enum MediaTypePatterns {
    /// One pattern.
    One(String),
    /// A NULL element.
    None(()),
    /// An array of patterns or arrays.
    Many(Vec<MediaTypePatterns>),
}

impl MediaTypePatterns {
    /// Returns whether any pattern meets a condition.
    fn any(&self, is: &dyn Fn(&str) -> bool) -> bool {
        match self {
            Self::One(pattern) => is(pattern),
            Self::None(()) => false,
            Self::Many(patterns) => patterns.iter().any(|pattern| pattern.any(is)),
        }
    }
}

impl CustomStrategy {
    /// Returns the limits of the strategy.
    ///
    /// # Errors
    ///
    /// Returns [`Error::UnknownStrategy`] if the base is not a preset, and the errors of
    /// [`StrategyOverrides::apply`].
    pub fn strategy(&self) -> Result<Strategy, Error> {
        let base = self.base.as_deref().unwrap_or("none");
        let base = Strategy::preset(base).ok_or_else(|| Error::UnknownStrategy(base.to_owned()));
        let mut strategy = base?;
        self.limits.apply(&mut strategy)?;
        Ok(strategy)
    }

    /// Returns the default strategy for a media type, if any.
    ///
    /// A pattern with the exact name has priority over `type/*`, and that over `*/*`. Of several matching
    /// rows the first by name applies.
    pub fn default_for<'r>(rows: &'r [Self], media_type: &MediaType) -> Option<&'r Self> {
        let name = media_type.name();
        let kind = name.split('/').next().unwrap_or_default();
        let candidates = [name.to_owned(), format!("{kind}/*"), "*/*".to_owned()];
        let parsed = |candidate: &String| {
            let is =
                |pattern: &str| pattern == candidate || MediaType::new(pattern).name() == candidate;
            let takes =
                |row: &&Self| row.default_for.as_ref().is_some_and(|patterns| patterns.any(&is));
            rows.iter().filter(takes).min_by_key(|row| &row.name)
        };
        candidates.iter().find_map(parsed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn rows() -> Vec<CustomStrategy> {
        let rows = json!([
            { "name": "z", "base": "broad", "default_for": ["text/markdown"], "children": 7 },
            { "name": "y", "base": null, "default_for": ["text/x-markdown", "text/*"], "within": null },
            { "name": "x", "base": "wide", "default_for": ["*/*"], "description": "for all" },
            { "name": "w", "base": "none", "default_for": [] },
        ]);
        serde_json::from_value(rows).unwrap()
    }

    #[test]
    fn the_most_specific_default_wins_and_of_several_the_first_by_name() {
        let rows = rows();
        let name = |is| {
            CustomStrategy::default_for(&rows, &MediaType::new(is)).map(|row| row.name.clone())
        };
        assert_eq!(name("text/markdown").as_deref(), Some("y"));
        assert_eq!(name("text/x-markdown; charset=utf-8").as_deref(), Some("y"));
        assert_eq!(name("text/html").as_deref(), Some("y"));
        assert_eq!(name("application/json").as_deref(), Some("x"));
        assert_eq!(CustomStrategy::default_for(&rows[3..], &MediaType::PLAIN), None);
    }

    #[test]
    fn an_array_of_several_dimensions_is_a_list() {
        let rows =
            json!([{ "name": "x", "base": null, "default_for": [["a/b", null], ["text/*", "c"]] }]);
        let rows: Vec<CustomStrategy> = serde_json::from_value(rows).unwrap();
        assert_eq!(CustomStrategy::default_for(&rows, &MediaType::PLAIN), Some(&rows[0]));
        assert_eq!(CustomStrategy::default_for(&rows, &MediaType::new("application/json")), None);
    }

    #[test]
    fn a_nan_threshold_and_deeply_nested_windows_are_invalid_limits() {
        for threshold in ["NaN", "Infinity", "-Infinity"] {
            let row = json!({ "name": "x", "base": null, "threshold": threshold });
            let row: CustomStrategy = serde_json::from_value(row).unwrap();
            assert!(matches!(
                row.strategy(),
                Err(Error::NumberOutOfRange { argument: "threshold", .. })
            ));
        }
        for windows in [format!("{}{}", "[".repeat(3000), "]".repeat(3000)), "1e400".to_owned()] {
            let row: CustomStrategy =
                serde_json::from_value(json!({ "name": "x", "base": null, "windows": windows }))
                    .unwrap();
            assert_eq!(row.strategy(), Err(Error::InvalidWindows));
        }
        let row = json!({ "name": "x", "base": null, "windows": r#"{"code": 4}"# });
        let row: CustomStrategy = serde_json::from_value(row).unwrap();
        assert_eq!(row.strategy().unwrap().before.code, 4);
    }

    #[test]
    fn a_row_is_its_base_with_changed_limits() {
        let rows = rows();
        let broad = rows[0].strategy().unwrap().relatives;
        assert_eq!((broad.parents, broad.children), (1, 7));
        assert_eq!(rows[1].strategy(), Ok(Strategy::preset("none").unwrap()));
        assert_eq!(rows[2].strategy(), Err(Error::UnknownStrategy("wide".into())));
    }
}
