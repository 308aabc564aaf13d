//! The state of a group, which its end restores.

use encoding_rs::{Encoding, WINDOWS_1252};

/// The destination of the text of a group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Destination {
    Text,
    /// The title in the properties.
    Title,
    /// The name of a style.
    Style,
    /// The name of a font.
    Font,
    /// It is left out.
    Left,
}

/// Destinations that are not text of the document.
const LEFT: [&str; 29] = [
    "colortbl",
    "info",
    "pict",
    "object",
    "header",
    "headerl",
    "headerr",
    "headerf",
    "footer",
    "footerl",
    "footerr",
    "footerf",
    "listtable",
    "listoverridetable",
    "revtbl",
    "rsidtbl",
    "generator",
    "themedata",
    "colorschememapping",
    "latentstyles",
    "datastore",
    "xmlnstbl",
    "filetbl",
    "fldinst",
    "annotation",
    "atnauthor",
    "atnid",
    "bkmkstart",
    "bkmkend",
];

/// The state of a group.
#[expect(clippy::struct_excessive_bools, reason = "each is a property of its own")]
#[derive(Clone, Debug)]
pub(super) struct State {
    pub(super) destination: Destination,
    /// Whether the group itself began its destination.
    pub(super) begins_destination: bool,
    /// Whether a destination that is not known follows, which is left out.
    is_optional: bool,
    pub(super) in_table: bool,
    /// The level of a heading, from 1.
    pub(super) outline: Option<usize>,
    pub(super) style: i32,
    /// The number of the font.
    pub(super) font: i32,
    /// The number of the charset of a font in the table of fonts.
    pub(super) charset: i32,
    /// The name of a style or a font as far as it is read.
    pub(super) name: String,
    /// The letters that follow a letter in Unicode, for programs that do not know it.
    pub(super) fallback: usize,
    /// How many of these are left to skip.
    pub(super) skipped: usize,
    /// The first half of a letter in UTF-16.
    pub(super) high: Option<u16>,
    pub(super) encoding: &'static Encoding,
    in_styles: bool,
    in_fonts: bool,
    is_hidden: bool,
}

impl Default for State {
    fn default() -> Self {
        Self {
            destination: Destination::Text,
            begins_destination: false,
            is_optional: false,
            in_table: false,
            outline: None,
            style: 0,
            font: 0,
            charset: 0,
            name: String::new(),
            fallback: 1,
            skipped: 0,
            high: None,
            encoding: WINDOWS_1252,
            in_styles: false,
            in_fonts: false,
            is_hidden: false,
        }
    }
}

impl State {
    /// Returns the state of a group in this one.
    pub(super) fn inner(&self) -> Self {
        let inner = Self { name: String::new(), skipped: 0, is_optional: false, ..self.clone() };
        // Each group in the table of styles is a style, and each in the table of fonts is a font.
        let named = match (self.in_styles, self.in_fonts) {
            (true, _) => Some(Destination::Style),
            (_, true) => Some(Destination::Font),
            _ => None,
        };
        let named = named.filter(|_| self.destination == Destination::Left);
        Self {
            destination: named.unwrap_or(inner.destination),
            begins_destination: named.is_some(),
            ..inner
        }
    }

    /// Changes the state as a control word says.
    pub(super) fn set(&mut self, word: &str, number: Option<i32>) {
        let is_on = number != Some(0);
        match word {
            "*" => self.is_optional = true,
            "stylesheet" => (self.destination, self.in_styles) = (Destination::Left, true),
            "fonttbl" => (self.destination, self.in_fonts) = (Destination::Left, true),
            "f" => self.font = number.unwrap_or(0),
            "fcharset" => self.charset = number.unwrap_or(0),
            "s" => self.style = number.unwrap_or(0),
            "intbl" => self.in_table = true,
            "outlinelevel" => {
                let level = number.and_then(|level| usize::try_from(level).ok());
                self.outline = level.filter(|level| *level < 9).map(|level| level + 1);
            }
            "uc" => {
                self.fallback = number.and_then(|count| usize::try_from(count).ok()).unwrap_or(1);
            }
            "ansicpg" => self.encoding = encoding_of_code_page(number.unwrap_or(1252)),
            "v" if is_on && self.destination == Destination::Text => {
                (self.destination, self.is_hidden) = (Destination::Left, true);
            }
            "v" | "plain" if self.is_hidden => {
                (self.destination, self.is_hidden) = (Destination::Text, false);
            }
            word if LEFT.contains(&word) => self.destination = Destination::Left,
            _ if self.is_optional && self.destination == Destination::Text => {
                self.destination = Destination::Left;
            }
            _ => {}
        }
        self.is_optional &= word == "*";
    }
}

/// Returns the encoding of a charset of fonts in Windows, unless it is that of the document.
pub(super) fn encoding_of_charset(charset: i32) -> Option<&'static Encoding> {
    let code_page = match charset {
        128 => 932,
        129 => 949,
        134 => 936,
        136 => 950,
        161 => 1253,
        162 => 1254,
        163 => 1258,
        177 => 1255,
        178 => 1256,
        186 => 1257,
        204 => 1251,
        222 => 874,
        238 => 1250,
        _ => return None,
    };
    Some(encoding_of_code_page(code_page))
}

/// Returns the encoding of a code page of Windows, by default that of western Europe.
fn encoding_of_code_page(number: i32) -> &'static Encoding {
    Encoding::for_label(format!("windows-{number}").as_bytes()).unwrap_or(match number {
        932 => encoding_rs::SHIFT_JIS,
        936 => encoding_rs::GBK,
        949 => encoding_rs::EUC_KR,
        950 => encoding_rs::BIG5,
        _ => WINDOWS_1252,
    })
}
