//! A folder of Markdown files.

use std::fs;
use std::path::{Path, PathBuf};

use passage_tests::cluster::model_path;

use crate::corpus;

/// A folder that is gone when dropped.
pub struct Folder {
    path: PathBuf,
    pub files: usize,
    pub bytes: usize,
}

impl Folder {
    /// Writes each text of the corpus so many times, each time below another name.
    pub fn make(times: usize) -> Self {
        let path = std::env::temp_dir().join(format!("passage-bench-{}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        let (mut files, mut bytes) = (0, 0);
        let texts = corpus::markdown();
        for time in 0..times {
            let below = path.join(time.to_string());
            fs::create_dir_all(&below).expect("the temporary folder is writable");
            for (number, text) in texts.iter().enumerate() {
                let file = below.join(format!("{number}.md"));
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

/// The size of the model's weights.
pub fn model_bytes() -> u64 {
    let weights = model_path().map(|path| path.join("model.safetensors"));
    weights.and_then(|path| fs::metadata(path).ok()).map_or(0, |metadata| metadata.len())
}
