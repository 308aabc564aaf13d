/*!
HTML, as Markdown: what a page says, without what stands around it.

The page is parsed once ([`parse`], with bounds on how deep it may be), looked through for what is
its content and what is chrome ([`page`]), and written again as a small tree of the few elements
that Markdown has ([`rewrite`]). That tree goes to the library ([`markdown`]). Its rules for
escaping and spaces are good; what it has no rule for, or a costly one, never reaches it.
*/

mod chrome;
mod fences;
mod links;
mod markdown;
mod page;
mod parse;
mod rewrite;
mod tables;
mod tree;

use super::ConvertedDocument;
use crate::{Error, MediaType, split::title};
use links::Links;
use page::Page;

/// Converts a page; `base` is its address.
///
/// # Errors
///
/// Returns [`Error::PageTooLarge`] or [`Error::PageTooComplex`] for a page that is too large.
pub(super) fn convert(text: &str, base: Option<&str>) -> Result<ConvertedDocument, Error> {
    let document = parse::parse(text)?;
    let page = Page::look_through(&document);
    let links = Links::new(base, page.base.as_deref());
    let content = rewrite::rewrite(&page, &links);
    let named = page.title.clone();
    // The tree of the page is as large as that of its content, which alone is still needed.
    drop((page, document));
    let mut text = markdown::markdown(content);
    if !text.is_empty() {
        text.push('\n');
    }
    let heading = title(&text, &MediaType::MARKDOWN);
    let title = match (named, heading) {
        (Some(title), Some(heading)) => Some(without_site(title, heading)),
        (title, heading) => title.or(heading),
    };
    Ok(ConvertedDocument { text, media_type: MediaType::MARKDOWN, title })
}

/// Returns the heading if the title is it and the name of a site, and else the title.
fn without_site(title: String, heading: String) -> String {
    let parts = |rest: &str, at_start: bool| {
        let rest = if at_start { rest.trim_start() } else { rest.trim_end() };
        let mark = if at_start { rest.chars().next() } else { rest.chars().next_back() };
        mark.is_some_and(|mark| matches!(mark, '|' | '-' | '–' | '—' | '·' | '•' | ':' | '«' | '»'))
    };
    let begins = title.strip_prefix(&heading).is_some_and(|rest| parts(rest, true));
    let ends = title.strip_suffix(&heading).is_some_and(|rest| parts(rest, false));
    if begins || ends { heading } else { title }
}

#[cfg(test)]
#[path = "html/tests.rs"]
mod tests;
