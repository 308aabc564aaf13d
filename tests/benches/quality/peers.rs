/*!
The retrievers of frameworks against `search`, at equal budgets.

`ground/bench/peers` asks the questions of all sets with each framework, on one server (see `tests/quality/peers`).
A line of its files has the results for one question and budget. They are scored here, as those of `search` are:

```json
{"set": "code", "method": "`search`", "question": 0, "budget": 512, "results": [["a.py", [[0, 91]]]], "seconds": [0.01, 0.01]}
```

Results are cut to the budget (see [`cut`]). The splitters of frameworks drop white space at both ends of a chunk.
It costs no wordpiece, so each span counts with the white space next to it; without it no answer of two chunks would
be complete.
*/

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use passage_split::Sizer;
use serde_json::Value;

use super::peer_table::{Peer, PeerTable};
use super::score::{ReturnedPassage, cut, recall, with_white_space};
use super::set::Set;
use super::table::MethodRecalls;

/// The budgets in tokens.
pub const BUDGETS: [usize; 3] = [512, 1_024, 2_048];

/// The recalls of a method for each budget, with the number of their questions, and its times.
#[derive(Default)]
struct Measured {
    recalls: [Vec<(u64, f64)>; BUDGETS.len()],
    seconds: Vec<[f64; 2]>,
}

/// Scores the files of a folder. Returns a table for each set, and one for all.
///
/// # Panics
///
/// Panics if a file cannot be read, or a method was not asked all questions.
pub fn compare(folder: &Path, sets: &[Set], sizer: &dyn Sizer) -> String {
    let lines = lines(folder);
    let mut tables = Vec::new();
    for set in sets {
        let mut methods: BTreeMap<&str, Measured> = BTreeMap::new();
        for line in lines.iter().filter(|line| line["set"] == set.name) {
            let method = line["method"].as_str().expect("a method has a name");
            add(line, set, sizer, methods.entry(method).or_default());
        }
        let peers: Vec<_> =
            methods.into_iter().map(|(name, measured)| peer(name, measured)).collect();
        if !peers.is_empty() {
            let questions = peers[0].recalls.recalls[0].len();
            tables.push(PeerTable::new(format!("{}: {questions} questions", set.name), peers));
        }
    }
    if tables.len() > 1 {
        tables.push(PeerTable::union(&tables));
    }
    tables.iter().map(ToString::to_string).collect()
}

fn lines(folder: &Path) -> Vec<Value> {
    let entries = fs::read_dir(folder).expect("the folder of results can be listed").flatten();
    let paths = entries.map(|entry| entry.path());
    let texts = paths.filter(|path| path.extension().is_some_and(|extension| extension == "jsonl"));
    let texts = texts.map(|path| fs::read_to_string(path).expect("results are UTF-8"));
    let lines = texts.flat_map(|text| text.lines().map(serde_json::from_str).collect::<Vec<_>>());
    lines.map(|line| line.expect("a line is an object")).collect()
}

/// Scores the results for one question and budget.
fn add(line: &Value, set: &Set, sizer: &dyn Sizer, measured: &mut Measured) {
    let number = line["question"].as_u64().expect("a question has a number");
    let budget = line["budget"].as_u64().expect("a budget is a number");
    let at = BUDGETS.iter().position(|known| *known as u64 == budget).expect("the budget is known");
    let results = line["results"].as_array().expect("there are results");
    let ranked: Vec<_> = results.iter().map(|result| passage(result, set)).collect();
    let texts: Vec<_> = set.documents.iter().map(|document| document.text.as_str()).collect();
    let returned = cut(&ranked, &texts, BUDGETS[at], |text| sizer.size(text));
    let answer = &set.questions[usize::try_from(number).expect("there are few questions")].answer;
    measured.recalls[at].push((number, recall(answer, &returned)));
    if let [Some(one), Some(search)] = [0, 1].map(|side| line["seconds"][side].as_f64()) {
        measured.seconds.push([one, search]);
    }
}

fn passage(result: &Value, set: &Set) -> ReturnedPassage {
    let document = set.documents.iter().position(|document| document.name == result[0]);
    let document = document.expect("a result is of a document of the set");
    let text = &set.documents[document].text;
    let spans = result[1].as_array().expect("a result has spans").iter().map(|span| {
        let [start, end] = [0, 1].map(|side| span[side].as_u64().expect("a span is two numbers"));
        with_white_space(text, start as usize..end as usize)
    });
    ReturnedPassage { document, spans: spans.collect(), tokens: 0 }
}

fn peer(name: &str, measured: Measured) -> Peer {
    let questions = measured.recalls[0].len();
    let in_order = |mut recalls: Vec<(u64, f64)>| -> Vec<f64> {
        recalls.sort_by_key(|(number, _)| *number);
        let numbers = recalls.iter().map(|(number, _)| *number);
        assert!(numbers.eq(0..questions as u64), "{name} was not asked each question once");
        recalls.into_iter().map(|(_, recall)| recall).collect()
    };
    let recalls = measured.recalls.map(in_order).into();
    Peer { recalls: MethodRecalls { name: name.to_owned(), recalls }, seconds: measured.seconds }
}
