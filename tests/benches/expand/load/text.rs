/*!
What documents are made of, so what a hit in them brings along.

Both kinds begin anew after a number of chunks, so that every such piece has the same context. A
chapter of a manual has twenty: one of its own, then three sections with four chunks of their own
and up to three subsections of one chunk each. A class has its head, members of one chunk each, and
its closing part.
*/

use std::ops::RangeInclusive;

/// What a document is.
#[derive(Clone, Copy)]
pub enum Text {
    /// A manual: chapters of twenty chunks.
    Manual,
    /// Source code: classes of so many chunks.
    Classes(usize),
}

impl Text {
    /// Chunks after which it begins anew.
    pub fn period(self) -> usize {
        match self {
            Self::Manual => 20,
            Self::Classes(chunks) => chunks,
        }
    }

    /// Which chunk of a period is the hit.
    ///
    /// In a chapter it is the second chunk of a section that has four of its own and three below
    /// them, in a class a member from its middle.
    pub fn hit(self) -> usize {
        match self {
            Self::Manual => 2,
            Self::Classes(chunks) => chunks / 2,
        }
    }

    /// Which chunks of a period are the context of the hit, itself among them.
    ///
    /// In a chapter, by `broad`, its parent, the sibling before it, the two after it and the three
    /// children lie side by side from the first chunk on; a class comes whole.
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

    /// What a chunk is a part of.
    pub fn unit(self, ordinal: usize) -> &'static str {
        match self {
            Self::Manual => "text",
            Self::Classes(_) if self.is_member(ordinal) => "member",
            Self::Classes(_) => "container",
        }
    }

    /// The titles down to a chunk.
    pub fn section(self, ordinal: usize) -> Vec<String> {
        let (number, within) = (ordinal / self.period() + 1, ordinal % self.period());
        match self {
            Self::Manual => {
                let mut titles = vec![format!("Chapter {number}")];
                if let Some(place) = within.checked_sub(1) {
                    let sections = ["Installation", "Configuration", "Operation"];
                    titles.push(sections[place / 7].to_owned());
                    if let Some(below) = (place % 7).checked_sub(4) {
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

    /// Whether a chunk is neither the head of a class nor its closing part.
    fn is_member(self, ordinal: usize) -> bool {
        let within = ordinal % self.period();
        within != 0 && within != self.period() - 1
    }
}
