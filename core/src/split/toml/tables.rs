//! The headers of tables, with the places of those that are items of arrays.

use super::events::{Event, Kind, key};
use std::collections::HashMap;

pub(super) struct Table {
    /// Its titles below the root, each item of an array of tables having one such as `[0]`.
    pub(super) path: Vec<String>,
    /// Where its header ends.
    pub(super) end: usize,
}

/// Returns the tables of a document in order.
pub(super) fn tables(text: &str, events: &[Event]) -> Vec<Table> {
    // The last item of each array of tables.
    let mut arrays: HashMap<Vec<String>, usize> = HashMap::new();
    let mut tables = Vec::new();
    for (index, event) in events.iter().enumerate() {
        if event.kind != Kind::Header {
            continue;
        }
        let header = event.bytes.start;
        let line = text[header..].find('\n').map_or(text.len(), |end| header + end);
        let keys = events[index + 1..].iter();
        let keys = keys.take_while(|event| event.kind == Kind::Key && event.bytes.start < line);
        let mut path = Vec::new();
        let mut end = event.bytes.end;
        let count = keys.clone().count();
        let is_array = event.bytes.len() == "[[".len();
        for (index, part) in keys.enumerate() {
            path.push(key(text, part).into_owned());
            end = part.bytes.end;
            let item = if is_array && index + 1 == count {
                let next = arrays.get(&path).map_or(0, |last| last + 1);
                arrays.insert(path.clone(), next);
                Some(next)
            } else {
                arrays.get(&path).copied()
            };
            path.extend(item.map(|item| format!("[{item}]")));
        }
        let bracket = text[end..line].find(']').map_or(0, |bracket| bracket + event.bytes.len());
        tables.push(Table { path, end: end + bracket });
    }
    tables
}
