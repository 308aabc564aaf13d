/*!
Equal text in equal characters.

The same word can be written in several ways that look alike: `é` as one character or as two, `ＡＰＩ` in full width,
`ｶﾀｶﾅ` in half width, Arabic letters in the forms of their position, with a line that stretches them. The index and
the queries have one of them. Contents and spans stay as written.

Not all of NFKC is applied: it would make `PostgreSQL™` the word `PostgreSQLTM`, and `m²` the word `m2`.

# Source

Unicode Standard Annex 15, *Unicode Normalization Forms*.

Its twin in SQL is `sql/edition/functions/section.sql`.
*/

use super::scripts::is_indic;
use passage_split::interrupt::poll_periodically;
use std::borrow::Cow;
use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::decompose_compatible;

/// Returns a text in normalization form C, with the usual forms of letters and without invisible characters.
///
/// ```
/// use passage_core::search::normalize;
///
/// assert_eq!(normalize("cafe\u{301} ＡＰＩ ﾃﾞｰﾀ"), "café API データ");
/// ```
pub fn normalize(text: &str) -> Cow<'_, str> {
    if text.is_ascii() {
        return Cow::Borrowed(text);
    }
    let mut usual = String::with_capacity(text.len());
    let mut before = ' ';
    for (number, character) in text.chars().enumerate() {
        poll_periodically(number);
        match character {
            // Persian separates parts of a word by it, while in Indic scripts it only changes their shape.
            '\u{200c}' if !is_indic(before) => usual.push(character),
            character if is_invisible(character) => continue,
            '\u{2010}' | '\u{2011}' => usual.push('-'),
            character if is_form(character) => {
                decompose_compatible(character, |part| {
                    if !is_invisible(part) {
                        usual.push(part);
                    }
                });
            }
            character => usual.push(character),
        }
        before = character;
    }
    Cow::Owned(compose(&usual))
}

/// A sign without meaning that ends a row of marks.
const JOINER: char = '\u{34f}';

/// Returns a text in normalization form C. A row of more than 30 marks, which no language has, is sorted in parts, because
/// a part cannot be interrupted and is kept in memory.
fn compose(text: &str) -> String {
    let mut composed = String::with_capacity(text.len());
    for (number, character) in text.stream_safe().nfc().enumerate() {
        poll_periodically(number);
        if character != JOINER {
            composed.push(character);
        }
    }
    composed
}

/// Returns whether a character is not seen, or only stretches a word: the Arabic tatweel, the soft hyphen, joiners,
/// marks of direction, and selectors of variants.
fn is_invisible(character: char) -> bool {
    matches!(character,
        '\u{640}' | '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}'
        | '\u{2060}'..='\u{2069}' | '\u{feff}' | '\u{fe00}'..='\u{fe0f}' | '\u{e0100}'..='\u{e01ef}')
}

/// Returns whether a character is a form of other ones in width, position, ligature or typeface.
fn is_form(character: char) -> bool {
    matches!(character,
        '\u{a0}' // no-break space
        | '\u{2e80}'..='\u{2fdf}' // radicals of Han
        | '\u{3000}' // ideographic space
        | '\u{3300}'..='\u{33ff}' // squared words and units
        | '\u{fb00}'..='\u{fdff}' // ligatures, Arabic forms
        | '\u{fe30}'..='\u{fe6f}' // vertical and small forms
        | '\u{fe70}'..='\u{fefc}' // Arabic forms
        | '\u{ff00}'..='\u{ffef}' // full and half width
        | '\u{1d400}'..='\u{1d7ff}') // mathematical typefaces
}

#[cfg(test)]
mod tests {
    use super::normalize;

    #[test]
    fn forms_of_a_word_are_equal() {
        for (form, usual) in [
            ("de\u{301}claration Zu\u{308}rich", "déclaration Zürich"),
            ("\u{1103}\u{1166}\u{110b}\u{1175}\u{1110}\u{1165}", "데이터"),
            ("ｶﾀｶﾅ ﾃﾞｰﾀﾍﾞｰｽ", "カタカナ データベース"),
            ("ＡＰＩ　１２３", "API 123"),
            ("\u{fe8d}\u{fedf}\u{fee4}\u{fee0}\u{fed2}", "الملف"),
            ("مـــلـف", "ملف"),
            ("ﬁle wi\u{2011}fi soft\u{ad}ware \u{1d402}", "file wi-fi software C"),
            ("क\u{200d}ष \u{958}", "कष क\u{93c}"),
            ("5㎏", "5kg"),
        ] {
            assert_eq!(normalize(form), usual);
        }
    }

    #[test]
    fn signs_that_are_not_letters_stay() {
        for text in ["PostgreSQL™", "m²", "½", "①", "Straße", "می\u{200c}خواهم", "plain"]
        {
            assert_eq!(normalize(text), text);
        }
    }

    proptest::proptest! {
        #[test]
        fn a_normal_text_stays(text in "(?s)\\PC{0,20}") {
            let normal = normalize(&text).into_owned();
            proptest::prop_assert_eq!(normalize(&normal), normal.as_str());
        }

        #[test]
        fn composed_and_decomposed_text_are_equal(text in "(?s)\\PC{0,20}") {
            use unicode_normalization::UnicodeNormalization;
            let [decomposed, composed]: [String; 2] = [text.nfd().collect(), text.nfc().collect()];
            proptest::prop_assert_eq!(normalize(&decomposed), normalize(&composed));
        }
    }
}
