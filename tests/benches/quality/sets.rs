/*!
The available sets.

Two are not part of the project; they are next to the checkout, in `../shared/data`. The other two are the
project's own, in `tests/quality`. If the first two are missing, only these are measured.
*/

use std::path::{Path, PathBuf};

use super::set::{Set, names};

/// The folders of the project's own sets, below `tests`.
const OWN: [&str; 2] = ["quality", "quality/facts"];

/// A set that can be read.
pub struct SetLocation {
    pub name: String,
    folder: PathBuf,
    /// Its name in the folder.
    inside: String,
}

impl SetLocation {
    /// Reads the set.
    pub fn read(&self) -> Set {
        Set { name: self.name.clone(), ..Set::read(&self.folder, &self.inside) }
    }
}

/// Returns the sets of a folder, or else the available ones; with `requested`, only those with these names.
pub fn sets(folder: Option<&Path>, requested: &[String]) -> Vec<SetLocation> {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR"));
    let beside = tests.join("../../shared/data");
    let data = folder.unwrap_or(&beside);
    let location =
        |name: String| SetLocation { inside: name.clone(), name, folder: data.to_owned() };
    let mut locations: Vec<_> = names(data).into_iter().map(location).collect();
    if folder.is_none() {
        let own = |inside: &str| SetLocation {
            name: format!("tests/{inside}"),
            folder: tests.into(),
            inside: inside.to_owned(),
        };
        locations.extend(OWN.map(own));
    }
    locations.retain(|location| requested.is_empty() || requested.contains(&location.name));
    locations
}
