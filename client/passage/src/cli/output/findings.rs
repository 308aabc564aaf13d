//! Findings as text: each with its remedy, and the verdict on all of them.

use super::render::{BOLD, ERROR, GOOD, WARNING, count, line, printable};
use crate::store::{Finding, Severity};

/// Returns a line for each finding, with its remedy and each command of it below.
pub fn lines(findings: &[Finding]) -> String {
    let mut output = String::new();
    for Finding { severity, subject, finding, remedy, commands } in findings {
        let (style, word) = match severity {
            Severity::Good => (GOOD, "good"),
            Severity::Warning => (WARNING, "warning"),
            Severity::Bad => (ERROR, "error"),
        };
        let (subject, finding) = (printable(subject), printable(finding));
        line(&mut output, &format!("{style}{word:<8}{style:#}{BOLD}{subject}{BOLD:#}: {finding}"));
        for text in remedy.iter().chain(commands) {
            line(&mut output, &format!("        {}", printable(text)));
        }
    }
    output
}

/// Returns the number of errors and warnings.
pub fn verdict(findings: &[Finding]) -> String {
    let number = |severity| findings.iter().filter(|finding| finding.severity == severity).count();
    let (bad, warnings) = (number(Severity::Bad), number(Severity::Warning));
    let verdict = match (bad, warnings) {
        (0, 0) => "no problems found".to_owned(),
        (0, warnings) => format!("no errors, {}", count(warnings, "warning")),
        (bad, warnings) => format!("{}, {}", count(bad, "error"), count(warnings, "warning")),
    };
    format!("\n{verdict}\n")
}
