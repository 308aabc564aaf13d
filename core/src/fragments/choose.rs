/*!
Which lines come back.

What was found is taken best first, each as the whole lines that its chunk touches, until the budget
is spent; what no longer fits as a whole is narrowed to the lines of it that are worth most. Fenced
blocks come whole or not at all, and so do lines. What is longer than the whole budget cannot: of
such a block come as many whole lines as fit, and of such a line the chunk of it that was found.
Fragments that touch, with nothing but blank lines between, become one.
*/

use super::stretch::Stretch;
use std::ops::Range;

/// How little the first ranks differ when it is weighed how much room each hit takes.
const SOON: f64 = 5.0;

/// Less than this part of the budget is not worth filling with parts of what was found: it would be a
/// line or two, and to find out which takes longer than to choose all the rest.
const REST: u32 = 16;

/// How much may come back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The most fragments.
    pub max_fragments: usize,
    /// The most tokens of all fragments together.
    pub max_tokens: u32,
}

/// A chunk that was found, by its place in the text of a stretch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hit {
    /// The stretch that holds it.
    pub stretch: usize,
    /// Where in its text the chunk stands.
    pub bytes: Range<usize>,
}

/// Lines that come back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fragment {
    /// The stretch that they are of.
    pub stretch: usize,
    /// The lines.
    pub lines: Range<usize>,
    /// Where in the text of the stretch they stand, without the end of the last line.
    pub bytes: Range<usize>,
    /// Their tokens, rounded up.
    pub tokens: u32,
    /// The hits that they were chosen for, best first; never none.
    pub hits: Vec<usize>,
    /// What had to be cut.
    pub cut: Option<Cut>,
}

/// What is longer than all fragments together may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cut {
    /// A fenced block, between two of its lines.
    Block,
    /// A line.
    Line,
    /// The document, of which the first lines come back.
    Document,
}

impl Cut {
    /// Returns the word for a result.
    pub fn name(self) -> &'static str {
        match self {
            Self::Block => "block",
            Self::Line => "line",
            Self::Document => "document",
        }
    }
}

/// Chooses lines for hits that come best first, and returns fragments in the order of their best.
///
/// `worth` tells of lines of a stretch how much each has of what was asked for. That may be dear to
/// find out, so it is asked only where a hit does not fit as a whole.
pub fn choose(
    stretches: &[Stretch],
    hits: &[Hit],
    limits: Limits,
    worth: &impl Fn(usize, Range<usize>) -> Vec<f64>,
) -> Vec<Fragment> {
    let mut taken = Taken { stretches, limits, fragments: Vec::new() };
    if limits.max_fragments == 0 {
        return Vec::new();
    }
    let found = hits.iter().map(|hit| {
        let stretch = &stretches[hit.stretch];
        Found { stretch, hit, limits, worth }
    });
    // What takes more room than its chunk has less of what was found for each token.
    let mut order: Vec<_> = found.enumerate().collect();
    let turn = |(place, found): &(usize, Found<'_>)| (SOON + *place as f64) * found.growth();
    order.sort_by(|a, b| turn(a).total_cmp(&turn(b)));
    for (place, found) in order {
        // Of a chunk that is blank there is nothing to show.
        if found.touched().is_empty() || taken.covers(place, found.hit) {
            continue;
        }
        let stretch = found.hit.stretch;
        if found.whole().is_some_and(|lines| taken.take(place, stretch, lines)) {
            continue;
        }
        let room = taken.room();
        if !taken.fragments.is_empty() && room < limits.max_tokens / REST {
            continue;
        }
        if let Some(lines) = found.narrowed(room) {
            taken.take(place, stretch, lines);
        } else if let Some(bytes) = found.piece(room, taken.fragments.is_empty()) {
            taken.cut(place, stretch, bytes);
        }
    }
    taken.fragments
}

/// A hit among the lines of its stretch.
struct Found<'a> {
    stretch: &'a Stretch,
    hit: &'a Hit,
    limits: Limits,
    worth: &'a dyn Fn(usize, Range<usize>) -> Vec<f64>,
}

impl Found<'_> {
    fn worth(&self, lines: Range<usize>) -> Vec<f64> {
        (self.worth)(self.hit.stretch, lines)
    }

    /// Returns the lines that it touches, without blank ones at either end.
    fn touched(&self) -> Range<usize> {
        self.stretch.touched(&self.hit.bytes)
    }

    /// Tells how many times the tokens of its chunk the hit would take as a whole.
    fn growth(&self) -> f64 {
        let own = self.stretch.tokens_of(&self.hit.bytes).max(1.0);
        (self.stretch.tokens(self.grown()) / own).max(1.0)
    }

    /// Returns the lines that the hit touches with the blocks that they are of, if all of them were
    /// read and none is too long.
    fn whole(&self) -> Option<Range<usize>> {
        let lines = self.grown();
        lines.clone().all(|line| self.fits(line)).then_some(lines)
    }

    /// Tells whether a line can come back at all.
    fn fits(&self, line: usize) -> bool {
        let line = &self.stretch.lines[line];
        line.whole && line.tokens <= f64::from(self.limits.max_tokens)
    }

    /// Returns the lines that the hit touches, and all lines of blocks that can come whole.
    fn grown(&self) -> Range<usize> {
        let lines = self.touched();
        if lines.is_empty() {
            return lines;
        }
        let (first, last) = (self.block(lines.start), self.block(lines.end - 1));
        self.stretch.trimmed(first.start.min(lines.start)..last.end.max(lines.end))
    }

    /// Returns the lines that come with a line: those of its block, unless that is too long.
    fn block(&self, line: usize) -> Range<usize> {
        let block = &self.stretch.lines[line].block;
        let fits = self.stretch.tokens(block.clone()) <= f64::from(self.limits.max_tokens)
            && block.clone().all(|line| self.stretch.lines[line].whole);
        if fits { block.clone() } else { line..line + 1 }
    }

    /// Returns the window of lines that is worth most among those that fit.
    fn narrowed(&self, room: u32) -> Option<Range<usize>> {
        let lines = self.grown();
        let mut units = Vec::new();
        let mut at = lines.start;
        while at < lines.end {
            let lines = self.block(at);
            at = lines.end;
            units.push(Unit {
                fits: lines.clone().all(|line| self.fits(line)),
                tokens: self.stretch.tokens(lines.clone()),
                worth: 0.0,
                lines,
            });
        }
        if !units.iter().any(|unit| unit.fits && unit.tokens <= f64::from(room)) {
            return None;
        }
        let first = units[0].lines.start;
        let worth = self.worth(first..at);
        for unit in &mut units {
            unit.worth = worth[unit.lines.start - first..unit.lines.end - first].iter().sum();
        }
        let all: f64 = units.iter().map(|unit| unit.worth).sum();
        let best = windows(&units, f64::from(room))
            .max_by(|a, b| a.worth.total_cmp(&b.worth).then(b.aside.total_cmp(&a.aside)))?;
        let chosen = self.stretch.trimmed(best.lines);
        // Lines without anything of what was asked for stand for the hit if they are most of it.
        let most =
            || 2.0 * self.stretch.tokens(chosen.clone()) >= self.stretch.tokens(lines.clone());
        let stands = !chosen.is_empty() && (best.worth > 0.0 || all <= 0.0 && most());
        stands.then_some(chosen)
    }

    /// Returns the hit's part of a line that is too long to come back, cut to what is left if there is
    /// nothing else.
    fn piece(&self, room: u32, only: bool) -> Option<Range<usize>> {
        let lines = self.touched();
        if lines.clone().all(|line| self.fits(line)) {
            return None;
        }
        let worth = lines.clone().zip(self.worth(lines));
        let long = worth.filter(|(line, _)| !self.fits(*line));
        let (line, _) = long.max_by(|(_, a), (_, b)| a.total_cmp(b))?;
        let whole = self.stretch.lines[line].bytes.start;
        let whole = whole..whole + self.stretch.line(line).len();
        let bytes = whole.start.max(self.hit.bytes.start)..whole.end.min(self.hit.bytes.end);
        let tokens = self.stretch.tokens_of(&bytes);
        if tokens > f64::from(room) && !only {
            return None;
        }
        let most = (bytes.len() as f64 * (f64::from(room) / tokens).min(1.0)) as usize;
        let end = self.stretch.text.floor_char_boundary(bytes.start + most);
        (end > bytes.start).then_some(bytes.start..end)
    }
}

/// Lines that come together or not at all.
struct Unit {
    lines: Range<usize>,
    tokens: f64,
    worth: f64,
    fits: bool,
}

/// Units that fit together.
struct Window {
    lines: Range<usize>,
    worth: f64,
    /// How far what is worth something in it lies from its middle, in tokens.
    aside: f64,
}

/// Lists for each unit the longest window that begins there.
fn windows(units: &[Unit], room: f64) -> impl Iterator<Item = Window> {
    (0..units.len()).filter_map(move |first| {
        let (mut tokens, mut worth, mut weighted, mut end) = (0.0, 0.0, 0.0, first);
        for unit in &units[first..] {
            if !unit.fits || tokens + unit.tokens > room {
                break;
            }
            weighted += unit.worth * (tokens + unit.tokens / 2.0);
            tokens += unit.tokens;
            worth += unit.worth;
            end += 1;
        }
        let last = units[first..end].last()?;
        let aside =
            if worth > 0.0 { (weighted / worth - tokens / 2.0).abs() } else { first as f64 };
        Some(Window { lines: units[first].lines.start..last.lines.end, worth, aside })
    })
}

/// The fragments so far, in the order of their best hits.
struct Taken<'a> {
    stretches: &'a [Stretch],
    limits: Limits,
    fragments: Vec<Fragment>,
}

impl Taken<'_> {
    fn spent(fragments: &[Fragment]) -> u64 {
        fragments.iter().map(|fragment| u64::from(fragment.tokens)).sum()
    }

    /// Returns the tokens that are left.
    fn room(&self) -> u32 {
        let spent = Self::spent(&self.fragments);
        u64::from(self.limits.max_tokens).saturating_sub(spent) as u32
    }

    /// Gives a hit to the fragment that holds it already, if one does.
    fn covers(&mut self, place: usize, hit: &Hit) -> bool {
        let lines = self.stretches[hit.stretch].touched(&hit.bytes);
        let holds = |fragment: &&mut Fragment| {
            fragment.stretch == hit.stretch
                && fragment.cut != Some(Cut::Line)
                && fragment.lines.start <= lines.start
                && lines.end <= fragment.lines.end
        };
        let holder = self.fragments.iter_mut().find(holds);
        holder.map(|fragment| fragment.hits.push(place)).is_some()
    }

    /// Takes lines for a hit if they fit into what is left.
    fn take(&mut self, place: usize, stretch: usize, lines: Range<usize>) -> bool {
        let text = &self.stretches[stretch];
        let start = text.lines[lines.start].bytes.start;
        let bytes = start..start + text.text(lines.clone()).len();
        let mut new = Fragment { stretch, lines, bytes, tokens: 0, hits: vec![place], cut: None };
        let touches = |fragment: &Fragment| {
            fragment.stretch == stretch
                && fragment.cut != Some(Cut::Line)
                && text.touch(&fragment.lines, &new.lines)
        };
        let (touching, mut apart): (Vec<_>, Vec<_>) =
            self.fragments.iter().cloned().partition(touches);
        for fragment in touching {
            new.lines =
                fragment.lines.start.min(new.lines.start)..fragment.lines.end.max(new.lines.end);
            new.bytes =
                fragment.bytes.start.min(new.bytes.start)..fragment.bytes.end.max(new.bytes.end);
            new.hits.extend(fragment.hits);
        }
        new.hits.sort_unstable();
        new.tokens = text.tokens(new.lines.clone()).ceil() as u32;
        let cut = |line: usize| {
            let block = &text.lines[line].block;
            block.start < new.lines.start || new.lines.end < block.end
        };
        if cut(new.lines.start) || cut(new.lines.end - 1) {
            new.cut = Some(Cut::Block);
        }
        apart.push(new);
        self.accept(apart)
    }

    /// Takes a piece of a line for a hit if it fits into what is left.
    fn cut(&mut self, place: usize, stretch: usize, bytes: Range<usize>) -> bool {
        let text = &self.stretches[stretch];
        let line = text.lines.partition_point(|line| line.bytes.end <= bytes.start);
        let cut = |fragment: &&mut Fragment| {
            fragment.stretch == stretch
                && fragment.cut == Some(Cut::Line)
                && fragment.lines.start == line
        };
        let tokens = |bytes: &Range<usize>| text.tokens_of(bytes).ceil() as u32;
        let mut fragments = self.fragments.clone();
        let beside = fragments.iter_mut().filter(cut).find(|fragment| {
            fragment.bytes.end == bytes.start || bytes.end == fragment.bytes.start
        });
        if let Some(fragment) = beside {
            fragment.bytes =
                fragment.bytes.start.min(bytes.start)..fragment.bytes.end.max(bytes.end);
            fragment.tokens = tokens(&fragment.bytes);
            fragment.hits.push(place);
        } else {
            let (tokens, hits, cut) = (tokens(&bytes), vec![place], Some(Cut::Line));
            fragments.push(Fragment { stretch, lines: line..line + 1, bytes, tokens, hits, cut });
        }
        self.accept(fragments)
    }

    /// Accepts fragments if they are not too many nor too long.
    fn accept(&mut self, mut fragments: Vec<Fragment>) -> bool {
        let fits = fragments.len() <= self.limits.max_fragments
            && Self::spent(&fragments) <= u64::from(self.limits.max_tokens);
        if fits {
            fragments.sort_by_key(|fragment| fragment.hits[0]);
            self.fragments = fragments;
        }
        fits
    }
}

impl Stretch {
    /// Tells whether no more than blank lines lie between two runs of lines.
    fn touch(&self, one: &Range<usize>, other: &Range<usize>) -> bool {
        let (one, other) = if one.start <= other.start { (one, other) } else { (other, one) };
        (one.end..other.start).all(|line| self.is_blank(line))
    }

    /// Returns the tokens of some bytes of the text.
    fn tokens_of(&self, bytes: &Range<usize>) -> f64 {
        let first = self.lines.partition_point(|line| line.bytes.end <= bytes.start);
        let lines = self.lines[first..].iter().take_while(|line| line.bytes.start < bytes.end);
        let part = lines.map(|line| {
            let part = bytes.end.min(line.bytes.end) - bytes.start.max(line.bytes.start);
            line.tokens * part as f64 / line.bytes.len() as f64
        });
        part.sum()
    }
}
