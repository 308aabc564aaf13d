//! The table of fragments.

use std::collections::BTreeSet;
use std::fmt;

use passage::eval::{difference, mean};

use super::super::excerpts::ExcerptScore;
use super::super::saved::Recalls;
use super::super::set::Question;

/// One way to query.
pub struct MethodScores {
    pub name: String,
    /// The result for each question.
    pub scores: Vec<ExcerptScore>,
}

/// All ways to query. The others are compared with the first one.
pub struct Excerpts<'s> {
    pub title: String,
    pub questions: &'s [Question],
    /// The tokens of the document of each question.
    pub whole: Vec<usize>,
    pub rows: Vec<MethodScores>,
}

impl fmt::Display for Excerpts<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { title, questions, rows, .. } = self;
        let kinds: BTreeSet<_> = questions.iter().filter_map(|one| one.kind.as_deref()).collect();
        writeln!(formatter, "{title}\ndifferences to {}\n", rows[0].name)?;
        write!(formatter, "| strategy | text recall | line recall | complete |")?;
        write!(formatter, " empty | tokens | saved | verbatim |")?;
        for kind in &kinds {
            write!(formatter, " text, {kind} | lines, {kind} |")?;
        }
        writeln!(formatter, "\n|{}", "---|".repeat(8 + 2 * kinds.len()))?;
        for (number, row) in rows.iter().enumerate() {
            write!(formatter, "| {} |", row.name)?;
            let first = (number > 0).then_some(&rows[0]);
            row.recalls(formatter, first)?;
            self.costs(formatter, row)?;
            for kind in &kinds {
                self.kind(formatter, kind, row)?;
            }
            writeln!(formatter)?;
        }
        Ok(())
    }
}

impl Excerpts<'_> {
    /// Returns the recall of text of each question, of a set with this name.
    pub fn recalls(&self, set: &str) -> Vec<Recalls> {
        let scope = self.title.rsplit_once(", ").map_or("", |(_, scope)| scope);
        let row_recalls = |row: &MethodScores| Recalls {
            set: set.to_owned(),
            method: format!("{scope}, {}", row.name),
            budget: "default".to_owned(),
            questions: row.scores.iter().map(|one| one.text).collect(),
        };
        self.rows.iter().map(row_recalls).collect()
    }

    /// Writes how often nothing was returned, the tokens in total and their saving, and how much is verbatim.
    fn costs(&self, formatter: &mut fmt::Formatter<'_>, row: &MethodScores) -> fmt::Result {
        let tokens: Vec<_> = row.scores.iter().map(|one| one.tokens as f64).collect();
        let saved = tokens.iter().zip(&self.whole).map(|(one, whole)| 1.0 - one / *whole as f64);
        let saved: Vec<_> = saved.collect();
        let count = |figure: fn(&ExcerptScore) -> usize| {
            row.scores.iter().map(figure).sum::<usize>() as f64
        };
        let verbatim = count(|one| one.verbatim) / count(|one| one.count).max(1.0);
        write!(formatter, " {:.3} |", row.share(|one| one.count == 0))?;
        write!(formatter, " {:.0} | {:.3} | {verbatim:.3} |", mean(&tokens), mean(&saved))
    }

    /// Writes both recalls of the questions of a kind.
    fn kind(
        &self,
        formatter: &mut fmt::Formatter<'_>,
        kind: &str,
        row: &MethodScores,
    ) -> fmt::Result {
        let scores = || {
            let pairs = self.questions.iter().zip(&row.scores);
            pairs.filter(|(one, _)| one.kind.as_deref() == Some(kind)).map(|(_, score)| score)
        };
        let text: Vec<_> = scores().map(|score| score.text).collect();
        let lines: Vec<_> = scores().map(|score| score.lines).collect();
        write!(formatter, " {:.3} | {:.3} |", mean(&text), mean(&lines))
    }
}

impl MethodScores {
    /// Writes recall by text and by lines, and the share of questions with the whole text.
    fn recalls(&self, formatter: &mut fmt::Formatter<'_>, first: Option<&Self>) -> fmt::Result {
        for figure in [|score: &ExcerptScore| score.text, |score: &ExcerptScore| score.lines] {
            let figures = |row: &Self| row.scores.iter().map(figure).collect::<Vec<_>>();
            let own = figures(self);
            write!(formatter, " {:.3}", mean(&own))?;
            if let Some(first) = first {
                write!(formatter, " {}", difference(&figures(first), &own))?;
            }
            write!(formatter, " |")?;
        }
        write!(formatter, " {:.3} |", self.share(|one| one.text >= 1.0))
    }

    fn share(&self, is: fn(&ExcerptScore) -> bool) -> f64 {
        let figures: Vec<_> = self.scores.iter().map(|one| f64::from(is(one))).collect();
        mean(&figures)
    }
}
