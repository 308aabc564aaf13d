/*!
HTML to Markdown: the content of a page without its boilerplate.

The [`parse`] module parses a page once, with bounds on its depth. The [`page`] module finds the content.
The [`rewrite`] module writes it as a small tree of the elements that Markdown has, and [`markdown`] hands
that tree to the library. The library's rules for escaping and white space are good. Elements without a
rule there, or with a costly one, never reach it.
*/

mod boilerplate;
mod fences;
mod links;
mod markdown;
mod page;
mod parse;
mod references;
mod rewrite;
mod tables;
mod tree;

pub use references::{PageReferences, page_references};

use crate::{Error, MediaType, split::title};
use links::Links;
use page::Page;

/// Converts a page to Markdown and returns the text and the title. `base` is the page's address.
///
/// # Errors
///
/// Returns [`Error::PageTooLarge`] or [`Error::PageTooComplex`].
pub(super) fn convert(text: &str, base: Option<&str>) -> Result<(String, Option<String>), Error> {
    let document = parse::parse(text)?;
    let page = Page::analyze(&document);
    let links = Links::new(base, page.base.as_deref());
    let content = rewrite::rewrite(&page, &links);
    let named = page.title.clone();
    // The page's tree is as large as that of the content, and only the latter is still needed.
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
    Ok((text, title))
}

/// Returns the heading if the title is the heading plus a site name, else the title.
fn without_site(title: String, heading: String) -> String {
    let separates = |rest: &str, at_start: bool| {
        let rest = if at_start { rest.trim_start() } else { rest.trim_end() };
        let mark = if at_start { rest.chars().next() } else { rest.chars().next_back() };
        mark.is_some_and(|mark| matches!(mark, '|' | '-' | '–' | '—' | '·' | '•' | ':' | '«' | '»'))
    };
    let begins = title.strip_prefix(&heading).is_some_and(|rest| separates(rest, true));
    let ends = title.strip_suffix(&heading).is_some_and(|rest| separates(rest, false));
    if begins || ends { heading } else { title }
}

#[cfg(test)]
#[path = "html/tests.rs"]
mod tests;
