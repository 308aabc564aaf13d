//! Which documents of a store a source has all of, so that others among them are gone.

use super::{Filter, Pattern, web};
use reqwest::Url;

/// The documents that one input stands for.
#[derive(Clone, Debug)]
pub enum Scope {
    /// All of the collection.
    All,
    /// That of one uri.
    One(String),
    /// Those whose uris begin so: a folder's or an archive's name.
    Below(String),
    /// Those whose uris are so.
    Like(Pattern),
    /// A page, and if its name is that of a sitemap, all pages beside and below it.
    Site(Url),
}

/// The documents that all inputs of a run stand for, but for those that are not wanted.
#[derive(Clone, Debug, Default)]
pub struct Scopes {
    scopes: Vec<Scope>,
    filter: Filter,
}

impl Scopes {
    /// Puts scopes together; documents that `filter` does not take are in none.
    pub fn new(scopes: Vec<Scope>, filter: Filter) -> Self {
        Self { scopes, filter }
    }

    /// Tells whether one of the scopes is all of the collection.
    pub fn is_all(&self) -> bool {
        self.scopes.iter().any(|scope| matches!(scope, Scope::All))
    }

    /// Tells whether a document would be among what is found, if it were still there.
    pub fn hold(&self, uri: &str) -> bool {
        let inside = self.scopes.iter().find_map(|scope| scope.inside(uri));
        inside.is_some_and(|inside| self.filter.takes(&inside))
    }
}

impl Scope {
    /// Returns what filters see of a document, if it is in the scope.
    fn inside(&self, uri: &str) -> Option<String> {
        match self {
            Scope::All => Some(uri.to_owned()),
            Scope::One(one) => (one == uri).then(|| uri.to_owned()),
            Scope::Below(folder) => uri.strip_prefix(&**folder).map(ToOwned::to_owned),
            Scope::Like(pattern) => pattern.matches(uri).then(|| pattern.inside(uri).to_owned()),
            Scope::Site(site) => {
                let url = web::address(uri).ok()?;
                if url == *site {
                    return Some(url.path().to_owned());
                }
                let name = site.path().rsplit('/').next().unwrap_or_default();
                let folder = site.path().strip_suffix(name).unwrap_or("/");
                let is_below = web::is_site(site)
                    && url.origin() == site.origin()
                    && url.path().starts_with(folder);
                is_below.then(|| url.path().to_owned())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_scope_holds_what_its_source_would_find() {
        let site = |url: &str| Scope::Site(web::address(url).unwrap());
        let hold = |scope: Scope, uri: &str| Scopes::new(vec![scope], Filter::default()).hold(uri);
        assert!(hold(Scope::All, "a.md"));
        assert!(
            hold(Scope::One("a.md".into()), "a.md") && !hold(Scope::One("a.md".into()), "b/a.md")
        );
        let book = || Scope::Below("book/".into());
        assert!(hold(book(), "book/a.md") && !hold(book(), "books/a.md") && !hold(book(), "book"));
        let like = || Scope::Like(Pattern::new("docs/**/*.md").unwrap());
        assert!(hold(like(), "docs/a/b.md") && !hold(like(), "docs/a.txt"));
        let sitemap = "https://example.org/docs/sitemap.xml";
        assert!(hold(site(sitemap), "https://example.org/docs/a/b"));
        assert!(!hold(site(sitemap), "https://example.org/blog/a"));
        assert!(!hold(site(sitemap), "https://example.com/docs/a"));
        assert!(!hold(site("https://example.org/a"), "https://example.org/b"));
        assert!(hold(site("https://example.org/a"), "https://example.org/a"));
    }

    #[test]
    fn what_filters_do_not_take_is_in_no_scope() {
        let filter = Filter::new(&[], &["/drafts/".into()]).unwrap();
        let scopes = Scopes::new(vec![Scope::Below("book/".into())], filter);
        assert!(scopes.hold("book/a.md") && !scopes.hold("book/drafts/a.md"));
    }
}
