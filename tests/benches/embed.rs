/*!
Embedding against its floor: the multiplications of matrices that the model makes of the same texts, with the same
library, as many threads and no other step.

Each turn is a process of its own, so that it has its own peak of memory. The time begins when the model is loaded.
*/

mod texts;
mod worker;

use std::time::Duration;

use passage_tests::cluster::model_path;
use tokio::process::Command;

use crate::rounds::turns;
use crate::table::{Bar, Table};
use texts::Kind;
use worker::Way;

pub use worker::is_worker;

const ROUNDS: usize = 3;

/// The largest memory of the client with the model, in bytes.
const MAX_MEMORY: u64 = 400_000_000;

/// Measures speed in chunks per second, and memory.
pub async fn measure(table: &mut Table) {
    for kind in Kind::ALL {
        let mut peak = 0;
        let figures = turns(
            ROUNDS,
            async |_| embed(Way::Floor, kind, &mut 0).await,
            async |_| embed(Way::Ours, kind, &mut peak).await,
        );
        let figures = figures.await;
        let what = format!("embed {}, speed", kind.description());
        let written = |speed: f64| format!("{speed:.1} chunks/s");
        let (floor, ours) = (written(figures.floor), written(figures.ours));
        table.row(&what, floor, ours, figures, Bar::AtLeast(0.7));
        table.memory("memory of that", peak, MAX_MEMORY);
    }
}

/// Lets a worker embed, and returns its speed.
async fn embed(way: Way, kind: Kind, peak: &mut u64) -> f64 {
    let mut command = Command::new(std::env::current_exe().expect("a program knows where it is"));
    command.args([worker::NAME, way.name(), kind.name()]).kill_on_drop(true);
    if std::env::var_os("PASSAGE_MODEL").is_none() {
        command.env("PASSAGE_MODEL", model_path().expect("ground/fetch/model fetches the model"));
    }
    let output = command.output().await.expect("this program can be run");
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{}\n{stderr}", output.status);
    let answer = String::from_utf8(output.stdout).expect("a worker prints numbers");
    let mut numbers = answer.split_whitespace().map(str::parse::<u64>);
    let mut number = || numbers.next().and_then(Result::ok).expect("a worker prints three numbers");
    let (texts, time) = (number(), Duration::from_micros(number()));
    *peak = number().max(*peak);
    texts as f64 / time.as_secs_f64()
}
