/*!
Evaluates search on questions with known answers.

[`Question`]s name the documents, sections, lines or texts that answer them. [`evaluate`] asks each of them with every
[`Configuration`] at every budget, and compares the configurations in a [`Report`].

- `found`: the share of the wanted items of which a passage has a part
- `recall`: the share of the wanted text that the passages have; see [`share`]
- `complete`: the share of the questions whose wanted text the passages have wholly
- `reciprocal_rank`: 1 / the rank of the first passage with a part of a wanted item, or 0

A [`difference`] of two configurations has the interval of a paired bootstrap over the questions.
*/

mod answer;
mod arguments;
mod bootstrap;
mod document;
mod figures;
mod metrics;
mod proposal;
mod question;
mod report;
mod resolve;
mod run;
mod searcher;

pub use answer::Score;
pub use bootstrap::{Difference, SplitMix, difference};
pub use metrics::{completeness, mean, share};
pub use proposal::propose;
pub use question::{Question, Wanted};
pub use report::{
    Configuration, Differences, QuestionError, QuestionResult, Report, ResultPassage, Summary,
};
pub use run::{EvaluatedStore, Evaluation, evaluate};
