/*!
The available sets.

Two are not part of the project; they are next to the checkout, in `../shared/data`. The third one is the
project's own, in `tests/quality`. If the two are missing, only the third one is measured.
*/

use std::path::{Path, PathBuf};

use super::set::{Set, names};

/// The name of the project's own set.
const OWN: &str = "tests/quality";

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
        locations.push(SetLocation {
            name: OWN.into(),
            folder: tests.into(),
            inside: "quality".into(),
        });
    }
    locations.retain(|location| requested.is_empty() || requested.contains(&location.name));
    locations
}
