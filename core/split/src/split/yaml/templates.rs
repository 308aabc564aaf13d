/*!
Templates of YAML, as Helm, Jinja and Go's `text/template` read them.

An action such as `{{ .Values.name }}` is not YAML. Actions that control the template, and lines with nothing
but actions, become blanks. Others become letters, which are a part of a scalar. So all offsets stay the same:

```text
  {{- if .enabled }}
  replicas: {{ .count }}     ->    replicas: xxxxxxxxxxxx
  {{- end }}
```
*/

use crate::interrupt;
use memchr::memmem;
use std::borrow::Cow;

/// The beginnings of actions, and their ends.
const ACTIONS: [(&str, &str); 3] = [("{{", "}}"), ("{%", "%}"), ("{#", "#}")];

/// Words that begin an action without a value.
const CONTROLS: [&str; 9] =
    ["if", "else", "end", "range", "with", "define", "block", "break", "continue"];

/// Returns a text without actions.
pub(super) fn readable(text: &str) -> Cow<'_, str> {
    let mut bytes = text.as_bytes().to_vec();
    let mut at = 0;
    // The end of the last action, if only actions and blanks precede it on its line.
    let mut begun: Option<usize> = None;
    let mut unclosed = [false; 3];
    while let Some((start, end)) = next_action(text, at, &mut unclosed) {
        interrupt::poll();
        let line = text[..start].rfind('\n').map_or(0, |end| end + 1);
        let line = begun
            .filter(|end| *end > line && text[*end..start].trim().is_empty())
            .map_or(line, |_| start);
        let is_first = text[line..start].trim().is_empty();
        let rest = &text[end..text[end..].find('\n').map_or(text.len(), |length| end + length)];
        let is_last = rest.trim().is_empty()
            || ACTIONS.iter().any(|(begin, _)| rest.trim().starts_with(begin));
        begun = (is_first && is_last).then_some(end);
        let is_blank = begun.is_some() || is_control(&text[start..end]);
        // A value of several lines is a scalar on the first one.
        let first = text[start..end].find(['\n', '\r']).map_or(end, |length| start + length);
        for (offset, byte) in bytes[start..end].iter_mut().enumerate() {
            if !matches!(byte, b'\n' | b'\r') {
                *byte = if is_blank || start + offset >= first { b' ' } else { b'x' };
            }
        }
        at = end;
    }
    Cow::Owned(String::from_utf8(bytes).expect("actions are whole characters"))
}

/// Returns whether a text has actions where YAML cannot have braces.
pub(super) fn has_actions(text: &str) -> bool {
    let bytes = text.as_bytes();
    ACTIONS[..2].iter().any(|(begin, _)| {
        memmem::find_iter(bytes, begin).any(|at| {
            interrupt::poll();
            let before = text[..at].trim_end_matches([' ', '\t']);
            before.is_empty() || before.ends_with(['\n', '\r']) || before.ends_with([':', '-'])
        })
    })
}

/// Returns the next action from an offset on. Of an `unclosed` kind none has an end any more.
fn next_action(text: &str, from: usize, unclosed: &mut [bool; 3]) -> Option<(usize, usize)> {
    let rest = &text.as_bytes()[from..];
    memchr::memchr_iter(b'{', rest).find_map(|at| {
        interrupt::poll();
        let start = from + at;
        let kind = ACTIONS.iter().position(|(begin, _)| text[start..].starts_with(begin))?;
        let (begin, end) = ACTIONS[kind];
        let inside = start + begin.len();
        let close = if unclosed[kind] {
            None
        } else {
            memmem::find(&text.as_bytes()[inside..], end.as_bytes())
        };
        unclosed[kind] = close.is_none();
        let close = inside + close? + end.len();
        // The last of several brackets ends an action: `{{ {"a": {}}}}`.
        Some((start, close + text[close..].bytes().take_while(|byte| *byte == b'}').count()))
    })
}

/// Returns whether an action has no value.
fn is_control(action: &str) -> bool {
    let Some(inside) = action.strip_prefix("{{") else { return true };
    let inside = inside.trim_start_matches('-').trim_start();
    let word = inside.split(|char: char| !char.is_ascii_alphanumeric()).next().unwrap_or_default();
    inside.starts_with("/*")
        || CONTROLS.contains(&word)
        || (inside.starts_with('$')
            && inside.split_whitespace().nth(1).is_some_and(|sign| sign.ends_with('=')))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn actions_become_blanks_or_letters() {
        let text = "a:\n  {{- if .b }}\n  c: {{ .d }}-e\n  {{- end }}{{/* x */}}\n  {{ .f }}: \"{{ g }}\"\n{% raw %}\n";
        let expected = format!(
            "a:\n{}\n  c: xxxxxxxx-e\n{}\n  xxxxxxxx: \"xxxxxxx\"\n{}\n",
            " ".repeat(14),
            " ".repeat(23),
            " ".repeat(9)
        );
        assert_eq!(readable(text), expected);
        assert!(has_actions(text) && !has_actions("a: \"{{ b }}\"\nc: ${{ d }}\n"));
    }

    proptest! {
        #[test]
        fn offsets_and_line_ends_stay(text in "(\\{\\{|\\}\\}|\\{%|%\\}| |a|:|-|\n|\r\n|\u{e9}){0,60}") {
            let readable = readable(&text);
            prop_assert_eq!(readable.len(), text.len());
            let ends = |text: &str| text.match_indices(['\n', '\r']).map(|(at, _)| at).collect::<Vec<_>>();
            prop_assert_eq!(ends(&readable), ends(&text));
        }
    }
}
