//! Why a source has no document: the number of files that it leaves out, by reason.

use std::fmt;

/// The maximum number of files that are counted to explain why a folder yields nothing.
pub(super) const MAX_COUNTED: usize = 100_000;

/// Reasons that have remedies of their own.
const IGNORED: &str = "ignored by git";
const HIDDEN: &str = "hidden";
const NOT_TEXT: &str = "not text";
const LINK: &str = "a symbolic link or a device";
const LINKS: &str = "symbolic links or devices";

/// Why a source has no document.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum EmptyReason {
    /// It contains nothing.
    Nothing,
    /// It contains only files that are left out.
    LeftOut(LeftOut),
    /// `--include` or `--exclude` leaves out all of it.
    Excluded,
    /// A list that has no page of its own server.
    NoPages,
}

/// The number of files that a source leaves out, by reason.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(missing_docs, reason = "each field is a reason")]
pub struct LeftOut {
    pub ignored_by_git: usize,
    pub hidden: usize,
    pub excluded: usize,
    pub not_text: usize,
    pub links_and_devices: usize,
}

impl LeftOut {
    /// Returns each number with its reason.
    fn reasons(self) -> [(usize, &'static str); 5] {
        let Self { ignored_by_git, hidden, excluded, not_text, links_and_devices } = self;
        let link = if links_and_devices == 1 { LINK } else { LINKS };
        [
            (ignored_by_git, IGNORED),
            (hidden, HIDDEN),
            (excluded, "excluded by --include or --exclude"),
            (not_text, NOT_TEXT),
            (links_and_devices, link),
        ]
    }

    /// Returns the reason of a source that leaves out these files and has no others.
    pub(super) fn reason(self) -> EmptyReason {
        if self == Self::default() { EmptyReason::Nothing } else { EmptyReason::LeftOut(self) }
    }

    fn total(self) -> usize {
        self.reasons().iter().map(|(number, _)| number).sum()
    }
}

impl fmt::Display for LeftOut {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let total = self.total();
        let reasons: Vec<_> =
            self.reasons().into_iter().filter(|(number, _)| *number > 0).collect();
        let least = if total >= MAX_COUNTED { "at least " } else { "" };
        match &reasons[..] {
            [(1, reason)] => write!(formatter, "its only file is {reason}"),
            [(number, reason)] => write!(formatter, "all {least}{number} files are {reason}"),
            reasons => {
                let reasons: Vec<_> =
                    reasons.iter().map(|(number, reason)| format!("{number} {reason}")).collect();
                write!(formatter, "all {least}{total} files are left out: {}", reasons.join(", "))
            }
        }
    }
}

impl fmt::Display for EmptyReason {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Nothing => formatter.write_str("it is empty"),
            Self::LeftOut(left_out) => left_out.fmt(formatter),
            Self::Excluded => formatter.write_str("--include or --exclude leaves out all of it"),
            Self::NoPages => formatter.write_str("it lists no page of its own server"),
        }
    }
}

impl EmptyReason {
    /// Returns what to do.
    pub(super) fn remedy(&self) -> &'static str {
        let Self::LeftOut(left_out) = self else {
            return match self {
                Self::Excluded => {
                    "Check --include and --exclude. If nothing is expected, use --allow-empty."
                }
                _ => "Check the name. If it may be empty, use --allow-empty.",
            };
        };
        // Files such as .gitignore are hidden in most folders, so another reason matters more.
        let rank = |(number, reason): &(usize, &str)| (*number > 0 && *reason != HIDDEN, *number);
        let frequent = left_out.reasons().into_iter().rev().max_by_key(rank);
        match frequent.map(|(_, reason)| reason) {
            Some(IGNORED) => {
                "Remove the names from .gitignore or .ignore, or name the files. If nothing is expected, use --allow-empty."
            }
            Some(NOT_TEXT) => {
                "Convert the files to text. If nothing is expected, use --allow-empty."
            }
            Some(HIDDEN) => "Name the hidden files. If nothing is expected, use --allow-empty.",
            Some(LINK | LINKS) => {
                "Name the targets of the links. If nothing is expected, use --allow-empty."
            }
            _ => "Check --include and --exclude. If nothing is expected, use --allow-empty.",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_remedy_is_that_of_the_most_frequent_reason_except_hidden() {
        let left_out = LeftOut { hidden: 3, ignored_by_git: 1, not_text: 1, ..LeftOut::default() };
        assert!(left_out.reason().remedy().starts_with("Remove the names from .gitignore"));
        let left_out = LeftOut { not_text: 2, ..left_out };
        assert!(left_out.reason().remedy().starts_with("Convert the files"));
        let left_out = LeftOut { hidden: 1, ..LeftOut::default() };
        assert!(left_out.reason().remedy().starts_with("Name the hidden files"));
        assert!(EmptyReason::Nothing.remedy().ends_with("use --allow-empty."));
        assert!(EmptyReason::Excluded.remedy().starts_with("Check --include"));
    }
}
