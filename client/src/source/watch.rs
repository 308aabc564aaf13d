/*!
Watching files: what has changed since somebody looked.

Changes are gathered until nothing more happens for a moment, since an editor writes a file in
several steps. What is said is only where something happened; the sources are then read again, but
for the documents elsewhere.
*/

use super::{Error, Found, Item};
use notify_debouncer_full::notify::{EventKind, RecommendedWatcher, RecursiveMode};
use notify_debouncer_full::{
    DebounceEventResult, DebouncedEvent, Debouncer, RecommendedCache, new_debouncer,
};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::Duration;
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};

/// How long nothing may happen before changes are told.
const QUIET: Duration = Duration::from_millis(300);

/// Watches files and folders.
pub struct Watch {
    /// It watches as long as it lives.
    _watcher: Debouncer<RecommendedWatcher, RecommendedCache>,
    changes: UnboundedReceiver<Changes>,
}

/// Where something has changed.
#[derive(Clone, Debug, Default)]
pub struct Changes(BTreeSet<PathBuf>);

impl Watch {
    /// Begins to watch files, and folders with all that is in them.
    ///
    /// # Errors
    ///
    /// [`Error::Unwatchable`] if one cannot be watched.
    pub fn new(paths: &[PathBuf]) -> Result<Self, Error> {
        let (sender, receiver) = unbounded_channel();
        let refused = |path: &Path| {
            let path = path.to_owned();
            move |error: notify_debouncer_full::notify::Error| Error::Unwatchable {
                path,
                reason: reason(&error),
            }
        };
        let tell = move |events: DebounceEventResult| {
            let events = events.unwrap_or_default();
            let touching = |event: &DebouncedEvent| !matches!(event.kind, EventKind::Access(_));
            let paths = events.into_iter().filter(touching).flat_map(|event| event.event.paths);
            let changed = Changes(paths.collect());
            if !changed.0.is_empty() {
                // Nobody listens any more when the run ends.
                let _ = sender.send(changed);
            }
        };
        let first = paths.first().map_or(Path::new("."), PathBuf::as_path);
        let mut watcher = new_debouncer(QUIET, None, tell).map_err(refused(first))?;
        for path in paths {
            // A file may be replaced by another one of its name, which only its folder sees.
            let place = if path.is_dir() { path.clone() } else { folder(path) };
            let mode =
                if path.is_dir() { RecursiveMode::Recursive } else { RecursiveMode::NonRecursive };
            // Changes are told below the path that is watched, and compared by whole paths.
            let place = std::path::absolute(&place).unwrap_or(place);
            watcher.watch(&place, mode).map_err(refused(path))?;
        }
        Ok(Self { _watcher: watcher, changes: receiver })
    }

    /// Waits until something has changed.
    pub async fn changes(&mut self) -> Changes {
        let mut changes = self.changes.recv().await.unwrap_or_default();
        while let Ok(more) = self.changes.try_recv() {
            changes.0.extend(more.0);
        }
        changes
    }
}

impl Changes {
    /// Tells whether a document may have changed: its file, or that in which it is, or a folder
    /// above, or what says which files are ignored.
    pub fn touch(&self, item: &Item) -> bool {
        let Ok(path) = std::path::absolute(file(&item.origin)) else { return true };
        let mut above = path.ancestors();
        above.any(|path| self.0.contains(path)) || self.0.iter().any(|path| is_ignore_list(path))
    }

    /// Tells whether what was found may have changed; what is said of other things is kept.
    pub fn concern(&self, found: &Result<Found, Error>) -> bool {
        match found {
            Ok(Found::Item(item)) => self.touch(item),
            Ok(Found::Skipped(_) | Found::Foreign(_)) => false,
            Err(_) => true,
        }
    }
}

/// The file of an origin, which may name a line of it behind a colon.
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
            "the system watches no more folders".into()
        }
        notify_debouncer_full::notify::ErrorKind::PathNotFound => "it is not there".into(),
        _ => error.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_touches_what_is_there_and_below() {
        let here = std::path::absolute("docs").unwrap();
        let changes = |path: &str| Changes(BTreeSet::from([here.join(path)]));
        let item = |origin: &str| Item { origin: origin.into(), ..Item::bytes("a", "a") };
        assert!(
            changes("a.md").touch(&item("docs/a.md")) && changes("").touch(&item("./docs/a.md"))
        );
        assert!(!changes("a.md").touch(&item("docs/b.md")));
        assert!(changes("x.zip").touch(&item("docs/x.zip/a.md")));
        assert!(changes("x.jsonl").touch(&item("docs/x.jsonl:12")));
        assert!(changes("part/.gitignore").touch(&item("docs/a.md")));
    }
}
