//! The findings of a check.

use serde::Serialize;

/// The severity of a finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// No problem.
    Good,
    /// It works, but something can be improved.
    Warning,
    /// Something does not work.
    Bad,
}

/// The result of one check.
///
/// # Examples
///
/// ```
/// use passage_store::{Finding, Severity};
///
/// let finding = Finding::warning("statistics", "missing", "ANALYZE rag.chunks;");
/// assert_eq!(finding.severity, Severity::Warning);
/// assert_eq!(finding.remedy.as_deref(), Some("ANALYZE rag.chunks;"));
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// The severity.
    pub severity: Severity,
    /// The checked object.
    #[serde(rename = "what")]
    pub subject: String,
    /// The result.
    pub finding: String,
    /// The action to take: a statement, a command or a sentence.
    pub remedy: Option<String>,
    /// The commands of the remedy for a shell, if it needs some.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub commands: Vec<String>,
}

impl Finding {
    /// Returns a finding without a problem.
    pub fn good(subject: impl Into<String>, finding: impl Into<String>) -> Self {
        let (subject, finding) = (subject.into(), finding.into());
        Self { severity: Severity::Good, subject, finding, remedy: None, commands: Vec::new() }
    }

    /// Returns a finding about something that can be improved.
    pub fn warning(
        subject: impl Into<String>,
        finding: impl Into<String>,
        remedy: impl Into<String>,
    ) -> Self {
        Self {
            severity: Severity::Warning,
            remedy: Some(remedy.into()),
            ..Self::good(subject, finding)
        }
    }

    /// Returns a finding about something that does not work.
    pub fn bad(
        subject: impl Into<String>,
        finding: impl Into<String>,
        remedy: impl Into<String>,
    ) -> Self {
        Self { severity: Severity::Bad, ..Self::warning(subject, finding, remedy) }
    }

    /// Adds the commands of the remedy.
    #[must_use]
    pub fn with_commands<C: Into<String>>(mut self, commands: impl IntoIterator<Item = C>) -> Self {
        self.commands.extend(commands.into_iter().map(Into::into));
        self
    }
}
