/*!
The benchmarks, each as a ratio within one run.

Absolute times describe a machine more than a program. So each figure is compared with a floor: the simplest
way to do the same work. Both alternate in rounds, so other load on the machine affects both, and the median of
the rounds counts. Beside it the table has the share of the machine that other programs used, and a note names each row
that is too noisy. The output is a Markdown table for `docs/benchmarks.md`.

`cargo bench -p passage-tests --bench bench -- [PART...] [--keep FOLDER]`, where the parts are:

- `expand`: context and passages against a SELECT of the same rows;
- `split`: splitting against a run of the parser alone;
- `ingest`: the client against COPY of the same rows;
- `embed`: the model against ONNX Runtime with the same weights;
- `rerank`: scoring the candidates of a search against embedding texts of as many wordpieces;
- `adopted`: a table of LangChain as an adopted store, and by other views, against a store of our own;
- `adopted-million`: the same with a million rows, without the other views;
- `serving`: searches per second over HTTP against the same calls over the same pool, questions that are embedded together
  against one after the other, and what MCP adds to a search;
- `start`: the processor time of commands that load the model;
- `partitions`: a store of eight partitions against one of a single table;
- `scale`: ten million chunks against ten thousand, and how soon a call on a document of a million chunks ends at
  a timeout;
- `million`: search in a million chunks of real text, against its parts alone;
- `size`: the embedding types with the same rows: bytes, recall, time, and the cost of their indexes;
- `quality`, `search`, `fragments`: recall at equal budgets, in memory and by SQL;
- `fusion`: whether the constants of the fusion hold on other questions;
- `peers`: what the retrievers of other frameworks return at equal budgets; `ground/bench/peers` runs it.

Without a part all of them run except `adopted-million` and the last eight, which take minutes. `adopted-million` needs
30 GB of disk. `scale` loads ten million chunks and needs 25 GB. `million` embeds 50,000 chunks in its first run and
needs 10 GB. `size` embeds 40,000 paragraphs for a million rows (`--embedded N`, `--rows N`, `--types vector,binary`)
and needs 12 GB. The last five do not measure speed and have options of their own (see `quality`). `--keep` names a
folder that keeps the loaded servers for the next run.
*/

mod adopted;
mod corpus;
mod embed;
mod expand;
mod ingest;
mod machine;
mod million;
mod partitions;
mod process;
mod quality;
mod rerank;
mod rounds;
mod scale;
mod serving;
mod size;
mod split;
mod start;
mod table;

use std::path::PathBuf;
use std::process::ExitCode;

/// The parts, and whether a run without names has them.
const PARTS: [(&str, bool); 18] = [
    ("expand", true),
    ("split", true),
    ("ingest", true),
    ("embed", true),
    ("rerank", true),
    ("adopted", true),
    ("adopted-million", false),
    ("partitions", true),
    ("serving", true),
    ("start", true),
    ("scale", false),
    ("million", false),
    ("size", false),
    ("quality", false),
    ("search", false),
    ("fragments", false),
    ("fusion", false),
    ("peers", false),
];

/// The arguments of the command line.
struct Arguments {
    parts: Vec<String>,
    keep: Option<PathBuf>,
    quality: quality::Options,
    size: size::Options,
}

impl Arguments {
    fn parse(arguments: impl Iterator<Item = String>) -> Result<Self, String> {
        // Cargo passes --bench to every benchmark.
        let mut arguments = arguments.filter(|argument| argument != "--bench");
        let (mut parts, mut keep) = (Vec::new(), None);
        let mut quality = quality::Options::default();
        let mut size = size::Options::default();
        while let Some(argument) = arguments.next() {
            match argument.as_str() {
                "--keep" => keep = Some(arguments.next().ok_or("--keep names no folder")?.into()),
                part if PARTS.iter().any(|(name, _)| *name == part) => parts.push(argument),
                option if quality.take(option, &mut arguments)? => {}
                option if size.take(option, &mut arguments)? => {}
                _ => {
                    let names = PARTS.map(|(name, _)| name).join(", ");
                    return Err(format!("{argument} is none of {names}"));
                }
            }
        }
        if parts.is_empty() {
            let usual = PARTS.into_iter().filter(|(_, is_usual)| *is_usual);
            parts = usual.map(|(name, _)| name.to_owned()).collect();
        }
        Ok(Self { parts, keep, quality, size })
    }

    fn has(&self, part: &str) -> bool {
        self.parts.iter().any(|named| named == part)
    }
}

fn main() -> ExitCode {
    if embed::is_worker()
        || million::is_worker()
        || quality::is_worker()
        || size::is_worker()
        || split::is_worker()
    {
        return ExitCode::SUCCESS;
    }
    let arguments = match Arguments::parse(std::env::args().skip(1)) {
        Ok(arguments) => arguments,
        Err(error) => {
            eprintln!("bench: {error}");
            return ExitCode::from(2);
        }
    };
    // One thread for the driver and the benchmark: a second one would add a hand-over to each round trip.
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .expect("the system gives a runtime");
    let mut table = table::Table::new();
    if arguments.has("expand") {
        runtime.block_on(expand::measure(&mut table, arguments.keep.as_deref()));
    }
    if arguments.has("split") {
        runtime.block_on(split::measure(&mut table));
    }
    if arguments.has("ingest") {
        runtime.block_on(ingest::measure(&mut table));
    }
    if arguments.has("embed") {
        runtime.block_on(embed::measure(&mut table));
    }
    if arguments.has("rerank") {
        runtime.block_on(rerank::measure(&mut table));
    }
    if arguments.has("adopted") {
        runtime.block_on(adopted::measure(&mut table));
    }
    if arguments.has("adopted-million") {
        runtime.block_on(adopted::measure_million(&mut table));
    }
    if arguments.has("partitions") {
        runtime.block_on(partitions::measure(&mut table));
    }
    if arguments.has("serving") {
        runtime.block_on(serving::measure(&mut table));
    }
    if arguments.has("start") {
        runtime.block_on(start::measure(&mut table));
    }
    if arguments.has("scale") {
        runtime.block_on(scale::measure(&mut table, arguments.keep.as_deref()));
    }
    if arguments.has("million") {
        runtime.block_on(million::measure(&mut table, arguments.keep.as_deref()));
    }
    let size = if arguments.has("size") {
        Some(runtime.block_on(size::measure(&arguments.size)))
    } else {
        None
    };
    let quality: Vec<_> = quality::PARTS.into_iter().filter(|part| arguments.has(part)).collect();
    let others =
        arguments.parts.iter().any(|part| part != "size" && !quality.contains(&part.as_str()));
    let asked = !quality.is_empty();
    let quality = asked.then(|| quality::measure(&quality, &arguments.quality)).flatten();
    println!("{}\n", machine::describe());
    if others {
        println!("{table}");
    }
    if let Some(tables) = size {
        println!("{tables}");
    }
    if let Some(tables) = quality {
        println!("{tables}");
    }
    ExitCode::SUCCESS
}
