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
pub struct Place {
    pub name: String,
    folder: PathBuf,
    /// Its name in the folder.
    inside: String,
}

impl Place {
    /// Reads the set.
    pub fn read(&self) -> Set {
        Set { name: self.name.clone(), ..Set::read(&self.folder, &self.inside) }
    }
}

/// Returns the sets of a folder, or else the available ones; with `wanted`, only those with these names.
pub fn sets(folder: Option<&Path>, wanted: &[String]) -> Vec<Place> {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR"));
    let beside = tests.join("../../shared/data");
    let data = folder.unwrap_or(&beside);
    let place = |name: String| Place { inside: name.clone(), name, folder: data.to_owned() };
    let mut places: Vec<_> = names(data).into_iter().map(place).collect();
    if folder.is_none() {
        places.push(Place { name: OWN.into(), folder: tests.into(), inside: "quality".into() });
    }
    places.retain(|place| wanted.is_empty() || wanted.contains(&place.name));
    places
}
