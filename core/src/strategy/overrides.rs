//! Limits that replace those of a strategy.

use super::{CountBy, Siblings, Strategy, Window, Within};
use crate::Error;
use serde::{Deserialize, Deserializer};
use serde_json::Value;

/// The most that any limit may be.
pub const MAX_LIMIT: i64 = 1_000_000;

/// Limits that replace those of a strategy: `None` leaves them as they are.
///
/// This is what the named arguments of a call and the rows of a store's table `strategies` hold,
/// as SQL gives them: unchecked.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
pub struct StrategyOverrides {
    /// See [`RelativeLimits::parents`](super::RelativeLimits::parents).
    pub parents: Option<i32>,
    /// See [`RelativeLimits::preceding`](super::RelativeLimits::preceding).
    pub preceding: Option<i32>,
    /// See [`RelativeLimits::following`](super::RelativeLimits::following).
    pub following: Option<i32>,
    /// See [`RelativeLimits::children`](super::RelativeLimits::children).
    pub children: Option<i32>,
    /// See [`Strategy::before`]; for every kind.
    pub before: Option<i32>,
    /// See [`Strategy::after`]; for every kind.
    pub after: Option<i32>,
    /// The window to both sides for single kinds, such as `{"code": 4}`; for these it goes before
    /// `before` and `after`. A row has it as the text of the JSON.
    #[serde(default, deserialize_with = "windows")]
    pub windows: Option<Value>,
    /// `parent` or `section`.
    pub siblings: Option<String>,
    /// `document`, `parent` or `section`.
    pub within: Option<String>,
    /// See [`Strategy::threshold`]. A row has it as a text where it is no number of JSON.
    #[serde(default, deserialize_with = "threshold")]
    pub threshold: Option<f64>,
    /// `chunks` or `tokens`.
    pub count_by: Option<String>,
    /// See [`Strategy::max_tokens`].
    pub max_tokens: Option<i32>,
    /// See [`Strategy::max_chunks`].
    pub max_chunks: Option<i32>,
}

/// Reads windows from the text of their JSON. Text that cannot be read, for JSON may be nested deeper
/// or have larger numbers than are read here, is NULL, which `apply` refuses as no windows.
fn windows<'de, D: Deserializer<'de>>(given: D) -> Result<Option<Value>, D::Error> {
    let text = Option::<String>::deserialize(given)?;
    Ok(text.map(|text| serde_json::from_str(&text).unwrap_or_default()))
}

/// Reads a number, or the text of one that JSON does not have, such as NaN.
fn threshold<'de, D: Deserializer<'de>>(given: D) -> Result<Option<f64>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Number {
        Finite(f64),
        Text(String),
    }
    let number = Option::<Number>::deserialize(given)?;
    Ok(number.map(|number| match number {
        Number::Finite(number) => number,
        Number::Text(text) => text.parse().unwrap_or(f64::NAN),
    }))
}

impl StrategyOverrides {
    /// Replaces the limits of a strategy by those that are given, also those that it falls back to.
    ///
    /// # Errors
    ///
    /// Returns [`Error::OutOfRange`] for a limit below zero or above [`MAX_LIMIT`],
    /// [`Error::NumberOutOfRange`] for a threshold outside 0 to 1, [`Error::InvalidWindows`] for windows that are
    /// no object of kinds and widths, and [`Error::UnknownValue`] for a word that an argument does
    /// not take.
    pub fn apply(&self, strategy: &mut Strategy) -> Result<(), Error> {
        for relatives in [&mut strategy.relatives, &mut strategy.fallback] {
            let limits = [
                ("parents", self.parents, &mut relatives.parents),
                ("preceding", self.preceding, &mut relatives.preceding),
                ("following", self.following, &mut relatives.following),
                ("children", self.children, &mut relatives.children),
            ];
            for (argument, given, limit) in limits {
                if let Some(value) = given {
                    *limit = check_limit(argument, value)?;
                }
            }
            if let Some(siblings) = &self.siblings {
                relatives.siblings = Siblings::from_name(siblings)?;
            }
        }
        self.windows(strategy)?;
        if let Some(within) = &self.within {
            strategy.within = Within::from_name(within)?;
        }
        if let Some(threshold) = self.threshold {
            strategy.threshold = check_range("threshold", threshold, 0.0, 1.0)?;
        }
        if let Some(count_by) = &self.count_by {
            strategy.count_by = CountBy::from_name(count_by)?;
        }
        let budgets = [
            ("max_tokens", self.max_tokens, &mut strategy.max_tokens),
            ("max_chunks", self.max_chunks, &mut strategy.max_chunks),
        ];
        for (argument, given, budget) in budgets {
            if let Some(value) = given {
                *budget = Some(check_limit(argument, value)?);
            }
        }
        Ok(())
    }

    fn windows(&self, strategy: &mut Strategy) -> Result<(), Error> {
        let sides = [
            ("before", self.before, &mut strategy.before),
            ("after", self.after, &mut strategy.after),
        ];
        for (argument, given, window) in sides {
            if let Some(value) = given {
                *window = Window::uniform(check_limit(argument, value)?);
            }
        }
        let Some(windows) = &self.windows else { return Ok(()) };
        for (kind, width) in windows.as_object().ok_or(Error::InvalidWindows)? {
            // JSON does not tell 4 and 4.0 apart.
            let whole =
                width.as_f64().filter(|width| width.fract() == 0.0).map(|width| width as i64);
            let width = width.as_i64().or(whole).ok_or(Error::InvalidWindows)?;
            let width = i32::try_from(width).map_err(|_| out_of_range("windows", width))?;
            let width = check_limit("windows", width)?;
            for window in [&mut strategy.before, &mut strategy.after] {
                match kind.as_str() {
                    "prose" => window.prose = width,
                    "code" => window.code = width,
                    "api-reference" => window.api_reference = width,
                    _ => return Err(Error::InvalidWindows),
                }
            }
        }
        Ok(())
    }
}

/// Checks a limit that SQL gave.
///
/// # Errors
///
/// Returns [`Error::OutOfRange`] below zero and above [`MAX_LIMIT`].
pub fn check_limit(argument: &'static str, value: i32) -> Result<u32, Error> {
    let limit = u32::try_from(value).ok().filter(|limit| i64::from(*limit) <= MAX_LIMIT);
    limit.ok_or_else(|| out_of_range(argument, value.into()))
}

/// Takes a number from an argument.
///
/// # Errors
///
/// Returns [`Error::NumberOutOfRange`] if it is below `least` or above `most`, or NaN.
pub fn check_range(
    argument: &'static str,
    value: f64,
    least: f64,
    most: f64,
) -> Result<f64, Error> {
    let inside = (least..=most).contains(&value);
    if inside { Ok(value) } else { Err(Error::NumberOutOfRange { argument, value, least, most }) }
}

fn out_of_range(argument: &'static str, value: i64) -> Error {
    Error::OutOfRange { argument, value, most: MAX_LIMIT }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn broad() -> Strategy {
        Strategy::preset("broad").unwrap()
    }

    fn refused(given: &StrategyOverrides) -> Error {
        given.apply(&mut broad()).unwrap_err()
    }

    #[test]
    fn an_override_replaces_one_limit_and_leaves_the_others() {
        let mut strategy = broad();
        let given = StrategyOverrides {
            children: Some(0),
            before: Some(4),
            ..StrategyOverrides::default()
        };
        given.apply(&mut strategy).unwrap();
        assert_eq!((strategy.relatives.children, strategy.relatives.following), (0, 2));
        assert_eq!((strategy.fallback.children, strategy.fallback.following), (0, 2));
        assert_eq!(strategy.before, Window::uniform(4));
    }

    #[test]
    fn seed_002_a_window_may_be_given_for_one_kind() {
        let mut strategy = Strategy::preset("adjacent").unwrap();
        let windows = Some(json!({ "code": 4 }));
        let given = StrategyOverrides { windows, after: Some(0), ..StrategyOverrides::default() };
        given.apply(&mut strategy).unwrap();
        assert_eq!(strategy.before, Window { prose: 2, code: 4, api_reference: 1 });
        assert_eq!(strategy.after, Window { prose: 0, code: 4, api_reference: 0 });
        let windows = Some(json!({ "prose": 4.0 }));
        StrategyOverrides { windows, ..StrategyOverrides::default() }.apply(&mut strategy).unwrap();
        assert_eq!(strategy.before.prose, 4);
    }

    #[test]
    fn windows_that_are_none_are_refused() {
        for windows in
            [json!([1]), json!({ "data": 1 }), json!({ "code": 1.5 }), json!({ "code": "1" })]
        {
            let given =
                StrategyOverrides { windows: Some(windows), ..StrategyOverrides::default() };
            assert_eq!(refused(&given), Error::InvalidWindows);
        }
        for width in [-1, i64::MAX] {
            let windows = Some(json!({ "code": width }));
            let error = refused(&StrategyOverrides { windows, ..StrategyOverrides::default() });
            assert_eq!(
                error,
                Error::OutOfRange { argument: "windows", value: width, most: MAX_LIMIT }
            );
        }
    }

    #[test]
    fn limits_below_zero_and_above_a_million_are_refused() {
        for value in [-1, 1_000_001] {
            let error = refused(&StrategyOverrides {
                max_tokens: Some(value),
                ..StrategyOverrides::default()
            });
            let value = value.into();
            assert_eq!(error, Error::OutOfRange { argument: "max_tokens", value, most: MAX_LIMIT });
        }
        let given =
            StrategyOverrides { within: Some("page".into()), ..StrategyOverrides::default() };
        assert!(matches!(refused(&given), Error::UnknownValue { .. }));
        for threshold in [-0.1, 1.5, f64::NAN] {
            let given =
                StrategyOverrides { threshold: Some(threshold), ..StrategyOverrides::default() };
            assert!(matches!(refused(&given), Error::NumberOutOfRange { .. }));
        }
    }
}
