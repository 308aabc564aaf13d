//! The argument `output`.

use super::definitions::OUTPUT;
use super::json_group::JsonGroup;
use crate::Error;
use crate::gaps::GapStyle;
use crate::reassemble::OrderBy;
use serde_json::Value;

/// How passages are formed and written.
///
/// ```
/// use passage_core::arguments::Output;
/// use serde_json::json;
///
/// let output = Output::parse(&json!({ "marks": ["<b>", "</b>"], "max_distance": "document" }))?;
/// assert_eq!(output.marks, ["<b>", "</b>"]);
/// assert_eq!(output.max_distance, None);
/// # Ok::<(), passage_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Output {
    /// The separator between chunks that do not touch. By default the media type decides.
    pub separator: Option<String>,
    /// The style of gaps. By default source code has a comment in each gap, and prose a mark.
    pub gaps: Option<GapStyle>,
    /// Whether a passage has the imports that it uses.
    pub imports: bool,
    /// The texts before and after each hit.
    pub marks: [String; 2],
    /// Whether passages have the column `explanation`.
    pub explain: bool,
    /// The order of passages.
    pub order_by: OrderBy,
    /// The maximum distance of hits in a passage, in ordinals; `None` makes one passage of each document.
    pub max_distance: Option<u32>,
}

impl Default for Output {
    fn default() -> Self {
        Self {
            separator: None,
            gaps: None,
            imports: false,
            marks: Default::default(),
            explain: false,
            order_by: OrderBy::Score,
            max_distance: Some(3),
        }
    }
}

impl Output {
    /// Parses the argument.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`JsonGroup`].
    pub fn parse(value: &Value) -> Result<Self, Error> {
        let group = JsonGroup::new(&OUTPUT, &[], value)?;
        let default = Self::default();
        Ok(Self {
            separator: group.text("separator")?,
            gaps: group.word("gaps", GapStyle::from_name)?,
            imports: group.boolean("imports")?.unwrap_or(default.imports),
            marks: group.two_texts("marks")?.unwrap_or(default.marks),
            explain: group.boolean("explain")?.unwrap_or(default.explain),
            order_by: group.word("order_by", OrderBy::from_name)?.unwrap_or(default.order_by),
            max_distance: match group.value("max_distance").and_then(Value::as_str) {
                Some("document") => None,
                _ => group.limit("max_distance")?.or(default.max_distance),
            },
        })
    }
}
