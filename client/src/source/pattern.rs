//! Patterns of paths that no shell has expanded, such as `'docs/**/*.md'`.

use super::walk::{Depth, as_given, entries, is_hidden};
use super::{Error, Filter, Found, Item};
use globset::{GlobBuilder, GlobMatcher};
use std::path::{Path, PathBuf};

/// Files whose paths a pattern describes.
#[derive(Clone, Debug)]
pub struct Pattern {
    text: String,
    matcher: GlobMatcher,
}

impl Pattern {
    /// Tells whether an argument is a pattern: it has a mark of one, and is no file's name.
    pub fn is(argument: &Path) -> bool {
        let marked =
            argument.to_str().is_some_and(|argument| argument.contains(['*', '?', '[', '{']));
        marked && !argument.exists()
    }

    /// Reads a pattern: `*` and `?` stand for parts of a name, `**` for folders, `[a-z]` for
    /// one character, `{a,b}` for either.
    ///
    /// # Errors
    ///
    /// [`Error::Pattern`] if it is none.
    pub fn new(text: &str) -> Result<Self, Error> {
        let text = text.strip_prefix("./").unwrap_or(text);
        let glob = GlobBuilder::new(text).literal_separator(true).build();
        let glob = glob.map_err(|error| Error::Pattern {
            pattern: text.to_owned(),
            reason: error.kind().to_string(),
        })?;
        Ok(Self { text: text.to_owned(), matcher: glob.compile_matcher() })
    }

    /// Tells whether a path is as the pattern has it.
    pub fn matches(&self, uri: &str) -> bool {
        self.matcher.is_match(uri)
    }

    /// The folder in which all of it lies.
    pub(super) fn folder(&self) -> PathBuf {
        let root = self.root();
        if root.as_os_str().is_empty() { PathBuf::from(".") } else { root }
    }

    /// What is behind that folder in a path.
    pub(super) fn inside<'u>(&self, uri: &'u str) -> &'u str {
        let root = self.root();
        uri.strip_prefix(root.to_str().unwrap_or_default()).unwrap_or(uri).trim_start_matches('/')
    }

    /// Finds the files, in the order of their names; a pattern that finds none is an error.
    pub(super) fn files(self, filter: Filter) -> impl Iterator<Item = Result<Found, Error>> + Send {
        let root = self.root();
        // As in a shell, only a pattern that says so finds what is hidden.
        let hidden = is_hidden(self.inside(&self.text));
        let depth = Depth { most: self.depth(&root), hidden };
        let is_missing = !self.folder().exists();
        let mut missing = Some(Error::NoMatch { pattern: self.text.clone() });
        let mut files =
            entries(&self.folder(), &Filter::default(), depth).filter_map(move |entry| {
                let entry = match entry {
                    Ok(entry) if entry.file_type().is_some_and(|kind| kind.is_file()) => entry,
                    Ok(_) => return None,
                    Err(error) => return Some(Err(error)),
                };
                let path = entry.into_path();
                let Some(uri) = as_given(&path) else { return Some(Err(Error::Path { path })) };
                if !self.matches(&uri) {
                    return None;
                }
                let inside = path.strip_prefix(&root).ok().and_then(as_given);
                Some(Ok(Item { inside, ..Item::file(path, uri) }))
            });
        std::iter::from_fn(move || {
            loop {
                match files.next() {
                    None => return missing.take().map(Err),
                    // A folder that is not there has no files; more need not be said of it.
                    Some(Err(error)) => {
                        return Some(Err(match missing.take() {
                            Some(missing) if is_missing => missing,
                            _ => error,
                        }));
                    }
                    Some(Ok(item)) => {
                        missing = None;
                        if filter.takes(item.inside.as_deref().unwrap_or(&item.uri)) {
                            return Some(Ok(Found::Item(item)));
                        }
                    }
                }
            }
        })
    }

    /// The folders before the first mark; none at all is where we are.
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

    /// How deep files may lie below the folder, if the pattern says so.
    fn depth(&self, root: &Path) -> Option<usize> {
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
        let uri = |found: Result<Found, Error>| match found {
            Ok(Found::Item(item)) => item.uri,
            other => panic!("{other:?}"),
        };
        Pattern::new(pattern).unwrap().files(Filter::default()).map(uri).collect()
    }

    #[test]
    fn a_pattern_finds_what_a_shell_would() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().to_str().unwrap();
        fs::create_dir_all(folder.path().join("part/deep")).unwrap();
        for file in ["a.md", "b.txt", ".hidden.md", "part/c.md", "part/deep/d.md", "part/e.rst"] {
            fs::write(folder.path().join(file), "x").unwrap();
        }
        let found = |pattern: &str| -> Vec<String> {
            let uris = uris(&format!("{root}/{pattern}"));
            uris.iter().map(|uri| uri[root.len() + 1..].to_owned()).collect()
        };
        assert_eq!(found("*.md"), ["a.md"]);
        assert_eq!(found("**/*.md"), ["a.md", "part/c.md", "part/deep/d.md"]);
        assert_eq!(found("part/*"), ["part/c.md", "part/e.rst"]);
        assert_eq!(found("*/*.{md,rst}"), ["part/c.md", "part/e.rst"]);
        assert_eq!(found("[ab].*"), ["a.md", "b.txt"]);
        assert_eq!(found(".*.md"), [".hidden.md"]);
    }

    #[test]
    fn a_pattern_that_finds_nothing_is_said_once() {
        let mut found = Pattern::new("no/such/*.md").unwrap().files(Filter::default());
        assert!(found.next().unwrap().is_err());
        assert!(found.next().is_none());
        let error = Pattern::new("a[").unwrap_err();
        assert!(error.to_string().starts_with("\"a[\" is no pattern: "), "{error}");
    }
}
