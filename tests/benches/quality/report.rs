//! The table of the measured configurations.

use std::fmt::{self, Write};

use passage::eval::{completeness, difference, mean};

use super::configuration::Configuration;
use super::set::Set;

/// The budgets in tokens.
pub const BUDGETS: [usize; 2] = [1_024, 2_048];

/// One configuration over all questions of a set.
pub struct Measurement {
    pub configuration: Configuration,
    pub chunks: usize,
    /// The wordpieces of all contents.
    pub tokens: usize,
    /// The wordpieces of all embedded texts.
    pub embedded: usize,
    /// For each budget, the recall of each question.
    pub recalls: [Vec<f64>; BUDGETS.len()],
}

/// The configurations of a set. The others are compared with the first one.
pub struct Report<'a> {
    pub set: &'a Set,
    pub measured: &'a [Measurement],
}

/// One line about a set.
pub fn title(set: &Set) -> String {
    let (questions, documents) = (set.questions.len(), set.documents.len());
    format!("{}: {questions} questions, {documents} documents", set.name)
}

/// Writes recall and completeness of all questions for each budget, and the difference from the compared
/// configuration, if there is one.
///
/// Both arguments are the recalls of each question, for each budget.
pub fn figures(
    formatter: &mut fmt::Formatter<'_>,
    first: Option<&[Vec<f64>]>,
    recalls: &[Vec<f64>],
) -> fmt::Result {
    let both = |recalls: &[Vec<f64>]| -> Vec<Vec<f64>> {
        let pairs = recalls.iter().map(|recalls| [recalls.clone(), completeness(recalls)]);
        pairs.flatten().collect()
    };
    let first = first.map(both);
    for (at, figure) in both(recalls).iter().enumerate() {
        write!(formatter, " {:.3}", mean(figure))?;
        if let Some(first) = &first {
            write!(formatter, " {}", difference(&first[at], figure))?;
        }
        write!(formatter, " |")?;
    }
    Ok(())
}

impl fmt::Display for Report<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { set, measured } = self;
        writeln!(formatter, "{}\n", title(set))?;
        let (mut names, mut rule) = (String::new(), String::new());
        for budget in BUDGETS {
            write!(names, " recall {budget} | complete {budget} |")?;
            rule.push_str("---|---|");
        }
        writeln!(formatter, "| limits | chunks | mean size | embedded |{names}")?;
        writeln!(formatter, "|---|---|---|---|{rule}")?;
        let first = measured.first().map(|first| &first.recalls[..]);
        for (number, row) in measured.iter().enumerate() {
            let (name, chunks, embedded) = (row.configuration, row.chunks, row.embedded);
            let size = row.tokens as f64 / chunks.max(1) as f64;
            write!(formatter, "| {name} | {chunks} | {size:.0} | {embedded} |")?;
            figures(formatter, first.filter(|_| number > 0), &row.recalls)?;
            writeln!(formatter)?;
        }
        Ok(())
    }
}
