//! Real documents: those in cargo's registry, and those that `make corpus` downloaded.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};

use passage_split::media_type::is_binary;
use passage_split::{MediaType, decode};
use passage_tests::cluster::target;

/// With fewer bytes of Markdown a benchmark proves little.
const ENOUGH: usize = 5_000_000;

/// Returns the texts of all Markdown files in cargo's registry, in the order of their paths.
///
/// # Panics
///
/// Panics if they have less than five megabytes.
pub fn markdown() -> Vec<String> {
    let mut paths = Vec::new();
    // A file that is not UTF-8 is not Markdown.
    let is_markdown =
        |path: &Path| path.extension().is_some_and(|is| is.eq_ignore_ascii_case("md"));
    find(&registry(), is_markdown, &mut paths);
    let texts: Vec<_> = paths.iter().filter_map(|path| fs::read_to_string(path).ok()).collect();
    let bytes: usize = texts.iter().map(String::len).sum();
    assert!(bytes >= ENOUGH, "{}: only {bytes} bytes of Markdown", registry().display());
    texts
}

/// Returns the texts of files of a media type, up to a number of bytes. The order is fixed and spread over all
/// files. Texts larger than a quarter of the sample are left out.
pub fn sample(media_type: &str, bytes: usize) -> Vec<String> {
    let paths = files().iter().filter(|(_, detected)| detected.name() == media_type);
    let mut paths: Vec<_> = paths.map(|(path, _)| path).enumerate().collect();
    // Multiples of the golden ratio are spread evenly.
    paths.sort_by_key(|(number, _)| (*number as u32).wrapping_mul(2_654_435_769));
    let texts = paths.into_iter().filter_map(|(_, path)| {
        let raw = fs::read(path).ok().filter(|raw| raw.len() < bytes / 4 && !is_binary(raw))?;
        Some(decode(&raw, &MediaType::new(media_type), None).ok()?.text.into_owned())
    });
    let mut taken = 0;
    let is_wanted = |text: &String| {
        let is_wanted = taken < bytes;
        taken += text.len();
        is_wanted
    };
    texts.take_while(is_wanted).collect()
}

/// Returns the Markdown and the Rust of `rust-src` with their paths; without `make corpus`, those of cargo's
/// registry. Files that are not text are left out.
pub fn rust() -> (&'static str, Vec<(PathBuf, String)>) {
    let [registry, fetched] = folders();
    let fetched = fetched.join("rust");
    let (name, folder) =
        if fetched.is_dir() { ("rust-src", fetched) } else { ("cargo's registry", registry) };
    let mut paths = Vec::new();
    let is_included = |path: &Path| {
        path.extension().is_some_and(|extension| extension == "md" || extension == "rs")
    };
    find(&folder, is_included, &mut paths);
    let document = |path: PathBuf| {
        let text = fs::read_to_string(&path).ok().filter(|text| !text.contains('\0'))?;
        Some((path.strip_prefix(&folder).expect("it was found there").to_owned(), text))
    };
    (name, paths.into_iter().filter_map(document).collect())
}

/// Returns the folders with real documents. The second one exists only after `make corpus`.
pub fn folders() -> [PathBuf; 2] {
    [registry(), target().join("ground/corpus-files")]
}

/// Returns all files of a known media type, found once.
pub fn files() -> &'static [(PathBuf, MediaType)] {
    static FILES: std::sync::OnceLock<Vec<(PathBuf, MediaType)>> = std::sync::OnceLock::new();
    FILES.get_or_init(|| {
        let mut paths = Vec::new();
        for folder in folders() {
            find(&folder, |_| true, &mut paths);
        }
        let detect = |path: &PathBuf| MediaType::from_path(path.to_str()?);
        paths
            .into_iter()
            .filter_map(|path| detect(&path).map(|media_type| (path, media_type)))
            .collect()
    })
}

/// Returns the folder into which cargo unpacks crates.
fn registry() -> PathBuf {
    let home = env::var_os("CARGO_HOME").map(PathBuf::from);
    let home = home.or_else(|| env::home_dir().map(|home| home.join(".cargo")));
    home.expect("cargo has a home").join("registry/src")
}

/// Reads the included files that are UTF-8, in the order of their paths.
pub fn collect(folder: &Path, is_included: fn(&Path) -> bool, texts: &mut Vec<String>) {
    let mut paths = Vec::new();
    find(folder, is_included, &mut paths);
    texts.extend(paths.iter().filter_map(|path| fs::read_to_string(path).ok()));
}

/// Finds the included files, in the order of their paths, without symbolic links.
fn find(folder: &Path, is_included: fn(&Path) -> bool, paths: &mut Vec<PathBuf>) {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut entries: Vec<_> = entries.collect();
    entries.sort_by_key(fs::DirEntry::path);
    for entry in entries {
        let path = entry.path();
        match entry.file_type() {
            Ok(kind) if kind.is_dir() => find(&path, is_included, paths),
            Ok(kind) if kind.is_file() && is_included(&path) => paths.push(path),
            _ => {}
        }
    }
}
