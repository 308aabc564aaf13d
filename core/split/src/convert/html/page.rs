/*!
Analysis of a page: which part of it is the content.

One pass over the tree counts the text of every part. A `<main>` element with enough text is the content,
else an `<article>` with most of the text, else the body. In the body, a long list of links only is
navigation, unless a heading directly precedes it. These rules are heuristics: if they would remove
nearly all text of a page, only certain boilerplate is removed.
*/

use super::{
    boilerplate::{PageContext, is_boilerplate},
    tree::{Handle, attribute, plain_text, tag},
};
use crate::interrupt;
use markup5ever_rcdom::{Node, NodeData};
use std::collections::HashSet;

/// The minimum text of a page with content, in bytes.
const MIN_PAGE: usize = 50;

/// The minimum text of a `<main>` that is the content of a longer page, in bytes.
const MIN_MAIN: usize = 200;

/// The minimum number of links in a navigation list.
const MIN_LINKS: usize = 10;

/// The result of the analysis.
pub(super) struct Page {
    /// The element with the content.
    pub(super) root: Handle,
    /// The rules for boilerplate in it.
    pub(super) context: PageContext,
    /// The link lists that are navigation.
    pub(super) navigation: HashSet<*const Node>,
    /// The text of `<title>`, unless empty.
    pub(super) title: Option<String>,
    /// The `href` of `<base>`.
    pub(super) base: Option<String>,
}

/// Counts of a part of a page, without boilerplate. Text is in bytes without white space.
#[derive(Clone, Copy, Default)]
struct Tally {
    text: usize,
    linked: usize,
    links: usize,
    headings: usize,
    /// The text of navigation lists, all of it links.
    navigation: usize,
}

/// The state of one pass.
struct Analysis {
    context: PageContext,
    navigation: HashSet<*const Node>,
    /// Candidates for the content, each with the size of its text.
    mains: Vec<(Handle, usize)>,
    articles: Vec<(Handle, usize)>,
    title: Option<String>,
    base: Option<String>,
}

impl Page {
    /// Analyzes a parsed page.
    pub(super) fn analyze(document: &Handle) -> Self {
        let mut search =
            Analysis::new(PageContext { within: false, by_name: true, headers: false });
        let mut total = search.tally(document, false);
        if total.headings == 0 {
            // The only heading may be in the header.
            search = Analysis::new(PageContext { headers: true, ..search.context });
            total = search.tally(document, false);
        }
        if total.text < MIN_PAGE {
            let context = PageContext { within: true, by_name: false, headers: true };
            let mut strict = Analysis::new(context);
            if strict.tally(document, false).text > 2 * total.text {
                search = strict;
                search.mains.clear();
                search.articles.clear();
            }
        }
        let longest = |candidates: &[(Handle, usize)], least: usize| {
            let longest = candidates.iter().max_by_key(|(_, text)| *text)?;
            (longest.1 > least).then(|| longest.0.clone())
        };
        // No single article of several is the page.
        let content = longest(&search.mains, MIN_MAIN.min(total.text / 2))
            .or_else(|| longest(&search.articles, total.text / 2));
        let within = search.context.within || content.is_some();
        let Analysis { context, navigation, title, base, .. } = search;
        let root = content.unwrap_or_else(|| document.clone());
        Self { root, context: PageContext { within, ..context }, navigation, title, base }
    }
}

impl Analysis {
    fn new(context: PageContext) -> Self {
        let (mains, articles) = (Vec::new(), Vec::new());
        Self { context, navigation: HashSet::new(), mains, articles, title: None, base: None }
    }

    /// Counts the text, links and headings of a node.
    fn tally(&mut self, node: &Handle, titled: bool) -> Tally {
        interrupt::poll();
        if let NodeData::Text { contents } = &node.data {
            let text = contents.borrow().bytes().filter(|byte| !byte.is_ascii_whitespace()).count();
            return Tally { text, ..Tally::default() };
        }
        let name = tag(node);
        match name {
            "title" if self.title.is_none() => {
                self.title = Some(plain_text(node)).filter(|title| !title.is_empty());
            }
            "base" if self.base.is_none() => {
                self.base = attribute(node, "href").map(|base| base.to_string());
            }
            "head" => node.children.borrow().iter().for_each(|child| {
                self.tally(child, false);
            }),
            _ => {}
        }
        let outer = self.context;
        if is_boilerplate(node, outer) {
            return Tally::default();
        }
        let is_main =
            name == "main" || attribute(node, "role").is_some_and(|role| &*role == "main");
        let is_article = name == "article";
        self.context.within |= is_main || is_article;
        let mut tally = Tally::default();
        // Whether a heading directly precedes the next child.
        let mut after_heading = titled;
        for child in node.children.borrow().iter() {
            let child_tally = self.tally(child, after_heading);
            tally.add(child_tally);
            match child.data {
                NodeData::Element { .. } => after_heading = is_heading(tag(child)),
                _ => after_heading &= child_tally.text == 0,
            }
        }
        self.context = outer;
        match name {
            "a" => tally = Tally { linked: tally.text, links: 1, ..tally },
            _ if is_heading(name) => tally.headings += 1,
            "div" | "ul" | "ol" | "section" | "td" | "table" | "p" | "center"
                if !outer.within && outer.by_name && !titled && tally.is_navigation() =>
            {
                self.navigation.insert(std::rc::Rc::as_ptr(node));
                let Tally { linked, links, navigation, .. } = tally;
                return Tally { links, navigation: navigation + linked, ..Tally::default() };
            }
            _ => {}
        }
        if is_main {
            self.mains.push((node.clone(), tally.text));
        } else if is_article && !outer.within {
            self.articles.push((node.clone(), tally.text));
        }
        tally
    }
}

impl Tally {
    fn add(&mut self, other: Self) {
        self.text += other.text;
        self.linked += other.linked;
        self.links += other.links;
        self.headings += other.headings;
        self.navigation += other.navigation;
    }

    fn is_navigation(self) -> bool {
        let linked = self.linked + self.navigation;
        let text = self.text + self.navigation;
        self.links >= MIN_LINKS && self.headings == 0 && linked * 10 >= text * 9
    }
}

/// Returns whether an element name is a heading.
pub(super) fn is_heading(name: &str) -> bool {
    matches!(name, "h1" | "h2" | "h3" | "h4" | "h5" | "h6")
}
