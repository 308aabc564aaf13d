//! Which of the documents that are there are wanted.

use super::Error;
use ignore::gitignore::{Gitignore, GitignoreBuilder};
use std::path::Path;

/// Includes and excludes, written as in `.gitignore`; the default takes everything.
///
/// A pattern without a slash is for names anywhere, one with a slash for the place in the folder,
/// archive or site that is named. Excludes go before includes.
#[derive(Clone, Debug)]
pub struct Filter {
    include: Gitignore,
    exclude: Gitignore,
}

impl Default for Filter {
    fn default() -> Self {
        Self { include: Gitignore::empty(), exclude: Gitignore::empty() }
    }
}

impl Filter {
    /// Reads patterns; without any include everything is.
    ///
    /// # Errors
    ///
    /// [`Error::Pattern`] for what is no pattern.
    pub fn new(include: &[String], exclude: &[String]) -> Result<Self, Error> {
        Ok(Self { include: matcher(include)?, exclude: matcher(exclude)? })
    }

    /// Tells whether a document is wanted, by where it is in what was named.
    pub fn takes(&self, inside: &str) -> bool {
        let path = relative(inside);
        let included = self.include.is_empty()
            || self.include.matched_path_or_any_parents(path, false).is_ignore();
        included && !self.exclude.matched_path_or_any_parents(path, false).is_ignore()
    }

    /// Tells whether a folder may hold wanted documents.
    pub(super) fn enters(&self, inside: &Path) -> bool {
        !self.exclude.matched(inside, true).is_ignore()
    }
}

/// The patterns of one list. A path beside the root would make the matcher panic, so what leads
/// out of it is taken off first; see [`relative`].
fn matcher(patterns: &[String]) -> Result<Gitignore, Error> {
    let mut builder = GitignoreBuilder::new("");
    // In a file it is better to take a wrong pattern for a name; here somebody can be told.
    builder.allow_unclosed_class(false);
    for pattern in patterns {
        let added = builder.add_line(None, pattern);
        added.map_err(|error| refused(pattern, &error))?;
    }
    builder.build().map_err(|error| refused(&patterns.join(" "), &error))
}

fn refused(pattern: &str, error: &ignore::Error) -> Error {
    let mut error = error;
    while let ignore::Error::WithLineNumber { err, .. } | ignore::Error::WithPath { err, .. } =
        error
    {
        error = err;
    }
    let reason = match error {
        ignore::Error::Glob { err, .. } => err.clone(),
        other => other.to_string(),
    };
    Error::Pattern { pattern: pattern.to_owned(), reason }
}

/// The path from the first name on.
fn relative(inside: &str) -> &str {
    let mut path = inside;
    loop {
        let shorter = path.trim_start_matches('/');
        let shorter = shorter.strip_prefix("../").or(shorter.strip_prefix("./")).unwrap_or(shorter);
        if shorter.len() == path.len() {
            return path;
        }
        path = shorter;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn filter(include: &[&str], exclude: &[&str]) -> Filter {
        let owned =
            |patterns: &[&str]| patterns.iter().map(ToString::to_string).collect::<Vec<_>>();
        Filter::new(&owned(include), &owned(exclude)).unwrap()
    }

    #[test]
    fn names_match_anywhere_and_places_from_the_root() {
        let taken = filter(&["*.md", "/api/*.json"], &["drafts/", "/CHANGES.md"]);
        for path in ["a.md", "part/b.md", "api/c.json", "/srv/a.md", "../a.md", "part/CHANGES.md"] {
            assert!(taken.takes(path), "{path}");
        }
        for path in ["a.txt", "part/api/c.json", "drafts/a.md", "x/drafts/y/a.md", "CHANGES.md"] {
            assert!(!taken.takes(path), "{path}");
        }
        assert!(!taken.enters(Path::new("x/drafts")) && taken.enters(Path::new("x")));
    }

    #[test]
    fn without_patterns_everything_is_taken() {
        assert!(Filter::default().takes("a/b.md") && filter(&[], &["*.txt"]).takes("a/b.md"));
    }

    #[test]
    fn what_is_no_pattern_is_named() {
        let error = Filter::new(&["a[".into()], &[]).unwrap_err();
        assert!(error.to_string().starts_with("\"a[\" is no pattern: "), "{error}");
    }

    proptest! {
        #[test]
        fn any_name_can_be_asked_for(pattern in ".{0,12}", name in "[./a]{0,8}.{0,12}") {
            if let Ok(filter) = Filter::new(std::slice::from_ref(&pattern), &[]) {
                let _ = (filter.takes(&name), filter.enters(Path::new(relative(&name))));
            }
        }

        #[test]
        fn an_exclude_goes_before_its_include(pattern in "[a-z*?/]{0,6}[a-z*?]", name in "[a-z/]{1,9}") {
            let pattern = std::slice::from_ref(&pattern);
            let either = Filter::new(pattern, &[]).unwrap().takes(&name);
            prop_assert_eq!(Filter::new(&[], pattern).unwrap().takes(&name), !either);
            prop_assert!(!Filter::new(pattern, pattern).unwrap().takes(&name));
        }
    }
}
