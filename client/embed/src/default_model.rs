//! The default model: its name, the checksums of its files, and the folder that holds it.

use super::cache_folder::cache_folder;
use std::path::PathBuf;

/// The default model: 384 dimensions, 256 wordpieces, Apache-2.0.
pub const DEFAULT_MODEL: &str = "sentence-transformers/all-MiniLM-L6-v2";

/// The revision of the default model that the checksums belong to.
pub(super) const REVISION: &str = "1110a243fdf4706b3f48f1d95db1a4f5529b4d41";

/// One of the three files of a model, with the SHA-256 that the default model's file has.
#[derive(Clone, Copy)]
pub(super) struct ModelFile {
    pub(super) name: &'static str,
    pub(super) sha256: &'static str,
}

impl ModelFile {
    /// Returns whether a SHA-256 is that of the default model's file.
    pub(super) fn has_checksum(self, sha256: &[u8]) -> bool {
        self.sha256.bytes().eq(sha256.iter().flat_map(|byte| format!("{byte:02x}").into_bytes()))
    }
}

/// The files of a model: the weights, the tokenizer, the configuration.
pub(super) const FILES: [ModelFile; 3] = [
    ModelFile {
        name: "model.safetensors",
        sha256: "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
    },
    ModelFile {
        name: "tokenizer.json",
        sha256: "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
    },
    ModelFile {
        name: "config.json",
        sha256: "953f9c0d463486b10a6871cc2fd59f223b2c70184f49815e7efbcab5d8908b41",
    },
];

/// Returns the folder of the default model: `passage/all-MiniLM-L6-v2` in `XDG_CACHE_HOME` or
/// `~/.cache`; `None` if neither `XDG_CACHE_HOME` nor `HOME` is set.
pub fn default_folder() -> Option<PathBuf> {
    Some(cache_folder()?.join("all-MiniLM-L6-v2"))
}
