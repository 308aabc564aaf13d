//! Headings in blocks of HTML, such as `<h1 align="center">Title</h1>` at the top of a README.

/// The maximum number of bytes of a block that are searched for a heading.
const MAX_BLOCK: usize = 4_096;

/// Returns the level and the title if a block of HTML begins with a heading. Only tags may precede it.
pub(super) fn html_heading(block: &str) -> Option<(u32, String)> {
    let block = &block[..block.floor_char_boundary(MAX_BLOCK)];
    let mut rest = block.trim_start();
    loop {
        let tag = rest.strip_prefix('<')?;
        let (tag, after) = tag.split_once('>')?;
        let name =
            tag.split(|char: char| !char.is_ascii_alphanumeric()).next()?.to_ascii_lowercase();
        if let Some(level) = name.strip_prefix('h').and_then(|level| level.parse().ok())
            && (1..=6).contains(&level)
        {
            let end = after.to_ascii_lowercase().find(&format!("</{name}"))?;
            let title = text(&after[..end]);
            return (!title.is_empty()).then_some((level, title));
        }
        rest = after.trim_start();
    }
}

/// Returns the text of HTML on one line, without its tags. Images have their alternative text.
fn text(html: &str) -> String {
    let (mut text, mut rest) = (String::new(), html);
    while let Some((before, after)) = rest.split_once('<') {
        text.push_str(before);
        let (tag, after) = after.split_once('>').unwrap_or((after, ""));
        if matches!(tag.get(..2), Some("br" | "BR")) {
            text.push(' ');
        }
        rest = after;
    }
    text.push_str(rest);
    // The last one, since it begins all others.
    let entities = [
        ("&lt;", "<"),
        ("&gt;", ">"),
        ("&quot;", "\""),
        ("&#39;", "'"),
        ("&nbsp;", " "),
        ("&amp;", "&"),
    ];
    for (entity, character) in entities {
        if text.contains(entity) {
            text = text.replace(entity, character);
        }
    }
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_may_begin_with_a_heading() {
        let headings = [
            ("<h1>Tool</h1>\n", 1, "Tool"),
            ("<h2 id=\"install\">In<b>st</b>all &amp;\n run</h2>\n<p>x</p>", 2, "Install & run"),
            ("<div align=\"center\">\n  <img src=\"a.png\">\n  <H1>A<br>b</H1>\n</div>", 1, "A b"),
        ];
        for (block, level, title) in headings {
            assert_eq!(html_heading(block), Some((level, title.to_owned())), "{block}");
        }
        for block in [
            "<p>Words</p>\n<h2>A</h2>",
            "<h2>A",
            "<hr>",
            "<h7>x</h7>",
            "<h1></h1>",
            "<!-- <h1>a</h1> -->",
            "<header>a</header>",
        ] {
            assert_eq!(html_heading(block), None, "{block}");
        }
    }
}
