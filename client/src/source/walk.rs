//! Finding files, and giving each its uri.

use super::{Error, Filter, Found, Item};
use ignore::{DirEntry, WalkBuilder};
use std::path::{Component, Path};

/// Files that lie beside documents and are no text; in a folder they are passed over.
const BINARY: &[&str] = &[
    "7z", "a", "avif", "bin", "bmp", "bz2", "class", "dll", "doc", "docx", "dylib", "eot", "exe",
    "gif", "gz", "ico", "jar", "jpeg", "jpg", "mov", "mp3", "mp4", "o", "odt", "ogg", "otf", "pdf",
    "png", "ppt", "pptx", "pyc", "rlib", "so", "tar", "tgz", "tif", "tiff", "ttf", "wasm", "wav",
    "webm", "webp", "woff", "woff2", "xls", "xlsx", "xz", "zip", "zst",
];

/// Finds the files under a path, in the order of their names; a file is found as itself.
pub fn walk(path: &Path) -> impl Iterator<Item = Result<Found, Error>> + Send + use<> {
    wanted(path, Filter::default())
}

/// Finds those files under a path that are wanted.
pub(super) fn wanted(
    path: &Path,
    filter: Filter,
) -> impl Iterator<Item = Result<Found, Error>> + Send + use<> {
    let root = path.to_owned();
    // The walker's own message for a path that is not there names it twice.
    let missing = path.metadata().err().map(|error| Error::unreadable(path, &error));
    let is_folder = path.is_dir();
    let walked = missing.is_none().then(|| entries(path, &filter, Depth::default()));
    let found = walked.into_iter().flatten().filter_map(move |entry| match entry {
        // A named pipe or a device would never end.
        Ok(entry) => {
            let kind = entry.file_type();
            let wanted = kind.is_some_and(|kind| kind.is_file() || (!is_folder && !kind.is_dir()));
            if wanted { found(&root, is_folder, &filter, entry) } else { None }
        }
        Err(error) => Some(Err(error)),
    });
    missing.map(Err).into_iter().chain(found)
}

/// How far a walk goes.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Depth {
    /// The most folders below the root, with the file itself; `None` for all.
    pub(super) most: Option<usize>,
    /// Whether hidden files count.
    pub(super) hidden: bool,
}

/// Walks through a folder, but for what git would ignore and for folders that are not wanted.
pub(super) fn entries(
    root: &Path,
    filter: &Filter,
    depth: Depth,
) -> impl Iterator<Item = Result<DirEntry, Error>> + Send + use<> {
    let mut builder = WalkBuilder::new(root);
    builder.require_git(false).sort_by_file_name(std::ffi::OsStr::cmp);
    builder.max_depth(depth.most).hidden(!depth.hidden);
    let (filter, from, root) = (filter.clone(), root.to_owned(), root.to_owned());
    builder.filter_entry(move |entry| {
        let is_folder = entry.file_type().is_some_and(|kind| kind.is_dir());
        !is_folder || entry.path().strip_prefix(&from).map_or(true, |inside| filter.enters(inside))
    });
    builder.build().map(move |entry| entry.map_err(|error| unreadable(&root, &error)))
}

fn found(
    root: &Path,
    is_folder: bool,
    filter: &Filter,
    entry: DirEntry,
) -> Option<Result<Found, Error>> {
    let path = entry.into_path();
    let inside = path.strip_prefix(root).unwrap_or(&path).components();
    let inside = if is_folder { joined(inside) } else { None };
    let uri = match &inside {
        Some(inside) => uri_in(root, inside),
        None if is_folder => None,
        None => as_given(&path),
    };
    let Some(uri) = uri else { return Some(Err(Error::Path { path })) };
    if !filter.takes(inside.as_deref().unwrap_or(&uri)) {
        return None;
    }
    if is_folder && is_binary(&path) {
        return Some(Ok(Found::Skipped(path)));
    }
    Some(Ok(Found::Item(Item { inside, ..Item::file(path, uri) })))
}

/// Tells whether a file is no text by its name.
pub(super) fn is_binary(path: &Path) -> bool {
    let extension = path.extension().and_then(|extension| extension.to_str());
    extension.is_some_and(|extension| BINARY.contains(&&*extension.to_ascii_lowercase()))
}

/// Tells whether a path has a name in it that is hidden.
pub(super) fn is_hidden(path: &str) -> bool {
    path.split('/').any(|name| name.starts_with('.') && name != "." && name != "..")
}

/// The path as given, without the `.` that means nothing.
pub(super) fn as_given(path: &Path) -> Option<String> {
    joined(path.components().filter(|component| !matches!(component, Component::CurDir)))
}

/// The path from the folder's own name on, which for `.` and `..` only the system knows.
pub(super) fn uri_in(root: &Path, inside: &str) -> Option<String> {
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

pub(super) fn joined<'a>(components: impl Iterator<Item = Component<'a>>) -> Option<String> {
    let mut uri = String::new();
    for component in components {
        if !uri.is_empty() && !uri.ends_with('/') {
            uri.push('/');
        }
        uri.push_str(component.as_os_str().to_str()?);
    }
    Some(uri)
}

/// Says what was wrong without the path, which the error names already.
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
            .filter_map(|found| match found.unwrap() {
                Found::Item(item) => Some(item.uri),
                Found::Skipped(_) | Found::Foreign(_) => None,
            })
            .collect()
    }

    #[test]
    fn a_folder_gives_uris_from_its_own_name_on_and_keeps_gitignore() {
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
    fn a_file_keeps_its_path_as_given() {
        assert_eq!(as_given(Path::new("./docs/./a.md")).unwrap(), "docs/a.md");
        assert_eq!(as_given(Path::new("../a.md")).unwrap(), "../a.md");
        assert_eq!(as_given(Path::new("/srv/a.md")).unwrap(), "/srv/a.md");
    }

    #[test]
    fn a_missing_path_is_named() {
        let error = walk(Path::new("no/such/file.md")).next().unwrap().unwrap_err();
        assert!(
            error.to_string().starts_with("cannot read no/such/file.md: No such file"),
            "{error}"
        );
    }
}
