/*!
Which sets there are.

Two lie beside the checkout, in `../shared/data`, and are no part of the project; one is its own, in
`tests/quality`. Where the two are missing, the third is measured alone.
*/

use std::path::{Path, PathBuf};

use super::set::{Set, names};

/// The name that the project's own set is known by.
const OWN: &str = "tests/quality";

/// A set that can be read.
pub struct Place {
    pub name: String,
    folder: PathBuf,
    /// What it is called there.
    inside: String,
}

impl Place {
    /// Reads it.
    pub fn read(&self) -> Set {
        Set { name: self.name.clone(), ..Set::read(&self.folder, &self.inside) }
    }
}

/// The sets of a folder, or else those that there are without one; only those of some names, if
/// any are given.
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
