//! Bitmap fonts of TeX: their glyphs are pictures, and only their codes say which letters they are.
//!
//! pdfTeX names the glyph of code 77 `a77`, which is M; old distillers name it `M`, and that of code 12 `#0C`. Both
//! encodings of TeX's texts agree with ASCII in letters and digits. They have ligatures at other codes, which the other one
//! rarely uses, so one table serves both.

use hayro_interpret::hayro_syntax::object::{Array, Dict, Name, Object};
use hayro_interpret::hayro_syntax::page::Page;

/// Returns whether a font of a page names its glyphs by their codes.
pub(super) fn are_on(page: &Page<'_>) -> bool {
    let fonts = &page.resources().fonts;
    fonts.keys().filter_map(|name| fonts.get::<Dict<'_>>(&*name)).any(|font| {
        let is_bitmap =
            font.get::<Name<'_>>("Subtype").is_some_and(|name| name.as_str() == "Type3");
        let encoding = || font.get::<Dict<'_>>("Encoding")?.get::<Array<'_>>("Differences");
        is_bitmap && encoding().is_some_and(|names| are_codes(&names))
    })
}

/// Returns whether all names of an encoding are the codes of their glyphs: `[76 /a76 /a77 79 /.notdef]`.
fn are_codes(differences: &Array<'_>) -> bool {
    let (mut code, mut count) = (0, 0);
    let all = differences.iter::<Object<'_>>().all(|object| match object {
        Object::Number(number) => {
            code = number.as_i64();
            true
        }
        Object::Name(name) => {
            code += 1;
            let name = name.as_str();
            let number = name.strip_prefix('a').and_then(|number| number.parse().ok());
            let is_sign = name.len() == 1 && name.bytes().map(i64::from).eq([code - 1]);
            let is_code = number == Some(code - 1) || is_sign;
            count += usize::from(is_code);
            is_code || name == ".notdef"
        }
        _ => false,
    });
    all && count > 0
}

/// Returns the text of a glyph by its code.
pub(super) fn text(code: u32) -> Option<String> {
    let text = match code {
        11 | 27 => "ff",
        12 | 28 => "fi",
        13 | 29 => "fl",
        14 | 30 => "ffi",
        15 | 31 => "ffl",
        16 => "“",
        17 => "”",
        21 => "–",
        22 => "—",
        39 => "’",
        96 => "‘",
        32..=126 => return char::from_u32(code).map(String::from),
        _ => return None,
    };
    Some(text.to_owned())
}
