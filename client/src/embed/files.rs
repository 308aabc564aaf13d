//! The files of a model: where they are looked for, and by which hashes the default one is known.

use super::Error;
use sha2::{Digest, Sha256};
use std::path::{Path, PathBuf};

/// The model used unless another is named: 384 dimensions, 256 wordpieces, Apache-2.0.
pub const DEFAULT_MODEL: &str = "sentence-transformers/all-MiniLM-L6-v2";

/// The revision of the default model that the hashes belong to.
pub(super) const REVISION: &str = "1110a243fdf4706b3f48f1d95db1a4f5529b4d41";

/// One of the three files, and the default model's SHA-256 of it.
#[derive(Clone, Copy)]
pub(super) struct File {
    pub(super) name: &'static str,
    sha256: &'static str,
}

impl File {
    /// Tells whether this is the hash of the default model's file.
    pub(super) fn is(self, sha256: &[u8]) -> bool {
        self.sha256.bytes().eq(sha256.iter().flat_map(|byte| format!("{byte:02x}").into_bytes()))
    }
}

pub(super) const FILES: [File; 3] = [
    File {
        name: "model.safetensors",
        sha256: "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
    },
    File {
        name: "tokenizer.json",
        sha256: "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
    },
    File {
        name: "config.json",
        sha256: "953f9c0d463486b10a6871cc2fd59f223b2c70184f49815e7efbcab5d8908b41",
    },
];

/// The contents of a model's folder.
pub(super) struct Files {
    pub(super) weights: Vec<u8>,
    pub(super) tokenizer: Vec<u8>,
    pub(super) config: Vec<u8>,
    /// What a store remembers the model by.
    pub(super) name: String,
}

impl Files {
    /// Reads the three files and finds out which model they are.
    ///
    /// The weights are hashed each time (90 MB, a tenth of a second): embeddings of two models
    /// must never meet in one store, and a file's name proves nothing. Weights of the default
    /// model demand its tokenizer and config too; any other model is called after its folder and
    /// the beginning of its hash.
    pub(super) fn read(folder: &Path) -> Result<Self, Error> {
        let mut hashes = Vec::with_capacity(FILES.len());
        let mut contents = Vec::with_capacity(FILES.len());
        for file in FILES {
            let path = folder.join(file.name);
            let bytes =
                std::fs::read(&path).map_err(|source| Error::Unreadable { path, source })?;
            hashes.push(format!("{:x}", Sha256::digest(&bytes)));
            contents.push(bytes);
        }
        let known = |index: usize| hashes[index] == FILES[index].sha256;
        let name = if known(0) {
            if let Some(damaged) = (1..FILES.len()).find(|&index| !known(index)) {
                return Err(Error::Damaged { path: folder.join(FILES[damaged].name) });
            }
            DEFAULT_MODEL.to_owned()
        } else if default_folder().is_some_and(|default| default == folder) {
            return Err(Error::Damaged { path: folder.join(FILES[0].name) });
        } else {
            let folder = folder.file_name().unwrap_or(folder.as_os_str()).to_string_lossy();
            format!("{folder}@{}", &hashes[0][..12])
        };
        let [weights, tokenizer, config] = contents.try_into().expect("three files were read");
        Ok(Self { weights, tokenizer, config, name })
    }
}

/// Returns the folder where the default model is looked for when none is named:
/// `passage/all-MiniLM-L6-v2` in `XDG_CACHE_HOME` or `~/.cache`. Neither is relative, for that would
/// be in the working folder, where others may have put a model.
pub fn default_folder() -> Option<PathBuf> {
    let set = |name| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let cache = set("XDG_CACHE_HOME").or_else(|| set("HOME").map(|home| home.join(".cache")))?;
    Some(cache.join("passage").join("all-MiniLM-L6-v2"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_model_names_the_file_and_a_remedy() {
        let folder = tempfile::tempdir().unwrap();
        let error = Files::read(folder.path()).err().unwrap();
        assert!(error.to_string().contains("model.safetensors"), "{error}");
        assert!(error.remedy().contains("--model"));
    }

    #[test]
    fn another_model_is_called_after_its_folder_and_hash() {
        let folder = tempfile::tempdir().unwrap();
        let model = folder.path().join("tiny");
        std::fs::create_dir(&model).unwrap();
        for file in FILES {
            std::fs::write(model.join(file.name), "x").unwrap();
        }
        let name = Files::read(&model).unwrap().name;
        assert_eq!(name, "tiny@2d711642b726");
    }
}
