//! Accents: TeX and old printers draw an accent as a letter of its own, over or under the letter that it belongs to.
//!
//! `´` at x = 10 and `ı` at x = 10 are `í`: no search finds the word otherwise.

use unicode_normalization::char::compose;

/// Returns the letter with its accent, whichever of both is drawn first.
pub(super) fn combined(first: &str, second: &str) -> Option<char> {
    let (first, second) = (single(first)?, single(second)?);
    let (letter, accent) = match (combining(first), combining(second)) {
        (Some(accent), None) => (second, accent),
        (None, Some(accent)) => (first, accent),
        _ => return None,
    };
    let letter = match letter {
        'ı' => 'i',
        'ȷ' => 'j',
        letter => letter,
    };
    compose(letter, accent)
}

/// Returns whether a text is an accent.
pub(super) fn is_accent(text: &str) -> bool {
    single(text).and_then(combining).is_some()
}

fn single(text: &str) -> Option<char> {
    let mut chars = text.chars();
    chars.next().filter(|_| chars.next().is_none())
}

/// Returns the combining form of an accent.
fn combining(accent: char) -> Option<char> {
    Some(match accent {
        '`' | '\u{2cb}' => '\u{300}',
        '´' | '\u{2ca}' => '\u{301}',
        '^' | 'ˆ' => '\u{302}',
        '~' | '˜' => '\u{303}',
        '¯' | 'ˉ' => '\u{304}',
        '˘' => '\u{306}',
        '˙' => '\u{307}',
        '¨' => '\u{308}',
        '˚' | '°' => '\u{30a}',
        '˝' => '\u{30b}',
        'ˇ' => '\u{30c}',
        '¸' => '\u{327}',
        '˛' => '\u{328}',
        '\u{300}'..='\u{36f}' => accent,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_accent_and_its_letter_are_one_letter_in_either_order() {
        assert_eq!(combined("´", "ı"), Some('í'));
        assert_eq!(combined("¨", "O"), Some('Ö'));
        assert_eq!(combined("c", "¸"), Some('ç'));
        assert_eq!(combined("s", "\u{30c}"), Some('š'));
        assert_eq!(combined("^", "2"), None);
        assert_eq!(combined("a", "b"), None);
    }
}
