/*!
Watching files for changes.

An editor writes a file in several steps, so changes are collected until none follows for a moment.
The result has only paths. The sources are then listed again, and only the documents of changed
paths are read.
*/

use super::{Error, SourceDocument, SourceEntry};
use notify_debouncer_full::notify::{EventKind, RecommendedWatcher, RecursiveMode};
use notify_debouncer_full::{
    DebounceEventResult, DebouncedEvent, Debouncer, RecommendedCache, new_debouncer,
};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::Duration;
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};

/// The time without changes after which the collected ones are reported.
const QUIET: Duration = Duration::from_millis(300);

/// Watches files and folders.
pub struct Watch {
    /// Dropping the watcher ends it.
    _watcher: Debouncer<RecommendedWatcher, RecommendedCache>,
    changes: UnboundedReceiver<Changes>,
}

/// Paths that have changed.
#[derive(Clone, Debug, Default)]
pub struct Changes(BTreeSet<PathBuf>);

impl Watch {
    /// Starts to watch files, and folders with everything in them.
    ///
    /// # Errors
    ///
    /// Returns [`Error::Unwatchable`] if a path cannot be watched.
    pub fn new(paths: &[PathBuf]) -> Result<Self, Error> {
        let (sender, receiver) = unbounded_channel();
        let unwatchable = |path: &Path| {
            let path = path.to_owned();
            move |error: notify_debouncer_full::notify::Error| Error::Unwatchable {
                path,
                reason: reason(&error),
            }
        };
        let report = move |events: DebounceEventResult| {
            let events = events.unwrap_or_default();
            let is_change = |event: &DebouncedEvent| !matches!(event.kind, EventKind::Access(_));
            let paths = events.into_iter().filter(is_change).flat_map(|event| event.event.paths);
            let changed = Changes(paths.collect());
            if !changed.0.is_empty() {
                // The receiver is dropped when the run ends.
                let _ = sender.send(changed);
            }
        };
        let first = paths.first().map_or(Path::new("."), PathBuf::as_path);
        let mut watcher = new_debouncer(QUIET, None, report).map_err(unwatchable(first))?;
        for path in paths {
            // A file may be replaced by another file of its name. Only its folder reports that.
            let target = if path.is_dir() { path.clone() } else { folder(path) };
            let mode =
                if path.is_dir() { RecursiveMode::Recursive } else { RecursiveMode::NonRecursive };
            // Reported paths begin with the watched path, and absolute paths are compared.
            let target = std::path::absolute(&target).unwrap_or(target);
            watcher.watch(&target, mode).map_err(unwatchable(path))?;
        }
        Ok(Self { _watcher: watcher, changes: receiver })
    }

    /// Waits until something has changed, and returns all changes since the last call.
    pub async fn changes(&mut self) -> Changes {
        let mut changes = self.changes.recv().await.unwrap_or_default();
        while let Ok(more) = self.changes.try_recv() {
            changes.0.extend(more.0);
        }
        changes
    }
}

impl Changes {
    /// Returns whether a document may have changed: its file, its archive, a folder above it, or
    /// any list of ignored files.
    fn affect(&self, document: &SourceDocument) -> bool {
        let Ok(path) = std::path::absolute(file(&document.origin)) else { return true };
        let mut above = path.ancestors();
        above.any(|path| self.0.contains(path)) || self.0.iter().any(|path| is_ignore_list(path))
    }

    /// Returns whether an entry of a source may have changed. Errors count as changed, so that they
    /// are reported.
    pub fn may_affect(&self, entry: &Result<SourceEntry, Error>) -> bool {
        match entry {
            Ok(SourceEntry::Document(item)) => self.affect(item),
            Ok(SourceEntry::Skipped(_) | SourceEntry::SkippedPage(_)) => false,
            Err(_) => true,
        }
    }
}

/// Returns the file of an origin, which may end with a colon and a line number.
fn file(origin: &Path) -> &Path {
    match origin.to_str().and_then(|text| text.rsplit_once(':')) {
        Some((file, line)) if line.parse::<usize>().is_ok() => Path::new(file),
        _ => origin,
    }
}

fn is_ignore_list(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name == ".gitignore" || name == ".ignore")
}

fn folder(path: &Path) -> PathBuf {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder.to_owned(),
        _ => PathBuf::from("."),
    }
}

fn reason(error: &notify_debouncer_full::notify::Error) -> String {
    match &error.kind {
        notify_debouncer_full::notify::ErrorKind::Io(error) => error.to_string(),
        notify_debouncer_full::notify::ErrorKind::MaxFilesWatch => {
            "the limit of watched folders is reached".into()
        }
        notify_debouncer_full::notify::ErrorKind::PathNotFound => "no such file or folder".into(),
        _ => error.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_affects_the_documents_at_and_below_its_path() {
        let here = std::path::absolute("docs").unwrap();
        let changes = |path: &str| Changes(BTreeSet::from([here.join(path)]));
        let document = |origin: &str| SourceDocument {
            origin: origin.into(),
            ..SourceDocument::bytes("a", "a")
        };
        assert!(
            changes("a.md").affect(&document("docs/a.md"))
                && changes("").affect(&document("./docs/a.md"))
        );
        assert!(!changes("a.md").affect(&document("docs/b.md")));
        assert!(changes("x.zip").affect(&document("docs/x.zip/a.md")));
        assert!(changes("x.jsonl").affect(&document("docs/x.jsonl:12")));
        assert!(changes("part/.gitignore").affect(&document("docs/a.md")));
    }
}
