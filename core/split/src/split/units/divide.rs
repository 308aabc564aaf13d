//! Dividing: measures, divides and merges units while the parser reports them.

use super::{
    Units,
    open_unit::{Atom, Group, Members, OpenUnit, Position, Titles},
};
use crate::{
    Unit, interrupt,
    section::Section,
    split::{
        boundaries, closing,
        cut::{self, Cutter},
        draft::Draft,
    },
};
use std::collections::BTreeMap;
use std::ops::Range;

impl Units<'_> {
    /// Measures the text up to an offset, and divides the units that do not fit any more.
    pub(super) fn measure(&mut self, offset: usize) -> Position {
        if offset <= self.at.byte {
            return self.at;
        }
        interrupt::poll();
        let byte = self.between_characters(offset);
        let text = &self.text[self.at.byte..byte];
        // The sizer does not measure a text that exceeds the maximum by its bytes alone.
        let short = text.len() <= self.limits.max_bytes();
        self.at.size += if short { self.sizer.size(text) } else { text.len() };
        self.at.byte = byte;
        while self.open.get(self.divided).is_some_and(|open| !self.fits(open)) {
            self.divide();
        }
        self.at
    }

    /// Returns the next offset at which a chunk may begin or end.
    pub(super) fn between_characters(&self, offset: usize) -> usize {
        boundaries::between_characters(self.text, offset)
    }

    /// Returns whether the part of a unit that was read so far fits.
    pub(super) fn fits(&self, open: &OpenUnit) -> bool {
        let (size, bytes) = (self.at.size - open.start.size, self.at.byte - open.start.byte);
        !self.limits.exceeded_by(size, bytes)
            && !self.boundaries.divide(&(open.start.byte..self.at.byte))
    }

    /// Divides the outermost unit that is whole.
    pub(super) fn divide(&mut self) {
        let index = self.divided;
        if let Some(last) = self.open[index - 1].last.take() {
            self.draft(index - 1, last);
        }
        self.open[index - 1].grouped = self.open[index].start;
        self.divided += 1;
        for group in std::mem::take(&mut self.open[index].done) {
            self.draft(index, group);
        }
    }

    /// Adds the own text between the last member of the innermost unit and a position.
    pub(super) fn own_text(&mut self, end: Position) {
        let limits = self.limits;
        let open = self.open.last_mut().expect("the document is open");
        let bytes = open.grouped..end;
        // A byte order mark alone does not make a chunk before a class, and neither does a marker.
        let text = self.text[bytes.start.byte..bytes.end.byte].trim_start_matches('\u{feff}');
        let start = bytes.end.byte - text.len();
        if !self.boundaries.is_blank(self.text, start..bytes.end.byte) {
            let blank = text.len() - text.trim_ascii_start().len();
            let items = &self.body_items;
            let first = items.partition_point(|(item, _)| *item < bytes.start.byte);
            let is_item = items
                .get(first)
                .is_some_and(|(item, _)| *item <= bytes.end.byte - text.len() + blank);
            let atom = open.own_atom(bytes, is_item);
            self.add(atom);
        } else if let Some(last) = &mut open.last
            && last.has_room(end, limits)
            && !self.boundaries.divide(&(last.bytes.start.byte..end.byte))
        {
            last.bytes.end = end;
            open.grouped = end;
        }
    }

    /// Adds a member or own text to the innermost unit.
    pub(super) fn add(&mut self, atom: Atom) {
        let (members, limits) = (self.members, self.limits);
        let index = self.open.len() - 1;
        let open = &mut self.open[index];
        if atom.bytes.start.byte == atom.bytes.end.byte {
            return;
        }
        open.grouped = atom.bytes.end;
        if !atom.own {
            open.continues = atom.ends_inside;
        }
        let bytes = atom.bytes.start.byte..atom.bytes.end.byte;
        // Text of XML may be a bracket too.
        let is_closing =
            atom.own && self.has_items && closing::is_closing(&self.text[bytes.clone()]);
        // A bracket of no unit may be at the root, where only the preprocessor closes something.
        let has_unit = || index > 0 || self.text[bytes.clone()].trim_ascii_start().starts_with('#');
        let is_line =
            is_closing && has_unit() && closing::is_closing_line(self.text, bytes.clone());
        let is_behind = open.last.is_none() && index < self.divided;
        if is_line && is_behind && self.close_divided(&bytes) {
            return;
        }
        let open = &mut self.open[index];
        let is_apart =
            |last: &Group| self.boundaries.divide(&(last.bytes.start.byte..atom.bytes.end.byte));
        match &mut open.last {
            Some(last) if is_apart(last) => {
                let complete = std::mem::replace(last, Group::new(atom));
                self.complete(index, complete);
            }
            Some(last) if is_closing && last.takes_closing(&atom, open.unit, is_line, limits) => {
                last.add_closing(&atom);
            }
            Some(last) if last.accepts(&atom, open.unit, members, limits) => {
                last.add(atom, open.unit, members);
            }
            last => {
                let Some(complete) = last.replace(Group::new(atom)) else { return };
                self.complete(index, complete);
            }
        }
    }

    /// Drafts a group that nothing more is added to, or keeps it until its unit is divided.
    fn complete(&mut self, index: usize, group: Group) {
        if index < self.divided {
            self.draft(index, group);
        } else {
            self.open[index].done.push(group);
        }
    }

    /// Adds the closing line of a unit to the last chunk of its last unit, which is divided. Returns whether it fits.
    ///
    /// The level of the chunk becomes that of the unit. So the last lines of a chunk are the closing lines of all
    /// levels below that of its section, one each. The level no longer shows that the chunk begins inside of an item,
    /// so the chunk before it must show that: it is in the same unit.
    fn close_divided(&mut self, bytes: &Range<usize>) -> bool {
        let depth = self.path.len();
        let (text, limits, sizer) = (self.text, self.limits, self.sizer);
        let [.., before, last] = &mut self.drafts[..] else { return false };
        let (level, titles) = (last.level as usize, last.section.len());
        let continues = before.section.starts_with(&last.section);
        let joined = last.bytes.start..bytes.end;
        let follows = last.bytes.end == bytes.start
            && !self.boundaries.divide(&joined)
            && titles > depth
            && last.section.starts_with(&self.path)
            && level > depth
            && (level == depth + 1 || titles == depth + 1)
            && (level <= titles || continues);
        if !follows || joined.len() > limits.max_bytes() {
            return false;
        }
        let size = sizer.size(&text[joined.clone()]);
        if size <= limits.max {
            (last.bytes, last.size, last.level) = (joined, size, depth as u32);
        }
        size <= limits.max
    }

    /// Drafts the chunk of a group, or several chunks if it is too long.
    pub(super) fn draft(&mut self, index: usize, group: Group) {
        let open = &self.open[index];
        let Group { unit, own, begins_inside, titles, .. } = group;
        let bytes = group.bytes.start.byte..group.bytes.end.byte;
        let is_first = bytes.start <= open.start.byte;
        let inside = if is_first { index } else { index + 1 };
        let header = self.open[..inside].iter().rev().find_map(|open| open.header.clone());
        let mut section = Section::with_capacity(open.depth + titles.len());
        section.extend_from_slice(&self.path[..open.depth]);
        section.extend(titles.into_iter().map(String::from));
        let is_entry = self.members == Members::Entries;
        let level = group.level + u32::from(begins_inside);
        let level = if is_entry { section.len() as u32 } else { level };
        let Self { text, limits, sizer, .. } = *self;
        let measured = |bytes: &Range<usize>| {
            (bytes.len() <= limits.max_bytes()).then(|| sizer.size(&text[bytes.clone()]))
        };
        let boundaries = self.boundaries;
        let is_divided = boundaries.divide(&bytes);
        let size = if is_divided { None } else { measured(&bytes) };
        let imports = &mut self.imports;
        let mut draft = |bytes: Range<usize>, size, section| {
            let inside = imports.partition_point(|(offset, _)| *offset < bytes.end);
            let imports = imports.drain(..inside).map(|(_, name)| name).collect();
            let header = header.clone().filter(|line| line.end <= bytes.start);
            Draft { bytes, size, section, level, unit, header, imports }
        };
        match size {
            Some(size) if size <= limits.max => {
                let draft = draft(bytes.clone(), size, section);
                let is_bracket = is_entry && own && size < limits.min;
                if !is_bracket {
                    self.push(draft);
                } else if is_first {
                    self.push_opening(draft);
                } else {
                    self.push_closing(draft);
                }
            }
            _ => {
                let cutter = Cutter { text, limits, sizer, items: &self.items };
                let mut pieces = Vec::new();
                for part in boundaries.parts(bytes.clone()) {
                    interrupt::poll();
                    let size = if is_divided { measured(&part) } else { size };
                    let mut emit = |bytes, size| pieces.push(draft(bytes, size, section.clone()));
                    match size {
                        Some(size) if size <= limits.max => emit(part, size),
                        _ => {
                            let ties = [part.start; 2];
                            cutter.cut(&cut::LongUnit { bytes: part, ties, size }, emit);
                        }
                    }
                }
                if let Some(later) = pieces.get_mut(1..)
                    && self.has_items
                {
                    let start = if own { self.open[index].start.byte } else { bytes.start };
                    self.deepen(later, group.level, start);
                }
                for piece in pieces {
                    // A marker belongs to the text before it.
                    if is_divided && boundaries.is_blank(text, piece.bytes.clone()) {
                        self.push_blank(piece);
                    } else {
                        self.push(piece);
                    }
                }
            }
        }
        self.items.drain(..self.items.partition_point(|item| item.at < bytes.end));
        let items = self.body_items.partition_point(|(item, _)| *item < bytes.end);
        self.body_items.drain(..items);
    }

    /// Sets the level of pieces, one deeper if they do not begin with an item of one body, that of most pieces. The
    /// body is in the unit, which begins at `start`.
    fn deepen(&self, pieces: &mut [Draft], level: u32, start: usize) {
        let body = |piece: &Draft| {
            let items = &self.body_items;
            let at = items.binary_search_by_key(&piece.bytes.start, |(item, _)| *item).ok()?;
            Some(items[at].1).filter(|body| *body >= start)
        };
        let mut counts: BTreeMap<usize, usize> = BTreeMap::new();
        pieces.iter().filter_map(body).for_each(|body| *counts.entry(body).or_default() += 1);
        let common = counts.into_iter().max_by_key(|(_, count)| *count).map(|(body, _)| body);
        for piece in pieces {
            interrupt::poll();
            piece.level = level + u32::from(common.is_none() || body(piece) != common);
        }
    }

    /// Opens a unit with titles in the open one.
    pub(super) fn enter(
        &mut self,
        start: usize,
        titles: impl IntoIterator<Item = String>,
        unit: Unit,
    ) {
        let start = self.measure(start);
        self.own_text(start);
        // The unit includes the white space that no group has.
        let start = self.top().grouped;
        self.path.extend(titles);
        self.open.push(OpenUnit::new(unit, self.path.len(), start));
    }

    /// Closes the innermost unit, which is divided, at a position.
    pub(super) fn leave_divided(&mut self, end: Position) {
        let index = self.open.len() - 1;
        if let Some(last) = self.open[index].last.take() {
            self.draft(index, last);
        }
        // The white space after the last member.
        if self.open[index].grouped.byte < end.byte {
            let bytes = self.open[index].grouped..end;
            let blank = Atom {
                bytes,
                level: index as u32,
                unit: Unit::Text,
                own: true,
                begins_inside: false,
                ends_inside: false,
                titles: Titles::new(),
            };
            self.draft(index, Group::new(blank));
        }
        let closed = self.open.pop();
        self.divided = self.open.len();
        if let Some(around) = self.open.last_mut() {
            around.grouped = end;
            around.continues = closed.is_some_and(|closed| closed.ends_inside);
            self.path.truncate(around.depth);
        }
    }
}
