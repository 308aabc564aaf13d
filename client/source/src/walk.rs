//! Walking folders, and making the uri of each file.

use super::{Error, Filter, SourceDocument, SourceEntry};
use ignore::{DirEntry, WalkBuilder};
use std::path::{Component, Path};

/// Lists the files of a folder in the order of their names. The path of a file lists that file.
///
/// # Examples
///
/// ```no_run
/// use passage_source::{SourceEntry, walk};
/// use std::path::Path;
///
/// for entry in walk(Path::new("docs")) {
///     if let SourceEntry::Document(document) = entry? {
///         println!("{}", document.uri);
///     }
/// }
/// # Ok::<(), passage_source::Error>(())
/// ```
pub fn walk(path: &Path) -> impl Iterator<Item = Result<SourceEntry, Error>> + Send + use<> {
    walk_filtered(path, Filter::default())
}

/// Lists the files of a folder that a filter includes.
pub(super) fn walk_filtered(
    path: &Path,
    filter: Filter,
) -> impl Iterator<Item = Result<SourceEntry, Error>> + Send + use<> {
    let root = path.to_owned();
    // The walker's own message for a missing path names it twice.
    let missing = path.metadata().err().map(|error| Error::unreadable(path, &error));
    let is_folder = path.is_dir();
    let walked = missing.is_none().then(|| entries(path, &filter, Extent::default()));
    let files = walked.into_iter().flatten().filter_map(move |entry| match entry {
        // In a folder, named pipes and devices are skipped, because reading them may never end.
        Ok(entry) => {
            let kind = entry.file_type();
            let is_read = kind.is_some_and(|kind| kind.is_file() || (!is_folder && !kind.is_dir()));
            if is_read { source_entry(&root, is_folder, &filter, entry) } else { None }
        }
        Err(error) => Some(Err(error)),
    });
    missing.map(Err).into_iter().chain(files)
}

/// The extent of a walk.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Extent {
    /// The maximum depth of a file below the root, 1 for the files in it; `None` for no limit.
    pub(super) max_depth: Option<usize>,
    /// Whether hidden files are listed.
    pub(super) hidden: bool,
}

/// Walks a folder. Leaves out what git would ignore and the folders that a filter excludes.
pub(super) fn entries(
    root: &Path,
    filter: &Filter,
    extent: Extent,
) -> impl Iterator<Item = Result<DirEntry, Error>> + Send + use<> {
    let mut builder = WalkBuilder::new(root);
    builder.require_git(false).sort_by_file_name(std::ffi::OsStr::cmp);
    builder.max_depth(extent.max_depth).hidden(!extent.hidden);
    let (filter, from, root) = (filter.clone(), root.to_owned(), root.to_owned());
    builder.filter_entry(move |entry| {
        let is_folder = entry.file_type().is_some_and(|kind| kind.is_dir());
        !is_folder
            || entry.path().strip_prefix(&from).map_or(true, |inside| filter.enters_folder(inside))
    });
    builder.build().map(move |entry| entry.map_err(|error| unreadable(&root, &error)))
}

fn source_entry(
    root: &Path,
    is_folder: bool,
    filter: &Filter,
    entry: DirEntry,
) -> Option<Result<SourceEntry, Error>> {
    let path = entry.into_path();
    let inside = path.strip_prefix(root).unwrap_or(&path).components();
    let inside = if is_folder { joined(inside) } else { None };
    let uri = match &inside {
        Some(inside) => folder_uri(root, inside),
        None if is_folder => None,
        None => normalized(&path),
    };
    let Some(uri) = uri else { return Some(Err(Error::Path { path })) };
    if !filter.includes(inside.as_deref().unwrap_or(&uri)) {
        return None;
    }
    if is_folder && !filter.is_document(&path) {
        return Some(Ok(SourceEntry::Skipped(path)));
    }
    Some(Ok(SourceEntry::Document(SourceDocument { inside, ..SourceDocument::file(path, uri) })))
}

/// Returns whether a component of a path is hidden.
pub(super) fn is_hidden(path: &str) -> bool {
    path.split('/').any(|name| name.starts_with('.') && name != "." && name != "..")
}

/// Returns the path as given, without `.` components.
pub(super) fn normalized(path: &Path) -> Option<String> {
    joined(path.components().filter(|component| !matches!(component, Component::CurDir)))
}

/// Returns the uri of a file in a folder: the folder's name and the path inside. The system
/// resolves the name of `.` and `..`.
pub(super) fn folder_uri(root: &Path, inside: &str) -> Option<String> {
    let name = match root.file_name() {
        Some(name) => Some(name.to_owned()),
        None => root.canonicalize().ok().and_then(|root| root.file_name().map(ToOwned::to_owned)),
    };
    match name {
        Some(name) => Some(format!("{}/{inside}", name.to_str()?)),
        // The root of the file system has no name.
        None => Some(inside.to_owned()),
    }
}

fn joined<'a>(components: impl Iterator<Item = Component<'a>>) -> Option<String> {
    let mut uri = String::new();
    for component in components {
        if !uri.is_empty() && !uri.ends_with('/') {
            uri.push('/');
        }
        uri.push_str(component.as_os_str().to_str()?);
    }
    Some(uri)
}

/// Returns the cause without the path, because the error has the path already.
fn unreadable(root: &Path, error: &ignore::Error) -> Error {
    let mut path = root;
    let mut cause = error;
    loop {
        match cause {
            ignore::Error::WithPath { path: inner_path, err } => (path, cause) = (inner_path, err),
            ignore::Error::WithDepth { err, .. } | ignore::Error::WithLineNumber { err, .. } => {
                cause = err;
            }
            _ => break,
        }
    }
    let reason = match cause.io_error() {
        Some(io) => io.to_string(),
        None => cause.to_string(),
    };
    Error::Unreadable { path: path.to_owned(), reason }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn uris(path: &Path) -> Vec<String> {
        walk(path)
            .filter_map(|entry| match entry.unwrap() {
                SourceEntry::Document(document) => Some(document.uri),
                SourceEntry::Skipped(_) | SourceEntry::SkippedPage(_) => None,
            })
            .collect()
    }

    #[test]
    fn uris_begin_with_the_name_of_the_folder_and_gitignore_applies() {
        let folder = tempfile::tempdir().unwrap();
        let book = folder.path().join("book");
        fs::create_dir_all(book.join("part")).unwrap();
        for file in ["b.md", "a.md", "part/c.md", "part/draft.md", "picture.PNG", ".hidden.md"] {
            fs::write(book.join(file), "x").unwrap();
        }
        fs::write(book.join(".gitignore"), "draft*\n").unwrap();
        assert_eq!(uris(&book), ["book/a.md", "book/b.md", "book/part/c.md"]);
        assert_eq!(uris(&book.join(".")), ["book/a.md", "book/b.md", "book/part/c.md"]);
    }

    #[test]
    fn the_uri_of_a_file_is_its_path_as_given() {
        assert_eq!(normalized(Path::new("./docs/./a.md")).unwrap(), "docs/a.md");
        assert_eq!(normalized(Path::new("../a.md")).unwrap(), "../a.md");
        assert_eq!(normalized(Path::new("/srv/a.md")).unwrap(), "/srv/a.md");
    }

    #[test]
    fn the_error_for_a_missing_path_names_it() {
        let error = walk(Path::new("no/such/file.md")).next().unwrap().unwrap_err();
        assert!(
            error.to_string().starts_with("cannot read no/such/file.md: No such file"),
            "{error}"
        );
    }
}
