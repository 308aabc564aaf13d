//! A mapping or a sequence that is open.

pub(super) struct Frame {
    pub(super) is_mapping: bool,
    pub(super) style: Style,
    /// Where what belongs to the next entry begins.
    pub(super) at: usize,
    pub(super) entries: usize,
    /// Whether its first item stands on the line of another one's dash.
    pub(super) is_first_of_line: bool,
    /// The key whose value comes next.
    pub(super) key: Option<Key>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Style {
    /// In brackets.
    Flow,
    /// On lines of its own, which begin at a column, from 0 and in bytes.
    Block {
        column: usize,
        /// The least column of a comment that belongs to it when it stands at its end.
        comments: usize,
    },
}

impl Style {
    pub(super) fn column(self) -> usize {
        match self {
            Style::Flow => 0,
            Style::Block { column, .. } => column,
        }
    }
}

pub(super) struct Key {
    pub(super) title: String,
    /// Where it ends, before the colon.
    pub(super) end: usize,
}

impl Frame {
    pub(super) fn new(is_mapping: bool, style: Style, at: usize) -> Self {
        Self { is_mapping, style, at, entries: 0, is_first_of_line: false, key: None }
    }
}
