//! Overrides: limits that replace those of a strategy.
//!
//! Its twin in SQL is `sql/edition/strategy.sql`.

use super::{CountBy, NamedLimits, Siblings, Strategy, Window, Within};
use crate::Error;
use passage_split::MAX_LIMIT;
use serde::{Deserialize, Deserializer};
use serde_json::Value;

/// The maximum length of a text that names or filters documents, in bytes.
pub const MAX_NAME: usize = 65_536;

/// Limits that replace those of a strategy; `None` keeps the strategy's limit.
///
/// The values come unchecked from the named arguments of a call or from a row of the table `strategies`.
/// [`apply`](Self::apply) checks them.
///
/// ```
/// use passage_core::{Strategy, StrategyOverrides};
///
/// let mut strategy = Strategy::preset("broad").unwrap();
/// let overrides = StrategyOverrides { children: Some(5), ..StrategyOverrides::default() };
/// overrides.apply(&mut strategy)?;
/// assert_eq!((strategy.relatives.parents, strategy.relatives.children), (1, 5));
/// # Ok::<(), passage_core::Error>(())
/// ```
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
    /// The window on both sides by kind, such as `{"code": 4}`. It takes precedence over `before` and
    /// `after`. A row contains it as JSON text.
    #[serde(default, deserialize_with = "windows")]
    pub windows: Option<Value>,
    /// `parent` or `section`.
    pub siblings: Option<String>,
    /// `document`, `parent` or `section`.
    pub within: Option<String>,
    /// See [`Strategy::threshold`]. A row contains NaN and infinities as text.
    #[serde(default, deserialize_with = "threshold")]
    pub threshold: Option<f64>,
    /// `chunks` or `tokens`.
    pub count_by: Option<String>,
    /// See [`Strategy::max_tokens`].
    pub max_tokens: Option<i32>,
    /// See [`Strategy::max_passage_tokens`].
    pub max_passage_tokens: Option<i32>,
    /// See [`Strategy::max_chunks`].
    pub max_chunks: Option<i32>,
    /// The share of the budget of a search that is kept for context, see [`context_share`](Self::context_share).
    #[serde(default)]
    pub context_share: Option<f64>,
    /// The share of the best score below which a hit brings no context, see [`ScoredHit::is_below`].
    ///
    /// [`ScoredHit::is_below`]: crate::hits::ScoredHit::is_below
    #[serde(default)]
    pub min_score: Option<f64>,
    /// See [`Strategy::links`].
    #[serde(default)]
    pub links: Option<i32>,
}

/// The share of a budget that a search keeps for the context that a call asks for.
const CONTEXT_SHARE: f64 = 0.5;

/// Parses windows from JSON text. Text that cannot be parsed, such as deeply nested JSON or huge numbers,
/// becomes NULL, which `apply` rejects.
fn windows<'de, D: Deserializer<'de>>(given: D) -> Result<Option<Value>, D::Error> {
    let text = Option::<String>::deserialize(given)?;
    Ok(text.map(|text| serde_json::from_str(&text).unwrap_or_default()))
}

/// Reads a number, or the text of one that JSON cannot represent, such as NaN.
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
    /// Replaces the given limits of a strategy, and of its fallback.
    ///
    /// # Errors
    ///
    /// Returns [`Error::OutOfRange`] for a limit below zero or above [`MAX_LIMIT`],
    /// [`Error::NumberOutOfRange`] for a threshold outside 0 to 1, [`Error::InvalidWindows`] for windows that
    /// are not an object of kinds and widths, and [`Error::UnknownValue`] for an unknown word.
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
                    strategy.named.add(argument);
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
            ("max_passage_tokens", self.max_passage_tokens, &mut strategy.max_passage_tokens),
            ("max_chunks", self.max_chunks, &mut strategy.max_chunks),
        ];
        for (argument, given, budget) in budgets {
            if let Some(value) = given {
                *budget = Some(check_limit(argument, value)?);
            }
        }
        if let Some(links) = self.links {
            strategy.links = check_limit("links", links)?;
        }
        for (argument, share) in
            [("context_share", self.context_share), ("min_score", self.min_score)]
        {
            check_range(argument, share.unwrap_or_default(), 0.0, 1.0)?;
        }
        if strategy.max_tokens.is_some() || strategy.max_passage_tokens.is_some() {
            strategy.named = NamedLimits::NONE;
        }
        Ok(())
    }

    /// Returns the share of its budget that a search keeps for context, by the name of its strategy.
    ///
    /// Half of it, if the call asks for context: it names a strategy, a number of chunks such as `parents`, or a number of
    /// links above 0. The strategy `auto` alone prefers more hits, which find more at an equal budget.
    ///
    /// ```
    /// use passage_core::StrategyOverrides;
    ///
    /// let limits = StrategyOverrides::default();
    /// assert_eq!(limits.context_share("auto")?, 0.0);
    /// assert_eq!(limits.context_share("adjacent")?, 0.5);
    /// let parents = StrategyOverrides { parents: Some(1), ..limits };
    /// assert_eq!(parents.context_share("auto")?, 0.5);
    /// # Ok::<(), passage_core::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Returns [`Error::NumberOutOfRange`] for a share outside of 0 to 1.
    pub fn context_share(&self, strategy: &str) -> Result<f64, Error> {
        let numbers =
            [self.parents, self.preceding, self.following, self.children, self.before, self.after];
        let asks_for_context = strategy != "auto"
            || self.windows.is_some()
            || numbers.iter().any(Option::is_some)
            || self.links.is_some_and(|links| links > 0);
        let default = if asks_for_context { CONTEXT_SHARE } else { 0.0 };
        check_range("context_share", self.context_share.unwrap_or(default), 0.0, 1.0)
    }

    fn windows(&self, strategy: &mut Strategy) -> Result<(), Error> {
        let sides = [
            ("before", self.before, &mut strategy.before),
            ("after", self.after, &mut strategy.after),
        ];
        for (argument, given, window) in sides {
            if let Some(value) = given {
                *window = Window::uniform(check_limit(argument, value)?);
                strategy.named.add(argument);
            }
        }
        let Some(windows) = &self.windows else { return Ok(()) };
        strategy.named.add("before");
        strategy.named.add("after");
        for (kind, width) in windows.as_object().ok_or(Error::InvalidWindows)? {
            // 4 and 4.0 are the same JSON number.
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

/// Returns a limit from SQL after checking its range, 0 to [`MAX_LIMIT`].
///
/// `argument` is the name that the error reports.
///
/// ```
/// use passage_core::strategy::check_limit;
///
/// assert_eq!(check_limit("max_tokens", 2_048), Ok(2_048));
/// assert!(check_limit("max_tokens", -1).is_err());
/// ```
///
/// # Errors
///
/// Returns [`Error::OutOfRange`] below zero and above [`MAX_LIMIT`].
pub fn check_limit(argument: &'static str, value: i32) -> Result<u32, Error> {
    let limit = u32::try_from(value).ok().filter(|limit| i64::from(*limit) <= MAX_LIMIT);
    limit.ok_or_else(|| out_of_range(argument, value.into()))
}

/// Checks that a text that names or filters documents has at most [`MAX_NAME`] bytes. Such a text is read by functions of
/// PostgreSQL that do not check for interrupts.
///
/// `argument` is the name that the error reports.
///
/// ```
/// use passage_core::strategy::check_length;
///
/// assert!(check_length("uri", Some("docs/setup.md")).is_ok());
/// assert!(check_length("uri", Some(&"a".repeat(100_000))).is_err());
/// ```
///
/// # Errors
///
/// Returns [`Error::TooLong`] for a longer text.
pub fn check_length(argument: &'static str, text: Option<&str>) -> Result<(), Error> {
    match text.map(str::len).filter(|length| *length > MAX_NAME) {
        Some(length) => Err(Error::TooLong { argument, length, max: MAX_NAME }),
        None => Ok(()),
    }
}

/// Returns a number after checking that it is from `min` to `max`.
///
/// `argument` is the name that the error reports.
///
/// ```
/// use passage_core::strategy::check_range;
///
/// assert_eq!(check_range("threshold", 0.5, 0.0, 1.0), Ok(0.5));
/// assert!(check_range("threshold", f64::NAN, 0.0, 1.0).is_err());
/// ```
///
/// # Errors
///
/// Returns [`Error::NumberOutOfRange`] if it is below `min` or above `max`, or NaN.
pub fn check_range(argument: &'static str, value: f64, min: f64, max: f64) -> Result<f64, Error> {
    let inside = (min..=max).contains(&value);
    if inside { Ok(value) } else { Err(Error::NumberOutOfRange { argument, value, min, max }) }
}

fn out_of_range(argument: &'static str, value: i64) -> Error {
    Error::OutOfRange { argument, value, max: MAX_LIMIT }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn broad() -> Strategy {
        Strategy::preset("broad").unwrap()
    }

    fn rejected(given: &StrategyOverrides) -> Error {
        given.apply(&mut broad()).unwrap_err()
    }

    #[test]
    fn an_override_replaces_one_limit_and_keeps_the_others() {
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
    fn invalid_windows_are_rejected() {
        for windows in
            [json!([1]), json!({ "data": 1 }), json!({ "code": 1.5 }), json!({ "code": "1" })]
        {
            let given =
                StrategyOverrides { windows: Some(windows), ..StrategyOverrides::default() };
            assert_eq!(rejected(&given), Error::InvalidWindows);
        }
        for width in [-1, i64::MAX] {
            let windows = Some(json!({ "code": width }));
            let error = rejected(&StrategyOverrides { windows, ..StrategyOverrides::default() });
            assert_eq!(
                error,
                Error::OutOfRange { argument: "windows", value: width, max: MAX_LIMIT }
            );
        }
    }

    #[test]
    fn limits_below_zero_and_above_a_million_are_rejected() {
        for value in [-1, 1_000_001] {
            let error = rejected(&StrategyOverrides {
                max_tokens: Some(value),
                ..StrategyOverrides::default()
            });
            let value = value.into();
            assert_eq!(error, Error::OutOfRange { argument: "max_tokens", value, max: MAX_LIMIT });
        }
        let given =
            StrategyOverrides { within: Some("page".into()), ..StrategyOverrides::default() };
        assert!(matches!(rejected(&given), Error::UnknownValue { .. }));
        for threshold in [-0.1, 1.5, f64::NAN] {
            let given =
                StrategyOverrides { threshold: Some(threshold), ..StrategyOverrides::default() };
            assert!(matches!(rejected(&given), Error::NumberOutOfRange { .. }));
        }
    }
}
