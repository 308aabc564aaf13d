//! Parts of a fragment that fit in a budget.

use super::results::CitedPassage;
use crate::lines::prefix;

/// Cuts a passage between lines into parts of at most `max_tokens` tokens. A single line with more gives its beginning.
pub(super) fn parts(passage: &CitedPassage, max_tokens: u32) -> Vec<CitedPassage> {
    if passage.tokens <= i64::from(max_tokens) {
        return vec![passage.clone()];
    }
    let content = passage.content.as_str();
    let per_byte = passage.tokens as f64 / content.len().max(1) as f64;
    let max_bytes = f64::from(max_tokens) / per_byte;
    let mut parts = Vec::new();
    // The position of the part in bytes, and the number of its lines.
    let (mut begin, mut end, mut line, mut lines) = (0, 0, 0, 0);
    let mut add = |begin: usize, end: usize, line: i64, lines: i64| {
        let whole = &content[begin..end];
        let text = if whole.len() as f64 > max_bytes { prefix(whole, max_bytes) } else { whole };
        let tokens = (text.len() as f64 * per_byte).round() as i64;
        let first = passage.first_line.map(|first| (first + line, first + line + lines - 1));
        let mut part = passage.with_part(text, first, tokens.min(i64::from(max_tokens)));
        part.truncated = text.len() < whole.len();
        parts.push(part);
    };
    for text in content.split_inclusive('\n') {
        if lines > 0 && (end + text.len() - begin) as f64 > max_bytes {
            add(begin, end, line, lines);
            (begin, line, lines) = (end, line + lines, 0);
        }
        end += text.len();
        lines += 1;
    }
    add(begin, end, line, lines);
    parts
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn parts_have_all_lines_once_within_the_budget() {
        let content = "one\ntwo\nthree\nfour";
        let row = json!({"uri": "a", "first_line": 5, "last_line": 8, "tokens": content.len(), "content": content});
        let passage = CitedPassage::from_row(serde_json::from_value(row).unwrap());
        let parts = parts(&passage, 8);
        let text = |part: &CitedPassage| (part.first_line, part.content.clone());
        assert_eq!(
            parts.iter().map(text).collect::<Vec<_>>(),
            [(Some(5), "one\ntwo\n".into()), (Some(7), "three\n".into()), (Some(8), "four".into())]
        );
        assert!(parts.iter().all(|part| part.tokens <= 8 && !part.truncated));
    }

    #[test]
    fn a_line_longer_than_the_budget_is_cut() {
        let row = json!({"uri": "a", "first_line": 1, "last_line": 1, "tokens": 10, "content": "0123456789"});
        let passage = CitedPassage::from_row(serde_json::from_value(row).unwrap());
        let parts = parts(&passage, 4);
        assert_eq!((parts[0].content.as_str(), parts[0].truncated, parts.len()), ("0123", true, 1));
    }
}
