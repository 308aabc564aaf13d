//! Groups of arguments that several expanding functions share, and how they are parsed.

use super::passage_rows::TextOptions;
use crate::server::error::Error;
use crate::server::types::Json;
use passage_core::StrategyOverrides;
use passage_core::gaps::GapStyle;
use passage_core::reassemble::{OrderBy, PassageOptions, ScoreBy};
use passage_core::strategy;

/// Returns the limits of a call: those that are arguments of their own, and those of the argument `limits`.
///
/// # Errors
///
/// Returns the errors of core for an invalid object, and for a limit that is given twice.
pub fn limits(alone: StrategyOverrides, limits: Option<Json>) -> Result<StrategyOverrides, Error> {
    match limits {
        Some(limits) => Ok(alone.with_limits(&limits.into_object("limits")?)?),
        None => Ok(alone),
    }
}

/// How passages are clustered, ordered and written.
pub struct PassageArguments {
    pub max_distance: Option<i32>,
    pub score_by: Option<String>,
    pub order_by: Option<String>,
    pub separator: Option<String>,
    pub gaps: Option<String>,
    pub mark_start: Option<String>,
    pub mark_end: Option<String>,
}

impl PassageArguments {
    /// Returns how passages are clustered and ordered, at most `most`, and how their text is written.
    ///
    /// # Errors
    ///
    /// Returns the errors of core for a distance out of range and for unknown values.
    pub fn parse(
        self,
        max_passages: Option<usize>,
    ) -> Result<(PassageOptions, TextOptions), Error> {
        let joining = PassageOptions {
            max_distance: self
                .max_distance
                .map(|distance| strategy::check_limit("max_distance", distance))
                .transpose()?,
            score_by: ScoreBy::from_name(self.score_by.as_deref().unwrap_or("max"))?,
            order_by: OrderBy::from_name(self.order_by.as_deref().unwrap_or("score"))?,
            max_passages,
        };
        let options = TextOptions {
            separator: self.separator,
            gaps: self.gaps.as_deref().map(GapStyle::from_name).transpose()?,
            marks: [self.mark_start, self.mark_end].map(Option::unwrap_or_default),
        };
        Ok((joining, options))
    }
}
