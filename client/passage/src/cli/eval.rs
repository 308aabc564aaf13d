//! The command `eval`: measures search on questions with known answers.

mod make;
mod output;
mod stores;

use super::options::server::Database;
use super::options::{Embedder, Reranker, json_object};
use super::output::bar::Bar;
use super::output::print::{print, print_error, print_notes};
use super::output::render;
use super::search::{Filters, Mode};
use crate::Error;
use crate::eval::{Configuration, Evaluation, Question, Report, evaluate};
use crate::store::{Search, SearchMode};
use clap::Args;
use serde_json::{Map, Value};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// The text below the options.
pub const HELP: &str = "\
Questions:
  Each line of the file is a JSON object with \"query\" and \"wanted\", and maybe \"name\" and \"filter\",
  an object as for passage.filter. \"wanted\" is an array of objects, all of which are wanted. Each has
  a \"uri\" or a \"text\", and maybe \"collection\", \"version\", \"section\" and \"lines\", which narrow it:
  {\"query\": \"How do I rotate logs?\", \"wanted\": [{\"uri\": \"docs/logging.md\", \"lines\": [10, 20]}]}

Figures:
  found     Share of the wanted items of which a passage has a part
  recall    Share of the wanted text that the passages have, in bytes: the mean over the wanted items.
            An item that is only a uri counts as 1 if any passage of the document comes
  complete  Share of the questions whose wanted text comes wholly
  MRR       Mean of 1 / rank of the first passage with a part of a wanted item
  All are means over the questions. Differences are those of the recall from the first row, with the
  interval of 95 % of the samples of a paired bootstrap; * marks those that are more than chance.

Examples:
  passage eval --make 50 > questions.jsonl
  passage eval questions.jsonl
  passage eval questions.jsonl --mode text --mode vector --mode hybrid --budget 512,2048
  passage eval questions.jsonl --strategy none --strategy auto --json > report.json
  passage eval questions.jsonl --store small --store large
  passage eval questions.jsonl --ranking '{}' --ranking '{\"text_weight\": 0.5}'
  passage eval questions.jsonl --rerank-model ./ms-marco-MiniLM-L6-v2
  passage eval questions.jsonl --baseline report.json

Exit codes:
  0  All questions were measured
  1  Failure; also if only some questions could not be measured
  2  Usage error; also if a line is not a question";

#[derive(Args)]
pub struct Eval {
    /// File of questions, JSON lines
    #[arg(required_unless_present = "make")]
    pub questions: Option<PathBuf>,
    /// Print questions instead, at most this number, 1 to 10000: half from titles of sections, half from
    /// rare words of sentences. They are a start to edit; only --collection and --version apply
    #[arg(long, value_name = "N", conflicts_with = "questions", value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub make: Option<u32>,
    /// Number that decides which sections and sentences --make takes
    #[arg(long, hide_short_help = true, default_value_t = 0, requires = "make", value_name = "N")]
    pub seed: u64,
    #[command(flatten)]
    pub database: Database,
    /// Name of a store, a schema of the database; repeat it to compare stores
    #[arg(
        long,
        env = "PASSAGE_STORE",
        hide_env_values = true,
        default_value = "rag",
        value_name = "NAME"
    )]
    pub store: Vec<String>,
    #[command(flatten)]
    pub embedder: Embedder,
    #[command(flatten)]
    pub reranker: Reranker,
    /// Search mode; repeat it to compare modes [default: hybrid, or text if the store has no
    /// embeddings or there is no model]
    #[arg(long)]
    pub mode: Vec<Mode>,
    /// Strategy that selects the context; repeat it to compare strategies [default: the server
    /// setting passage.strategy, initially auto]
    #[arg(long, value_name = "NAME")]
    pub strategy: Vec<String>,
    /// Ranking, a JSON object with keys of passage.ranking, such as {"text_weight": 0.5}; repeat it
    /// to compare them
    #[expect(clippy::doc_markdown, reason = "the help is plain text")]
    #[arg(long, value_name = "JSON")]
    pub ranking: Vec<String>,
    /// Limits of the strategy, a JSON object with keys of passage.limits, such as {"parents": 2};
    /// repeat it to compare them
    #[arg(long, hide_short_help = true, value_name = "JSON")]
    pub limits: Vec<String>,
    /// Budgets: maximum numbers of tokens of all passages together, 1 to 1000000, separated by commas
    #[arg(long, default_value = "512,1024,2048,4096", value_delimiter = ',', value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub budget: Vec<u32>,
    /// Maximum number of passages, 1 to 1000; the default leaves the decision to the budget
    #[arg(long, hide_short_help = true, default_value_t = 100, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub limit: u32,
    /// Number of chunks to find by meaning, and number to find by words, 1 to 1000000 [default:
    /// three times the limit]
    #[arg(long, hide_short_help = true, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub candidates: Option<u32>,
    /// Report of an earlier run with --json, whose first row the others are compared with
    #[arg(long, hide_short_help = true, value_name = "FILE")]
    pub baseline: Option<PathBuf>,
    /// Number of questions to show with the smallest recall, 0 to 1000
    #[arg(long, hide_short_help = true, default_value_t = 5, value_name = "N", value_parser = clap::value_parser!(u32).range(0..=1000))]
    pub worst: u32,
    /// Print one JSON object: the figures, and for each question what came
    #[arg(long)]
    pub json: bool,
    #[command(flatten)]
    pub filters: Filters,
}

impl Eval {
    /// Runs the command.
    pub async fn run(self) -> Result<ExitCode, Error> {
        if let Some(count) = self.make {
            return self.make(count).await;
        }
        let Some(path) = &self.questions else { unreachable!("clap requires it") };
        let questions = Question::read_lines(&path.display().to_string(), &read(path)?)?;
        let baseline = self.baseline.as_deref().map(read_report).transpose()?;
        let groups = [("ranking", &self.ranking), ("limits", &self.limits)];
        let [ranking, limits] = groups.map(|(name, values)| objects(name, values));
        let (ranking, limits) = (ranking?, limits?);
        let mut budgets = self.budget.clone();
        budgets.sort_unstable();
        budgets.dedup();

        let reranking = self.reranker.load()?;
        // With a reranker, each search is measured without it and with it.
        let orders = if reranking.is_some() { &[false, true][..] } else { &[false] };
        let stores = self.stores().await?;
        print_notes(&stores.notes);
        let mut configurations = Vec::new();
        for (store, modes) in &stores.modes {
            for mode in modes {
                for strategy in optional(&self.strategy) {
                    for ranking in &ranking {
                        for limits in &limits {
                            configurations.extend(orders.iter().map(|reranked| Configuration {
                                name: String::new(),
                                store: store.clone(),
                                mode: mode.name().into(),
                                strategy: strategy.cloned(),
                                ranking: ranking.clone(),
                                limits: limits.clone(),
                                reranked: *reranked,
                            }));
                        }
                    }
                }
            }
        }
        name(&mut configurations);
        let search = Search {
            limit: Some(self.limit),
            candidates: self.candidates,
            filters: self.filters.clone().requested()?,
            ..Search::default()
        };
        let searches = questions.len() * configurations.len() * budgets.len();
        let url = self.database.url()?;
        let evaluation = Evaluation { questions, configurations, budgets, search, url, reranking };
        let bar = Bar::new("searches", false);
        bar.set_length(searches as u64);
        bar.start();
        let report = evaluate(evaluation, stores.connected, || bar.advance(1)).await;
        bar.finish();
        let mut report = report?;
        if let Some(baseline) = baseline {
            report = report.with_baseline(&baseline.0).ok_or_else(|| {
                Error::usage(
                    "the report of --baseline has no question with a result at one of the budgets",
                    "Name a report of the same questions, and budgets that it has.",
                )
            })?;
        }
        for error in &report.errors {
            print_error(&render::failure(&output::located(&report, error), &error.hint));
        }
        if self.json {
            print(&render::json(&report));
        } else {
            print_notes(&report.notes);
            print(&output::as_text(&report, self.worst as usize));
        }
        Ok(if report.errors.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
    }
}

/// Returns the given values, or none once.
fn optional<T>(values: &[T]) -> Vec<Option<&T>> {
    if values.is_empty() { vec![None] } else { values.iter().map(Some).collect() }
}

/// Parses the values of an option as JSON objects; one empty object without a value.
fn objects(option: &str, values: &[String]) -> Result<Vec<Map<String, Value>>, Error> {
    if values.is_empty() {
        return Ok(vec![Map::new()]);
    }
    values.iter().map(|value| json_object(option, value)).collect()
}

/// Reads a text file.
fn read(path: &Path) -> Result<String, Error> {
    fs::read_to_string(path).map_err(|error| {
        let cause = format!("cannot read {}: {error}", path.display());
        Error::usage(&cause, "Name a readable file in UTF-8.")
    })
}

/// Reads a report. Also returns its text.
pub fn read_report(path: &Path) -> Result<(Report, String), Error> {
    let text = read(path)?;
    let report = serde_json::from_str(&text).map_err(|_| {
        Error::usage(
            &format!("{} is not a report", path.display()),
            "Name a file that passage eval --json wrote.",
        )
    })?;
    Ok((report, text))
}

/// Names each configuration by what distinguishes it from the others.
fn name(configurations: &mut [Configuration]) {
    let object = |object: &Map<String, Value>| Value::Object(object.clone()).to_string();
    let parts = |one: &Configuration| {
        let strategy = one.strategy.clone().unwrap_or_else(|| "default".into());
        let order = if one.reranked { "reranked" } else { "" };
        let (ranking, limits) = (object(&one.ranking), object(&one.limits));
        [one.store.clone(), one.mode.clone(), strategy, ranking, limits, order.into()]
    };
    let all: Vec<[String; 6]> = configurations.iter().map(parts).collect();
    let differs: Vec<bool> =
        (0..6).map(|at| all.iter().any(|parts| parts[at] != all[0][at])).collect();
    for (one, parts) in configurations.iter_mut().zip(&all) {
        // Mode and strategy are always named.
        let is_named = |at: usize| differs[at] || at == 1 || at == 2;
        let named = parts.iter().enumerate().filter(|(at, part)| is_named(*at) && !part.is_empty());
        one.name = named.map(|(_, part)| part.as_str()).collect::<Vec<_>>().join(", ");
    }
}

/// Returns the mode of the library.
fn search_mode(mode: Mode) -> SearchMode {
    mode.into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn names_have_the_mode_the_strategy_and_what_differs() {
        let configuration = |store: &str, strategy: Option<&str>, ranking: Value| Configuration {
            store: store.into(),
            mode: "hybrid".into(),
            strategy: strategy.map(Into::into),
            ranking: ranking.as_object().unwrap().clone(),
            ..Configuration::default()
        };
        let mut one = [configuration("rag", None, json!({}))];
        name(&mut one);
        assert_eq!(one[0].name, "hybrid, default");
        let mut two = [
            configuration("rag", Some("auto"), json!({})),
            configuration("rag", Some("auto"), json!({"rrf_k": 60})),
        ];
        name(&mut two);
        assert_eq!(two.map(|one| one.name), ["hybrid, auto, {}", "hybrid, auto, {\"rrf_k\":60}"]);
        let plain = configuration("rag", None, json!({}));
        let mut orders = [plain.clone(), Configuration { reranked: true, ..plain }];
        name(&mut orders);
        assert_eq!(orders.map(|one| one.name), ["hybrid, default", "hybrid, default, reranked"]);
    }
}
