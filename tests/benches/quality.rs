/*!
Recall at equal budgets: the share of the known answers in the returned text.

Sets of questions have their answers marked in real documents. One set belongs to the project, two are next to the
checkout (see `sets`). Core splits the documents of a set and the client's model embeds them with their preambles,
as `passage ingest` does. There are five parts:

- `quality` compares ways of making chunks, in memory. Each question is compared with each chunk. The best chunks
  are taken until the budget is spent (see `score`). Each way is compared with the first one, question by question
  (see `passage::eval`).
- `search` queries a real server by SQL, with every mode of `search` and some strategies, next to plain search in
  memory (see `server` and `passages`). Then it compares the order of hybrid hits with plain rankings and with the best
  possible order (see `order`).
- `fragments` queries the same server for the lines that answer, with every strategy (see `fragments`).
- `fusion` chooses the weights of hybrid search on other questions than those it measures (see `fusion`).
- `peers` scores what the retrievers of other frameworks returned, next to `search` (see `peers`).

Budgets are equal, not numbers of hits, because larger chunks would always win the latter. With 175 questions a
difference below seven points is mostly chance, which is why the tables have intervals.

With `--strategies` the part `quality` also measures every preset over the chunks of the first limits. Hits take a
share of the budget, the preset adds context to them, and other hits fill the rest (see `strategies`). The
chunks are in memory, but they are read and chosen as by `reassemble` (see `store`).

`cargo bench -p passage-tests --bench bench -- PART... [--data FOLDER] [--set NAME]...
[--limits MIN/PREFERRED/MAX[:bare][:plain]]... [--fill stop|continue] [--strategies]
[--save FILE] [--before FILE] [--results FOLDER]`, where `--limits`, `--fill` and `--strategies` are only for `quality`. For the other
parts `--save` writes the recalls of each question, and `--before` compares them with those that another version saved.
`--results` is for `peers`: the folder that `ground/bench/peers` wrote.
*/

mod configuration;
mod excerpts;
mod fragments;
mod fusion;
mod legs;
mod order;
mod passages;
mod peer_table;
mod peers;
mod report;
mod saved;
mod score;
mod search;
mod server;
pub mod set;
pub mod sets;
mod shares;
mod store;
mod strategies;
mod table;
pub mod vectors;

use std::path::PathBuf;
use std::process::{Command, Stdio};

use passage::embed::Model;
use passage_tests::cluster::{model_path, target};

use configuration::Configuration;
use fragments::Scope;
use legs::Legs;
use report::{BUDGETS, Measurement, Report};
use saved::{Recalls, Versions};
use score::{Filling, fill, recall};
use search::{RankedSet, search};
use server::Server;
use set::Set;
use strategies::compare;
use table::Comparison;
use vectors::Vectors;

/// The parts that use the sets.
pub const PARTS: [&str; 5] = ["quality", "search", "fragments", "fusion", "peers"];

/// The first argument of the process that measures.
const WORKER: &str = "quality-worker";

/// The options; [`measure`] chooses those that are not given.
#[derive(Default)]
pub struct Options {
    data: Option<PathBuf>,
    sets: Vec<String>,
    configurations: Vec<Configuration>,
    filling: Option<Filling>,
    strategies: bool,
    /// The file for the recalls of each question.
    save: Option<PathBuf>,
    /// The recalls of another version.
    before: Option<PathBuf>,
    /// The folder with the results of other frameworks.
    results: Option<PathBuf>,
    /// The arguments as they were given.
    arguments: Vec<String>,
}

impl Options {
    /// Reads an option with its value. Returns whether it is an option of these parts.
    ///
    /// # Errors
    ///
    /// The error says what is wrong with the value.
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
        if !["--data", "--set", "--limits", "--fill", "--save", "--before", "--results"]
            .contains(&option)
        {
            return Ok(false);
        }
        let value = arguments.next().ok_or_else(|| format!("{option} has no value"))?;
        self.arguments.extend([option.to_owned(), value.clone()]);
        match option {
            "--data" => self.data = Some(value.into()),
            "--set" => self.sets.push(value),
            "--save" => self.save = Some(value.into()),
            "--before" => self.before = Some(value.into()),
            "--results" => self.results = Some(value.into()),
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

    /// Returns the requested sets, or all.
    fn locations(&self) -> Vec<sets::SetLocation> {
        sets::sets(self.data.as_deref(), &self.sets)
    }
}

/// Measures some of [`PARTS`] in a process of its own, whose memory the system gets back.
/// Returns tables, or nothing if there are no sets.
///
/// # Panics
///
/// Panics if the process fails, after it has printed its error.
pub fn measure(parts: &[&str], options: &Options) -> Option<String> {
    if options.locations().is_empty() {
        eprintln!("bench: {} is skipped: there are no such sets of questions", parts.join(", "));
        return None;
    }
    let output = Command::new(std::env::current_exe().expect("a program knows where it is"))
        .arg(WORKER)
        .args(parts)
        .args(&options.arguments)
        .stderr(Stdio::inherit())
        .output()
        .expect("this program can be run");
    assert!(output.status.success(), "quality: {}", output.status);
    Some(String::from_utf8(output.stdout).expect("tables are UTF-8"))
}

/// Measures if this process was started for it, and returns whether it was.
///
/// # Panics
///
/// Panics if the model or a set cannot be read.
pub fn is_worker() -> bool {
    let mut arguments = std::env::args().skip(1);
    if arguments.next().as_deref() != Some(WORKER) {
        return false;
    }
    let (mut parts, mut options) = (Vec::new(), Options::default());
    while let Some(argument) = arguments.next() {
        let taken = options.take(&argument, &mut arguments);
        if !taken.expect("the options were understood before") {
            parts.push(argument);
        }
    }
    let model = std::env::var_os("PASSAGE_MODEL").map(PathBuf::from).or_else(model_path);
    let model = Model::load(&model.expect("ground/fetch/model fetches the model"));
    let model = model.expect("the model is there");
    let vectors = Vectors::open(&model, &target().join("quality"));
    let mut vectors = vectors.expect("the target folder can be written");

    let sets: Vec<_> = options.locations().iter().map(sets::SetLocation::read).collect();
    let has = |part: &str| parts.iter().any(|named| named == part);
    if has("quality") {
        for set in &sets {
            in_memory(set, &options, &model, &mut vectors);
        }
    }
    if has("fusion") {
        println!("{}", fusion::measure(&sets, &model, &mut vectors));
    }
    if has("peers") {
        let results = options.results.as_deref().expect("peers needs --results");
        print!("{}", peers::compare(results, &sets, model.wordpieces()));
    }
    if has("search") || has("fragments") {
        let measured = by_sql(&sets, has("search"), has("fragments"), &model, &mut vectors);
        if let Some(before) = &options.before {
            println!("{}", Versions { before: &saved::read(before), after: &measured });
        }
        if let Some(path) = &options.save {
            saved::write(path, &measured).expect("the file can be written");
        }
    }
    true
}

/// Compares ways of making chunks.
fn in_memory(set: &Set, options: &Options, model: &Model, vectors: &mut Vectors) {
    let client = [Configuration::CLIENT];
    let asked = &options.configurations[..];
    let configurations = if asked.is_empty() { &client } else { asked };
    // Other implementations measured the same within a point. With this one plain text in chunks of up to 128
    // wordpieces recalls .612 and .788 of the articles; others measured .617 and .787.
    let filling = options.filling.unwrap_or(Filling::Continue);
    let (mut measured, mut searched) = (Vec::new(), Vec::new());
    for configuration in configurations {
        let ranked = search(*configuration, set, model, vectors);
        measured.push(plain(&ranked, set, filling));
        searched.push(ranked);
        // Each row is printed at once, even if the next one is never reached.
        eprintln!("{}", Report { set, measured: &measured[measured.len() - 1..] });
    }
    println!("{}", Report { set, measured: &measured });
    if options.strategies {
        println!("{}", compare(set, &searched, filling));
    }
}

/// Queries a server, set after set. Returns the recalls of each question.
fn by_sql(
    sets: &[Set],
    search: bool,
    fragments: bool,
    model: &Model,
    vectors: &mut Vectors,
) -> Vec<Recalls> {
    let mut measured = Vec::new();
    let server = Server::start();
    let has_fragments = server.has_function("fragments");
    if fragments && !has_fragments {
        eprintln!("bench: fragments is skipped: the extension has no such function");
    }
    let fragments = fragments && has_fragments;
    let mut comparisons = Vec::new();
    for set in sets {
        let searched = self::search::search(Configuration::CLIENT, set, model, vectors);
        let loaded = server.load(set, model, vectors);
        assert_eq!(loaded.chunks, searched.chunks.len(), "{}: other chunks", set.name);
        if search {
            let comparison = passages::measure(&server, &loaded, &searched);
            println!("{comparison}");
            println!("{}", order::measure(&server, &loaded, &comparison));
            measured.extend(comparison.recalls(&set.name));
            comparisons.push(comparison);
        }
        if fragments {
            for scope in [Scope::Document, Scope::Store] {
                let excerpts = fragments::measure(&server, &loaded, scope);
                println!("{excerpts}");
                measured.extend(excerpts.recalls(&set.name));
            }
        }
    }
    if search {
        let union = Comparison::union(&comparisons);
        if comparisons.len() > 1 {
            println!("{union}");
        }
        println!("{}", Legs(&union));
    }
    measured
}

/// Measures one configuration over all questions of a set.
fn plain(searched: &RankedSet, set: &Set, filling: Filling) -> Measurement {
    let RankedSet { configuration, chunks, embedded, ranked } = searched;
    let mut recalls = BUDGETS.map(|_| Vec::with_capacity(ranked.len()));
    for (question, ranked) in set.questions.iter().zip(ranked) {
        let passages = || ranked.iter().map(|at| &chunks[*at].passage);
        for (budget, recalls) in BUDGETS.into_iter().zip(&mut recalls) {
            let returned = fill(passages(), |one| one.tokens, budget, filling);
            recalls.push(recall(&question.answer, returned));
        }
    }
    Measurement {
        configuration: *configuration,
        chunks: chunks.len(),
        tokens: chunks.iter().map(|chunk| chunk.passage.tokens).sum(),
        embedded: *embedded,
        recalls,
    }
}
