/*!
The recall of each question, in a file, so that two versions of the project can be compared.

One version writes the file, another one reads it. Both must have the same sets, because each question is compared
with itself (see `passage::eval`). A line is a JSON object for one method at one budget.
*/

use std::collections::HashMap;
use std::fmt::{self, Write};
use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use super::report::figures;

/// The recalls of one method at one budget.
#[derive(Clone)]
pub struct Recalls {
    pub set: String,
    pub method: String,
    pub budget: String,
    /// The recall of each question.
    pub questions: Vec<f64>,
}

impl Recalls {
    fn from_json(line: &str) -> Option<Self> {
        let value: Value = serde_json::from_str(line).ok()?;
        let text = |key: &str| Some(value[key].as_str()?.to_owned());
        let recalls = value["recalls"].as_array()?.iter().map(Value::as_f64);
        Some(Self {
            set: text("set")?,
            method: text("method")?,
            budget: text("budget")?,
            questions: recalls.collect::<Option<_>>()?,
        })
    }

    fn key(&self) -> [&str; 3] {
        [&self.set, &self.method, &self.budget]
    }
}

/// Writes recalls to a file.
///
/// # Errors
///
/// Returns the error of the file system.
pub fn write(path: &Path, measured: &[Recalls]) -> std::io::Result<()> {
    let mut text = String::new();
    for Recalls { set, method, budget, questions } in measured {
        let line = json!({"set": set, "method": method, "budget": budget, "recalls": questions});
        writeln!(text, "{line}").expect("a string takes text");
    }
    fs::write(path, text)
}

/// Reads the recalls of a file.
///
/// # Panics
///
/// Panics if the file cannot be read or has another format.
pub fn read(path: &Path) -> Vec<Recalls> {
    let text =
        fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let recalls =
        |line| Recalls::from_json(line).unwrap_or_else(|| panic!("{}: {line}", path.display()));
    text.lines().map(recalls).collect()
}

/// The differences between two versions. Methods that only one of them has are left out.
pub struct Versions<'a> {
    pub before: &'a [Recalls],
    pub after: &'a [Recalls],
}

impl fmt::Display for Versions<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let before: HashMap<_, _> = self.before.iter().map(|one| (one.key(), one)).collect();
        writeln!(formatter, "differences to the version before\n")?;
        writeln!(formatter, "| set | method | budget | recall | complete |")?;
        writeln!(formatter, "|---|---|---|---|---|")?;
        let mut all: Vec<[Recalls; 2]> = Vec::new();
        for after in self.after {
            let Some(before) = before.get(&after.key()) else { continue };
            row(formatter, before, after)?;
            let same = |[_, one]: &&mut [Recalls; 2]| {
                (&one.method, &one.budget) == (&after.method, &after.budget)
            };
            match all.iter_mut().find(same) {
                Some([first, other]) => {
                    first.questions.extend(&before.questions);
                    other.questions.extend(&after.questions);
                }
                None => all.push([before, after].map(|one| {
                    let set = "all".to_owned();
                    Recalls { set, ..one.clone() }
                })),
            }
        }
        for [before, after] in &all {
            row(formatter, before, after)?;
        }
        Ok(())
    }
}

fn row(formatter: &mut fmt::Formatter<'_>, before: &Recalls, after: &Recalls) -> fmt::Result {
    let Recalls { set, method, budget, questions } = after;
    write!(formatter, "| {set} | {method} | {budget} |")?;
    let slices = [&before.questions, questions].map(std::slice::from_ref);
    figures(formatter, Some(slices[0]), slices[1])?;
    writeln!(formatter)
}
