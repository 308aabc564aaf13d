/*!
Prompts of random passages, read as Markdown by a reader of its own, and random answers with known citations.

Texts and names are made of fences, backticks, citations and lines that look like those of a source.
*/

use crate::rng::Rng;
use passage_tests::{Cluster, cases};
use serde_json::{Value, json};
use std::collections::BTreeMap;

const SEED: u64 = 43;

/// The pieces of texts and names.
const PIECES: [&str; 20] = [
    "`",
    "``",
    "```",
    "````",
    "`````````",
    "~~~",
    "~~~~",
    "\n",
    "\n\n",
    "\r\n",
    "\r",
    "\t",
    " ",
    "    ",
    "> ",
    "word",
    "[2] trusted.md:1-3 (Trusted)",
    "[2]",
    "\u{2028}",
    "</source>",
];

/// Returns a text of random pieces.
fn any_text(rng: &mut Rng, pieces: u64) -> String {
    (0..rng.below(pieces)).map(|_| *rng.choose(&PIECES)).collect()
}

/// Returns a passage with a content, and with some of the names and numbers that rows have.
fn any_passage(rng: &mut Rng) -> Value {
    let mut passage = json!({"content": any_text(rng, 40)});
    for key in ["uri", "title", "collection", "version"] {
        if rng.percent(60) {
            passage[key] = any_text(rng, 6).into();
        }
    }
    if rng.percent(60) {
        passage["section"] = (0..rng.below(4)).map(|_| any_text(rng, 5)).collect();
    }
    if rng.percent(60) {
        passage["first_line"] = rng.below(100).into();
        passage["last_line"] = rng.below(100).into();
    }
    if rng.percent(20) {
        passage["citations"] = json!([{"sheet": any_text(rng, 4)}, {"sheet": any_text(rng, 4), "last_sheet": "`````"}]);
    }
    passage
}

/// Returns whether a line ends a block of code in Markdown. Any indentation counts.
fn closes(line: &str, fence: &str) -> bool {
    let marks = line.trim_matches([' ', '\t', '>']);
    marks.len() >= fence.len() && marks.bytes().all(|byte| byte == b'`')
}

/// Reads a prompt: the line and the content of each source.
fn sources(prompt: &str) -> Vec<(&str, String)> {
    let mut sources = Vec::new();
    if prompt.is_empty() {
        return sources;
    }
    let mut lines = prompt.split('\n');
    while let Some(head) = lines.next() {
        let fence = lines.next().expect("a fence follows the line of a source");
        assert!(fence.len() > 2 && fence.bytes().all(|byte| byte == b'`'), "{prompt:?}");
        assert!(!head.contains(fence), "{prompt:?}");
        assert!(!head.chars().any(|char| char.is_control() || char == '\u{2028}'), "{prompt:?}");
        let mut content = Vec::new();
        loop {
            let line = lines.next().expect("each fence closes");
            if line == fence {
                break;
            }
            // A carriage return ends a line of Markdown, too.
            assert!(!line.split('\r').any(|part| closes(part, fence)), "{prompt:?}");
            assert!(!line.contains(fence), "{prompt:?}");
            content.push(line);
        }
        sources.push((head, content.join("\n")));
        if let Some(line) = lines.next() {
            assert_eq!(line, "", "{prompt:?}");
        }
    }
    sources
}

#[tokio::test]
async fn no_text_of_a_passage_ends_its_fence_and_each_number_leads_to_its_passage() {
    let cluster = Cluster::start().await;
    let client = cluster.client().await;
    let sql = "SELECT prompt, sources FROM passage.prompt($1, $2, $3)";
    for number in cases(0..600) {
        let mut rng = Rng::new(SEED, number);
        let passages: Vec<_> = (0..rng.below(7)).map(|_| any_passage(&mut rng)).collect();
        let best_at = *rng.choose(&["start", "both_ends"]);
        let first = 1 + i32::try_from(rng.below(20)).unwrap();
        let row = client.query_one(sql, &[&json!(passages), &best_at, &first]).await.unwrap();
        let (prompt, listed): (String, Value) = (row.get(0), row.get(1));

        let mut order: Vec<_> = (0..passages.len()).collect();
        if best_at == "both_ends" {
            let (front, back): (Vec<_>, Vec<_>) =
                order.iter().copied().partition(|place| place % 2 == 0);
            order = front.into_iter().chain(back.into_iter().rev()).collect();
        }
        let sources = sources(&prompt);
        assert_eq!(sources.len(), passages.len(), "{prompt:?}");
        for ((head, content), place) in sources.iter().zip(&order) {
            let passage = &passages[*place];
            let text = passage["content"].as_str().unwrap();
            assert_eq!(content, text.trim_end_matches(['\r', '\n']));
            let source = &listed[*place];
            let number = first + i32::try_from(*place).unwrap();
            assert_eq!(source["number"], number);
            let label = source["label"].as_str().unwrap();
            assert!(head.starts_with(&format!("[{number}] {label}")), "{head:?} {label:?}");
            for key in
                ["uri", "title", "collection", "version", "section", "first_line", "last_line"]
            {
                assert_eq!(source[key], passage[key], "{key}");
            }
        }
        assert_eq!(listed.as_array().unwrap().len(), passages.len());
    }
}

/// Adds a random part to an answer, and to each number how often the part cites it.
fn add_part(answer: &mut String, cited: &mut BTreeMap<i32, i32>, sources: i32, rng: &mut Rng) {
    let mut any = || i32::try_from(rng.below(9)).expect("it is a small number");
    let (a, b) = (any(), any());
    let (part, numbers): (String, Vec<i32>) = match rng.below(10) {
        0 => (format!("[{a}]"), vec![a]),
        1 => (format!("so:[{a}][ {b} ]."), vec![a, b]),
        2 => (format!("[{a}, {b}]"), vec![a, b]),
        3 | 4 => {
            let (first, last) = (a.min(b), a.max(b));
            let is_cited = |number: &i32| {
                (1..=sources).contains(number) || *number == first || *number == last
            };
            (format!("[{a}-{b}]"), (first..=last).filter(is_cited).collect())
        }
        5 => (format!("`x[{a}]` and ``y`[{b}]``"), Vec::new()),
        6 => (format!("[{a}](https://example.org/{b}) ![{b}](c)"), Vec::new()),
        7 => (format!("\n```sh\n[{a}]\n~~~\n```\n"), Vec::new()),
        8 => (format!("\n- ~~~~\n  [{a}]\n  ```\n  ~~~~\n"), Vec::new()),
        _ => (format!("A sentence, [^{a}] [x{b}] {a}."), Vec::new()),
    };
    *answer += &part;
    *answer += " ";
    for number in numbers {
        *cited.entry(number).or_default() += 1;
    }
}

#[tokio::test]
async fn citations_of_an_answer_are_counted_outside_of_code_and_links() {
    let cluster = Cluster::start().await;
    let client = cluster.client().await;
    let sql = "SELECT number, outcome, mentions FROM passage.check_citations($1, $2)";
    for number in cases(0..600) {
        let mut rng = Rng::new(SEED + 1, number);
        let sources = i32::try_from(rng.below(7)).unwrap();
        let (mut answer, mut cited) = (String::new(), BTreeMap::new());
        for _ in 0..rng.below(12) {
            add_part(&mut answer, &mut cited, sources, &mut rng);
        }
        let listed: Vec<_> = (1..=sources).map(|number| json!({"number": number})).collect();
        let rows = client.query(sql, &[&answer, &json!(listed)]).await.unwrap();
        let found: Vec<(i32, String, i32)> =
            rows.iter().map(|row| (row.get(0), row.get(1), row.get(2))).collect();

        for source in 1..=sources {
            cited.entry(source).or_insert(0);
        }
        let outcome = |number: i32, mentions: i32| match mentions {
            _ if !(1..=sources).contains(&number) => "unknown",
            0 => "uncited",
            _ => "cited",
        };
        let expected = cited
            .iter()
            .map(|(number, mentions)| (*number, outcome(*number, *mentions).to_owned(), *mentions));
        assert_eq!(found, expected.collect::<Vec<_>>(), "{answer:?}");
    }
}
