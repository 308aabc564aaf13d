//! The files of a release: all name one version, PGXN accepts them, and those of earlier releases are unchanged.

use std::fs;
use std::path::Path;

use passage_tests::markdown::root;
use sha2::{Digest, Sha256};

/// The files of earlier releases, with their SHA-256. An update is tested against what the release installed and
/// wrote, so a row is only ever added.
const FROZEN: &[(&str, &str)] = &[
    (
        "sql/releases/pg_passage--0.1.0.sql",
        "4d48669438df27037686652776d2fe1a7c053d40b3154ff08a652f92a69e590e",
    ),
    (
        "tests/fixtures/released/0.1.0/vectors.sql",
        "a938b74795c0a16eb753f7da0c1839ceeafe70f215fd18c356ba46c4c81c2fef",
    ),
    (
        "tests/fixtures/released/0.1.0/vectors.txt",
        "2eb75bd42a73d7b23d602671293d6cee67c13d9e511b5077e06f668144997b9c",
    ),
    (
        "tests/fixtures/released/0.1.0/words.sql",
        "bebcb26ad200f3b9486155801638700643c9e3bde1adf55afc20632e0b62afe0",
    ),
    (
        "tests/fixtures/released/0.1.0/words.txt",
        "e6126d37a9f67364b44a508d37228779eee508200aebd3616809438f5126faa1",
    ),
];

fn read(name: &str) -> String {
    fs::read_to_string(root().join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// Returns the names in a folder of the project, sorted.
fn names(folder: &str) -> Vec<String> {
    let entries = fs::read_dir(root().join(folder)).unwrap();
    let mut names: Vec<_> =
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

/// Returns the versions of all releases that have an install script.
fn releases() -> Vec<String> {
    let version = |name: &String| {
        let version = name.strip_prefix("pg_passage--").and_then(|name| name.strip_suffix(".sql"));
        version.unwrap_or_else(|| panic!("{name} is not an install script")).to_owned()
    };
    names("sql/releases").iter().map(version).collect()
}

fn meta() -> serde_json::Value {
    serde_json::from_str(&read("META.json")).unwrap()
}

/// Checks a version as PGXN requires it: three numbers, and a suffix that begins with a letter.
fn is_semantic(version: &str) -> bool {
    let (numbers, suffix) = version.split_once('-').unwrap_or((version, "a"));
    let is_number =
        |number: &str| number.parse::<u32>().is_ok_and(|value| value.to_string() == number);
    numbers.split('.').count() == 3
        && numbers.split('.').all(is_number)
        && suffix.starts_with(|letter: char| letter.is_ascii_alphabetic())
        && suffix.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
}

#[test]
fn all_packages_have_the_version_of_the_extension() {
    let version = env!("CARGO_PKG_VERSION");

    let control = read("extension/pg_passage.control");
    assert!(control.contains(&format!("default_version = '{version}'")), "{control}");
    let meta = meta();
    assert_eq!(meta["version"], version);
    assert_eq!(meta["provides"]["pg_passage"]["version"], version);
    for file in ["file", "docfile"] {
        let path = meta["provides"]["pg_passage"][file].as_str().unwrap();
        assert!(root().join(path).is_file(), "{path}");
    }
    assert!(read("packages/passage.rb").contains(&format!("version \"{version}\"")));
}

#[test]
fn the_metadata_has_the_keys_and_forms_that_pgxn_requires() {
    let meta = meta();
    for key in ["name", "version", "abstract", "maintainer", "license"] {
        assert!(meta[key].as_str().is_some_and(|text| !text.is_empty()), "{key}");
    }
    let name = meta["name"].as_str().unwrap();
    assert!(name.len() >= 2 && !name.contains(['/', '\\', ' ']), "{name}");
    // The list of the specification has this name for the Apache License 2.0.
    assert_eq!(meta["license"], "apache_2_0");
    assert_eq!(meta["meta-spec"]["version"], "1.0.0");
    assert!(meta["meta-spec"]["url"].as_str().unwrap().contains("pgxn.org/meta/spec"));

    let mut versions = vec![&meta["version"]];
    let provides = meta["provides"].as_object().unwrap();
    assert!(!provides.is_empty());
    for (extension, provided) in provides {
        assert!(provided["file"].is_string(), "{extension}");
        assert!(Path::new(provided["file"].as_str().unwrap()).is_relative(), "{extension}");
        versions.push(&provided["version"]);
    }
    for (phase, prerequisites) in meta["prereqs"].as_object().unwrap() {
        assert!(["configure", "build", "test", "runtime", "develop"].contains(&&**phase));
        for (relation, required) in prerequisites.as_object().unwrap() {
            assert!(["requires", "recommends", "suggests", "conflicts"].contains(&&**relation));
            versions.extend(required.as_object().unwrap().values());
        }
    }
    for version in versions {
        // 0 means any version of a prerequisite.
        assert!(version == 0 || version.as_str().is_some_and(is_semantic), "{version}");
    }
    assert!(["stable", "testing", "unstable"].contains(&meta["release_status"].as_str().unwrap()));
    let tags = meta["tags"].as_array().unwrap();
    assert!(!tags.is_empty());
    for tag in tags {
        let tag = tag.as_str().unwrap();
        assert!((1..256).contains(&tag.len()) && !tag.contains(['/', '\\']), "{tag}");
    }
}

#[test]
fn the_files_of_earlier_releases_are_unchanged() {
    let mut files: Vec<_> =
        names("sql/releases").iter().map(|name| format!("sql/releases/{name}")).collect();
    for version in releases() {
        let folder = format!("tests/fixtures/released/{version}");
        // The differences to the newest version change with it.
        let kept = names(&folder).into_iter().filter(|name| !name.ends_with(".changes"));
        files.extend(kept.map(|name| format!("{folder}/{name}")));
    }
    assert_eq!(files, FROZEN.iter().map(|(name, _)| *name).collect::<Vec<_>>());
    for (name, expected) in FROZEN {
        let sum = Sha256::digest(fs::read(root().join(name)).unwrap());
        assert_eq!(&format!("{sum:x}"), expected, "{name}");
    }
}

#[test]
fn each_earlier_release_has_an_update_to_the_newest_version() {
    let updates = names("sql/updates");
    let steps: Vec<_> = updates
        .iter()
        .map(|name| name.strip_suffix(".sql").and_then(|name| name.split_once("--")).unwrap())
        .collect();
    let releases = releases();
    assert!(!releases.is_empty());
    for release in &releases {
        let mut reached = vec![release.as_str()];
        while let Some((_, to)) =
            steps.iter().find(|(from, to)| reached.contains(from) && !reached.contains(to))
        {
            reached.push(to);
        }
        assert!(reached.contains(&env!("CARGO_PKG_VERSION")), "{release} reaches only {reached:?}");
    }
}
