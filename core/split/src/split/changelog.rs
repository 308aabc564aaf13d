/*!
Changelogs without markup, such as `CHANGES` or `NEWS`: each release is a section.

The heading of a release is an unindented line after a blank line, perhaps underlined. A file without such a
line is plain text, and one with headings of Markdown is Markdown.
*/

use super::{
    block_builder::{BlockBuilder, Lines, rule},
    blocks::Blocks,
    markdown, plain,
};
use crate::release::is_release;

/// Finds the blocks of a document.
pub(super) fn blocks(text: &str) -> Blocks {
    let lines = Lines::of(text);
    let is_heading = |text: &str| text.starts_with("# ") || text.starts_with("## ");
    if lines.from(0).any(|(_, line)| is_heading(line.text)) {
        return markdown::blocks(text);
    }
    let mut builder = BlockBuilder::new();
    let mut has_releases = false;
    let mut follows_blank = true;
    let mut at = 0;
    while let Some(line) = lines.get(at) {
        at += 1;
        if line.is_blank() {
            follows_blank = true;
            continue;
        }
        let title = line.text.trim_start_matches(['*', '=', '-']).trim();
        if follows_blank && !line.is_indented() && is_release(title) {
            builder.heading(line.start, 2, title.trim_end_matches(['=', ':', ' ']));
            has_releases = true;
            // An underline is a part of the heading.
            at += usize::from(lines.get(at).is_some_and(|next| rule(next).is_some()));
            // The first line below may be the first change.
            follows_blank = true;
            if let Some(next) = lines.get(at).filter(|next| !next.is_blank()) {
                builder.body(next.start);
                at += 1;
                follows_blank = false;
            }
        } else if std::mem::take(&mut follows_blank) {
            builder.body(line.start);
        }
    }
    if has_releases { builder.finish(text) } else { plain::blocks(text) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_release_is_a_section() {
        let text = "Changes of the tool\n\n1.2.0 (2026-01-02)\n==================\n- One.\n\n- Two.\n\nVersion 1.1\n\nThree.\n";
        let blocks = blocks(text);
        let found: Vec<_> =
            blocks.list.iter().map(|block| blocks.sections.title(block.section)).collect();
        let release = "1.2.0 (2026-01-02)";
        assert_eq!(found, ["", release, release, release, "Version 1.1", "Version 1.1"]);
        // An underline belongs to its heading, and other lines that begin with a number to their paragraph.
        assert!(text[blocks.list[2].start..].starts_with("- One."));
        let numbers = super::blocks("1.2.0\n\nFixed since\n1.1.0\n\n    1.0.0\n");
        assert!(numbers.list.iter().all(|block| numbers.sections.title(block.section) == "1.2.0"));
        assert_eq!(super::blocks("Words.\n\nMore.\n").sections.path(0), [""; 0]);
        assert_eq!(super::blocks("## 1.2.0\n\nOne.\n").sections.path(1), ["1.2.0"]);
    }
}
