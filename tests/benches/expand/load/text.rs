/*!
The documents of the stores, which determine the context of a hit.

Both kinds repeat after a number of chunks, so each repetition has the same context. A chapter of a manual has
twenty chunks: one of its own, then three sections with four chunks of their own and up to three subsections of
one chunk each. A class has its head, members of one chunk each, and its closing part.
*/

use std::ops::RangeInclusive;

/// The kind of a document.
#[derive(Clone, Copy)]
pub enum Text {
    /// A manual: chapters of twenty chunks.
    Manual,
    /// Source code: classes with a number of chunks.
    Classes(usize),
}

impl Text {
    /// Returns the number of chunks of a repetition.
    pub fn period(self) -> usize {
        match self {
            Self::Manual => 20,
            Self::Classes(chunks) => chunks,
        }
    }

    /// Returns the place of the hit within a repetition.
    ///
    /// In a chapter it is the second chunk of a section that has four of its own and three below them, in a class a
    /// member in the middle.
    pub fn hit(self) -> usize {
        match self {
            Self::Manual => 2,
            Self::Classes(chunks) => chunks / 2,
        }
    }

    /// Returns the places of the context of the hit, including the hit.
    ///
    /// In a chapter `broad` returns its parent, the sibling before it, the two after it and the three children, which
    /// are adjacent from the first chunk on. A class is returned as a whole.
    pub fn context(self) -> RangeInclusive<usize> {
        match self {
            Self::Manual => 0..=7,
            Self::Classes(chunks) => 0..=chunks - 1,
        }
    }

    pub fn suffix(self) -> &'static str {
        match self {
            Self::Manual => "md",
            Self::Classes(_) => "rs",
        }
    }

    pub fn media_type(self) -> &'static str {
        match self {
            Self::Manual => "text/markdown",
            Self::Classes(_) => "text/x-rust",
        }
    }

    pub fn kind(self) -> &'static str {
        match self {
            Self::Manual => "prose",
            Self::Classes(_) => "code",
        }
    }

    /// Returns the unit of a chunk.
    pub fn unit(self, ordinal: usize) -> &'static str {
        match self {
            Self::Manual => "text",
            Self::Classes(_) if self.is_member(ordinal) => "member",
            Self::Classes(_) => "container",
        }
    }

    /// Returns the titles from the root to a chunk.
    pub fn section(self, ordinal: usize) -> Vec<String> {
        let (number, within) = (ordinal / self.period() + 1, ordinal % self.period());
        match self {
            Self::Manual => {
                let mut titles = vec![format!("Chapter {number}")];
                if let Some(index) = within.checked_sub(1) {
                    let sections = ["Installation", "Configuration", "Operation"];
                    titles.push(sections[index / 7].to_owned());
                    if let Some(below) = (index % 7).checked_sub(4) {
                        let below = ["On a server", "In a container", "From source"][below];
                        titles.push(below.to_owned());
                    }
                }
                titles
            }
            Self::Classes(_) => {
                let mut titles = vec![format!("Class {number}")];
                titles.extend(self.is_member(ordinal).then(|| format!("m{within}")));
                titles
            }
        }
    }

    /// Returns whether a chunk is neither the head of a class nor its closing part.
    fn is_member(self, ordinal: usize) -> bool {
        let within = ordinal % self.period();
        within != 0 && within != self.period() - 1
    }
}
