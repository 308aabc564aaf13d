//! The argument `limits`: all limits of a call in one JSON object.
//!
//! Its twin in SQL is `sql/edition/strategy.sql`.

use super::StrategyOverrides;
use crate::Error;
use crate::arguments::{JsonGroup, LIMITS, one_of};
use serde_json::Value;

impl StrategyOverrides {
    /// Adds the limits of the argument `limits` to those that are arguments of their own.
    ///
    /// ```
    /// use passage_core::StrategyOverrides;
    /// use serde_json::json;
    ///
    /// let given = StrategyOverrides { parents: Some(1), ..StrategyOverrides::default() };
    /// let all = given.with_limits(&json!({ "max_passage_tokens": 500 }))?;
    /// assert_eq!((all.parents, all.max_passage_tokens), (Some(1), Some(500)));
    /// # Ok::<(), passage_core::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Returns [`Error::NotAnObject`], [`Error::UnknownKey`] and [`Error::KeyType`] for an invalid value, and
    /// [`Error::GivenTwice`] for a limit that is also an argument. [`apply`](Self::apply) checks the ranges.
    pub fn with_limits(self, limits: &Value) -> Result<Self, Error> {
        let group = JsonGroup::new(&LIMITS, &[], limits)?;
        let integer = |key, alone| one_of((LIMITS.name, key), alone, group.integer(key)?);
        let text = |key, alone| one_of((LIMITS.name, key), alone, group.text(key)?);
        Ok(Self {
            parents: integer("parents", self.parents)?,
            preceding: integer("preceding", self.preceding)?,
            following: integer("following", self.following)?,
            children: integer("children", self.children)?,
            before: integer("before", self.before)?,
            after: integer("after", self.after)?,
            windows: one_of(
                (LIMITS.name, "windows"),
                self.windows,
                group.value("windows").cloned(),
            )?,
            siblings: text("siblings", self.siblings)?,
            within: text("within", self.within)?,
            threshold: one_of(
                (LIMITS.name, "threshold"),
                self.threshold,
                group.number("threshold")?,
            )?,
            count_by: text("count_by", self.count_by)?,
            max_tokens: self.max_tokens,
            max_passage_tokens: integer("max_passage_tokens", self.max_passage_tokens)?,
            max_chunks: integer("max_chunks", self.max_chunks)?,
            context_share: one_of(
                (LIMITS.name, "context_share"),
                self.context_share,
                group.number("context_share")?,
            )?,
            min_score: one_of(
                (LIMITS.name, "min_score"),
                self.min_score,
                group.number("min_score")?,
            )?,
            links: integer("links", self.links)?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn every_limit_may_be_in_the_object() {
        let limits = json!({
            "parents": 1, "preceding": 2, "following": 3, "children": 4, "before": 5, "after": 6,
            "windows": { "code": 7 }, "siblings": "section", "within": "parent", "threshold": 0.25,
            "count_by": "tokens", "max_passage_tokens": 9, "max_chunks": 10,
            "context_share": 0.75, "min_score": 0.5, "links": 11,
        });
        assert_eq!(limits.as_object().unwrap().len(), LIMITS.keys.len());
        let expected = StrategyOverrides {
            parents: Some(1),
            preceding: Some(2),
            following: Some(3),
            children: Some(4),
            before: Some(5),
            after: Some(6),
            windows: Some(json!({ "code": 7 })),
            siblings: Some("section".into()),
            within: Some("parent".into()),
            threshold: Some(0.25),
            count_by: Some("tokens".into()),
            max_passage_tokens: Some(9),
            max_chunks: Some(10),
            max_tokens: None,
            context_share: Some(0.75),
            min_score: Some(0.5),
            links: Some(11),
        };
        assert_eq!(StrategyOverrides::default().with_limits(&limits), Ok(expected.clone()));
        assert_eq!(expected.clone().with_limits(&json!({})), Ok(expected.clone()));
        assert_eq!(expected.clone().with_limits(&json!({ "parents": null })), Ok(expected.clone()));
        for key in LIMITS.keys.iter().map(|key| key.name) {
            let twice = expected.clone().with_limits(&json!({ key: limits[key] }));
            assert_eq!(twice, Err(Error::GivenTwice { key, group: LIMITS.name }));
        }
    }
}
