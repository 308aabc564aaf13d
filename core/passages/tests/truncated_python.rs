/*!
Passages of `hierarchical` under a budget are valid Python, also with classes and functions whose body is left out.

The grammar accepts a class without a body, and Python does not. So Python itself parses the passages, where it is
installed.
*/

use crate::expand::memory::{Store, passages, preset};
use passage_core::assemble::Part;
use passage_core::expand::Budget;
use passage_core::gaps::{ChunkPosition, assemble_with_gap_comments};
use passage_split::{Characters, Chunk, ChunkLimits, MediaType, SplitOptions, split};
use std::fmt::Write as _;
use std::io::Write as _;
use std::process::{Command, Stdio};

/// Reads passages that end in NUL, and prints the number of each that is not valid, also not as the body of a class.
const CHECK: &str = r#"
import ast, sys, textwrap, warnings
warnings.simplefilter("ignore")
for number, text in enumerate(sys.stdin.read().split("\0")[:-1]):
    for attempt in (textwrap.dedent(text), "class X:\n" + text):
        try:
            ast.parse(attempt)
            break
        except SyntaxError:
            pass
    else:
        print(number)
"#;

/// Returns the numbers of the texts that Python rejects, or `None` if there is no Python.
fn rejected(texts: &[String]) -> Option<Vec<usize>> {
    let mut python = Command::new("python3")
        .args(["-c", CHECK])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .ok()?;
    let mut input = python.stdin.take().unwrap();
    for text in texts {
        write!(input, "{text}\0").unwrap();
    }
    drop(input);
    let output = python.wait_with_output().unwrap();
    assert!(output.status.success());
    let lines = String::from_utf8(output.stdout).unwrap();
    Some(lines.lines().map(|line| line.parse().unwrap()).collect())
}

/// Returns the contents of the passages of a hit with gaps under a budget.
fn truncated(chunks: &[Chunk], at: usize, budget: u32) -> Vec<String> {
    let comment = MediaType::new("text/x-python").comment_syntax().unwrap();
    let store = Store::of_split(chunks, None, |chunk| chunk.content.len().div_ceil(4) as u32);
    let mut hierarchical = preset("hierarchical");
    hierarchical.max_tokens = Some(budget);
    let hits = [store.hit((0, at), 0, &hierarchical)];
    let (rows, selection) = store.expand(&hits, Budget::of(&hits));
    let content = |passage: &passage_core::reassemble::PassageChunks| {
        let ordinal = |index: &usize| rows[selection.chunks[*index].row].ordinal.unwrap();
        let ordinals: Vec<i32> = passage.chunks.iter().map(ordinal).collect();
        let has_gap = ordinals.windows(2).any(|pair| pair[0] + 1 != pair[1]);
        let chunks = || ordinals.iter().map(|at| &chunks[*at as usize]);
        let part = |chunk: &Chunk| Part {
            content: chunk.content.to_owned().into(),
            span: Some(chunk.bytes.start as i32..chunk.bytes.end as i32),
        };
        let position = |chunk: &Chunk, ordinal: i32| ChunkPosition {
            ordinal: Some(ordinal),
            first_line: Some(*chunk.lines.start() as i32),
            last_line: Some(*chunk.lines.end() as i32),
        };
        let parts: Vec<_> = chunks().map(part).collect();
        let positions: Vec<_> =
            chunks().zip(&ordinals).map(|(chunk, at)| position(chunk, *at)).collect();
        has_gap.then(|| assemble_with_gap_comments(&parts, &positions, comment).text)
    };
    passages(&hits, &rows, &selection, Some(0)).iter().filter_map(content).collect()
}

fn body(indent: &str, name: &str) -> String {
    (0..14).fold(String::new(), |mut text, line| {
        writeln!(text, "{indent}value_{line} = compute_something_long({line}, \"{name}\")")
            .unwrap();
        text
    })
}

/// A module with classes whose body begins with a class or a function, and no text of their own.
fn module() -> String {
    let mut text =
        "import os\n\n\n@decorated(\n    by=1,\n)\nclass Outer(\n    Base,\n):\n".to_owned();
    for number in 0..3 {
        writeln!(text, "    class Inner{number}:  # Has no text of its own.").unwrap();
        for member in 0..3 {
            let body = body("            ", "inner");
            writeln!(text, "        def inner{member}(self):\n{body}").unwrap();
        }
        let body = body("        ", "method");
        writeln!(text, "    async def method{number}(\n        self,\n    ) -> int:\n{body}")
            .unwrap();
    }
    text + "\n\ndef after():\n    return 1\n"
}

#[test]
fn passages_with_a_class_whose_body_is_left_out_are_valid_python() {
    let text = module();
    let limits = ChunkLimits::CHARACTERS;
    let options = SplitOptions::new(limits);
    let split = split(&text, &MediaType::new("text/x-python"), &options, &Characters).unwrap();
    assert_eq!(split.syntax_error, None);
    let budgets = (1..=24).map(|step| step * 100);
    let texts: Vec<String> = budgets
        .flat_map(|budget| (0..split.chunks.len()).map(move |at| (at, budget)))
        .flat_map(|(at, budget)| truncated(&split.chunks, at, budget))
        .collect();
    let without_body = |text: &&String| text.contains("    ...  # ");
    let count = texts.iter().filter(without_body).count();
    println!("{} passages with gaps, {count} with a body left out", texts.len());
    assert!(count > 0);
    let Some(rejected) = rejected(&texts) else {
        println!("skipped: there is no python3");
        return;
    };
    let rejected: Vec<_> = rejected.into_iter().map(|number| &texts[number]).collect();
    assert!(rejected.is_empty(), "{}: {}", rejected.len(), rejected[0]);
}
