/*!
How much of what is wanted comes back, when every way of making chunks may return as much.

Two sets of questions whose answers are marked in real documents lie beside the checkout, in
`../shared/data`; they are no part of the project, and without them there is nothing to measure.
The documents of a set are split by core and embedded by the client's model, preambles included,
just as `passage ingest` would, and every question is compared with every chunk. Chunks are taken
best first until the budget is spent (see `score`), and each way is compared with the first one,
question by question (see `bootstrap`).

Equal budgets, never equal numbers of hits: a larger chunk would always win the latter. At 175
questions a difference below seven points is mostly chance, which is why the intervals are printed.

With `--strategies` every preset is measured as well, over the chunks of the first limits: hits take
a share of the budget, the preset adds to them what it still can, and what is then left is for
further hits (see `strategies`). Chunks lie in memory, but what is read and chosen of them is what
`reassemble` would (see `store`).

`cargo bench -p passage-tests --bench bench -- quality [--data FOLDER] [--set NAME]...
[--limits MIN/PREFERRED/MAX[:bare][:plain]]... [--fill stop|continue] [--strategies]`
*/

mod bootstrap;
mod configuration;
mod report;
mod score;
mod search;
mod set;
mod shares;
mod store;
mod strategies;
mod vectors;

use std::path::PathBuf;
use std::process::{Command, Stdio};

use passage::embed::{Model, Pool};
use passage_tests::cluster::{model_path, target};

use configuration::Configuration;
use report::{BUDGETS, Measured, Report};
use score::{Filling, fill, recall};
use search::{Searched, search};
use set::Set;
use strategies::compare;
use vectors::Vectors;

/// The first argument of the process that measures.
const WORKER: &str = "quality-worker";

/// What was asked for; what was not is chosen by [`measure`].
#[derive(Default)]
pub struct Options {
    data: Option<PathBuf>,
    sets: Vec<String>,
    configurations: Vec<Configuration>,
    filling: Option<Filling>,
    strategies: bool,
    /// As they were written.
    arguments: Vec<String>,
}

impl Options {
    /// Takes an option, and its value if it has one, and tells whether it is one of ours.
    ///
    /// # Errors
    ///
    /// What is wrong with the value.
    pub fn take(
        &mut self,
        option: &str,
        arguments: &mut impl Iterator<Item = String>,
    ) -> Result<bool, String> {
        if option == "--strategies" {
            self.strategies = true;
            self.arguments.push(option.to_owned());
            return Ok(true);
        }
        if !["--data", "--set", "--limits", "--fill"].contains(&option) {
            return Ok(false);
        }
        let value = arguments.next().ok_or_else(|| format!("{option} has no value"))?;
        self.arguments.extend([option.to_owned(), value.clone()]);
        match option {
            "--data" => self.data = Some(value.into()),
            "--set" => self.sets.push(value),
            "--limits" => self.configurations.push(value.parse()?),
            _ => {
                self.filling = Some(match value.as_str() {
                    "stop" => Filling::Stop,
                    "continue" => Filling::Continue,
                    _ => return Err(format!("--fill {value} is neither stop nor continue")),
                });
            }
        }
        Ok(true)
    }

    fn parse(mut arguments: impl Iterator<Item = String>) -> Result<Self, String> {
        let mut options = Self::default();
        while let Some(option) = arguments.next() {
            if !options.take(&option, &mut arguments)? {
                return Err(format!("{option} is no option of quality"));
            }
        }
        Ok(options)
    }

    fn data(&self) -> PathBuf {
        let beside = concat!(env!("CARGO_MANIFEST_DIR"), "/../../shared/data");
        self.data.clone().unwrap_or_else(|| beside.into())
    }
}

/// Measures in a process of its own, since candle reads from the environment once whether its
/// threads are its own affair. Returns a table for each set, or nothing if there are no sets.
///
/// # Panics
///
/// Panics if the process fails; it has said why.
pub fn measure(options: &Options) -> Option<String> {
    let data = options.data();
    if set::names(&data).is_empty() {
        eprintln!("bench: quality is skipped: {} holds no sets of questions", data.display());
        return None;
    }
    let (name, value) = Pool::SINGLE_THREADED;
    let output = Command::new(std::env::current_exe().expect("a program knows where it is"))
        .arg(WORKER)
        .args(&options.arguments)
        .env(name, value)
        .stderr(Stdio::inherit())
        .output()
        .expect("this program can be run");
    assert!(output.status.success(), "quality: {}", output.status);
    Some(String::from_utf8(output.stdout).expect("tables are UTF-8"))
}

/// Tells whether this process was started to measure, and does so.
///
/// # Panics
///
/// Panics if the model or a set cannot be read.
pub fn is_worker() -> bool {
    let mut arguments = std::env::args().skip(1);
    if arguments.next().as_deref() != Some(WORKER) {
        return false;
    }
    let options = Options::parse(arguments).expect("the options were understood before");
    let model = std::env::var_os("PASSAGE_MODEL").map(PathBuf::from).or_else(model_path);
    let model = Model::load(&model.expect("ground/model fetches the model"));
    let model = model.expect("the model is there");
    let vectors = Vectors::open(&model, &target().join("quality"));
    let mut vectors = vectors.expect("the target folder can be written");

    let data = options.data();
    let sets = if options.sets.is_empty() { set::names(&data) } else { options.sets };
    let configurations = if options.configurations.is_empty() {
        vec![Configuration::CLIENT]
    } else {
        options.configurations
    };
    // Which of the two is taken moves no figure by a point. With this one plain text in chunks of up
    // to 128 wordpieces recalls .612 and .788 of the articles, where others measured .617 and .787.
    let filling = options.filling.unwrap_or(Filling::Continue);
    for name in sets {
        let set = Set::read(&data, &name);
        let (mut measured, mut searched) = (Vec::new(), Vec::new());
        for configuration in &configurations {
            let found = search(*configuration, &set, &model, &mut vectors);
            measured.push(plain(&found, &set, filling));
            searched.push(found);
            // Each row is worth having even if the next is never reached.
            eprintln!("{}", Report { set: &set, measured: &measured[measured.len() - 1..] });
        }
        println!("{}", Report { set: &set, measured: &measured });
        if options.strategies {
            println!("{}", compare(&set, &searched, filling));
        }
    }
    true
}

/// Measures one configuration over all questions of a set.
fn plain(searched: &Searched, set: &Set, filling: Filling) -> Measured {
    let Searched { configuration, chunks, embedded, ranked } = searched;
    let mut recalls = BUDGETS.map(|_| Vec::with_capacity(ranked.len()));
    for (question, ranked) in set.questions.iter().zip(ranked) {
        let passages = || ranked.iter().map(|at| &chunks[*at].passage);
        for (budget, recalls) in BUDGETS.into_iter().zip(&mut recalls) {
            let returned = fill(passages(), |one| one.tokens, budget, filling);
            recalls.push(recall(&question.wanted, returned));
        }
    }
    Measured {
        configuration: *configuration,
        chunks: chunks.len(),
        tokens: chunks.iter().map(|chunk| chunk.passage.tokens).sum(),
        embedded: *embedded,
        recalls,
    }
}
