/*!
Escapes untrusted text for a terminal.

A file name, a title or a message of a server can contain characters that control a terminal (escape
sequences), or that make a text look like another one (bidirectional overrides, invisible
characters, line breaks within a line). They are escaped as psql does: `\x1B`, `\u202E`.
*/

use std::fmt::Write;

/// Returns whether a character controls a terminal, reorders or hides text, or is reserved for
/// internal use.
///
/// The joiners U+200C and U+200D are allowed, because Persian and emoji need them.
pub fn is_hidden(char: char) -> bool {
    matches!(char,
        '\0'..='\u{1f}' | '\u{7f}'..='\u{9f}' // C0, DEL and C1
        | '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' // directions
        | '\u{2028}' | '\u{2029}' // lines and paragraphs
        | '\u{ad}' | '\u{180e}' | '\u{200b}' | '\u{2060}'..='\u{2065}' | '\u{206a}'..='\u{206f}' | '\u{feff}'
        | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}' // invisible
        | '\u{fdd0}'..='\u{fdef}' // noncharacters, which represent styles
    )
}

/// Returns a text as one line with hidden characters escaped. Tabs are kept.
pub fn printable(text: &str) -> String {
    let mut line = String::with_capacity(text.len());
    for char in text.chars() {
        if is_hidden(char) && char != '\t' { escape(&mut line, char) } else { line.push(char) }
    }
    line
}

/// Writes a character by its code point.
pub fn escape(output: &mut String, char: char) {
    match (char, u32::from(char)) {
        ('\n', _) => output.push_str("\\n"),
        ('\r', _) => output.push_str("\\r"),
        (_, code @ ..=0x7f) => write!(output, "\\x{code:02X}").expect("a string takes any text"),
        (_, code @ ..=0xffff) => write!(output, "\\u{code:04X}").expect("a string takes any text"),
        (_, code) => write!(output, "\\U{code:08X}").expect("a string takes any text"),
    }
}

/// Returns JSON with the same values, in which hidden characters are escaped.
pub fn printable_json(json: &str) -> String {
    let mut output = String::with_capacity(json.len());
    for char in json.chars() {
        if is_hidden(char) {
            for unit in char.encode_utf16(&mut [0; 2]) {
                write!(output, "\\u{unit:04x}").expect("a string takes any text");
            }
        } else {
            output.push(char);
        }
    }
    output
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn hidden_characters_are_escaped_as_psql_does() {
        let text = "a\u{1b}[31m\r\nb\tc\u{7f}\u{9b}2J\u{202e}d\u{2029}\u{e0041}\u{fdd1}";
        let shown = r"a\x1B[31m\r\nb	c\x7F\u009B2J\u202Ed\u2029\U000E0041\uFDD1";
        assert_eq!(printable(text), shown);
        let plain = "C:\\x1B, \u{5d0}\u{5d1}, \u{645}\u{6cc}\u{200c}\u{62e}, \u{1f469}\u{200d}\u{1f680}, \u{fe0f}";
        assert_eq!(printable(plain), plain);
    }

    proptest! {
        #[test]
        fn no_hidden_character_is_left(text: String) {
            prop_assert!(!printable(&text).chars().any(|char| is_hidden(char) && char != '\t'));
        }

        #[test]
        fn json_keeps_its_values(text: String, char in "[\u{0}-\u{9f}\u{200b}-\u{202e}\u{e0000}-\u{e007f}]") {
            let text = format!("{text}{char}");
            let json = printable_json(&serde_json::to_string(&text).unwrap());
            prop_assert!(!json.chars().any(is_hidden));
            prop_assert_eq!(serde_json::from_str::<String>(&json).unwrap(), text);
        }
    }
}
