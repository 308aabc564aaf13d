/*!
TOML: units are tables from their headers on, with values as in JSON.

The document is in the section `root`. A table has the section of its path. Its unit includes the
lines below its header, and its subtables that follow. Adjacent tables whose paths have a common
beginning share a unit of that beginning, and so do the items of an array of tables: `[profile.dev]`
and `[profile.release]` are in `root / profile`, both `[[bin]]` in `root / bin`. So the chunks of a
table parse alone. A dotted key has one title for each part.

An entry extends from its key to the end of its line, so it parses alone. An item of an array, or an
entry of an inline table, ends with its comma. A comment belongs to the next entry or header, unless it
follows an entry on the same line.
*/

mod events;
mod excerpt;
mod tables;

pub(crate) use excerpt::excerpt;

use super::units::{Title, Units};
use crate::{SyntaxError, Unit, interrupt};
use events::{Event, EventKind, key, read};
use std::borrow::Cow;
use tables::{Table, tables};

/// Finds the units of a TOML document.
pub(super) fn units(text: &str, units: &mut Units<'_>) -> Result<(), SyntaxError> {
    let events = read(text).map_err(|offset| SyntaxError::at(text, offset))?;
    let tables = tables(text, &events);
    Document { text, units, at: 0, open: Vec::new(), path: &[] }.walk(&events, &tables);
    Ok(())
}

struct Document<'t, 'u, 's> {
    text: &'t str,
    units: &'u mut Units<'s>,
    /// The offset of the next entry or header with its comments.
    at: usize,
    /// The lengths of the paths of the open tables, the outermost first.
    open: Vec<usize>,
    /// The path of the innermost open table.
    path: &'t [Cow<'t, str>],
}

/// An open array or inline table, or the lines of a table.
struct Open {
    kind: EventKind,
    /// The number of its entries so far.
    entries: usize,
}

impl<'t> Document<'t, '_, '_> {
    /// Walks through the events of a valid document.
    fn walk(&mut self, events: &[Event], tables: &'t [Table<'t>]) {
        self.units.open_as(0, &["root"], Unit::Container);
        let mut tables = tables.iter().peekable();
        let mut events = events.iter().peekable();
        let mut open = vec![Open { kind: EventKind::Header, entries: 0 }];
        let mut keys: Vec<Cow<'_, str>> = Vec::new();
        while let Some(event) = events.next() {
            interrupt::poll();
            match event.kind {
                EventKind::Header => {
                    let table = tables.next().expect("every header has a table");
                    self.enter(table, tables.peek().copied());
                    self.at = self.lines_behind(table.end);
                    while events.next_if(|event| event.bytes.start < table.end).is_some() {}
                }
                EventKind::Key => keys.push(key(self.text, event)),
                EventKind::Scalar => {
                    let around = open.last_mut().expect("the lines of a table are open");
                    let comma = events.next_if(|event| event.kind == EventKind::Comma);
                    let end = self.behind_entry(event, comma, around);
                    if let Some(title) = title(&keys, around.entries) {
                        self.units.value(self.at..end, title);
                    } else {
                        self.open_dotted(&keys, Unit::Value);
                        self.units.close(end);
                    }
                    self.at = end;
                    around.entries += 1;
                    keys.clear();
                }
                EventKind::Array | EventKind::InlineTable => {
                    let around = open.last_mut().expect("the lines of a table are open");
                    match title(&keys, around.entries) {
                        Some(title) => self.units.open_at(self.at, title, Unit::Container),
                        None => self.open_dotted(&keys, Unit::Container),
                    }
                    self.at = self.rest_of_line(event.bytes.end);
                    around.entries += 1;
                    keys.clear();
                    open.push(Open { kind: event.kind, entries: 0 });
                }
                EventKind::Close => {
                    open.pop();
                    let around = open.last_mut().expect("the lines of a table are open");
                    let comma = events.next_if(|event| event.kind == EventKind::Comma);
                    self.at = self.behind_entry(event, comma, around);
                    self.units.close(self.at);
                }
                EventKind::Comma => {}
            }
        }
        let end = self.text.len();
        self.leave_tables(0, end);
        self.units.close(end);
    }

    /// Opens the unit of a table, after the units that it shares with the tables around it.
    fn enter(&mut self, table: &'t Table<'t>, next: Option<&Table<'_>>) {
        let common = |path: &[Cow<'_, str>]| {
            path.iter().zip(&table.path).take_while(|(one, other)| one == other).count()
        };
        let stays = common(self.path);
        let at = self.at;
        self.leave_tables(stays, at);
        let inside = self.open.last().copied().unwrap_or(0);
        let ahead = next.map_or(0, |next| common(&next.path));
        for (from, to) in [(inside, ahead), (ahead.max(inside), table.path.len())] {
            if from < to {
                let titles: Vec<&str> = table.path[from..to].iter().map(|title| &**title).collect();
                self.units.open_as(at, &titles, Unit::Container);
                self.open.push(to);
            }
        }
        self.path = &table.path;
    }

    /// Closes the tables with longer paths than `length`.
    fn leave_tables(&mut self, length: usize, end: usize) {
        while self.open.pop_if(|open| *open > length).is_some() {
            self.units.close(end);
        }
    }

    fn open_dotted(&mut self, keys: &[Cow<'_, str>], unit: Unit) {
        let titles: Vec<&str> = keys.iter().map(|key| &**key).collect();
        self.units.open_as(self.at, &titles, unit);
    }

    /// Returns the end of an entry by its last event and the comma after it.
    fn behind_entry(&self, last: &Event, comma: Option<&Event>, around: &Open) -> usize {
        let end = last.bytes.end;
        match around.kind {
            EventKind::Header => self.lines_behind(end),
            _ => self.rest_of_line(comma.map_or(end, |comma| comma.bytes.end)),
        }
    }

    /// Returns the beginning of the next line if only a comment precedes it, else the offset itself.
    fn rest_of_line(&self, at: usize) -> usize {
        let rest = &self.text.as_bytes()[at..];
        let blanks = rest.iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
        match rest.get(blanks) {
            None | Some(b'\n' | b'\r' | b'#') => {
                at + memchr::memchr(b'\n', rest).map_or(rest.len(), |end| end + 1)
            }
            _ => at,
        }
    }

    /// Returns the offset after the rest of the line and the empty lines after it.
    fn lines_behind(&self, at: usize) -> usize {
        let mut at = self.rest_of_line(at);
        loop {
            let rest = &self.text.as_bytes()[at..];
            let blanks =
                rest.iter().take_while(|byte| matches!(byte, b' ' | b'\t' | b'\r')).count();
            match rest.get(blanks) {
                Some(b'\n') => at += blanks + 1,
                _ => return at,
            }
        }
    }
}

/// Returns the title of an entry, or `None` if it has several.
fn title<'k>(keys: &'k [Cow<'_, str>], index: usize) -> Option<Title<'k>> {
    match keys {
        [] => Some(Title::Index(index)),
        // A valid document defines a key once.
        [key] => Some(Title::Key(key)),
        _ => None,
    }
}
