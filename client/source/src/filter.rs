//! Filters: include and exclude patterns for documents.

use super::Error;
use ignore::gitignore::{Gitignore, GitignoreBuilder};
use std::path::Path;

/// Extensions of files that are not documents. Such files are skipped in folders. Documents that are not text, such as
/// PDF, are listed: their reader converts them, or reports that it cannot.
const BINARY: &[&str] = &[
    "7z", "a", "avif", "bin", "bmp", "bz2", "class", "dll", "dylib", "eot", "exe", "gif", "gz",
    "ico", "jar", "jpeg", "jpg", "mov", "mp3", "mp4", "o", "ogg", "otf", "png", "pyc", "rlib",
    "so", "tar", "tgz", "tif", "tiff", "ttf", "wasm", "wav", "webm", "webp", "woff", "woff2", "xz",
    "zip", "zst",
];

/// Include and exclude patterns in the syntax of `.gitignore`. The default includes every document.
///
/// A pattern without a slash matches names at any depth. A pattern with a slash matches the path
/// inside the folder, archive or site that was named. Exclude patterns take precedence over include
/// patterns.
///
/// # Examples
///
/// ```
/// use passage_source::Filter;
///
/// let filter = Filter::new(&["*.md".into()], &["drafts/".into()])?;
/// assert!(filter.includes("guide/setup.md"));
/// assert!(!filter.includes("drafts/setup.md"));
/// # Ok::<(), passage_source::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Filter {
    include: Gitignore,
    exclude: Gitignore,
    /// Extensions of documents whose names say that they are not text, in lower case.
    converted: Vec<String>,
}

impl Default for Filter {
    fn default() -> Self {
        Self { include: Gitignore::empty(), exclude: Gitignore::empty(), converted: Vec::new() }
    }
}

impl Filter {
    /// Parses patterns. Without include patterns, every document is included that no pattern
    /// excludes.
    ///
    /// # Errors
    ///
    /// Returns [`Error::Pattern`] for an invalid pattern.
    pub fn new(include: &[String], exclude: &[String]) -> Result<Self, Error> {
        Ok(Self { include: matcher(include)?, exclude: matcher(exclude)?, converted: Vec::new() })
    }

    /// Returns a filter that also accepts files with these extensions in folders and archives, even if their names say
    /// that they are not text: the caller converts them.
    ///
    /// ```
    /// use passage_source::Filter;
    ///
    /// let filter = Filter::default().with_converted(["png"]);
    /// assert!(filter.is_document("scan.PNG".as_ref()) && !filter.is_document("a.jpg".as_ref()));
    /// ```
    #[must_use]
    pub fn with_converted<'e>(self, extensions: impl IntoIterator<Item = &'e str>) -> Self {
        let converted = extensions.into_iter().map(str::to_ascii_lowercase).collect();
        Self { converted, ..self }
    }

    /// Returns whether a file may be a document, by the extension of its name.
    pub fn is_document(&self, path: &Path) -> bool {
        let extension = path.extension().and_then(|extension| extension.to_str());
        let extension = extension.unwrap_or_default().to_ascii_lowercase();
        !BINARY.contains(&&*extension) || self.converted.contains(&extension)
    }

    /// Returns whether a document is included, by its path inside the source.
    pub fn includes(&self, inside: &str) -> bool {
        let path = relative(inside);
        let included = self.include.is_empty()
            || self.include.matched_path_or_any_parents(path, false).is_ignore();
        included && !self.exclude.matched_path_or_any_parents(path, false).is_ignore()
    }

    /// Returns whether a folder may contain included documents.
    pub(super) fn enters_folder(&self, inside: &Path) -> bool {
        !self.exclude.matched(inside, true).is_ignore()
    }
}

/// Compiles a list of patterns. A path outside the root would make the matcher panic, so
/// [`relative`] first removes the components that lead out of it.
fn matcher(patterns: &[String]) -> Result<Gitignore, Error> {
    let mut builder = GitignoreBuilder::new("");
    // In a `.gitignore` file an invalid pattern is treated as a name. Here the user can see an
    // error.
    builder.allow_unclosed_class(false);
    for pattern in patterns {
        let added = builder.add_line(None, pattern);
        added.map_err(|error| pattern_error(pattern, &error))?;
    }
    builder.build().map_err(|error| pattern_error(&patterns.join(" "), &error))
}

fn pattern_error(pattern: &str, error: &ignore::Error) -> Error {
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

/// Returns the path from its first name on.
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
    fn names_match_at_any_depth_and_paths_match_from_the_root() {
        let filtered = filter(&["*.md", "/api/*.json"], &["drafts/", "/CHANGES.md"]);
        for path in ["a.md", "part/b.md", "api/c.json", "/srv/a.md", "../a.md", "part/CHANGES.md"] {
            assert!(filtered.includes(path), "{path}");
        }
        for path in ["a.txt", "part/api/c.json", "drafts/a.md", "x/drafts/y/a.md", "CHANGES.md"] {
            assert!(!filtered.includes(path), "{path}");
        }
        assert!(
            !filtered.enters_folder(Path::new("x/drafts"))
                && filtered.enters_folder(Path::new("x"))
        );
    }

    #[test]
    fn without_include_patterns_every_document_is_included() {
        assert!(Filter::default().includes("a/b.md") && filter(&[], &["*.txt"]).includes("a/b.md"));
    }

    #[test]
    fn an_invalid_pattern_is_named() {
        let error = Filter::new(&["a[".into()], &[]).unwrap_err();
        assert!(error.to_string().starts_with("\"a[\" is not a valid pattern: "), "{error}");
    }

    proptest! {
        #[test]
        fn no_name_makes_a_filter_panic(pattern in ".{0,12}", name in "[./a]{0,8}.{0,12}") {
            if let Ok(filter) = Filter::new(std::slice::from_ref(&pattern), &[]) {
                let _ = (filter.includes(&name), filter.enters_folder(Path::new(relative(&name))));
            }
        }

        #[test]
        fn an_exclude_pattern_takes_precedence_over_the_same_include_pattern(pattern in "[a-z*?/]{0,6}[a-z*?]", name in "[a-z/]{1,9}") {
            let pattern = std::slice::from_ref(&pattern);
            let either = Filter::new(pattern, &[]).unwrap().includes(&name);
            prop_assert_eq!(Filter::new(&[], pattern).unwrap().includes(&name), !either);
            prop_assert!(!Filter::new(pattern, pattern).unwrap().includes(&name));
        }
    }
}
