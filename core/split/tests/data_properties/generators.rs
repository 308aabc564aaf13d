//! Generators of valid data in the styles of people and programs.

use proptest::prelude::*;
use std::collections::BTreeSet;
use std::fmt::Write;

#[derive(Clone, Debug)]
pub enum Data {
    Scalar(String),
    Text(String),
    List(Vec<Data>),
    Map(Vec<(String, Data)>),
}

#[derive(Clone, Copy, Debug)]
#[allow(clippy::struct_excessive_bools)]
pub struct Style {
    /// The indentation; 0 for a single line.
    pub indent: usize,
    pub returns: bool,
    pub comments: bool,
    /// Whether a comma also follows the last entry.
    pub last_comma: bool,
    /// The depth from which on YAML is in flow style.
    pub brackets: usize,
    /// Whether the items of YAML begin below their key instead of on its line.
    pub flat: bool,
}

pub fn style() -> impl Strategy<Value = Style> {
    (0..4_usize, any::<[bool; 4]>(), 1..6_usize).prop_map(|(indent, flags, brackets)| {
        let [returns, comments, last_comma, flat] = flags;
        Style { indent, returns, comments, last_comma, brackets, flat }
    })
}

/// Generates a map, so that it can also be TOML.
pub fn data() -> impl Strategy<Value = Data> {
    let leaf = prop_oneof![
        "(true|false|-?[1-9][0-9]{0,3})".prop_map(Data::Scalar),
        "[a-cé #:\"'\\\\,\\[\\]{}-]{0,30}".prop_map(Data::Text),
        "([a-z]{1,8} ){20,60}".prop_map(Data::Text),
    ];
    let any = leaf.prop_recursive(4, 60, 6, |inner| {
        let list = prop::collection::vec(inner.clone(), 0..6).prop_map(Data::List);
        prop_oneof![list, map(inner)]
    });
    map(any)
}

fn map(value: impl Strategy<Value = Data>) -> impl Strategy<Value = Data> {
    prop::collection::btree_map("[a-f é.\"\\\\]{0,4}", value, 0..6)
        .prop_map(|entries| Data::Map(entries.into_iter().collect()))
}

/// Returns a string literal of all three formats.
fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}

fn finished(text: String, style: &Style) -> String {
    if style.returns { text.replace('\n', "\r\n") } else { text }
}

pub fn json(data: &Data, style: &Style) -> String {
    let mut text = String::new();
    if style.comments && style.indent > 0 {
        text.push_str("// First, {\n");
    }
    write_json(data, style, 0, &mut text);
    finished(text, style)
}

fn write_json(data: &Data, style: &Style, depth: usize, text: &mut String) {
    let (entries, brackets): (Vec<(Option<&String>, &Data)>, _) = match data {
        Data::Scalar(scalar) => return text.push_str(scalar),
        Data::Text(string) => return text.push_str(&quoted(string)),
        Data::List(items) => (items.iter().map(|item| (None, item)).collect(), ['[', ']']),
        Data::Map(entries) => {
            (entries.iter().map(|(key, value)| (Some(key), value)).collect(), ['{', '}'])
        }
    };
    let line = |depth: usize, text: &mut String| {
        if style.indent > 0 {
            text.push('\n');
            text.push_str(&" ".repeat(style.indent * depth));
        }
    };
    text.push(brackets[0]);
    for (index, (key, value)) in entries.iter().enumerate() {
        line(depth + 1, text);
        if style.comments && style.indent > 0 {
            text.push_str("/* é, [ */ ");
        }
        if let Some(key) = key {
            let _ = write!(text, "{}: ", quoted(key));
        }
        write_json(value, style, depth + 1, text);
        if index + 1 < entries.len() || (style.last_comma && style.comments) {
            text.push(',');
        }
        if style.comments && style.indent > 0 {
            text.push_str(" // ], é");
        }
    }
    line(depth, text);
    text.push(brackets[1]);
}

pub fn yaml(data: &Data, style: &Style) -> String {
    let mut text = String::from(if style.comments { "# é\n%YAML 1.2\n--- # x\n" } else { "" });
    write_yaml(data, style, 0, 0, &mut text);
    if style.last_comma {
        text.push_str("\n---\n- x\n# end\n");
    }
    finished(text, style)
}

/// Writes the value after a key or a dash.
fn write_yaml(data: &Data, style: &Style, depth: usize, column: usize, text: &mut String) {
    let is_empty = match data {
        Data::List(items) => items.is_empty(),
        Data::Map(entries) => entries.is_empty(),
        _ => true,
    };
    if is_empty || depth >= style.brackets {
        if let Data::Text(string) = data
            && string.len() > 40
            && depth < style.brackets
            && depth > 0
        {
            let indent = " ".repeat(column + 1);
            let _ = write!(text, "|\n{indent}{}\n\n{indent}{string}\n", string.trim());
            return;
        }
        let flat = Style { indent: 0, comments: false, ..*style };
        write_json(data, &flat, 0, text);
        text.push_str(if style.comments { " # c\n" } else { "\n" });
        return;
    }
    let (entries, is_map): (Vec<(&str, &Data)>, _) = match data {
        Data::List(items) => (items.iter().map(|item| ("", item)).collect(), false),
        Data::Map(entries) => (entries.iter().map(|(key, value)| (&**key, value)).collect(), true),
        _ => unreachable!("scalars are empty"),
    };
    for (index, (key, value)) in entries.into_iter().enumerate() {
        // The first entry may follow a dash.
        if index > 0 || text.ends_with('\n') || text.is_empty() {
            if style.comments {
                let _ = writeln!(text, "{}# about: [it", " ".repeat(column));
            }
            text.push_str(&" ".repeat(column));
        }
        let below = matches!(value, Data::List(items) if !items.is_empty())
            || matches!(value, Data::Map(entries) if !entries.is_empty());
        let below = below && depth + 1 < style.brackets;
        if is_map {
            let _ = write!(text, "{}:", quoted(key));
            text.push_str(if below { "\n" } else { " " });
            let is_flat = style.flat && matches!(value, Data::List(_));
            write_yaml(value, style, depth + 1, column + usize::from(!is_flat) * 2, text);
        } else {
            text.push_str("- ");
            write_yaml(value, style, depth + 1, column + 2, text);
        }
    }
    if style.comments {
        let _ = writeln!(text, "\n{}# at the end", " ".repeat(column));
    }
}

pub fn toml(data: &Data, style: &Style) -> String {
    let mut text = String::new();
    let Data::Map(entries) = data else { return text };
    write_table(entries, &[], style, &mut text);
    finished(text, style)
}

fn write_table(entries: &[(String, Data)], path: &[String], style: &Style, text: &mut String) {
    let is_table = |data: &Data| match data {
        Data::Map(_) => true,
        Data::List(items) => {
            !items.is_empty() && items.iter().all(|item| matches!(item, Data::Map(_)))
        }
        _ => false,
    };
    // A title has no white space around it, and a table with the titles of an earlier one continues that.
    let mut titles = BTreeSet::new();
    let entries: Vec<_> = entries.iter().filter(|(key, _)| titles.insert(key.trim())).collect();
    for (key, value) in entries.iter().filter(|(_, value)| !is_table(value)) {
        if style.comments {
            text.push_str("# about [it]\n");
        }
        let _ = write!(text, "{} = ", quoted(key));
        write_inline(value, style, text);
        text.push_str(if style.comments { " # c\n" } else { "\n" });
    }
    for (key, value) in entries.iter().filter(|(_, value)| is_table(value)) {
        let path = [path, &[quoted(key)]].concat();
        let header = path.join(if style.flat { " . " } else { "." });
        match value {
            Data::Map(entries) => {
                if style.comments {
                    text.push_str("\n# the table\n");
                }
                let _ = writeln!(text, "[{header}]");
                write_table(entries, &path, style, text);
            }
            Data::List(items) => {
                for item in items {
                    let Data::Map(entries) = item else { continue };
                    let _ = writeln!(text, "[[{header}]] # item");
                    write_table(entries, &path, style, text);
                }
            }
            _ => {}
        }
    }
}

fn write_inline(data: &Data, style: &Style, text: &mut String) {
    match data {
        Data::Scalar(scalar) => text.push_str(scalar),
        Data::Text(string) => text.push_str(&quoted(string)),
        Data::List(items) => {
            text.push_str(if style.indent > 0 { "[ # items\n" } else { "[" });
            for item in items {
                write_inline(item, style, text);
                text.push_str(if style.indent > 0 { ", # ]\n" } else { "," });
            }
            text.push(']');
        }
        Data::Map(entries) => {
            text.push('{');
            for (index, (key, value)) in entries.iter().enumerate() {
                text.push_str(if index > 0 { ", " } else { " " });
                let _ = write!(text, "{} = ", quoted(key));
                write_inline(value, style, text);
            }
            text.push('}');
        }
    }
}
