//! Sources without a document: the error that reports the reason.

use super::left_out::MAX_COUNTED;
use super::walk::is_hidden;
use super::{EmptyReason, Error, Filter, LeftOut, Selection, SourceEntry};
use ignore::WalkBuilder;
use std::path::Path;

/// Returns the entries of a source, and an error at the end if there was neither a document nor an error.
///
/// `explain` returns the reason from the counts of `selection`.
pub(super) fn or_empty(
    mut entries: impl Iterator<Item = Result<SourceEntry, Error>> + Send,
    name: String,
    selection: Selection,
    explain: impl FnOnce(LeftOut) -> EmptyReason + Send,
) -> impl Iterator<Item = Result<SourceEntry, Error>> + Send {
    let mut explain = Some(explain);
    std::iter::from_fn(move || {
        let Some(entry) = entries.next() else {
            let reason = explain.take()?(selection.left_out());
            return Some(Err(Error::Empty { name: name.clone(), reason }));
        };
        match &entry {
            Ok(SourceEntry::Skipped(_)) => selection.count(|left_out| left_out.not_text += 1),
            Ok(SourceEntry::SkippedPage(_)) => {}
            Ok(SourceEntry::Document(_)) | Err(_) => explain = None,
        }
        Some(entry)
    })
}

/// Returns why a folder has no document: counts all files that a walk leaves out.
pub(super) fn explain_folder(root: &Path, filter: &Filter) -> EmptyReason {
    let mut left_out = LeftOut::default();
    for entry in files(root).take(MAX_COUNTED) {
        let path = entry.path();
        let inside = path.strip_prefix(root).unwrap_or(path).to_string_lossy();
        let reason = if is_hidden(&inside) {
            &mut left_out.hidden
        } else if !entry.file_type().is_some_and(|kind| kind.is_file()) {
            &mut left_out.links_and_devices
        } else if !filter.includes(&inside) {
            &mut left_out.excluded
        } else if !filter.is_document(path) {
            &mut left_out.not_text
        } else {
            &mut left_out.ignored_by_git
        };
        *reason += 1;
    }
    left_out.reason()
}

/// Lists everything in a folder that is not a folder, also what git ignores, but not what git stores.
pub(super) fn files(root: &Path) -> impl Iterator<Item = ignore::DirEntry> + use<> {
    let mut builder = WalkBuilder::new(root);
    builder.standard_filters(false).filter_entry(|entry| entry.file_name() != ".git");
    let is_folder = |entry: &ignore::DirEntry| entry.file_type().is_some_and(|kind| kind.is_dir());
    builder.build().flatten().filter(move |entry| !is_folder(entry))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn an_empty_folder_says_why() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        let why = |exclude: &[&str]| {
            let exclude: Vec<_> = exclude.iter().map(ToString::to_string).collect();
            explain_folder(root, &Filter::new(&[], &exclude).unwrap()).to_string()
        };
        assert_eq!(why(&[]), "it is empty");
        fs::create_dir_all(root.join(".git/objects")).unwrap();
        fs::write(root.join(".git/objects/a"), "x").unwrap();
        assert_eq!(why(&[]), "it is empty");
        fs::write(root.join("a.md"), "x").unwrap();
        assert_eq!(why(&[]), "its only file is ignored by git");
        fs::write(root.join("b.md"), "x").unwrap();
        assert_eq!(why(&[]), "all 2 files are ignored by git");
        fs::write(root.join(".c.md"), "x").unwrap();
        fs::write(root.join("d.png"), "x").unwrap();
        assert_eq!(
            why(&["b.*"]),
            "all 4 files are left out: 1 ignored by git, 1 hidden, 1 excluded by --include or --exclude, 1 not text"
        );
    }
}
