/*!
TOML: tables from their headers on, and what JSON makes of the values in them.

Everything is in the section `root`. A table has the section of its path, and what lies below its
header up to the next one is its own, as are the tables below it that follow; tables that have the
beginning of their paths in common, and the items of an array of tables, are together in a unit of
that (`[profile.dev]` and `[profile.release]` in `root / profile`, both `[[bin]]` in `root / bin`).
So the chunks of a table parse alone. A dotted key gives one title for each part.

An entry goes to the end of its line. Key and equals sign lie outside the value, so a large array or
inline table parses alone as a value, that is, behind `x = `. Comments belong to the entry or header
that follows, unless they stand behind an entry on its line.
*/

mod events;
mod tables;

use super::units::{Title, Units};
use crate::{SyntaxError, Unit, interrupt};
use events::{Event, Kind, key, read};
use std::borrow::Cow;
use tables::{Table, tables};

/// Finds the units of a TOML document.
pub(super) fn units(text: &str, units: &mut Units<'_>) -> Result<(), SyntaxError> {
    let events = read(text).map_err(|place| SyntaxError::at(text, place))?;
    let tables = tables(text, &events);
    Document { text, units, at: 0, open: Vec::new(), path: &[] }.walk(&events, &tables);
    Ok(())
}

struct Document<'t, 'u, 's> {
    text: &'t str,
    units: &'u mut Units<'s>,
    /// From where what belongs to the next entry or header is.
    at: usize,
    /// How long the paths of the open tables are, from the outside in.
    open: Vec<usize>,
    /// The path of the innermost one.
    path: &'t [Cow<'t, str>],
}

/// An array or inline table that is open, or the lines of a table.
struct Open {
    kind: Kind,
    /// How many entries it has so far.
    entries: usize,
}

impl<'t> Document<'t, '_, '_> {
    /// Goes through the events of a document that is valid.
    fn walk(&mut self, events: &[Event], tables: &'t [Table<'t>]) {
        self.units.open_as(0, 0, &["root"], Unit::Container);
        let mut tables = tables.iter().peekable();
        let mut events = events.iter().peekable();
        let mut open = vec![Open { kind: Kind::Header, entries: 0 }];
        let mut keys: Vec<Cow<'_, str>> = Vec::new();
        while let Some(event) = events.next() {
            interrupt::poll();
            match event.kind {
                Kind::Header => {
                    let table = tables.next().expect("every header has a table");
                    self.enter(table, tables.peek().copied());
                    self.at = self.lines_behind(table.end);
                    while events.next_if(|event| event.bytes.start < table.end).is_some() {}
                }
                Kind::Key => keys.push(key(self.text, event)),
                Kind::Scalar => {
                    let around = open.last_mut().expect("the lines of a table are open");
                    let comma = events.next_if(|event| event.kind == Kind::Comma);
                    let outer = self.at..self.behind_entry(event, comma, around);
                    if let Some(title) = title(&keys, around.entries) {
                        self.units.value(outer.clone(), event.bytes.clone(), title);
                    } else {
                        self.open_dotted(&keys, event.bytes.start, Unit::Value);
                        self.units.close(event.bytes.end, outer.end);
                    }
                    self.at = outer.end;
                    around.entries += 1;
                    keys.clear();
                }
                Kind::Array | Kind::InlineTable => {
                    let around = open.last_mut().expect("the lines of a table are open");
                    let start = event.bytes.start;
                    match title(&keys, around.entries) {
                        Some(title) => self.units.open_at(self.at, start, title, Unit::Container),
                        None => self.open_dotted(&keys, start, Unit::Container),
                    }
                    self.at = self.rest_of_line(event.bytes.end);
                    around.entries += 1;
                    keys.clear();
                    open.push(Open { kind: event.kind, entries: 0 });
                }
                Kind::Close => {
                    open.pop();
                    let around = open.last_mut().expect("the lines of a table are open");
                    let comma = events.next_if(|event| event.kind == Kind::Comma);
                    self.at = self.behind_entry(event, comma, around);
                    self.units.close(event.bytes.end, self.at);
                }
                Kind::Comma => {}
            }
        }
        let end = self.text.len();
        self.leave_tables(0, end);
        self.units.close(end, end);
    }

    /// Opens the unit of a table, between those that it shares with its neighbours.
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
                self.units.open_as(at, at, &titles, Unit::Container);
                self.open.push(to);
            }
        }
        self.path = &table.path;
    }

    /// Closes the tables whose paths are longer than this.
    fn leave_tables(&mut self, length: usize, end: usize) {
        while self.open.pop_if(|open| *open > length).is_some() {
            self.units.close(end, end);
        }
    }

    fn open_dotted(&mut self, keys: &[Cow<'_, str>], start: usize, unit: Unit) {
        let titles: Vec<&str> = keys.iter().map(|key| &**key).collect();
        self.units.open_as(self.at, start, &titles, unit);
    }

    /// Returns where what belongs to an entry ends, by its last event and the comma behind it.
    fn behind_entry(&self, last: &Event, comma: Option<&Event>, around: &Open) -> usize {
        let end = last.bytes.end;
        match around.kind {
            Kind::Header => self.lines_behind(end),
            _ => self.rest_of_line(comma.map_or(end, |comma| comma.bytes.end)),
        }
    }

    /// Returns the next line's beginning if only a comment stands before it, else the place itself.
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

    /// Returns what follows the rest of the line and the empty ones behind it.
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

/// Returns what an entry is called, unless it has several titles.
fn title<'k>(keys: &'k [Cow<'_, str>], index: usize) -> Option<Title<'k>> {
    match keys {
        [] => Some(Title::Index(index)),
        // What is valid defines it once.
        [key] => Some(Title::OnlyKey(key)),
        _ => None,
    }
}
