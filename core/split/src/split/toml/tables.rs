//! Headers of tables, with the indexes of the items of arrays of tables.

use super::events::{Event, EventKind, key};
use crate::interrupt;
use std::{borrow::Cow, collections::HashMap};

pub(super) struct Table<'t> {
    /// Its titles below the root. An item of an array of tables has a title such as `[0]`.
    pub(super) path: Vec<Cow<'t, str>>,
    /// The end of its header.
    pub(super) end: usize,
}

/// Returns the tables of a document in order.
pub(super) fn tables<'t>(text: &'t str, events: &[Event]) -> Vec<Table<'t>> {
    // The index of the last item of each array of tables.
    let mut arrays: HashMap<Vec<Cow<'t, str>>, usize> = HashMap::new();
    let mut tables = Vec::new();
    for (index, header) in events.iter().enumerate() {
        interrupt::poll();
        if header.kind != EventKind::Header {
            continue;
        }
        let start = header.bytes.end;
        let rest = &text.as_bytes()[start..];
        let line = start + memchr::memchr(b'\n', rest).unwrap_or(rest.len());
        let keys = events[index + 1..].iter();
        let keys =
            keys.take_while(|event| event.kind == EventKind::Key && event.bytes.start < line);
        let mut path = Vec::new();
        let mut end = start;
        let count = keys.clone().count();
        let is_array = header.bytes.len() == "[[".len();
        for (index, part) in keys.enumerate() {
            path.push(key(text, part));
            end = part.bytes.end;
            let item = if is_array && index + 1 == count {
                Some(match arrays.get_mut(&path) {
                    Some(last) => {
                        *last += 1;
                        *last
                    }
                    None => *arrays.entry(path.clone()).or_insert(0),
                })
            } else if arrays.is_empty() {
                None
            } else {
                arrays.get(&path).copied()
            };
            path.extend(item.map(|item| Cow::Owned(format!("[{item}]"))));
        }
        let bracket = memchr::memchr(b']', &text.as_bytes()[end..line]);
        let end = bracket.map_or(end, |bracket| end + bracket + header.bytes.len());
        tables.push(Table { path, end });
    }
    tables
}

#[cfg(test)]
mod tests {
    use super::{super::events::read, *};
    use crate::interrupt::tests::polls_of;

    #[test]
    fn searching_a_document_without_headers_polls() {
        let text = format!("a=[{}]", "0,".repeat(1_000));
        let events = read(&text).unwrap();
        let polls = polls_of(|| tables(&text, &events));
        assert!(polls >= 2_000, "{polls}");
    }
}
