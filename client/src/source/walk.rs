//! Finding files, and giving each its uri.

use super::{Error, Found, Item};
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
    let root = path.to_owned();
    // The walker's own message for a path that is not there names it twice.
    let missing = path.metadata().err();
    let missing =
        missing.map(|error| Error::Unreadable { path: root.clone(), reason: error.to_string() });
    let is_folder = path.is_dir();
    let mut builder = WalkBuilder::new(path);
    builder.require_git(false).sort_by_file_name(std::ffi::OsStr::cmp);
    let entries = missing.is_none().then(|| builder.build()).into_iter().flatten();
    let found = entries.filter_map(move |entry| match entry {
        // A named pipe or a device would never end.
        Ok(entry) => {
            let kind = entry.file_type();
            let wanted = kind.is_some_and(|kind| kind.is_file() || (!is_folder && !kind.is_dir()));
            wanted.then(|| found(&root, is_folder, entry))
        }
        Err(error) => Some(Err(unreadable(&root, &error))),
    });
    missing.map(Err).into_iter().chain(found)
}

fn found(root: &Path, is_folder: bool, entry: DirEntry) -> Result<Found, Error> {
    let path = entry.into_path();
    if is_folder && is_binary(&path) {
        return Ok(Found::Skipped(path));
    }
    let inside = path.strip_prefix(root).unwrap_or(&path).components();
    let inside = if is_folder { joined(inside) } else { None };
    let uri = match &inside {
        Some(inside) => uri_in(root, inside),
        None if is_folder => None,
        None => as_given(&path),
    };
    match uri {
        Some(uri) => Ok(Found::Item(Item { inside, ..Item::file(path, uri) })),
        None => Err(Error::Path { path }),
    }
}

fn is_binary(path: &Path) -> bool {
    let extension = path.extension().and_then(|extension| extension.to_str());
    extension.is_some_and(|extension| BINARY.contains(&&*extension.to_ascii_lowercase()))
}

/// The path as given, without the `.` that means nothing.
fn as_given(path: &Path) -> Option<String> {
    joined(path.components().filter(|component| !matches!(component, Component::CurDir)))
}

/// The path from the folder's own name on, which for `.` and `..` only the system knows.
fn uri_in(root: &Path, inside: &str) -> Option<String> {
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
                Found::Skipped(_) => None,
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
