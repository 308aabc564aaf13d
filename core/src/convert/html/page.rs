/*!
Looking through a page for its content.

The whole tree is looked through once, counting the text of every part. `<main>` is the content
where there is one with something in it, and so is an `<article>` that holds most of the text; else
it is the body. There, long lists of nothing but links are navigation, unless a heading stands
right before them. All this is custom and not law: where it would leave hardly anything of a page
that says something, only what is surely chrome is left out.
*/

use super::{
    chrome::{Place, is_chrome},
    tree::{Handle, attribute, plain_text, tag},
};
use crate::interrupt;
use markup5ever_rcdom::{Node, NodeData};
use std::collections::HashSet;

/// The least text of a page that says something, in bytes.
const LEAST_PAGE: usize = 50;

/// The least text of a `<main>` that holds the content of a longer page, in bytes.
const LEAST_MAIN: usize = 200;

/// The least number of links that makes a list of them navigation.
const LEAST_LINKS: usize = 10;

/// What is known of a page once it was looked through.
pub(super) struct Page {
    /// The element that holds the content.
    pub(super) root: Handle,
    /// How chrome is told within it.
    pub(super) place: Place,
    /// The lists of links that are navigation.
    pub(super) navigation: HashSet<*const Node>,
    /// The text of `<title>`, if there is any.
    pub(super) title: Option<String>,
    /// What `<base>` says links are relative to.
    pub(super) base: Option<String>,
}

/// What stands in a part of a page, chrome left out; text in bytes, white space left out.
#[derive(Clone, Copy, Default)]
struct Tally {
    text: usize,
    linked: usize,
    links: usize,
    headings: usize,
    /// The text of what was found to be navigation, all of it links.
    navigation: usize,
}

/// What is found on the way.
struct Search {
    place: Place,
    navigation: HashSet<*const Node>,
    /// The elements that may be the content, and how much text each holds.
    mains: Vec<(Handle, usize)>,
    articles: Vec<(Handle, usize)>,
    title: Option<String>,
    base: Option<String>,
}

impl Page {
    /// Looks through the document that a page was parsed to.
    pub(super) fn look_through(document: &Handle) -> Self {
        let mut search = Search::new(Place { within: false, by_name: true, headers: false });
        let mut total = search.tally(document, false);
        if total.headings == 0 {
            // The only heading may stand in the header.
            search = Search::new(Place { headers: true, ..search.place });
            total = search.tally(document, false);
        }
        if total.text < LEAST_PAGE {
            let place = Place { within: true, by_name: false, headers: true };
            let mut surely = Search::new(place);
            if surely.tally(document, false).text > 2 * total.text {
                search = surely;
                search.mains.clear();
                search.articles.clear();
            }
        }
        let longest = |found: &[(Handle, usize)], least: usize| {
            let longest = found.iter().max_by_key(|(_, text)| *text)?;
            (longest.1 > least).then(|| longest.0.clone())
        };
        // Of several articles none is the page.
        let content = longest(&search.mains, LEAST_MAIN.min(total.text / 2))
            .or_else(|| longest(&search.articles, total.text / 2));
        let within = search.place.within || content.is_some();
        let Search { place, navigation, title, base, .. } = search;
        let root = content.unwrap_or_else(|| document.clone());
        Self { root, place: Place { within, ..place }, navigation, title, base }
    }
}

impl Search {
    fn new(place: Place) -> Self {
        let (mains, articles) = (Vec::new(), Vec::new());
        Self { place, navigation: HashSet::new(), mains, articles, title: None, base: None }
    }

    /// Counts what stands in a node.
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
        let outer = self.place;
        if is_chrome(node, outer) {
            return Tally::default();
        }
        let is_main =
            name == "main" || attribute(node, "role").is_some_and(|role| &*role == "main");
        let is_article = name == "article";
        self.place.within |= is_main || is_article;
        let mut tally = Tally::default();
        // Whether a heading stands right before the next child.
        let mut after_heading = titled;
        for child in node.children.borrow().iter() {
            let found = self.tally(child, after_heading);
            tally.add(found);
            match child.data {
                NodeData::Element { .. } => after_heading = is_heading(tag(child)),
                _ => after_heading &= found.text == 0,
            }
        }
        self.place = outer;
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
        self.links >= LEAST_LINKS && self.headings == 0 && linked * 10 >= text * 9
    }
}

/// Tells whether a name is that of a heading.
pub(super) fn is_heading(name: &str) -> bool {
    matches!(name, "h1" | "h2" | "h3" | "h4" | "h5" | "h6")
}
