//! Scopes: the documents that a source lists completely, so that sync can detect missing ones.

use super::web::address;
use super::{Filter, Pattern};
use reqwest::Url;

/// The uris that one source lists completely.
#[derive(Clone, Debug)]
pub enum Scope {
    /// All documents of the collection.
    Collection,
    /// One uri.
    Uri(String),
    /// All uris with a prefix: the name of a folder or an archive.
    Prefix(String),
    /// All uris that match a pattern.
    Pattern(Pattern),
    /// One page. If its name is that of a list of pages, also all pages beside and below it.
    Site(Url),
    /// All pages whose addresses begin with this one.
    Below(Url),
}

/// The scopes of all sources of a run, without the documents that a filter excludes.
///
/// # Examples
///
/// ```
/// use passage_source::{Filter, Scope, Scopes};
///
/// let scopes = Scopes::new(vec![Scope::Prefix("book/".into())], Filter::default());
/// assert!(scopes.contain("book/ch01.md"));
/// assert!(!scopes.contain("notes.md"));
/// ```
#[derive(Clone, Debug, Default)]
pub struct Scopes {
    scopes: Vec<Scope>,
    filter: Filter,
}

impl Scopes {
    /// Returns the union of scopes, without the documents that `filter` excludes.
    pub fn new(scopes: Vec<Scope>, filter: Filter) -> Self {
        Self { scopes, filter }
    }

    /// Returns whether a source would list a document if it still existed.
    pub fn contain(&self, uri: &str) -> bool {
        let inside = self.scopes.iter().find_map(|scope| scope.inside(uri));
        inside.is_some_and(|inside| self.filter.includes(&inside))
    }
}

impl Scope {
    /// Returns the path that filters compare, or `None` for a document outside the scope.
    fn inside(&self, uri: &str) -> Option<String> {
        match self {
            Scope::Collection => Some(uri.to_owned()),
            Scope::Uri(one) => (one == uri).then(|| uri.to_owned()),
            Scope::Prefix(prefix) => uri.strip_prefix(&**prefix).map(ToOwned::to_owned),
            Scope::Pattern(pattern) => pattern.matches(uri).then(|| pattern.inside(uri).to_owned()),
            Scope::Site(site) => {
                let url = address::parse(uri).ok()?;
                if url == *site {
                    return Some(url.path().to_owned());
                }
                let mut folder = site.clone();
                folder.set_path(address::folder(site));
                Scope::Below(folder).inside(uri).filter(|_| address::is_list_name(site))
            }
            Scope::Below(folder) => {
                let url = address::parse(uri).ok()?;
                let is_below =
                    url.origin() == folder.origin() && url.path().starts_with(folder.path());
                is_below.then(|| url.path().to_owned())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_scope_contains_the_uris_that_its_source_would_list() {
        let site = |url: &str| Scope::Site(address::parse(url).unwrap());
        let contains =
            |scope: Scope, uri: &str| Scopes::new(vec![scope], Filter::default()).contain(uri);
        assert!(contains(Scope::Collection, "a.md"));
        assert!(
            contains(Scope::Uri("a.md".into()), "a.md")
                && !contains(Scope::Uri("a.md".into()), "b/a.md")
        );
        let book = || Scope::Prefix("book/".into());
        assert!(
            contains(book(), "book/a.md")
                && !contains(book(), "books/a.md")
                && !contains(book(), "book")
        );
        let pattern = || Scope::Pattern(Pattern::new("docs/**/*.md").unwrap());
        assert!(contains(pattern(), "docs/a/b.md") && !contains(pattern(), "docs/a.txt"));
        let sitemap = "https://example.org/docs/sitemap.xml";
        assert!(contains(site(sitemap), "https://example.org/docs/a/b"));
        assert!(!contains(site(sitemap), "https://example.org/blog/a"));
        assert!(!contains(site(sitemap), "https://example.com/docs/a"));
        assert!(!contains(site("https://example.org/a"), "https://example.org/b"));
        assert!(contains(site("https://example.org/a"), "https://example.org/a"));
    }

    #[test]
    fn documents_that_a_filter_excludes_are_in_no_scope() {
        let filter = Filter::new(&[], &["/drafts/".into()]).unwrap();
        let scopes = Scopes::new(vec![Scope::Prefix("book/".into())], filter);
        assert!(scopes.contain("book/a.md") && !scopes.contain("book/drafts/a.md"));
    }
}
