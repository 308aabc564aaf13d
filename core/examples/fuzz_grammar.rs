/*!
Fuzzes the grammar of one language with mutated real files.

```sh
cargo run --release -p passage-core --features html,code --example fuzz_grammar \
    MEDIA_TYPE SECONDS LAST FOLDER...
```

Each run changes a random part of a random file of the language below the folders, and splits it. The
file LAST has the document of the current run, so that a crash can be repeated. `ground/fuzz-grammars`
builds this program with AddressSanitizer, which checks the C code of the grammars and their scanners.
*/

use passage_core::{Characters, ChunkLimits, MediaType, SplitOptions, split};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};

/// The maximum number of bytes of a document.
const MAX_BYTES: usize = 32_768;

/// Marks that change the state of a parser or a scanner.
const MARKS: [&str; 40] = [
    "{", "}", "(", ")", "[", "]", "<", ">", ";", ",", ":", "\"", "'", "`", "\"\"\"", "'''", "${",
    "#{", "\\", "\n", "\r\n", "\t", "//", "/*", "*/", "#", "--", "<!--", "<<EOF\n", "<<~'A'\n",
    "EOF\n", "%w(", "%Q[", "?>", "<?php ", "r#\"", "R\"x(", "$$", "@media ", "é",
];

/// Random numbers by xorshift (Marsaglia 2003), which need no crate.
struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % end.max(1) as u64) as usize
    }

    /// Returns a short part of a document; of a hundred, one is up to a quarter of it.
    fn part<'d>(&mut self, document: &'d [u8]) -> &'d [u8] {
        let most = if self.below(100) == 0 { document.len() / 4 } else { 64.min(document.len()) };
        let start = self.below(document.len());
        let length = self.below(most + 1);
        &document[start..document.len().min(start + length)]
    }
}

/// Returns a changed part of a file. Other text comes from a second file.
fn mutated(random: &mut Random, file: &[u8], other: &[u8]) -> Vec<u8> {
    let start = if file.len() > MAX_BYTES / 2 { random.below(file.len() / 2) } else { 0 };
    let mut document = file[start..file.len().min(start + MAX_BYTES / 2)].to_vec();
    for _ in 0..=random.below(8) {
        let at = random.below(document.len());
        let end = at + random.part(&document[at..]).len();
        let new = match random.below(7) {
            0 => MARKS[random.below(MARKS.len())].as_bytes().to_vec(),
            1 => vec![1 + random.below(255) as u8],
            2 => Vec::new(),
            3 => document[at..end].repeat(2 + random.below(40)),
            4 => random.part(&document).to_vec(),
            5 => random.part(other).to_vec(),
            _ => MARKS[random.below(MARKS.len())].repeat(1 + random.below(300)).into_bytes(),
        };
        let end = if random.below(2) == 0 { at } else { end };
        document.splice(at..end, new);
        document.truncate(MAX_BYTES);
    }
    document
}

/// Collects the files of a media type.
fn collect(folder: &Path, media_type: &MediaType, files: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        match entry.file_type() {
            Ok(kind) if kind.is_dir() => collect(&path, media_type, files),
            Ok(kind) if kind.is_file() => {
                let found = path.to_str().and_then(MediaType::from_path);
                files.extend(Some(path).filter(|_| found.as_ref() == Some(media_type)));
            }
            _ => {}
        }
    }
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [name, seconds, last, folders @ ..] = &arguments[..] else {
        eprintln!("usage: fuzz_grammar MEDIA_TYPE SECONDS LAST FOLDER...");
        return ExitCode::from(2);
    };
    let media_type = MediaType::new(name);
    let time = Duration::from_secs(seconds.parse().expect("the second argument is a number"));
    let mut paths = Vec::new();
    folders.iter().for_each(|folder| collect(Path::new(folder), &media_type, &mut paths));
    paths.sort();
    let read = |path: &PathBuf| std::fs::read(path).ok().filter(|bytes| !bytes.is_empty());
    let files: Vec<Vec<u8>> = paths.iter().take(2_000).filter_map(read).collect();
    if files.is_empty() {
        eprintln!("no files of {name}");
        return ExitCode::FAILURE;
    }
    let (begun, mut runs, mut bytes) = (Instant::now(), 0_u64, 0_u64);
    let mut random = Random(0x9E37_79B9_7F4A_7C15);
    let options = SplitOptions::new(ChunkLimits::CHARACTERS);
    while begun.elapsed() < time {
        let (file, other) = (random.below(files.len()), random.below(files.len()));
        let document = mutated(&mut random, &files[file], &files[other]);
        std::fs::write(last, &document).expect("the file of the current run can be written");
        let text = String::from_utf8_lossy(&document);
        let chunks = split(&text, &media_type, &options, &Characters).expect("valid limits").chunks;
        let length: usize = chunks.iter().map(|chunk| chunk.content.len()).sum();
        assert_eq!(length, text.len(), "lost text");
        runs += 1;
        bytes += document.len() as u64;
    }
    println!("{name:20} {:5} files {runs:9} runs {:8} kB", files.len(), bytes / 1_000);
    ExitCode::SUCCESS
}
