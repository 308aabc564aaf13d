//! The figures of a report: means over all questions, differences from the baseline, and the worst questions.

use super::answer::Score;
use super::bootstrap::difference;
use super::metrics::mean;
use super::question::Question;
use super::report::{Configuration, Differences, QuestionResult, Report, Summary};
use std::collections::HashMap;

impl Report {
    /// Computes the figures of all questions.
    pub fn summarize(&mut self) {
        let mut cells: HashMap<(usize, u32), Vec<&QuestionResult>> = HashMap::new();
        for result in &self.results {
            cells.entry((result.configuration, result.budget)).or_default().push(result);
        }
        let mut summary = Vec::new();
        for budget in &self.budgets {
            for configuration in 0..self.configurations.len() {
                let Some(results) = cells.get(&(configuration, *budget)) else { continue };
                let baseline = cells.get(&(0, *budget)).filter(|_| configuration > 0);
                summary.push(Summary {
                    configuration,
                    budget: *budget,
                    questions: results.len(),
                    score: Score {
                        found: mean_of(results, |score| score.found),
                        recall: mean_of(results, |score| score.recall),
                        complete: mean_of(results, |score| score.complete),
                        reciprocal_rank: mean_of(results, |score| score.reciprocal_rank),
                    },
                    tokens: mean(&results.iter().map(|one| one.tokens as f64).collect::<Vec<_>>()),
                    difference: baseline.and_then(|baseline| differences(baseline, results)),
                });
            }
        }
        self.summary = summary;
    }

    /// Puts the first configuration of another report before those of this one, as their baseline. Questions are the same
    /// if their names and queries are.
    ///
    /// Returns `None` if the reports have no question and budget in common.
    #[must_use]
    pub fn with_baseline(mut self, other: &Self) -> Option<Self> {
        let own: HashMap<_, usize> = keys(&self.questions).into_iter().zip(0..).collect();
        let keys = keys(&other.questions);
        let same = |question: usize| keys.get(question).and_then(|key| own.get(key)).copied();
        let has_budget = |budget: &u32| self.budgets.contains(budget);
        let results =
            other.results.iter().filter(|one| one.configuration == 0 && has_budget(&one.budget));
        let results: Vec<_> = results
            .filter_map(|one| Some(QuestionResult { question: same(one.question)?, ..one.clone() }))
            .collect();
        let first = other.configurations.first()?;
        if results.is_empty() {
            return None;
        }
        for configuration in self.results.iter_mut().map(|one| &mut one.configuration) {
            *configuration += 1;
        }
        for configuration in self.errors.iter_mut().map(|one| &mut one.configuration) {
            *configuration += 1;
        }
        let name = format!("baseline: {}", first.name.trim_start_matches("baseline: "));
        self.configurations.insert(0, Configuration { name, ..first.clone() });
        self.results.splice(0..0, results);
        self.summarize();
        Some(self)
    }

    /// Returns the configuration with the highest recall at the largest budget, and this budget; `None` without a result. Of
    /// several it is that with the highest reciprocal rank, and of these the first one.
    pub fn best(&self) -> Option<(usize, u32)> {
        let budget = self.summary.iter().map(|one| one.budget).max()?;
        let at_budget = self.summary.iter().filter(|one| one.budget == budget);
        // Of equal maxima `max_by` returns the last one.
        let best = at_budget.rev().max_by(|a, b| {
            let [a, b] = [a.score, b.score];
            a.recall.total_cmp(&b.recall).then(a.reciprocal_rank.total_cmp(&b.reciprocal_rank))
        })?;
        Some((best.configuration, budget))
    }

    /// Returns the results of a configuration at a budget, the worst first: those with the smallest recall, and of several
    /// those whose first wanted passage comes last.
    pub fn worst(&self, configuration: usize, budget: u32) -> Vec<&QuestionResult> {
        let mut results: Vec<_> = self
            .results
            .iter()
            .filter(|one| one.configuration == configuration && one.budget == budget)
            .collect();
        // No figure is negative, so their bits have their order.
        results.sort_by_key(|QuestionResult { score, .. }| {
            [score.recall, score.found, score.reciprocal_rank].map(f64::to_bits)
        });
        results
    }
}

/// Returns a key of each question: its name, its query, and how many equal ones precede it.
fn keys(questions: &[Question]) -> Vec<(Option<&str>, &str, usize)> {
    let mut seen = HashMap::new();
    let mut keys = Vec::with_capacity(questions.len());
    for Question { name, query, .. } in questions {
        let (name, query) = (name.as_deref(), query.as_str());
        let count: &mut usize = seen.entry((name, query)).or_default();
        keys.push((name, query, *count));
        *count += 1;
    }
    keys
}

fn mean_of(results: &[&QuestionResult], figure: impl Fn(&Score) -> f64) -> f64 {
    mean(&results.iter().map(|one| figure(&one.score)).collect::<Vec<_>>())
}

/// Compares the results of the questions that both have.
fn differences(baseline: &[&QuestionResult], results: &[&QuestionResult]) -> Option<Differences> {
    let first: HashMap<usize, &Score> =
        baseline.iter().map(|one| (one.question, &one.score)).collect();
    let pairs: Vec<(&Score, &Score)> =
        results.iter().filter_map(|one| Some((*first.get(&one.question)?, &one.score))).collect();
    let compare = |figure: fn(&Score) -> f64| {
        let (first, other): (Vec<_>, Vec<_>) =
            pairs.iter().map(|(first, other)| (figure(first), figure(other))).unzip();
        difference(&first, &other)
    };
    (!pairs.is_empty()).then(|| Differences {
        questions: pairs.len(),
        found: compare(|score| score.found),
        recall: compare(|score| score.recall),
        complete: compare(|score| score.complete),
        reciprocal_rank: compare(|score| score.reciprocal_rank),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::report::QuestionError;
    use serde_json::Map;

    /// A report with the recalls of each question, by configuration; `None` for an error.
    fn report(recalls: &[&[Option<f64>]]) -> Report {
        let questions = (0..recalls[0].len()).map(|number| Question {
            name: None,
            query: format!("question {number}"),
            wanted: Vec::new(),
            filter: Map::new(),
        });
        let mut report = Report {
            version: String::new(),
            budgets: vec![512],
            questions: questions.collect(),
            configurations: Vec::new(),
            summary: Vec::new(),
            results: Vec::new(),
            errors: Vec::new(),
            notes: Vec::new(),
        };
        for (configuration, recalls) in recalls.iter().enumerate() {
            let name = format!("way {configuration}");
            report.configurations.push(Configuration { name, ..Configuration::default() });
            for (question, recall) in recalls.iter().enumerate() {
                if let Some(recall) = *recall {
                    report.results.push(QuestionResult {
                        configuration,
                        budget: 512,
                        question,
                        score: Score {
                            recall,
                            found: 1.0,
                            complete: recall.floor(),
                            reciprocal_rank: recall,
                        },
                        tokens: 100,
                        passages: Vec::new(),
                    });
                } else {
                    report.errors.push(QuestionError {
                        question,
                        configuration,
                        budget: None,
                        message: "lost".into(),
                        hint: String::new(),
                    });
                }
            }
        }
        report.summarize();
        report
    }

    fn close(a: f64, b: f64) {
        assert!((a - b).abs() < 1e-12, "{a} for {b}");
    }

    #[test]
    fn a_question_with_an_error_counts_in_no_figure() {
        let report = report(&[
            &[Some(0.5), Some(0.0), None, Some(1.0)],
            &[Some(1.0), None, Some(0.0), Some(1.0)],
        ]);
        let [first, second] = &report.summary[..] else { panic!("{:?}", report.summary) };
        assert_eq!((first.questions, second.questions), (3, 3));
        close(first.score.recall, 0.5);
        close(second.score.recall, 2.0 / 3.0);
        assert_eq!(first.difference, None);
        // Both have results for the first and the last question.
        let difference = second.difference.unwrap();
        assert_eq!(difference.questions, 2);
        close(difference.recall.mean, 0.25);
        close(difference.complete.mean, 0.5);
    }

    #[test]
    fn a_report_of_another_run_is_a_baseline_for_its_common_questions() {
        let mut before = report(&[&[Some(0.0), Some(1.0), Some(0.0)]]);
        before.questions.swap(0, 2);
        before.questions[1].query = "another question".into();
        let after = report(&[&[Some(1.0), Some(0.0), None]]);
        // Of equal questions the first one is the same as the first one of the other report, and so on.
        before.questions.push(before.questions[2].clone());
        let joined = after.clone().with_baseline(&before).unwrap();
        let names: Vec<_> = joined.configurations.iter().map(|one| one.name.as_str()).collect();
        assert_eq!(names, ["baseline: way 0", "way 0"]);
        assert_eq!(joined.errors[0].configuration, 1);
        let difference = joined.summary[1].difference.unwrap();
        assert_eq!((difference.questions, difference.recall.mean), (1, 1.0));
        // The baseline of a joined report is its own baseline.
        assert_eq!(
            after.clone().with_baseline(&joined).unwrap().configurations[0].name,
            "baseline: way 0"
        );
        before.budgets = vec![256];
        before.results.iter_mut().for_each(|result| result.budget = 256);
        assert_eq!(after.with_baseline(&before), None);
    }

    #[test]
    fn the_worst_questions_come_first() {
        let report = report(&[&[Some(0.5), Some(0.0), Some(1.0), None]]);
        let worst: Vec<_> = report.worst(0, 512).iter().map(|one| one.question).collect();
        assert_eq!(worst, [1, 0, 2]);
        assert_eq!(report.best(), Some((0, 512)));
        let equal = self::report(&[&[Some(0.5)], &[Some(1.0)], &[Some(1.0)]]);
        assert_eq!(equal.best(), Some((1, 512)));
    }

    #[test]
    fn a_report_is_read_as_it_was_written() {
        let report = report(&[&[Some(0.5), None], &[Some(1.0), Some(0.25)]]);
        let json = serde_json::to_string(&report).unwrap();
        assert_eq!(serde_json::from_str::<Report>(&json).unwrap(), report);
    }
}
