//! Reading the files of a model and identifying it.

use super::default_model::{DEFAULT_MODEL, FILES, default_folder};
use super::error::Error;
use sha2::{Digest, Sha256};
use std::path::Path;

/// The contents of a model's folder.
pub(super) struct ModelFiles {
    pub(super) weights: Vec<u8>,
    pub(super) tokenizer: Vec<u8>,
    pub(super) config: Vec<u8>,
    /// The model name that a store records.
    pub(super) name: String,
}

impl ModelFiles {
    /// Reads the three files and identifies the model.
    ///
    /// The weights are hashed each time (90 MB, a tenth of a second): embeddings of two models must
    /// never be mixed in one store, and a file name proves nothing. Weights of the default model require
    /// its tokenizer and configuration too. The name of any other model is its folder's name and the
    /// first 12 digits of its checksum.
    ///
    /// # Errors
    ///
    /// Returns [`Error::Unreadable`] for a file that cannot be read, and [`Error::Damaged`] if a file of
    /// the default model has another checksum.
    pub(super) fn read(folder: &Path) -> Result<Self, Error> {
        let mut checksums = Vec::with_capacity(FILES.len());
        let mut contents = Vec::with_capacity(FILES.len());
        for file in FILES {
            let path = folder.join(file.name);
            let bytes =
                std::fs::read(&path).map_err(|source| Error::Unreadable { path, source })?;
            checksums.push(format!("{:x}", Sha256::digest(&bytes)));
            contents.push(bytes);
        }
        let is_default = |index: usize| checksums[index] == FILES[index].sha256;
        let name = if is_default(0) {
            if let Some(damaged) = (1..FILES.len()).find(|&index| !is_default(index)) {
                return Err(Error::Damaged { path: folder.join(FILES[damaged].name) });
            }
            DEFAULT_MODEL.to_owned()
        } else if default_folder().is_some_and(|default| default == folder) {
            return Err(Error::Damaged { path: folder.join(FILES[0].name) });
        } else {
            let folder = folder.file_name().unwrap_or(folder.as_os_str()).to_string_lossy();
            format!("{folder}@{}", &checksums[0][..12])
        };
        let [weights, tokenizer, config] = contents.try_into().expect("three files were read");
        Ok(Self { weights, tokenizer, config, name })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn read_reports_a_missing_file_with_a_remedy() {
        let folder = tempfile::tempdir().unwrap();
        let error = ModelFiles::read(folder.path()).err().unwrap();
        assert!(error.to_string().contains("model.safetensors"), "{error}");
        assert!(error.remedy().contains("--model"));
    }

    #[test]
    fn read_names_another_model_after_its_folder_and_checksum() {
        let folder = tempfile::tempdir().unwrap();
        let model = folder.path().join("tiny");
        std::fs::create_dir(&model).unwrap();
        for file in FILES {
            std::fs::write(model.join(file.name), "x").unwrap();
        }
        let name = ModelFiles::read(&model).unwrap().name;
        assert_eq!(name, "tiny@2d711642b726");
    }
}
