/*!
Lists of pages for language models, as llmstxt.org describes: `llms.txt` has links, and `llms-full.txt` the texts themselves.

There is no rule for how `llms-full.txt` separates its pages. These marks are in use, each at the start of a page:

```text
# Title                    <doc title="Title" url="https://...">     ---
Source: https://...        text                                      url: https://...
text                       </doc>                                    ---
```
*/

use super::address::{redacted, server_difference, uri};
use super::markdown::{MarkdownLink, markdown_links};
use super::sitemap::{Entry, MAX_ENTRIES, too_many};
use crate::{
    BlockedPage, Content, ExternalLink, Selection, SkippedPage, SourceDocument, SourceEntry,
    SourceMetadata,
};
use passage_split::MediaType;
use reqwest::Url;
use std::collections::hash_map::Entry as MapEntry;
use std::collections::{HashMap, HashSet};

/// The names of both files.
const INDEX: &str = "llms.txt";
const FULL: &str = "llms-full.txt";

/// The section whose links are for readers with more room.
const OPTIONAL: &str = "Optional";

/// The maximum number of lines of a front matter.
const MAX_FRONT_MATTER: usize = 40;

/// The keys of the address in a front matter.
const ADDRESS_KEYS: [&str; 5] = ["url", "source", "source_url", "canonical", "link"];

/// Returns whether an address is that of a list of links.
pub(super) fn is_index(url: &Url) -> bool {
    name(url) == INDEX
}

/// Returns whether an address is that of the texts of all pages.
pub(super) fn is_full(url: &Url) -> bool {
    name(url) == FULL
}

fn name(url: &Url) -> &str {
    url.path().rsplit('/').next().unwrap_or_default()
}

/// Returns the pages that an `llms.txt` lists, each once.
pub(super) fn entries(file: &Url, text: &str, skip_optional: bool) -> Result<Vec<Entry>, String> {
    let mut seen = HashSet::new();
    let links = markdown_links(text).into_iter();
    let links = links.filter(|link| !(skip_optional && link.section.trim() == OPTIONAL));
    let pages = links.filter(|link| match file.join(&link.target) {
        Ok(target) => !is_index(&target) && !is_full(&target) && seen.insert(uri(&target)),
        Err(_) => false,
    });
    let entry = |link: MarkdownLink| Entry { address: link.target, is_sitemap: false };
    let entries: Vec<_> = pages.map(entry).take(MAX_ENTRIES + 1).collect();
    if entries.len() > MAX_ENTRIES { Err(too_many()) } else { Ok(entries) }
}

/// Returns the pages of an `llms-full.txt`, or `None` if it marks none. A text before the first page has the uri of the
/// file.
pub(super) fn full_pages(
    file: &Url,
    text: &str,
    selection: &Selection,
) -> Result<Option<Vec<SourceEntry>>, String> {
    let starts = starts(text)?;
    let Some(first) = starts.first().map(|start| start.begin) else { return Ok(None) };
    let mut pages: Vec<(Url, String)> = Vec::new();
    let before = (file.clone(), text[..first].trim().to_owned());
    pages.extend(Some(before).filter(|(_, text)| !text.is_empty()));
    let mut positions = HashMap::new();
    for (number, start) in starts.iter().enumerate() {
        let end = starts.get(number + 1).map_or(text.len(), |next| next.begin);
        let text = text[start.text..end].trim_end();
        let text = text.strip_suffix("</doc>").unwrap_or(text);
        match positions.entry(start.url.as_str()) {
            MapEntry::Occupied(position) => {
                let (_, earlier) = &mut pages[*position.get()];
                *earlier += "\n\n";
                *earlier += text;
            }
            MapEntry::Vacant(position) => {
                position.insert(pages.len());
                pages.push((start.url.clone(), text.to_owned()));
            }
        }
    }
    let pages = pages.into_iter();
    Ok(Some(pages.filter_map(|(url, text)| entry(file, &url, text, selection)).collect()))
}

/// Returns the document of a page. A file cannot contain pages of another server, whose documents it would replace.
fn entry(file: &Url, url: &Url, text: String, selection: &Selection) -> Option<SourceEntry> {
    if let Some(difference) = server_difference(file, url) {
        let link = ExternalLink { page: None, target: redacted(url), difference };
        return Some(SourceEntry::SkippedPage(SkippedPage::Blocked(BlockedPage::External(link))));
    }
    let source_metadata = Box::new(SourceMetadata {
        media_type: Some(MediaType::MARKDOWN),
        ..SourceMetadata::default()
    });
    let document = SourceDocument::bytes(uri(url), Vec::new());
    let document = SourceDocument { content: Content::Text(text), source_metadata, ..document };
    selection.includes(url.path()).then_some(SourceEntry::Document(document))
}

/// The start of a page.
#[derive(Debug)]
struct Start {
    url: Url,
    /// The offset of its mark.
    begin: usize,
    /// The offset of its text.
    text: usize,
}

/// Returns the starts of all pages.
fn starts(text: &str) -> Result<Vec<Start>, String> {
    let mut starts: Vec<Start> = Vec::new();
    let (mut begin, mut title, mut fence) = (0, None, None);
    for line in text.split_inclusive('\n') {
        let end = begin + line.len();
        let content = line.trim();
        // A page does not continue the fence of the page before.
        let is_tag = content.starts_with("<doc ") && attribute(content, "url").is_some();
        fence = if is_tag { None } else { next_fence(fence, content) };
        if fence.is_none() {
            let start = if let Some(address) = content.strip_prefix("Source: ") {
                title.and_then(|title| {
                    Some(Start { url: page(address)?, begin: title, text: title })
                })
            } else if content.starts_with("<doc ") {
                attribute(content, "url")
                    .and_then(|address| Some(Start { url: page(address)?, begin, text: end }))
            } else if content == "---" {
                front_matter(&text[end..]).map(|url| Start { url, begin, text: begin })
            } else {
                None
            };
            starts.extend(start);
            if starts.len() > MAX_ENTRIES {
                return Err(too_many());
            }
            if content.starts_with("# ") {
                title = Some(begin);
            } else if !content.is_empty() {
                title = None;
            }
        }
        begin = end;
    }
    Ok(starts)
}

/// Returns the character and length of the fence that is open after a line, by the rules of `CommonMark`.
fn next_fence(open: Option<(char, usize)>, line: &str) -> Option<(char, usize)> {
    let mark = line.chars().next().filter(|mark| matches!(mark, '`' | '~'));
    let info = mark.map_or(line, |mark| line.trim_start_matches(mark));
    let length = line.len() - info.len();
    if let Some((char, least)) = open {
        let closes = mark == Some(char) && length >= least && info.is_empty();
        return open.filter(|_| !closes);
    }
    let opens = length >= 3 && !(mark == Some('`') && info.contains('`'));
    mark.filter(|_| opens).map(|mark| (mark, length))
}

/// Returns the address in a front matter, which a text begins with.
fn front_matter(text: &str) -> Option<Url> {
    let lines: Vec<&str> = text.lines().take(MAX_FRONT_MATTER).collect();
    let end = lines.iter().position(|line| line.trim() == "---")?;
    lines[..end].iter().find_map(|line| {
        let (key, value) = line.split_once(':')?;
        ADDRESS_KEYS.contains(&key.trim()).then(|| page(value.trim().trim_matches(['"', '\''])))?
    })
}

fn attribute<'t>(tag: &'t str, name: &str) -> Option<&'t str> {
    let (_, value) = tag.split_once(&format!(" {name}=\""))?;
    Some(value.split_once('"')?.0)
}

fn page(address: &str) -> Option<Url> {
    super::address::parse(address.trim()).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn file(name: &str) -> Url {
        Url::parse(&format!("https://example.org/docs/{name}")).unwrap()
    }

    fn pages(text: &str) -> Option<Vec<(String, String)>> {
        let pages = full_pages(&file(FULL), text, &Selection::default()).unwrap()?;
        Some(
            pages
                .into_iter()
                .map(|page| match page {
                    SourceEntry::Document(SourceDocument {
                        uri,
                        content: Content::Text(text),
                        ..
                    }) => (uri, text),
                    other => (format!("{other:?}"), String::new()),
                })
                .collect(),
        )
    }

    #[test]
    fn an_index_lists_links_and_its_optional_section_can_be_left_out() {
        let text = "# Project\n> Summary\n\n## Docs\n- [A](a.md): first\n- [A](a.md#part)\n- [All](llms-full.txt)\n\
            - [Other](https://example.com/x)\n\n## Optional\n- [B](/b)\n";
        let addresses = |skip| {
            let entries = entries(&file(INDEX), text, skip).unwrap();
            entries.into_iter().map(|entry| entry.address).collect::<Vec<_>>()
        };
        assert_eq!(addresses(false), ["a.md", "https://example.com/x", "/b"]);
        assert_eq!(addresses(true), ["a.md", "https://example.com/x"]);
        let many = "[a](".to_owned()
            + &(0..=MAX_ENTRIES).map(|n| n.to_string()).collect::<Vec<_>>().join(") [a](")
            + ")";
        assert!(entries(&file(INDEX), &many, false).is_err());
    }

    #[test]
    fn a_full_text_is_divided_at_each_kind_of_mark() {
        let a = (
            "https://example.org/a".to_owned(),
            "# A\nSource: https://example.org/a\n\nOne.\n\n## More".to_owned(),
        );
        let b = "https://example.org/docs/b".to_owned();
        let titles = "# A\nSource: https://example.org/a\n\nOne.\n\n## More\n\n# B\n\nSource: https://example.org/docs/b\nTwo.\n";
        let second = (b.clone(), "# B\n\nSource: https://example.org/docs/b\nTwo.".to_owned());
        assert_eq!(pages(titles).unwrap(), [a, second]);

        let tags =
            "Intro.\n<docs>\n<doc title=\"B\" url=\"https://example.org/docs/b\">\n# B\n</doc>\n";
        let intro =
            ("https://example.org/docs/llms-full.txt".to_owned(), "Intro.\n<docs>".to_owned());
        assert_eq!(pages(tags).unwrap(), [intro, (b.clone(), "# B\n".to_owned())]);

        let matter =
            "---\ntitle: B\nurl: \"https://example.org/docs/b\"\n---\n# B\n\n---\n\ntext: no\n";
        assert_eq!(pages(matter).unwrap(), [(b, matter.trim_end().to_owned())]);
    }

    #[test]
    fn a_text_without_marks_or_with_marks_in_code_is_one_document() {
        let fence = "# A\n\n```\n# B\nSource: https://example.org/b\n```\n";
        for text in [
            "",
            "# A\n\nText.\n",
            fence,
            "Source: https://example.org/b\n",
            "# A\ntext\nSource: https://example.org/b",
        ] {
            assert_eq!(pages(text), None, "{text}");
        }
    }

    #[test]
    fn a_page_of_another_server_is_no_document() {
        let text = "# A\nSource: https://example.com/a\nx\n# B\nSource: https://example.org/b\ny\n# B2\nSource: https://example.org/b\nz\n";
        let pages = pages(text).unwrap();
        assert!(pages[0].0.contains("on another host"), "{pages:?}");
        let both =
            "# B\nSource: https://example.org/b\ny\n\n# B2\nSource: https://example.org/b\nz";
        assert_eq!(pages[1..], [("https://example.org/b".to_owned(), both.to_owned())]);
    }

    proptest! {
        #[test]
        fn no_text_causes_a_panic(text in "(# a\n|Source: |https://example.org/|<doc url=\"|</doc>|---\n|url: |```\n|\n|é){0,20}") {
            let _ = (pages(&text), entries(&file(INDEX), &text, true));
        }
    }
}
