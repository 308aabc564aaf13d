/*!
Whether the weights of hybrid search hold on questions for which they were not chosen.

Both legs are read once for each question; then any weights are evaluated in memory, by the functions of core. They are chosen on
all sets but one, and measured on that one. They are also chosen on a random half of all questions, and measured on
the other half. Each set counts twice: with its questions, and with queries of keywords (see `keywords`). A figure is
compared with the better leg of that set and budget, and with reciprocal rank fusion with 60.
*/

mod keywords;
mod rankings;

use std::fmt::Write;

use passage::embed::Model;
use passage::eval::{Difference, SplitMix, difference};

use super::server::Server;
use super::set::Set;
use super::table::BUDGETS;
use super::vectors::Vectors;
use keywords::keywords;
use passage_core::search::OrderWeights;
use rankings::{Rankings, Recalls, Setting};

/// The seed of the random halves.
const SEED: u64 = 15;

/// The recalls of a set of questions.
struct Measured {
    name: String,
    /// The vector leg, the text leg, and reciprocal rank fusion.
    fixed: Vec<[Recalls; 3]>,
    /// The weights of the product.
    product: Vec<Recalls>,
    /// For each setting of the grid, one for each question.
    grid: Vec<Vec<Recalls>>,
}

/// Measures all sets, and returns the tables.
pub fn measure(sets: &[Set], model: &Model, vectors: &mut Vectors) -> String {
    let server = Server::start();
    let grid = Setting::grid();
    let mut measured = Vec::new();
    for set in sets {
        let loaded = server.load(set, model, vectors);
        let keywords = keywords(set);
        for asked in [set, &keywords] {
            let rankings = Rankings::read(&server, &loaded.with_questions(asked, vectors));
            eprintln!("bench: {}: both legs are read", asked.name);
            let with = |weights| rankings.iter().map(|one| one.with(weights)).collect();
            measured.push(Measured {
                name: asked.name.clone(),
                fixed: rankings.iter().map(Rankings::fixed).collect(),
                product: with(OrderWeights::MEASURED),
                grid: grid.iter().map(|setting| with(setting.0)).collect(),
            });
        }
    }
    let mut tables = String::new();
    table(&mut tables, "the weights of the product", &measured, |one| one.product.clone());
    // A set and its keywords follow each other.
    for held_out in 0..sets.len() {
        let is_held_out = |index: usize| index / 2 == held_out;
        let all = |index: usize, _: usize| !is_held_out(index);
        let best = choose(&measured, all);
        let title = format!("chosen on the other sets: {}", grid[best]);
        let of_set = &measured[2 * held_out..2 * held_out + 2];
        table(&mut tables, &title, of_set, |one| one.grid[best].clone());
    }
    let mut random = SplitMix(SEED);
    let half: Vec<Vec<bool>> = measured
        .iter()
        .map(|one| one.fixed.iter().map(|_| random.below(2) == 0).collect())
        .collect();
    let chosen =
        [false, true].map(|side| choose(&measured, |set, question| half[set][question] != side));
    let title = format!("chosen on the other half: {} and {}", grid[chosen[0]], grid[chosen[1]]);
    let mut sets = half.iter();
    table(&mut tables, &title, &measured, |one| {
        let half = sets.next().expect("each set has halves");
        let held_out =
            |(question, side): (usize, &bool)| one.grid[chosen[usize::from(*side)]][question];
        half.iter().enumerate().map(held_out).collect()
    });
    tables
}

/// Returns the setting with the highest mean recall of all budgets, where each set counts the same.
fn choose(measured: &[Measured], is_included: impl Fn(usize, usize) -> bool) -> usize {
    let quality = |setting: usize| -> f64 {
        let set_quality = |(set, one): (usize, &Measured)| {
            let recalls = one.grid[setting].iter().enumerate();
            let included: Vec<f64> = recalls
                .filter(|(question, _)| is_included(set, *question))
                .map(|(_, recalls)| recalls.iter().sum::<f64>())
                .collect();
            if included.is_empty() {
                0.0
            } else {
                included.iter().sum::<f64>() / included.len() as f64
            }
        };
        measured.iter().enumerate().map(set_quality).sum()
    };
    let settings = measured[0].grid.len();
    let best = (0..settings).map(|setting| (quality(setting), setting));
    best.max_by(|a, b| a.0.total_cmp(&b.0)).expect("there are settings").1
}

/// Writes recalls with the differences to the better leg and to reciprocal rank fusion.
fn table(
    text: &mut String,
    title: &str,
    measured: &[Measured],
    mut recalls: impl FnMut(&Measured) -> Vec<Recalls>,
) {
    let mut line = |line: String| writeln!(text, "{line}").expect("a string takes text");
    line(format!("{title}\n"));
    line(
        "| set | budget | better leg | rank fusion | fused | to the better leg | to rank fusion |"
            .into(),
    );
    line("|---|---|---|---|---|---|---|".into());
    for one in measured {
        let fused: Vec<Recalls> = recalls(one);
        for (at, budget) in BUDGETS.into_iter().enumerate() {
            let fixed = |which: usize| {
                one.fixed.iter().map(|recalls| recalls[which][at]).collect::<Vec<f64>>()
            };
            let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len().max(1) as f64;
            let (vector, words, ranks) = (fixed(0), fixed(1), fixed(2));
            let better = if mean(&vector) >= mean(&words) { vector } else { words };
            let fused: Vec<f64> = fused.iter().map(|recalls| recalls[at]).collect();
            let [to_leg, to_ranks]: [Difference; 2] =
                [&better, &ranks].map(|first| difference(first, &fused));
            line(format!(
                "| {} | {budget} | {:.3} | {:.3} | {:.3} | {to_leg} | {to_ranks} |",
                one.name,
                mean(&better),
                mean(&ranks),
                mean(&fused)
            ));
        }
    }
    line(String::new());
}
