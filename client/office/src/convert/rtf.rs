/*!
Rich Text: groups in braces and control words, read in one pass with the state of each group.

Headings come from outline levels and from styles whose names are those of headings. Headers, footers, pictures and
the tables of the document's own settings are destinations that are left out.
*/

mod state;
mod symbol;
mod tokens;

use super::markdown::{Markdown, escaped};
use super::table::Table;
use super::{ConvertError, Converted, Limits};
use encoding_rs::Encoding;
use state::{Destination, State};
use std::collections::{HashMap, HashSet};
use tokens::{Token, Tokens};

/// The maximum number of bytes of the name of a style or a font. Each group in it copies the name.
const MAX_NAME: usize = 256;

/// Converts a document.
pub(super) fn convert(bytes: &[u8], limits: Limits) -> Result<Converted, ConvertError> {
    let mut document = Document {
        markdown: Markdown::new(limits),
        groups: vec![State::default()],
        encoded: Vec::new(),
        inline: String::new(),
        cells: Vec::new(),
        rows: Vec::new(),
        styles: HashMap::new(),
        symbols: HashSet::new(),
        encodings: HashMap::new(),
        title: String::new(),
        limits,
    };
    for token in Tokens::new(bytes) {
        document.take(token)?;
    }
    document.end_paragraph()?;
    document.end_table()?;
    Ok(document.markdown.finish(Some(document.title)))
}

struct Document {
    markdown: Markdown,
    /// The states of the groups that are open, the innermost last.
    groups: Vec<State>,
    /// The bytes of a text in the code page, which may have several bytes for a letter.
    encoded: Vec<u8>,
    /// The text of the paragraph.
    inline: String,
    cells: Vec<String>,
    rows: Vec<Vec<String>>,
    /// The levels of headings, by the numbers of their styles.
    styles: HashMap<i32, usize>,
    /// The numbers of the fonts that are Symbol.
    symbols: HashSet<i32>,
    /// The encodings of fonts of other scripts.
    encodings: HashMap<i32, &'static Encoding>,
    title: String,
    limits: Limits,
}

impl Document {
    fn state(&mut self) -> &mut State {
        self.groups.last_mut().expect("the outermost group stays open")
    }

    fn take(&mut self, token: Token<'_>) -> Result<(), ConvertError> {
        if !matches!(token, Token::Byte(_)) {
            self.decode();
        }
        match token {
            Token::Open => {
                if self.groups.len() > self.limits.depth {
                    return Err(ConvertError::TooLarge("its groups are too deep".into()));
                }
                let inner = self.state().inner();
                self.groups.push(inner);
            }
            Token::Close => {
                if self.groups.len() > 1 {
                    self.close();
                }
            }
            Token::Byte(byte) => {
                let state = self.state();
                if state.skipped > 0 {
                    state.skipped -= 1;
                } else {
                    self.encoded.push(byte);
                }
            }
            Token::Word(word, number) => self.word(word, number)?,
        }
        Ok(())
    }

    /// Ends a group. A style or a font is known at the end of its name.
    fn close(&mut self) {
        let closed = self.groups.pop().expect("a group is open");
        if closed.destination == Destination::Font && closed.begins_destination {
            if closed.name.trim_end_matches(';').trim() == "Symbol" {
                self.symbols.insert(closed.font);
            } else if let Some(encoding) = state::encoding_of_charset(closed.charset) {
                self.encodings.insert(closed.font, encoding);
            }
        }
        if closed.destination == Destination::Style && closed.begins_destination {
            let name = closed.name.trim_end_matches(';').trim().to_lowercase();
            let named = name.strip_prefix("heading ").and_then(|level| level.parse().ok());
            if let Some(level) = closed.outline.or(named) {
                self.styles.insert(closed.style, level);
            }
        }
    }

    fn word(&mut self, word: &str, number: Option<i32>) -> Result<(), ConvertError> {
        match word {
            "par" | "sect" | "page" => self.end_paragraph()?,
            "line" => self.push("\n"),
            "tab" => self.push(" "),
            "cell" | "nestcell" => self.end_cell(),
            "row" | "nestrow" => self.end_row(),
            "trowd" => self.state().in_table = true,
            "u" => self.unicode(number.unwrap_or_default()),
            "pard" => {
                let state = self.state();
                (state.outline, state.style, state.in_table) = (None, 0, false);
            }
            "title" if self.state().destination == Destination::Left => {
                self.state().destination = Destination::Title;
            }
            _ => match character(word) {
                Some(text) => self.push(text),
                None => self.state().set(word, number),
            },
        }
        Ok(())
    }

    /// Writes a letter in UTF-16. Letters for programs that do not know it follow.
    fn unicode(&mut self, number: i32) {
        let unit = number as u16;
        let state = self.state();
        state.skipped = state.fallback;
        let (high, font) = (state.high.take(), state.font);
        let symbol = symbol::byte(unit).filter(|_| self.symbols.contains(&font));
        if let Some(sign) = symbol.and_then(symbol::sign) {
            self.push(sign.encode_utf8(&mut [0; 4]));
            return;
        }
        if (0xd800..0xdc00).contains(&unit) {
            self.state().high = Some(unit);
            return;
        }
        let units = high.into_iter().chain([unit]);
        let text: String =
            char::decode_utf16(units).map(|char| char.unwrap_or('\u{fffd}')).collect();
        self.push(&text);
    }

    /// Decodes the bytes of a text.
    fn decode(&mut self) {
        if self.encoded.is_empty() {
            return;
        }
        let bytes = std::mem::take(&mut self.encoded);
        let (encoding, font) = (self.state().encoding, self.state().font);
        if self.symbols.contains(&font) {
            let signs: String = bytes.into_iter().filter_map(symbol::sign).collect();
            self.push(&signs);
            return;
        }
        let encoding = self.encodings.get(&font).copied().unwrap_or(encoding);
        self.push(&encoding.decode_without_bom_handling(&bytes).0);
    }

    fn push(&mut self, text: &str) {
        match self.state().destination {
            Destination::Text => self.inline.push_str(&escaped(text)),
            Destination::Title => self.title.push_str(text),
            Destination::Style | Destination::Font => {
                let name = &mut self.state().name;
                let room = MAX_NAME.saturating_sub(name.len());
                name.push_str(&text[..text.floor_char_boundary(room)]);
            }
            Destination::Left => {}
        }
    }

    fn end_paragraph(&mut self) -> Result<(), ConvertError> {
        self.decode();
        let state = self.state();
        if state.destination != Destination::Text {
            return Ok(());
        }
        let (in_table, outline, style) = (state.in_table, state.outline, state.style);
        if in_table {
            self.inline.push(' ');
            return Ok(());
        }
        self.end_table()?;
        let inline = std::mem::take(&mut self.inline);
        match outline.or_else(|| self.styles.get(&style).copied()) {
            Some(level) => self.markdown.heading(level, &inline),
            None => self.markdown.paragraph(&inline),
        }
    }

    fn end_cell(&mut self) {
        if self.state().destination == Destination::Text {
            let cell = std::mem::take(&mut self.inline);
            self.cells.push(cell);
        }
    }

    fn end_row(&mut self) {
        let cells = std::mem::take(&mut self.cells);
        if !cells.is_empty() {
            self.rows.push(cells);
        }
    }

    fn end_table(&mut self) -> Result<(), ConvertError> {
        self.end_row();
        let rows = std::mem::take(&mut self.rows);
        self.markdown.table(Table { rows })
    }
}

/// Returns the text of a control word that is a letter.
fn character(word: &str) -> Option<&'static str> {
    Some(match word {
        "emdash" => "—",
        "endash" => "–",
        "lquote" => "‘",
        "rquote" => "’",
        "ldblquote" => "“",
        "rdblquote" => "”",
        "bullet" => "•",
        "~" => "\u{a0}",
        "_" => "-",
        _ => return None,
    })
}
