//! The report of an evaluation as text.

use crate::cli::output::render::{BOLD, DIM, TITLE, count, line, location, printable, section};
use crate::eval::{
    Question, QuestionError, QuestionResult, Report, ResultPassage, Summary, Wanted,
};
use std::fmt::Write;

/// The number of passages that are shown for a question.
const SHOWN_PASSAGES: usize = 3;

/// The maximum number of characters of a query or a text in a line.
const MAX_WIDTH: usize = 100;

/// Returns the figures, and the worst questions of the best configuration at the largest budget.
pub fn as_text(report: &Report, worst: usize) -> String {
    let mut output = String::new();
    let names: Vec<String> = report.configurations.iter().map(|one| printable(&one.name)).collect();
    let width = names.iter().map(|name| name.chars().count()).max().unwrap_or(0).max(12);
    let questions = count(report.questions.len(), "question");
    let stores: Vec<_> = report.configurations.iter().map(|one| one.store.as_str()).collect();
    let is_one = stores.iter().all(|store| *store == stores[0]);
    let of_store = if is_one { format!(", store {}", printable(stores[0])) } else { String::new() };
    line(&mut output, &format!("{questions}{of_store}\n"));
    let has_rows = |budget: &&u32| report.summary.iter().any(|one| one.budget == **budget);
    for budget in report.budgets.iter().filter(has_rows) {
        let title = format!("{} tokens", with_commas(*budget));
        line(
            &mut output,
            &format!("{BOLD}{title:width$}   found  recall  complete    MRR  tokens{BOLD:#}"),
        );
        for summary in report.summary.iter().filter(|one| one.budget == *budget) {
            row(&mut output, report, summary, &names[summary.configuration], width);
        }
        output.push('\n');
    }
    show_worst(&mut output, report, worst);
    output
}

fn row(output: &mut String, report: &Report, summary: &Summary, name: &str, width: usize) {
    let Summary { score, tokens, .. } = summary;
    let mut text = format!(
        "{name:width$}   {:.3}   {:.3}     {:.3}  {:.3}  {tokens:6.0}",
        score.found, score.recall, score.complete, score.reciprocal_rank
    );
    if let Some(difference) = &summary.difference {
        write!(text, "  {DIM}recall {}{DIM:#}", difference.recall)
            .expect("a string takes any text");
    }
    if summary.questions < report.questions.len() {
        let measured = count(summary.questions, "question");
        write!(text, "  {DIM}over {measured}{DIM:#}").expect("a string takes any text");
    }
    line(output, &text);
}

fn show_worst(output: &mut String, report: &Report, worst: usize) {
    let Some((configuration, budget)) = report.best() else { return };
    let results = report.worst(configuration, budget);
    let results: Vec<_> =
        results.into_iter().filter(|one| one.score.recall < 1.0).take(worst).collect();
    if results.is_empty() {
        return;
    }
    let name = printable(&report.configurations[configuration].name);
    let title = format!("Worst questions of {name} at {} tokens", with_commas(budget));
    line(output, &format!("{BOLD}{title}{BOLD:#}\n"));
    for result in results {
        question(output, &report.questions[result.question], result);
    }
}

fn question(output: &mut String, question: &Question, result: &QuestionResult) {
    let title = shortened(&label(question));
    line(output, &format!("{:.3}  {TITLE}{title}{TITLE:#}", result.score.recall));
    for wanted in &question.wanted {
        line(output, &format!("       wanted  {}", wanted_text(wanted)));
    }
    if result.passages.is_empty() {
        line(output, "       nothing came");
    }
    for passage in result.passages.iter().take(SHOWN_PASSAGES) {
        let mark = if passage.wanted { "*" } else { " " };
        line(output, &format!("       came  {mark} {}", passage_text(passage)));
    }
    let more = result.passages.len().saturating_sub(SHOWN_PASSAGES);
    if more > 0 {
        line(output, &format!("       {DIM}and {}{DIM:#}", count(more, "other passage")));
    }
    output.push('\n');
}

fn wanted_text(wanted: &Wanted) -> String {
    let number = |at: usize| wanted.lines.and_then(|lines| i32::try_from(lines[at]).ok());
    let mut parts = Vec::new();
    if wanted.uri.is_some() {
        parts.push(location(wanted.uri.as_deref(), number(0), number(1)));
    }
    parts.extend(wanted.section.as_deref().map(section));
    parts.extend(wanted.text.as_deref().map(|text| format!("\"{}\"", shortened(text))));
    parts.join("  ")
}

fn passage_text(passage: &ResultPassage) -> String {
    let mut location = location(passage.uri.as_deref(), passage.first_line, passage.last_line);
    if passage.lines.len() > 1 {
        let parts = passage.lines.iter().map(|[first, last]| format!("{first}-{last}"));
        let uri = printable(passage.uri.as_deref().unwrap_or_default());
        location = format!("{uri}:{}", parts.collect::<Vec<_>>().join(","));
    }
    format!("{location}  {DIM}{}{DIM:#}", section(&passage.section))
}

/// Returns an error with its question, and its configuration and budget if they decide it.
pub fn located(report: &Report, error: &QuestionError) -> String {
    let question = shortened(&label(&report.questions[error.question]));
    let configuration = &report.configurations[error.configuration];
    let place = match error.budget {
        Some(budget) => format!(", {} at {budget} tokens", configuration.name),
        None if report.configurations.len() > 1 => format!(", {}", configuration.name),
        None => String::new(),
    };
    format!("question {} ({question}){place}: {}", error.question + 1, error.message)
}

fn label(question: &Question) -> String {
    match &question.name {
        Some(name) => format!("{name}: {}", question.query),
        None => question.query.clone(),
    }
}

/// Returns the beginning of a text in one line.
fn shortened(text: &str) -> String {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let text = printable(&text);
    match text.char_indices().nth(MAX_WIDTH) {
        Some((end, _)) => format!("{}...", &text[..end]),
        None => text,
    }
}

fn with_commas(number: u32) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_commas_and_long_texts_end() {
        let numbers = [7, 512, 1_024, 12_345, 1_000_000].map(with_commas);
        assert_eq!(numbers, ["7", "512", "1,024", "12,345", "1,000,000"]);
        assert_eq!(shortened(" a\n\tb "), "a b");
        assert_eq!(shortened(&"é".repeat(101)), format!("{}...", "é".repeat(100)));
    }
}
