//! Glob patterns that the shell has not expanded, such as `'docs/**/*.md'`.

use super::empty::files;
use super::left_out::MAX_COUNTED;
use super::walk::{Extent, entries, is_hidden, normalized};
use super::{Error, Filter, LeftOut, Selection, SourceDocument, SourceEntry};
use globset::{GlobBuilder, GlobMatcher};
use std::fmt;
use std::path::{Path, PathBuf};

/// A glob pattern of paths.
///
/// # Examples
///
/// ```
/// use passage_source::Pattern;
///
/// let pattern = Pattern::new("docs/**/*.md")?;
/// assert!(pattern.matches("docs/guide/setup.md"));
/// assert!(!pattern.matches("docs/setup.txt"));
/// # Ok::<(), passage_source::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Pattern {
    text: String,
    matcher: GlobMatcher,
}

impl fmt::Display for Pattern {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.text)
    }
}

impl Pattern {
    /// Returns whether an argument is a pattern: it contains `*`, `?`, `[` or `{`, and no file has
    /// this name.
    pub fn is(argument: &Path) -> bool {
        let has_wildcard =
            argument.to_str().is_some_and(|argument| argument.contains(['*', '?', '[', '{']));
        has_wildcard && !argument.exists()
    }

    /// Parses a pattern. `*` and `?` match parts of a name, `**` matches folders, `[a-z]` matches
    /// one character, `{a,b}` matches either text.
    ///
    /// # Errors
    ///
    /// Returns [`Error::Pattern`] for an invalid pattern.
    pub fn new(text: &str) -> Result<Self, Error> {
        let text = text.strip_prefix("./").unwrap_or(text);
        let glob = GlobBuilder::new(text).literal_separator(true).build();
        let glob = glob.map_err(|error| Error::Pattern {
            pattern: text.to_owned(),
            reason: error.kind().to_string(),
        })?;
        Ok(Self { text: text.to_owned(), matcher: glob.compile_matcher() })
    }

    /// Returns whether a path matches.
    pub fn matches(&self, uri: &str) -> bool {
        self.matcher.is_match(uri)
    }

    /// Returns the folder that contains all matches.
    pub(super) fn folder(&self) -> PathBuf {
        let root = self.root();
        if root.as_os_str().is_empty() { PathBuf::from(".") } else { root }
    }

    /// Returns the part of a path after that folder.
    pub(super) fn inside<'u>(&self, uri: &'u str) -> &'u str {
        let root = self.root();
        uri.strip_prefix(root.to_str().unwrap_or_default()).unwrap_or(uri).trim_start_matches('/')
    }

    /// Lists the matching files in the order of their names. A pattern without matches is an error.
    pub(super) fn files(
        self,
        selection: Selection,
    ) -> impl Iterator<Item = Result<SourceEntry, Error>> + Send {
        let root = self.root();
        // As in a shell, hidden files match only if the pattern names a hidden component.
        let hidden = is_hidden(self.inside(&self.text));
        let extent = Extent { max_depth: self.max_depth(&root), hidden };
        let is_missing = !self.folder().exists();
        let pattern = self.clone();
        let mut missing = Some(Error::NoMatch { pattern: self.text.clone() });
        let mut files =
            entries(&self.folder(), &Filter::default(), extent).filter_map(move |entry| {
                let entry = match entry {
                    Ok(entry) if entry.file_type().is_some_and(|kind| kind.is_file()) => entry,
                    Ok(_) => return None,
                    Err(error) => return Some(Err(error)),
                };
                let path = entry.into_path();
                let Some(uri) = normalized(&path) else { return Some(Err(Error::Path { path })) };
                if !self.matches(&uri) {
                    return None;
                }
                let inside = path.strip_prefix(&root).ok().and_then(normalized);
                Some(Ok(SourceDocument { inside, ..SourceDocument::file(path, uri) }))
            });
        std::iter::from_fn(move || {
            loop {
                match files.next() {
                    None => {
                        return missing.take().map(|missing| Err(pattern.without_match(missing)));
                    }
                    // In a missing folder no file matches. The second error would add nothing.
                    Some(Err(error)) => {
                        return Some(Err(match missing.take() {
                            Some(missing) if is_missing => missing,
                            _ => error,
                        }));
                    }
                    Some(Ok(document)) => {
                        missing = None;
                        if selection.includes(document.inside.as_deref().unwrap_or(&document.uri)) {
                            return Some(Ok(SourceEntry::Document(document)));
                        }
                    }
                }
            }
        })
    }

    /// Returns the error of a pattern without a match: another one if git ignores files that match.
    fn without_match(&self, missing: Error) -> Error {
        let is_named = is_hidden(self.inside(&self.text));
        let is_ignored = |entry: &ignore::DirEntry| {
            let uri = normalized(entry.path()).filter(|uri| self.matches(uri));
            uri.is_some_and(|uri| is_named || !is_hidden(self.inside(&uri)))
        };
        match files(&self.folder()).take(MAX_COUNTED).filter(is_ignored).count() {
            0 => missing,
            ignored_by_git => {
                let reason = LeftOut { ignored_by_git, ..LeftOut::default() }.reason();
                Error::Empty { name: self.text.clone(), reason }
            }
        }
    }

    /// Returns the folders before the first wildcard; empty for the working folder.
    fn root(&self) -> PathBuf {
        let is_plain = |part: &&str| !part.contains(['*', '?', '[', '{']);
        let parts: Vec<&str> = self.text.split('/').collect();
        let (_, folders) = parts.split_last().expect("a split has a part");
        let plain: Vec<&str> = folders.iter().copied().take_while(is_plain).collect();
        match &plain[..] {
            [""] => PathBuf::from("/"),
            plain => PathBuf::from(plain.join("/")),
        }
    }

    /// Returns the maximum depth of matches below the folder, if the pattern bounds it.
    fn max_depth(&self, root: &Path) -> Option<usize> {
        let names = |path: &str| path.split('/').filter(|name| !name.is_empty()).count();
        let bounded = !self.text.contains("**") && !self.text.contains('{');
        bounded.then(|| names(&self.text) - root.to_str().map_or(0, names))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn uris(pattern: &str) -> Vec<String> {
        let uri = |entry: Result<SourceEntry, Error>| match entry {
            Ok(SourceEntry::Document(document)) => document.uri,
            other => panic!("{other:?}"),
        };
        Pattern::new(pattern).unwrap().files(Selection::default()).map(uri).collect()
    }

    #[test]
    fn a_pattern_matches_the_files_that_a_shell_would_list() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().to_str().unwrap();
        fs::create_dir_all(folder.path().join("part/deep")).unwrap();
        for file in ["a.md", "b.txt", ".hidden.md", "part/c.md", "part/deep/d.md", "part/e.rst"] {
            fs::write(folder.path().join(file), "x").unwrap();
        }
        let matches = |pattern: &str| -> Vec<String> {
            let uris = uris(&format!("{root}/{pattern}"));
            uris.iter().map(|uri| uri[root.len() + 1..].to_owned()).collect()
        };
        assert_eq!(matches("*.md"), ["a.md"]);
        assert_eq!(matches("**/*.md"), ["a.md", "part/c.md", "part/deep/d.md"]);
        assert_eq!(matches("part/*"), ["part/c.md", "part/e.rst"]);
        assert_eq!(matches("*/*.{md,rst}"), ["part/c.md", "part/e.rst"]);
        assert_eq!(matches("[ab].*"), ["a.md", "b.txt"]);
        assert_eq!(matches(".*.md"), [".hidden.md"]);
    }

    #[test]
    fn a_pattern_without_matches_is_one_error() {
        let mut files = Pattern::new("no/such/*.md").unwrap().files(Selection::default());
        assert!(files.next().unwrap().is_err());
        assert!(files.next().is_none());
        let error = Pattern::new("a[").unwrap_err();
        assert!(error.to_string().starts_with("\"a[\" is not a valid pattern: "), "{error}");
    }
}
