//! The list of modules in `modules.json`.

use super::settings::read_settings;
use crate::error::Error;
use serde::Deserialize;
use std::path::{Component, Path, PathBuf};

/// The modules of a folder.
#[derive(Debug)]
pub(crate) struct Modules {
    /// The folder of the encoder.
    pub(crate) encoder: PathBuf,
    /// The folder of the pooling's settings.
    pub(super) pooling: PathBuf,
    /// The modules behind the pooling, each with its folder.
    pub(super) steps: Vec<(StepKind, PathBuf)>,
    /// Whether the folder has no list, so that the modules are the defaults.
    pub(crate) are_assumed: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum StepKind {
    Dense,
    Normalize,
}

/// An entry of `modules.json`.
#[derive(Deserialize)]
struct Entry {
    /// The path of a class in Python.
    #[serde(rename = "type")]
    class: String,
    /// The folder of the module's files, relative to that of the model.
    #[serde(default)]
    path: String,
}

/// The package of the classes. The class of another package has the same name and does something else.
const PACKAGE: &str = "sentence_transformers.";

impl Modules {
    /// Reads the list, or returns the defaults: an encoder, the mean of its states, normalized.
    ///
    /// # Errors
    ///
    /// Returns [`Error::Unsupported`] if the list has a module or an order that is not implemented.
    pub(crate) fn read(folder: &Path) -> Result<Self, Error> {
        let path = folder.join("modules.json");
        let Some(entries) = read_settings::<Vec<Entry>>(&path)? else {
            return Ok(Self {
                encoder: folder.into(),
                pooling: folder.join("1_Pooling"),
                steps: vec![(StepKind::Normalize, folder.into())],
                are_assumed: true,
            });
        };
        let refuse = |reason: String| Error::unsupported(&path, &reason);
        let mut entries = entries.into_iter();
        let mut next = |class: &str| {
            let entry = entries.next().filter(|entry| name(entry) == Some(class));
            let entry = entry.ok_or_else(|| {
                refuse(format!("the modules do not begin with Transformer and Pooling, but {class} is missing or is not of sentence-transformers"))
            })?;
            module_folder(folder, &entry).map_err(refuse)
        };
        let (encoder, pooling) = (next("Transformer")?, next("Pooling")?);
        let mut steps = Vec::new();
        for entry in entries {
            let kind = match name(&entry) {
                Some("Dense") => StepKind::Dense,
                Some("Normalize") => StepKind::Normalize,
                // It changes vectors only during a training.
                Some("Dropout") => continue,
                _ => return Err(refuse(format!("the module {} is not supported", entry.class))),
            };
            steps.push((kind, module_folder(folder, &entry).map_err(refuse)?));
        }
        Ok(Self { encoder, pooling, steps, are_assumed: false })
    }
}

/// Returns the name of a module's class.
fn name(entry: &Entry) -> Option<&str> {
    entry.class.strip_prefix(PACKAGE)?.rsplit('.').next()
}

/// Returns the folder of a module. A path that leaves the folder of the model is an error.
fn module_folder(folder: &Path, entry: &Entry) -> Result<PathBuf, String> {
    let path = Path::new(&entry.path);
    if path.components().all(|part| matches!(part, Component::Normal(_) | Component::CurDir)) {
        Ok(if entry.path.is_empty() { folder.into() } else { folder.join(path) })
    } else {
        Err(format!("the path \"{}\" leads out of the folder", entry.path))
    }
}
