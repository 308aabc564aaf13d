/*!
Components of Vue, Svelte and Astro: a script, a template and styles in one file.

Each part at the top is a unit with the name of its tag; text outside of the tags is the template. A script is
parsed as TypeScript or JavaScript and a style as CSS, at their places in the file: everything before
them is blank for the parser. So functions of the script are members with their names. A template is cut
between its elements, the outermost first. Astro's script is between two lines `---`.
*/

mod markup;
mod parts;

use super::{code, units::Units};
use crate::{SyntaxError, Unit, interrupt};
use parts::{Part, parts};
use std::ops::Range;

/// The maximum number of parts that are parsed, because each costs as much as the text before it.
const MAX_PARSED: usize = 8;

/// Finds the units of a component. Text that a parser cannot read is text of its part.
#[expect(clippy::unnecessary_wraps, reason = "a parser of units may fail")]
pub(super) fn units(text: &str, units: &mut Units<'_>) -> Result<(), SyntaxError> {
    let mut parsed = 0;
    for Part { bytes, content, title, media_type } in parts(text) {
        interrupt::poll();
        units.open(bytes.start, &title, Unit::Module);
        let language = media_type.and_then(code::language).filter(|_| parsed < MAX_PARSED);
        if let Some(language) = language {
            parsed += 1;
            // An error leaves the part without members.
            let _ = code::parse(&blank_before(text, content), language, units);
        } else if title == "template" {
            markup::items(text, content, units);
        }
        units.close(bytes.end);
    }
    Ok(())
}

/// Returns a text up to the end of a part, with blanks before the part.
fn blank_before(text: &str, part: Range<usize>) -> String {
    let blanks = text.as_bytes()[..part.start].iter();
    let blanks =
        blanks.map(|byte| if matches!(byte, b'\n' | b'\r') { char::from(*byte) } else { ' ' });
    let mut blank: String = blanks.collect();
    blank.push_str(&text[part]);
    blank
}

#[cfg(test)]
mod tests {
    use crate::{Characters, ChunkLimits, MediaType, SplitOptions, split};

    /// Returns the section and the content of each chunk.
    fn chunks<'t>(text: &'t str, media_type: &str) -> Vec<(String, &'t str)> {
        let limits = ChunkLimits { min: 0, preferred: 30, max: 60, window: 500 };
        let options = SplitOptions::new(limits);
        let document = split(text, &MediaType::new(media_type), &options, &Characters).unwrap();
        assert_eq!(document.syntax_error, None);
        let chunks = document.chunks.iter();
        chunks.map(|chunk| (chunk.section.join("/"), chunk.content)).collect()
    }

    fn sections(text: &str, media_type: &str) -> Vec<String> {
        let mut sections: Vec<_> =
            chunks(text, media_type).into_iter().map(|(section, _)| section).collect();
        sections.dedup();
        sections
    }

    #[test]
    fn the_parts_of_a_component_are_apart_and_functions_are_members() {
        let vue = "<script setup lang=\"ts\">\nimport { ref } from 'vue'\n\nfunction load(): void {\n  fetch('a')\n}\n\
            \nfunction removeLine(id: string): void {\n  drop(id)\n}\n</script>\n\n<template>\n  <ul>\n    <li>One line of the list</li>\n\
            \x20   <li>Another line of it</li>\n  </ul>\n</template>\n\n<style scoped>\n.a { color: red; }\n</style>\n";
        let expected =
            ["script", "script/load", "script/removeLine", "script", "template", "style"];
        let found = sections(vue, "text/x-vue");
        let kept: Vec<_> =
            expected.iter().filter(|name| found.iter().any(|section| section == *name)).collect();
        assert_eq!(kept.len(), expected.len(), "{found:?}");
        for (_, content) in chunks(vue, "text/x-vue") {
            assert_eq!(
                content.matches("<li>").count(),
                content.matches("</li>").count(),
                "{content}"
            );
        }
    }

    #[test]
    fn text_outside_of_tags_is_the_template() {
        let svelte = "<script>\n  function increment() {\n    count += step;\n  }\n</script>\n\n{#if count > 10}\n\
            \x20 <p class=\"big\">More than ten</p>\n{/if}\n<button onclick={increment}>Add {step}</button>\n\n<style>\n  p { margin: 0; }\n</style>\n";
        let found = sections(svelte, "text/x-svelte");
        for name in ["script/increment", "template", "style"] {
            assert!(found.iter().any(|section| section.starts_with(name)), "{name}: {found:?}");
        }
        let astro = "---\nimport A from './A.astro';\nexport function format(date: Date) {\n  return date.toISOString();\n}\n---\n\n\
            <A title=\"x\">\n  <h1>Posts of the year</h1>\n</A>\n";
        let found = sections(astro, "text/x-astro");
        for name in ["script/format", "template"] {
            assert!(found.iter().any(|section| section == name), "{name}: {found:?}");
        }
    }

    #[test]
    fn broken_components_are_split_without_loss() {
        for text in [
            "<script>",
            "<script>\nfunction (",
            "---\nlet a",
            "<template><li></template>",
            "</div>\n<style>a{",
            "",
        ] {
            for media_type in ["text/x-vue", "text/x-svelte", "text/x-astro"] {
                let joined: String =
                    chunks(text, media_type).iter().map(|(_, content)| *content).collect();
                assert_eq!(joined, text);
            }
        }
    }
}
