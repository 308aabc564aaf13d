//! Reading the files of a model and identifying it.

use super::checksums::Checksums;
use super::default_model::{DEFAULT_MODEL, FILES, default_folder};
use super::error::Error;
use sha2::{Digest, Sha256};
use std::fs::File;
use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};

/// The files of an encoder's folder.
pub(super) struct ModelFiles {
    pub(super) weights: File,
    pub(super) tokenizer: Vec<u8>,
    pub(super) config: Vec<u8>,
    pub(super) identity: Identity,
}

/// The checksums of a model's files.
pub(super) struct Identity {
    /// Whether they are those of the default model.
    pub(super) is_default: bool,
    checksums: [String; 3],
}

impl ModelFiles {
    /// Reads two of the files, opens that of the weights, and identifies the model.
    ///
    /// Embeddings of two models must never be mixed in one store, and a file name proves nothing. So the identity is that of the
    /// contents. Weights of the default model require its tokenizer and configuration too.
    ///
    /// # Errors
    ///
    /// Returns [`Error::Unreadable`] for a file that cannot be read, [`Error::Damaged`] if a file of the
    /// default model has another checksum, and [`Error::Unsupported`] for weights in another format.
    pub(super) fn read(folder: &Path, known: &Checksums) -> Result<Self, Error> {
        let paths = FILES.map(|file| folder.join(file.name));
        let mut checksums = Vec::with_capacity(FILES.len());
        let mut files = Vec::with_capacity(FILES.len());
        for path in &paths {
            let mut open = || {
                let file = File::open(path)?;
                checksums.push(known.sha256(path, &file)?);
                Ok(file)
            };
            files.push(open().map_err(|source| missing(folder, path.clone(), source))?);
        }
        let is_default = |index: usize| checksums[index] == FILES[index].sha256;
        let are_default = is_default(0);
        if are_default {
            if let Some(damaged) = (1..FILES.len()).find(|&index| !is_default(index)) {
                return Err(Error::Damaged { path: folder.join(FILES[damaged].name) });
            }
        } else if default_folder().is_some_and(|default| default == folder) {
            return Err(Error::Damaged { path: folder.join(FILES[0].name) });
        }
        let [weights, tokenizer, config]: [File; 3] = files.try_into().expect("three were opened");
        let [tokenizer, config] = [(tokenizer, &paths[1]), (config, &paths[2])].map(contents);
        let (tokenizer, config) = (tokenizer?, config?);
        let checksums = checksums.try_into().expect("three files were read");
        let identity = Identity { is_default: are_default, checksums };
        Ok(Self { weights, tokenizer, config, identity })
    }
}

impl Identity {
    /// Returns the model name that a store records: the name of its folder, and 12 digits of a checksum of all that its vectors
    /// depend on.
    ///
    /// `settings` are those of the pooling and of the modules behind it. The default model with its own settings has its name
    /// alone, however its folder is named.
    pub(super) fn name(&self, folder: &Path, settings: &str) -> String {
        if self.is_default && settings == DEFAULT_SETTINGS {
            return DEFAULT_MODEL.to_owned();
        }
        let folder = folder.file_name().unwrap_or(folder.as_os_str()).to_string_lossy();
        let identity = format!("{}\n{settings}", self.checksums.join("\n"));
        let checksum = format!("{:x}", Sha256::digest(identity));
        format!("{folder}@{}", &checksum[..12])
    }
}

/// The settings of the default model, as the files beside its encoder say them.
pub(super) const DEFAULT_SETTINGS: &str = "mean, normalize, 256 wordpieces";

/// Reads a file to its end.
fn contents((mut file, path): (File, &PathBuf)) -> Result<Vec<u8>, Error> {
    let mut contents = Vec::new();
    let read = file.read_to_end(&mut contents);
    read.map_err(|source| Error::Unreadable { path: path.clone(), source })?;
    Ok(contents)
}

/// Returns the error for a file that cannot be read. Older models have weights in a format whose reader executes code.
fn missing(folder: &Path, path: PathBuf, source: std::io::Error) -> Error {
    if source.kind() == ErrorKind::NotFound && path.ends_with(FILES[0].name) {
        for (other, reason) in [
            ("model.safetensors.index.json", "weights in several files are not supported"),
            ("pytorch_model.bin", "weights in the format of PyTorch are not supported"),
        ] {
            let path = folder.join(other);
            if path.exists() {
                return Error::Unsupported { path, reason: reason.into() };
            }
        }
    }
    Error::Unreadable { path, source }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns a folder named `tiny` whose three files have one content.
    fn folder(content: &str) -> (tempfile::TempDir, PathBuf) {
        let parent = tempfile::tempdir().unwrap();
        let folder = parent.path().join("tiny");
        std::fs::create_dir(&folder).unwrap();
        for file in FILES {
            std::fs::write(folder.join(file.name), content).unwrap();
        }
        (parent, folder)
    }

    #[test]
    fn read_reports_a_missing_file_with_a_remedy() {
        let folder = tempfile::tempdir().unwrap();
        let error = ModelFiles::read(folder.path(), &Checksums::of_user()).err().unwrap();
        assert!(error.to_string().contains("model.safetensors"), "{error}");
        assert!(error.remedy().contains("--model"));
    }

    #[test]
    fn read_names_weights_in_another_format() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("pytorch_model.bin"), "").unwrap();
        let error = ModelFiles::read(folder.path(), &Checksums::of_user()).err().unwrap();
        assert!(error.to_string().contains("pytorch_model.bin"), "{error}");
        assert!(error.remedy().contains("save_pretrained"), "{}", error.remedy());
    }

    #[test]
    fn the_name_of_another_model_depends_on_its_files_and_its_settings() {
        let name = |content: &str, settings: &str| {
            let (_parent, folder) = folder(content);
            let files = ModelFiles::read(&folder, &Checksums::of_user()).unwrap();
            files.identity.name(&folder, settings)
        };
        // A store records the first name. If it changes, all embeddings of other models are computed again.
        assert_eq!(name("x", DEFAULT_SETTINGS), "tiny@6f56dbf8b34c");
        assert_eq!(name("y", DEFAULT_SETTINGS), "tiny@4f257dd1c91e");
        assert_eq!(name("x", "cls, 256 wordpieces"), "tiny@03e724070798");
    }
}
