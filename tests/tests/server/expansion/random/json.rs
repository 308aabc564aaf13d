/*!
JSON values, cut as a splitter cuts them.

A chunk holds whole entries with their keys and commas, and often brackets of the containers around them. So
the chunks of a record are its entries, unless they have flaws.
*/

use super::{GeneratedChunk, MAX_PIECES, Rng};

/// Returns the chunks of a value, which is invalid in some documents.
pub fn pieces(rng: &mut Rng) -> Vec<GeneratedChunk> {
    let mut pieces = loop {
        let root = [if rng.percent(95) { "root" } else { "doc" }.to_owned()];
        let text = String::from(*rng.choose(&["", "", "", "\n", " "]));
        let mut writer = Writer { text, entries: 0, label: None, pieces: Vec::new() };
        writer.container(&root, rng, 0);
        writer.text.push_str(rng.choose::<&str>(&["\n", ""]));
        writer.flush(&root);
        if writer.pieces.len() <= MAX_PIECES {
            break writer.pieces;
        }
    };
    for _ in 0..*rng.choose(&[0, 0, 0, 0, 1, 3]) {
        let index = rng.index(pieces.len());
        match rng.below(5) {
            0 if pieces.len() > 1 => drop(pieces.remove(index)),
            1 => pieces[index].content.push(','),
            2 => drop(pieces[index].content.pop()),
            3 => drop(pieces[index].section.pop()),
            _ => pieces[index].section.push("k1".to_owned()),
        }
    }
    pieces
}

struct Writer {
    /// The text that is not yet in a chunk.
    text: String,
    /// The number of entries in it.
    entries: usize,
    /// The section and the unit of its entries.
    label: Option<(Vec<String>, &'static str)>,
    pieces: Vec<GeneratedChunk>,
}

impl Writer {
    /// Ends a chunk. Brackets without an entry belong to their container.
    fn flush(&mut self, section: &[String]) {
        let (section, unit) = self.label.take().unwrap_or((section.to_vec(), "container"));
        self.entries = 0;
        if !self.text.is_empty() {
            self.pieces.push(GeneratedChunk::new(&section, unit, std::mem::take(&mut self.text)));
        }
    }

    /// Adds the label of an entry to the chunk.
    fn label(&mut self, around: &[String], own: &[String], unit: &'static str) {
        self.entries += 1;
        let several = match &self.label {
            Some((_, "container" | "member")) if unit == "container" => "member",
            _ => "container",
        };
        self.label = Some(match self.entries {
            1 => (own.to_vec(), unit),
            _ => (around.to_vec(), several),
        });
    }

    /// Adds an object or array.
    fn container(&mut self, section: &[String], rng: &mut Rng, depth: usize) {
        let is_object = rng.percent(60);
        self.text.push(if is_object { '{' } else { '[' });
        if rng.percent(20) {
            self.flush(section);
        }
        let count = rng.below(5);
        for i in 0..count {
            let key = format!("k{}", if is_object && rng.percent(10) { 0 } else { i });
            let below = [section, std::slice::from_ref(&key)].concat();
            let comma = if i + 1 < count { "," } else { "" };
            let begin = if is_object { format!("\n  \"{key}\": ") } else { String::new() };
            let kind = rng.below(10);
            if self.entries > 0 && (!(3..=7).contains(&kind) || rng.percent(50)) {
                self.flush(section);
            }
            self.text.push_str(&begin);
            match kind {
                0..3 if depth < 4 => {
                    self.container(&below, rng, depth + 1);
                    self.text.push_str(comma);
                    self.flush(&below);
                }
                // A long text, in several pieces.
                8..10 => {
                    self.text.push_str("\"one ");
                    self.label(section, &below, "value");
                    self.flush(section);
                    self.text.extend(["twö\"", comma]);
                    self.label(section, &below, "value");
                    self.flush(section);
                }
                3..6 => {
                    self.text.push_str(rng.choose::<&str>(&["{\"a\": [1, 2]}", "[]", "{ }"]));
                    self.text.push_str(comma);
                    self.label(section, &below, "container");
                }
                _ => {
                    self.text.extend([scalar(rng), comma]);
                    self.label(section, &below, "value");
                }
            }
        }
        self.text.push(if is_object { '}' } else { ']' });
    }
}

fn scalar(rng: &mut Rng) -> &'static str {
    rng.choose::<&str>(&["1", "-2.5e3", "true", "null", "\"text\"", "\"\""])
}
