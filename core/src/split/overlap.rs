//! Overlap: the end of the chunk before, for those who want it in what is embedded.

use super::Sizer;

/// Returns the last words of a text that are together no more than `most` of what a sizer counts,
/// on one line; empty if not one word is.
pub(super) fn last_words(text: &str, most: usize, sizer: &dyn Sizer) -> String {
    let mut left = most;
    let mut words: Vec<&str> = text
        .split_ascii_whitespace()
        .rev()
        .take_while(|word| {
            // With the space or line end behind it.
            let size = sizer.size(&format!("{word} "));
            let fits = size > 0 && size <= left;
            left -= if fits { size } else { 0 };
            fits
        })
        .collect();
    words.reverse();
    words.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Characters;

    #[test]
    fn whole_words_from_the_end_are_taken_while_they_fit() {
        let last = |most| last_words("One two\n  three\u{e9}.\n", most, &Characters);
        assert_eq!(last(100), "One two three\u{e9}.");
        assert_eq!(last(12), "two three\u{e9}.");
        assert_eq!(last(11), "three\u{e9}.");
        assert_eq!(last(7), "");
        assert_eq!(last(0), "");
        assert_eq!(last_words("", 5, &Characters), "");
    }
}
