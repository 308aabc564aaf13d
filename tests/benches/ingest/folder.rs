//! A folder of documents.

use std::fs;
use std::path::{Path, PathBuf};

use passage_tests::cluster::model_path;

/// A folder that is removed when dropped.
pub struct Folder {
    path: PathBuf,
    pub files: usize,
    pub bytes: usize,
}

impl Folder {
    /// Writes each document several times, each time with another name.
    pub fn make(documents: &[(PathBuf, String)], times: usize) -> Self {
        let path = std::env::temp_dir().join(format!("passage-bench-{}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        let (mut files, mut bytes) = (0, 0);
        for time in 0..times {
            let below = path.join(time.to_string());
            for (inside, text) in documents {
                let file = below.join(inside);
                fs::create_dir_all(file.parent().expect("it is in a folder"))
                    .expect("the temporary folder is writable");
                fs::write(file, text).expect("the temporary folder is writable");
                files += 1;
                bytes += text.len();
            }
        }
        Self { path, files, bytes }
    }

    pub fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.path);
    }
}

/// Returns the size of the model's weights.
pub fn model_bytes() -> u64 {
    let weights = model_path().map(|path| path.join("model.safetensors"));
    weights.and_then(|path| fs::metadata(path).ok()).map_or(0, |metadata| metadata.len())
}
