/*!
Passages of `hierarchical` in real data: their size, and whether they parse.

Each file has several hits, alone and together with another one. A passage that is complete must parse by a
library. The passages of single hits are measured: their tokens, a quarter of the characters, and how
often they are a whole file.

`PASSAGE_CORPUS` is a list of folders, separated by `:`. Without it, the test reads cargo's cache.
*/

use crate::corpus::files::{folders, registry, walk};
use crate::data::{hostile, standalone, well_formed};
use crate::expand::memory::{Store, passages, preset};
use passage_core::assemble::{Part, Separator, assemble};
use passage_core::expand::{Budget, Hit};
use passage_core::strategy::Strategy;
use passage_split::{
    Characters, ChunkLimits, DataFormat, MediaType, SplitDocument, SplitOptions, split,
};
use std::{collections::BTreeMap, fs, path::PathBuf};

/// The files of each format, taken evenly from all folders.
const FILES: usize = 200;
const HITS: usize = 10;

/// The maximum number of files of a package, so that none decides the result.
const FILES_OF_A_PACKAGE: usize = 12;

/// The size of a file, in tokens, from which a whole file is too much.
const LARGE: u32 = 2_000;

const MAX_BYTES: u64 = 4_000_000;

/// The passages of one format.
#[derive(Default)]
struct FormatTally {
    files: usize,
    large_files: usize,
    /// The tokens of the passage of each hit.
    tokens: Vec<u32>,
    hits_in_large_files: usize,
    whole_large_files: usize,
    complete: usize,
    failures: Vec<String>,
}

impl FormatTally {
    /// Returns the tokens that a share of the passages does not exceed.
    fn percentile(&self, share: f64) -> u32 {
        let last = self.tokens.len() - 1;
        self.tokens[(share * last as f64).ceil() as usize]
    }

    fn add(
        &mut self,
        path: &str,
        text: &str,
        media_type: &MediaType,
        (limits, max_tokens): (ChunkLimits, Option<u32>),
        seed: &mut u64,
    ) {
        let options = SplitOptions::new(limits);
        let split = split(text, media_type, &options, &Characters).unwrap();
        if split.syntax_error.is_some() || split.chunks.is_empty() {
            return;
        }
        let format = DataFormat::of(media_type).unwrap();
        let tokens =
            |chunk: &passage_split::Chunk| chunk.content.chars().count().div_ceil(4) as u32;
        let store = Store::of_split(&split.chunks, Some(format), tokens);
        let size: u32 = store.documents[0].iter().map(|chunk| chunk.tokens).sum();
        let count = split.chunks.len();
        self.files += 1;
        self.large_files += usize::from(size > LARGE);
        let hierarchical = Strategy { max_tokens, ..preset("hierarchical") };
        for _ in 0..HITS {
            let [at, other] = [random(seed, count), random(seed, count)];
            let hit = store.hit((0, at), 0, &hierarchical);
            let tokens = self.check(path, &split, &store, std::slice::from_ref(&hit), format);
            self.tokens.push(tokens);
            self.hits_in_large_files += usize::from(size > LARGE);
            self.whole_large_files += usize::from(size > LARGE && tokens == size);
            if other != at {
                let hits = [hit, store.hit((0, other), 1, &hierarchical)];
                self.check(path, &split, &store, &hits, format);
            }
        }
    }

    /// Expands hits, parses the complete passages, and returns the tokens of the first one.
    fn check(
        &mut self,
        path: &str,
        split: &SplitDocument<'_>,
        store: &Store,
        hits: &[Hit<'_>],
        format: DataFormat,
    ) -> u32 {
        let (rows, selection) = store.expand(hits, Budget::of(hits));
        let passages = passages(hits, &rows, &selection, Some(3));
        for passage in passages.iter().filter(|passage| passage.complete) {
            let chunk = |index: &usize| {
                &split.chunks[rows[selection.chunks[*index].row].ordinal.unwrap() as usize]
            };
            let part = |index: &usize| {
                let bytes = &chunk(index).bytes;
                let span = Some(bytes.start as i32..bytes.end as i32);
                Part { content: chunk(index).content.into(), span }
            };
            let parts: Vec<_> = passage.chunks.iter().map(part).collect();
            let text = assemble(&parts, Separator::Text("")).excerpt(format).text;
            // Two records side by side may be on different levels.
            if passage.has_several_scopes(&selection) && !format.parses(&text) {
                continue;
            }
            self.complete += 1;
            if !parses(&text, format) {
                let section = &chunk(&passage.chunks[0]).section;
                self.failures.push(format!("{path}: {section:?}: {text:.300}"));
            }
        }
        let tokens = |index: &usize| rows[selection.chunks[*index].row].tokens;
        passages[0].chunks.iter().map(tokens).sum()
    }
}

/// Returns whether a library accepts a text. Only this project reads JSON with comments.
fn parses(text: &str, format: DataFormat) -> bool {
    let text = text.trim_start_matches('\u{feff}');
    match format {
        DataFormat::Json => {
            serde_json::from_str::<serde_json::Value>(text).is_ok()
                || (text.contains("//") || text.contains("/*")) && format.parses(text)
        }
        DataFormat::JsonLines => serde_json::Deserializer::from_str(text)
            .into_iter::<serde_json::Value>()
            .all(|value| value.is_ok()),
        DataFormat::Yaml => saphyr_parser::Parser::new_from_str(text).all(|event| event.is_ok()),
        DataFormat::Toml => {
            standalone::parses_as_toml(text) || standalone::parses_as_toml(&format!("x = {text}"))
        }
        DataFormat::Xml => well_formed::is_well_formed(text),
        DataFormat::Ini => true,
    }
}

/// Returns the next number below `count`, by a linear congruential generator.
fn random(seed: &mut u64, count: usize) -> usize {
    *seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    ((*seed >> 33) % count as u64) as usize
}

/// Returns the files of each format, evenly from all folders of packages.
fn paths() -> BTreeMap<&'static str, Vec<PathBuf>> {
    let folders = folders("PASSAGE_CORPUS").unwrap_or_else(|| vec![registry()]);
    let mut of_package: BTreeMap<(&'static str, PathBuf), Vec<PathBuf>> = BTreeMap::new();
    for folder in folders {
        walk(&folder, &mut |path: PathBuf| {
            let name = path.to_str().and_then(MediaType::from_path);
            let format = name.as_ref().and_then(DataFormat::of);
            let is_small = path.metadata().is_ok_and(|metadata| metadata.len() <= MAX_BYTES);
            // A file that cargo writes into each crate says little.
            let is_cargo = path.file_name().is_some_and(|name| name == ".cargo_vcs_info.json");
            let (Some(format), true, false) = (format, is_small, is_cargo) else { return };
            let below = path.strip_prefix(&folder).unwrap_or(&path);
            let package: PathBuf = below.components().take(2).collect();
            of_package.entry((name_of(format), package)).or_default().push(path);
        });
    }
    let mut files: BTreeMap<&'static str, Vec<PathBuf>> = BTreeMap::new();
    for ((format, _), of_package) in of_package {
        let step = of_package.len().div_ceil(FILES_OF_A_PACKAGE);
        files.entry(format).or_default().extend(of_package.into_iter().step_by(step));
    }
    for files in files.values_mut() {
        let step = files.len().div_ceil(FILES).max(1);
        *files = std::mem::take(files).into_iter().step_by(step).collect();
    }
    files
}

fn name_of(format: DataFormat) -> &'static str {
    match format {
        DataFormat::Json => "JSON",
        DataFormat::JsonLines => "JSON lines",
        DataFormat::Yaml => "YAML",
        DataFormat::Toml => "TOML",
        DataFormat::Xml => "XML",
        DataFormat::Ini => "INI and properties",
    }
}

#[test]
fn passages_of_real_data_are_small_and_parse() {
    println!(
        "format: files, over {LARGE} tokens, hits, median, 99th percentile, whole, complete, failed"
    );
    let mut is_good = true;
    for (name, paths) in paths() {
        let (mut row, mut seed) = (FormatTally::default(), 1);
        for path in paths {
            let Some(media_type) = path.to_str().and_then(MediaType::from_path) else { continue };
            let Ok(text) = fs::read_to_string(&path) else { continue };
            let path = path.display().to_string();
            row.add(&path, &text, &media_type, (ChunkLimits::CHARACTERS, None), &mut seed);
        }
        if row.tokens.is_empty() {
            continue;
        }
        row.tokens.sort_unstable();
        let (median, last) = (row.percentile(0.5), row.percentile(0.99));
        let whole = row.whole_large_files as f64 / row.hits_in_large_files.max(1) as f64;
        println!(
            "{name}: {}, {}, {}, {median}, {last}, {:.1} %, {}, {}",
            row.files,
            row.large_files,
            row.tokens.len(),
            100.0 * whole,
            row.complete,
            row.failures.len()
        );
        for failure in &row.failures {
            println!("{failure}");
        }
        is_good &= row.failures.is_empty() && median <= 400 && last <= 2_048 && whole < 0.02;
    }
    assert!(is_good);
}

#[test]
fn complete_passages_of_hostile_data_parse() {
    const NARROW: ChunkLimits = ChunkLimits { min: 20, preferred: 90, max: 150, window: 200 };
    let (mut row, mut seed) = (FormatTally::default(), 1);
    for (index, (name, text)) in hostile::documents().iter().enumerate() {
        let media_type = MediaType::new(name);
        let options = SplitOptions::new(NARROW);
        let document = split(text, &media_type, &options, &Characters).unwrap();
        assert_eq!(document.syntax_error, None, "{index} {name}");
        let joined: String = document.chunks.iter().map(|chunk| chunk.content).collect();
        assert_eq!(joined, *text, "{index} {name}");
        for limits in [NARROW, ChunkLimits::CHARACTERS] {
            for max_tokens in [None, Some(60), Some(5)] {
                for _ in 0..5 {
                    let path = format!("{index} {name} {max_tokens:?}");
                    row.add(&path, text, &media_type, (limits, max_tokens), &mut seed);
                }
            }
        }
    }
    println!("{} of {} passages are complete", row.complete, row.tokens.len());
    assert!(row.complete > row.tokens.len() / 2);
    assert!(row.failures.is_empty(), "{:#?}", row.failures);
}
