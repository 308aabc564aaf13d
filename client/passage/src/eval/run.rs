/*!
Runs an evaluation: every question with every configuration at every budget.

A search per budget, because `search` chooses other hits and context for another budget: the passages of a small budget are
not the first ones of a large one.
*/

use super::answer::ReturnedPassage;
use super::question::Question;
use super::report::{Configuration, QuestionError, QuestionResult, Report, ResultPassage};
use super::resolve::Resolver;
use super::searcher::Searcher;
use crate::Error;
use crate::embed::{Embedder, Embedding, EmbeddingKind};
use crate::serve::Reranking;
use crate::store::{Passage, Search, Store};
use futures_util::future::try_join_all;
use serde_json::Map;

/// The maximum number of notices of the server that a report keeps.
const MAX_NOTES: usize = 20;

/// What to evaluate.
pub struct Evaluation {
    /// The questions.
    pub questions: Vec<Question>,
    /// The ways to search; the first one is the baseline. Each names one of the stores.
    pub configurations: Vec<Configuration>,
    /// The budgets in tokens.
    pub budgets: Vec<u32>,
    /// The filters, the number of passages and of candidates of all searches.
    pub search: Search,
    /// The connection string, to connect again.
    pub url: String,
    /// The reranker of the configurations that have one.
    pub reranking: Option<Reranking>,
}

/// A store to search.
pub struct EvaluatedStore {
    /// The store.
    pub store: Store,
    /// The embedder of its questions; `None` if no configuration of the store searches by meaning.
    pub embedder: Option<Embedder>,
}

/// Runs an evaluation. `progress` is called after each search.
///
/// # Errors
///
/// Returns an error if a configuration fails without a filter of a question, if the embedder fails, or if a lost connection
/// cannot be opened again. Errors of single questions are in the report.
pub async fn evaluate(
    evaluation: Evaluation,
    stores: Vec<EvaluatedStore>,
    progress: impl Fn(),
) -> Result<Report, Error> {
    let mut report = Report {
        version: env!("CARGO_PKG_VERSION").into(),
        budgets: evaluation.budgets.clone(),
        questions: evaluation.questions.clone(),
        configurations: evaluation.configurations.clone(),
        summary: Vec::new(),
        results: Vec::new(),
        errors: Vec::new(),
        notes: Vec::new(),
    };
    for evaluated in stores {
        run_store(&evaluation, evaluated, &mut report, &progress).await?;
    }
    // Stores that take turns in the list of configurations.
    report.results.sort_by_key(|one| (one.configuration, one.budget, one.question));
    report.errors.sort_by_key(|one| (one.configuration, one.question, one.budget));
    report.summarize();
    Ok(report)
}

async fn run_store(
    evaluation: &Evaluation,
    evaluated: EvaluatedStore,
    report: &mut Report,
    progress: &impl Fn(),
) -> Result<(), Error> {
    let EvaluatedStore { store, embedder } = evaluated;
    let Evaluation { questions, budgets, .. } = evaluation;
    let embeddings: Option<Vec<Embedding>> = match embedder {
        Some(embedder) => {
            let embed = |question: &Question| {
                let (embedder, query) = (embedder.clone(), question.query.clone());
                async move { embedder.embed(EmbeddingKind::Query, query).await }
            };
            Some(try_join_all(questions.iter().map(embed)).await?)
        }
        None => None,
    };
    let mut resolver = Resolver::default();
    let answers = resolver.answers(&store, questions).await?;
    let name = store.name().to_owned();
    let mut searcher = Searcher { store, url: &evaluation.url };
    let own = evaluation.configurations.iter().enumerate().filter(|(_, one)| one.store == name);
    for (number, configuration) in own {
        check(evaluation, configuration, &mut searcher, embeddings.as_ref()).await?;
        for (question, answer) in answers.iter().enumerate() {
            let failed = |budget, (message, hint)| QuestionError {
                question,
                configuration: number,
                budget,
                message,
                hint,
            };
            let answer = match answer {
                Ok(answer) => answer,
                Err(error) => {
                    report.errors.push(failed(None, error.clone()));
                    (0..budgets.len()).for_each(|_| progress());
                    continue;
                }
            };
            let embedding = embeddings.as_ref().filter(|_| configuration.embeds());
            let embedding = embedding.map(|embeddings| &embeddings[question][..]);
            let asked = |budget| evaluation.arguments(configuration, &questions[question], budget);
            // The order of the hits is the same at every budget.
            let hits = match evaluation.reranking_of(configuration) {
                Some(reranking) => {
                    searcher.reranked_hits(reranking, asked(None), embedding).await?
                }
                None => Ok(None),
            };
            let hits = match hits {
                Ok(hits) => hits,
                Err(error) => {
                    report.errors.push(failed(None, (error.to_string(), error.remedy())));
                    (0..budgets.len()).for_each(|_| progress());
                    continue;
                }
            };
            for budget in budgets {
                let found =
                    searcher.search(&asked(Some(*budget)), embedding, hits.as_deref()).await?;
                progress();
                let (passages, notices) = match found {
                    Ok(found) => found,
                    Err(error) => {
                        let error = (error.to_string(), error.remedy());
                        report.errors.push(failed(Some(*budget), error));
                        continue;
                    }
                };
                for notice in notices {
                    if report.notes.len() < MAX_NOTES && !report.notes.contains(&notice) {
                        report.notes.push(notice);
                    }
                }
                let returned = passages.iter().map(|passage| ReturnedPassage {
                    document: passage.document_id,
                    ranges: resolver.ranges(passage),
                });
                let (score, parts) = answer.score(&returned.collect::<Vec<_>>());
                let tokens = passages.iter().map(|passage| i64::from(passage.tokens)).sum();
                report.results.push(QuestionResult {
                    configuration: number,
                    budget: *budget,
                    question,
                    score,
                    tokens,
                    passages: passages.into_iter().zip(parts).map(result_passage).collect(),
                });
            }
        }
    }
    Ok(())
}

/// Searches once without the filter of a question. So a strategy or a limit that does not exist fails the evaluation at
/// once, instead of each question, and so does a reranker that does not answer.
async fn check(
    evaluation: &Evaluation,
    configuration: &Configuration,
    searcher: &mut Searcher<'_>,
    embeddings: Option<&Vec<Embedding>>,
) -> Result<(), Error> {
    let Some(question) = evaluation.questions.first() else { return Ok(()) };
    let question = Question { filter: Map::new(), ..question.clone() };
    let arguments = evaluation.arguments(configuration, &question, Some(1));
    let embedding = embeddings.filter(|_| configuration.embeds()).map(|all| &all[0][..]);
    let mut hits = None;
    if let Some(reranking) = evaluation.reranking_of(configuration) {
        hits = searcher.reranked_hits(reranking, arguments.clone(), embedding).await??;
    }
    searcher.search(&arguments, embedding, hits.as_deref()).await??;
    Ok(())
}

/// Returns the lines of the chunks of a passage, joined where nothing is between them.
fn lines(passage: &Passage) -> Vec<[i32; 2]> {
    let mut lines: Vec<[i32; 2]> = Vec::new();
    for citation in passage.citations.as_array().into_iter().flatten() {
        let line = |key: &str| citation[key].as_i64().and_then(|line| i32::try_from(line).ok());
        let (Some(first), Some(last)) = (line("first_line"), line("last_line")) else { continue };
        match lines.last_mut() {
            Some([_, end]) if first <= end.saturating_add(1) => *end = last.max(*end),
            _ => lines.push([first, last]),
        }
    }
    lines
}

fn result_passage((passage, wanted): (Passage, bool)) -> ResultPassage {
    let lines = lines(&passage);
    let Passage { document_id, uri, collection, version, section, .. } = passage;
    ResultPassage {
        wanted,
        document_id,
        uri,
        collection,
        version,
        section,
        first_line: passage.first_line,
        last_line: passage.last_line,
        lines,
        tokens: passage.tokens,
        hit_ids: passage.hit_ids,
    }
}

impl Configuration {
    /// Returns whether it searches by meaning.
    pub fn embeds(&self) -> bool {
        self.mode != "text"
    }
}

impl Evaluation {
    /// Returns the reranker of a configuration.
    fn reranking_of(&self, configuration: &Configuration) -> Option<&Reranking> {
        self.reranking.as_ref().filter(|_| configuration.reranked)
    }
}
