//! The files of a release: all name one version, and PGXN accepts them.

use passage_tests::cases;
use std::fs;
use std::path::Path;

use passage_tests::markdown::root;

fn read(name: &str) -> String {
    fs::read_to_string(root().join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
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
    for file in cases(["file", "docfile"]) {
        let path = meta["provides"]["pg_passage"][file].as_str().unwrap();
        assert!(root().join(path).is_file(), "{path}");
    }
    assert!(read("packages/passage.rb").contains(&format!("version \"{version}\"")));
    let python = "integrations/python";
    assert!(
        read(&format!("{python}/pyproject.toml")).contains(&format!("\nversion = \"{version}\"\n"))
    );
    assert!(
        read(&format!("{python}/src/pg_passage/__init__.py"))
            .contains(&format!("\n__version__ = \"{version}\"\n"))
    );
    for file in cases(["package.json", "package-lock.json"]) {
        let package: serde_json::Value =
            serde_json::from_str(&read(&format!("integrations/typescript/{file}"))).unwrap();
        assert_eq!(package["version"], version, "{file}");
    }
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
