/*!
Broken places: data with a few places that do not parse keeps the sections of all others.

A missing comma, a conflict of a merge or a lost end should not cost a whole file its structure. So a copy
of the text is repaired and parsed instead, place by place:

```text
{                        {
  "a": 1                   "a": 1,
  "b": 2,          ->      "b": 2,
  "c": oops oops,
  "d": [3                  "d": [3
                         ]}
```

A comma takes the place of a blank, blanks take the place of a line, and closing brackets or tags follow the
end. So the offsets of the copy are those of the text, and a broken line belongs to the entry after it. The
document still has its syntax error.
*/

use super::plain::lines;
use crate::SyntaxError;

/// The maximum number of places that are repaired.
const MAX_PLACES: usize = 16;

/// The maximum number of bytes of a text, times its repaired places: it is copied and parsed for each of them.
const MAX_WORK: usize = 1 << 24;

/// Parses a text.
type Check<'c> = &'c dyn Fn(&str) -> Result<(), SyntaxError>;

/// Returns a copy of a text that parses, or `None` if more than a few places are broken, or more than half of the
/// text is. `closings` returns what closes the open brackets or tags at the end of a text.
pub(super) fn repaired(
    text: &str,
    error: SyntaxError,
    check: Check<'_>,
    closings: Option<fn(&str) -> String>,
) -> Option<String> {
    let places = MAX_PLACES.min(MAX_WORK / text.len().max(1));
    if places == 0 {
        return None;
    }
    let (mut copy, mut error, mut blanks) = (text.to_owned(), error, 0);
    for _ in 0..places {
        let line_start: usize = lines(&copy).take(error.line - 1).map(str::len).sum();
        let at = line_start + error.column - 1;
        let line = lines(&copy[line_start..]).next().unwrap_or_default();
        if let Some(closings) = closings.filter(|_| copy[at.min(copy.len())..].trim().is_empty()) {
            copy.push_str(&closings(&copy));
            return check(&copy).is_ok().then_some(copy);
        }
        let (with_comma, blanked) = (with_comma(&copy, at), line.trim().len());
        let is_later = |next: &SyntaxError| (next.line, next.column) > (error.line, error.column);
        if let Some(with_comma) = with_comma {
            match check(&with_comma) {
                Ok(()) => return Some(with_comma),
                Err(next) if is_later(&next) => {
                    (copy, error) = (with_comma, next);
                    continue;
                }
                Err(_) => {}
            }
        }
        blanks += blanked;
        if blanked == 0 || blanks > text.len() / 2 {
            return None;
        }
        copy = with_blanks(&copy, line_start, line.len());
        match check(&copy) {
            Ok(()) => return Some(copy),
            Err(next) => error = next,
        }
    }
    None
}

/// Returns a copy of a text with a comma instead of the first blank before an offset.
fn with_comma(text: &str, at: usize) -> Option<String> {
    let before = text[..at].trim_ascii_end().len();
    // A line break of two bytes stays whole.
    (before < at).then(|| [&text[..before], ",", &text[before + 1..]].concat())
}

/// Returns a copy of a text with blanks instead of a line. The line end stays.
fn with_blanks(text: &str, start: usize, length: usize) -> String {
    let line = &text[start..start + length];
    let end = line.trim_end_matches(['\n', '\r']).len();
    [&text[..start], &" ".repeat(end), &line[end..], &text[start + length..]].concat()
}

#[cfg(test)]
mod tests {
    use crate::{Characters, ChunkLimits, MediaType, SplitOptions, split};

    /// Returns the sections of a document with a syntax error, with limits that merge nothing.
    fn sections(text: &str, media_type: &str) -> Vec<String> {
        let limits = ChunkLimits { min: 0, preferred: 1, max: 12, window: 30 };
        let media_type = MediaType::new(media_type);
        let document = split(text, &media_type, &SplitOptions::new(limits), &Characters).unwrap();
        assert!(document.syntax_error.is_some(), "{text}");
        let contents = document.chunks.iter().map(|chunk| chunk.content);
        assert_eq!(contents.collect::<String>(), text);
        let mut sections: Vec<_> =
            document.chunks.iter().map(|chunk| chunk.section.join("/")).collect();
        sections.dedup();
        sections
    }

    #[test]
    fn json_around_a_broken_place_has_sections() {
        let all = ["root/alpha", "root/beta", "root/gamma"];
        for text in [
            // A comma is missing.
            "{\n\"alpha\": 100\n\"beta\": 200,\n\"gamma\": 300\n}\n",
            // A value is a word.
            "{\n\"alpha\": 100,\n\"x\": y z,\n\"beta\": 200,\n\"gamma\": 300\n}\n",
            // A bracket closes nothing.
            "{\n\"alpha\": 100\n},\n\"beta\": 200,\n\"gamma\": 300\n}\n",
            // The end is lost.
            "{\n\"alpha\": 100,\n\"beta\": 200,\n\"gamma\": 300",
        ] {
            let sections = sections(text, "application/json");
            let found = all.iter().filter(|all| sections.iter().any(|section| section == **all));
            assert_eq!(found.count(), all.len(), "{text}: {sections:?}");
        }
        let conflict = "{\n\"alpha\": 1,\n<<<<<<< HEAD\n\"beta\": 2,\n=======\n\"beta\": 3,\n>>>>>>> b\n\"gamma\": 4\n}\n";
        let sections = sections(conflict, "application/json");
        assert!(sections.contains(&"root/gamma".to_owned()), "{sections:?}");
        assert!(sections.contains(&"root/beta (2)".to_owned()), "{sections:?}");
    }

    #[test]
    fn other_data_around_a_broken_place_has_sections() {
        let toml =
            "[first]\nalpha = 100\n\n[second]\nbeta == 20 0\ngamma = 300\n\n[third]\ndelta = 400\n";
        let found = sections(toml, "text/x-toml");
        for section in ["root/first/alpha", "root/second/gamma", "root/third/delta"] {
            assert!(found.contains(&section.to_owned()), "{section} of {found:?}");
        }
        for xml in [
            "<list>\n<alpha>100</alpha>\n<x>1 < 2</x>\n<beta>200</beta>\n</list>\n",
            "<list>\n<alpha>100</alpha>\n</x>\n<beta>200</beta>\n</list>\n",
            "<list>\n<alpha>100</alpha>\n<beta>200</beta>\n",
        ] {
            let found = sections(xml, "application/xml");
            for section in ["list/alpha", "list/beta"] {
                assert!(found.contains(&section.to_owned()), "{section} of {found:?}");
            }
        }
    }

    #[test]
    fn a_text_that_is_no_data_is_plain() {
        for media_type in ["application/json", "text/x-toml", "application/xml"] {
            let prose = "These are words.\nAnd more words.\nThe last ones.\n";
            assert_eq!(sections(prose, media_type), [""], "{media_type}");
        }
    }

    proptest::proptest! {
        #[test]
        fn broken_data_of_any_characters_is_split_without_loss(text in "([\\[\\]{}:,\"'=<>/&a1\u{e9}\u{65e5} \t#-]|\r?\n|\\PC){0,60}") {
            for name in ["application/json", "application/jsonl", "text/x-yaml", "text/x-toml", "application/xml"] {
                let limits = ChunkLimits { min: 0, preferred: 4, max: 12, window: 30 };
                let document = split(&text, &MediaType::new(name), &SplitOptions::new(limits), &Characters).unwrap();
                let contents = document.chunks.iter().map(|chunk| chunk.content);
                proptest::prop_assert_eq!(contents.collect::<String>(), &*text, "{}", name);
            }
        }
    }
}
