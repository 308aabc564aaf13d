//! The title of a macro with a body, such as `TEST(Queue, Drains) { ... }`.

use tree_sitter::Node;

/// The maximum number of bytes of a macro and its arguments that are read.
const MAX_HEAD: usize = 500;

/// Returns the title of a function that is a macro with a body: a string among its arguments, or the names of a suite
/// and its test, or its first argument.
pub(in super::super) fn macro_title(node: Node<'_>, text: &str) -> Option<String> {
    if node.kind() != "function_definition" {
        return None;
    }
    let text = text.get(node.byte_range())?;
    let text = &text[..text.floor_char_boundary(MAX_HEAD)];
    let (name, rest) = text.split_once('(')?;
    let name = name.trim_end();
    let is_macro = |byte: u8| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_';
    if name.len() < 2 || !name.bytes().all(is_macro) {
        return None;
    }
    let arguments = arguments(rest);
    if let Some(string) = arguments.iter().find(|argument| argument.starts_with('"')) {
        return string
            .get(1..string.len() - 1)
            .filter(|title| !title.trim().is_empty())
            .map(str::to_owned);
    }
    let is_name = |argument: &&&str| {
        let is_part = |char: char| char.is_alphanumeric() || matches!(char, '_' | ':');
        !argument.is_empty() && argument.chars().all(is_part)
    };
    let first = arguments.first().filter(is_name)?;
    match arguments.get(1).filter(is_name) {
        Some(second) if name.contains("TEST") || name.contains("BENCH") => {
            Some(format!("{first}.{second}"))
        }
        _ => Some((*first).to_owned()),
    }
}

/// Returns the arguments up to the bracket that closes them.
fn arguments(text: &str) -> Vec<&str> {
    let (mut arguments, mut start, mut depth) = (Vec::new(), 0, 0_usize);
    let mut quoted = None;
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            _ if quoted.is_some() => {
                let escaped = text.as_bytes()[at - 1] == b'\\';
                quoted = quoted.filter(|quote| byte != *quote || escaped);
            }
            b'"' | b'\'' => quoted = Some(byte),
            b'(' | b'{' | b'[' => depth += 1,
            b')' if depth == 0 => {
                arguments.push(text[start..at].trim());
                break;
            }
            b')' | b'}' | b']' => depth = depth.saturating_sub(1),
            b',' if depth == 0 => {
                arguments.push(text[start..at].trim());
                start = at + 1;
            }
            _ => {}
        }
    }
    arguments
}
