//! The font Symbol: its bytes are Greek letters and signs of formulas, whatever the code page.

/// The signs from 0x20 to 0x7e.
const LOW: &str = " !∀#∃%&∋()∗+,−./0123456789:;<=>?≅ΑΒΧΔΕΦΓΗΙϑΚΛΜΝΟΠΘΡΣΤΥςΩΞΨΖ[∴]⊥_‾αβχδεφγηιϕκλμνοπθρστυϖωξψζ{|}∼";

/// The signs from 0xa0 to 0xe5. Those above are parts of large brackets.
const HIGH: &str = "€ϒ′≤⁄∞ƒ♣♦♥♠↔←↑→↓°±″≥×∝∂•÷≠≡≈…⏐⎯↵ℵℑℜ℘⊗⊕∅∩∪⊃⊇⊄⊂⊆∈∉∠∇®©™∏√⋅¬∧∨⇔⇐⇑⇒⇓◊〈®©™∑";

/// Returns the sign of a byte.
pub(super) fn sign(byte: u8) -> Option<char> {
    match byte {
        0x20..=0x7e => LOW.chars().nth(usize::from(byte - 0x20)),
        0xa0.. => HIGH.chars().nth(usize::from(byte - 0xa0)),
        _ => None,
    }
}

/// Returns the byte of a letter in the private area, as which programs write the bytes of this font.
pub(super) fn byte(unit: u16) -> Option<u8> {
    unit.checked_sub(0xf000).and_then(|byte| u8::try_from(byte).ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ends_of_both_tables_are_at_their_bytes() {
        let ends = [(0x20, ' '), (0x61, 'α'), (0x7e, '∼'), (0xa0, '€'), (0xa5, '∞'), (0xe5, '∑')];
        assert!(ends.iter().all(|(byte, expected)| sign(*byte) == Some(*expected)));
        assert_eq!((sign(0x1f), sign(0x7f), sign(0xe6)), (None, None, None));
    }
}
