/*!
Scripts of characters: those written without spaces, and those whose change within a word ends a part.

Blocks of Unicode are enough for that, so no table of scripts is needed.

Its twin in SQL is `sql/edition/functions/section.sql`.
*/

use passage_split::interrupt::poll_periodically;
use unicode_normalization::char::is_combining_mark;

/// A script whose words are not separated by spaces, or, as in Korean, have particles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unspaced {
    /// Han, Hiragana, Katakana and Bopomofo, which Japanese and Chinese mix within a word.
    Han,
    /// Korean.
    Hangul,
    /// Yi.
    Yi,
    /// Thai.
    Thai,
    /// Lao.
    Lao,
    /// Burmese and other languages of Myanmar.
    Myanmar,
    /// Khmer.
    Khmer,
}

/// Returns the script without spaces that a letter or mark belongs to.
pub fn unspaced(character: char) -> Option<Unspaced> {
    let script = match u32::from(character) {
        0x0e00..=0x0e7f => Unspaced::Thai,
        0x0e80..=0x0eff => Unspaced::Lao,
        0x1000..=0x109f | 0xa9e0..=0xa9ff | 0xaa60..=0xaa7f => Unspaced::Myanmar,
        0x1100..=0x11ff | 0x3131..=0x318e | 0xa960..=0xa97f | 0xac00..=0xd7ff => Unspaced::Hangul,
        0x1780..=0x17ff => Unspaced::Khmer,
        0x3005..=0x3007 // Iteration marks, Hiragana and Katakana, Bopomofo.
        | 0x3031..=0x3035
        | 0x3041..=0x30ff
        | 0x3105..=0x312f
        | 0x31a0..=0x31ff
        | 0x1_b000..=0x1_b16f
        | 0x3400..=0x4dbf // Han.
        | 0x4e00..=0x9fff
        | 0xf900..=0xfaff
        | 0x2_0000..=0x3_ffff => Unspaced::Han,
        0xa000..=0xa48c => Unspaced::Yi,
        _ => return None,
    };
    (character.is_alphabetic() || is_combining_mark(character)).then_some(script)
}

/// Returns whether a word is a run of a script without spaces. Such a word is one run as a whole.
///
/// ```
/// use passage_core::search::is_unspaced_run;
///
/// assert!(is_unspaced_run("日志") && !is_unspaced_run("docker"));
/// ```
pub fn is_unspaced_run(word: &str) -> bool {
    word.chars().next().is_some_and(|first| unspaced(first).is_some())
}

/// Returns where the syllables of a run begin, in bytes, and the length of the run.
///
/// A syllable is a letter with its marks, in Thai and Lao also with the vowels that are written before and behind it.
/// So `ที่` is one, and its tone mark makes no pair with the next letter.
pub fn syllables(run: &str) -> Vec<usize> {
    let mut starts = Vec::new();
    let mut before = None;
    for (number, (at, character)) in run.char_indices().enumerate() {
        poll_periodically(number);
        if !before.is_some_and(|before| is_same_syllable(before, character)) {
            starts.push(at);
        }
        before = Some(character);
    }
    starts.push(run.len());
    starts
}

/// Returns whether a word is one syllable of a script without spaces. A query for it matches the pairs that begin with it.
///
/// ```
/// use passage_core::search::is_syllable;
///
/// assert!(is_syllable("鍵") && !is_syllable("公開") && !is_syllable("a"));
/// ```
pub fn is_syllable(word: &str) -> bool {
    let mut before = None;
    for character in word.chars() {
        let belongs = match before {
            None => unspaced(character).is_some(),
            Some(before) => is_same_syllable(before, character),
        };
        if !belongs {
            return false;
        }
        before = Some(character);
    }
    before.is_some()
}

/// Returns whether a character belongs to the syllable of the character before it.
fn is_same_syllable(before: char, character: char) -> bool {
    is_combining_mark(character)
        // Vowels of Thai and Lao behind their consonant.
        || matches!(character, '\u{e30}' | '\u{e32}' | '\u{e33}' | '\u{e45}' | '\u{eb0}' | '\u{eb2}' | '\u{eb3}')
        // Vowels before it, and signs of Khmer and Burmese that stack the next consonant.
        || matches!(before, '\u{e40}'..='\u{e44}' | '\u{ec0}'..='\u{ec4}' | '\u{17d2}' | '\u{1039}')
}

/// Returns whether a character is in a block of the scripts of India and Sri Lanka.
pub fn is_indic(character: char) -> bool {
    matches!(character, '\u{900}'..='\u{dff}')
}

/// Returns whether two neighboring characters of a word are letters of different alphabets.
pub fn changes_alphabet(before: char, character: char) -> bool {
    match (alphabet(before), alphabet(character)) {
        (Some(before), Some(alphabet)) => before != alphabet,
        _ => false,
    }
}

/// Returns the first block of the alphabet of a letter. Marks and digits belong to any.
fn alphabet(character: char) -> Option<u32> {
    let first = match u32::from(character) {
        0x0041..=0x024f | 0x1e00..=0x1eff => 0x0041,
        0x0370..=0x03ff | 0x1f00..=0x1fff => 0x0370,
        0x0400..=0x052f => 0x0400,
        0x0530..=0x058f => 0x0530,
        0x0590..=0x05ff => 0x0590,
        0x0600..=0x08ff => 0x0600,
        block @ 0x0900..=0x0dff => block & !0x7f,
        0x10a0..=0x10ff => 0x10a0,
        _ => return None,
    };
    character.is_alphabetic().then_some(first)
}

#[cfg(test)]
mod tests {
    use super::{changes_alphabet, is_syllable, syllables, unspaced};

    fn split(run: &str) -> Vec<&str> {
        syllables(run).windows(2).map(|ends| &run[ends[0]..ends[1]]).collect()
    }

    #[test]
    fn a_syllable_has_its_marks_and_vowels() {
        assert_eq!(split("สำรองข้อมูล"), ["สำ", "ร", "อ", "ง", "ข้", "อ", "มู", "ล"]);
        assert_eq!(split("เป็นที่"), ["เป็", "น", "ที่"]);
        assert_eq!(split("ខ្មែរ"), ["ខ្មែ", "រ"]);
        assert_eq!(split("မြန်မာ"), ["မြ", "န်", "မာ"]);
        assert_eq!(split("日志"), ["日", "志"]);
        assert_eq!(split(""), [""; 0]);
    }

    #[test]
    fn one_syllable_is_told_from_a_run() {
        for word in ["鍵", "ข้", "สำ", "ខ្មែ", "한", "が"] {
            assert!(is_syllable(word), "{word}");
        }
        for word in ["公開", "ข้อ", "한국", "a", "1", "", "鍵a", "้"] {
            assert_eq!(is_syllable(word), word == "้", "{word}");
        }
    }

    #[test]
    fn digits_and_punctuation_belong_to_no_run() {
        for character in "a0é。・๑฿ ក៛".chars() {
            assert_eq!(unspaced(character).is_some(), character == 'ក', "{character}");
        }
        for character in "日ァーㄅ한ก่ລမ်ꀀ々".chars() {
            assert!(unspaced(character).is_some(), "{character}");
        }
    }

    #[test]
    fn letters_of_two_alphabets_are_told_apart() {
        for (before, character, changes) in
            [('L', 'с', true), ('ل', 'A', true), ('a', 'é', false), ('a', '1', false)]
        {
            assert_eq!(changes_alphabet(before, character), changes, "{before}{character}");
        }
    }
}
