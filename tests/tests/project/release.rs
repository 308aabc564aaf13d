//! The files of a release: all name one version, PGXN accepts them, and the steps of RELEASING.md exist.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use passage_tests::markdown::{Page, code, root, table, tables};
use passage_tests::{cases, path_with};

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

/// `flit_core` refuses a license that is outside of the folder of a package, also by a link, so each package has a copy.
#[test]
fn packages_for_other_languages_have_a_copy_of_the_license() {
    let license = read("LICENSE");
    for package in fs::read_dir(root().join("integrations")).unwrap() {
        let copy = package.unwrap().path().join("LICENSE");
        let name = copy.display();
        assert!(copy.symlink_metadata().is_ok_and(|file| file.is_file()), "{name} is not a file");
        assert!(fs::read_to_string(&copy).unwrap() == license, "{name} differs from LICENSE");
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

/// Returns the files that name the version of the project, relative to its root.
fn files_with_the_version() -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> =
        ["Cargo.toml", "META.json", "extension/pg_passage.control", "packages/passage.rb"]
            .map(PathBuf::from)
            .to_vec();
    for package in fs::read_dir(root().join("integrations")).unwrap() {
        let package = PathBuf::from("integrations").join(package.unwrap().file_name());
        for name in ["pyproject.toml", "src/pg_passage/__init__.py", "package.json"] {
            files.extend(Some(package.join(name)).filter(|file| root().join(file).is_file()));
        }
    }
    files
}

/// Copies files of the project into a folder, with their permissions.
fn copy(files: &[PathBuf], folder: &Path) {
    for file in files {
        let target = folder.join(file);
        fs::create_dir_all(target.parent().unwrap()).unwrap();
        fs::copy(root().join(file), target).unwrap();
    }
}

/// Runs a script of a copy of the project, in which `cargo` does nothing.
fn run(project: &Path, script: &str, arguments: &[&str], variables: &[(&str, &str)]) -> Output {
    let programs = project.join("bin");
    fs::create_dir_all(&programs).unwrap();
    fs::write(programs.join("cargo"), "#!/bin/sh\n").unwrap();
    fs::set_permissions(programs.join("cargo"), fs::Permissions::from_mode(0o755)).unwrap();
    Command::new(project.join(script))
        .args(arguments)
        .env_remove("CARGO_TARGET_DIR")
        .env("PATH", path_with([programs]))
        .envs(variables.iter().copied())
        .output()
        .unwrap()
}

#[test]
fn set_version_changes_every_file_that_names_the_version() {
    let folder = tempfile::tempdir().unwrap();
    let files = files_with_the_version();
    assert!(files.len() > 5, "{files:?}");
    copy(&files, folder.path());
    // It also has versions of other packages.
    let lock = "integrations/typescript/package-lock.json";
    let scripts = ["ground/places", "ground/build/set-version", lock].map(PathBuf::from);
    copy(&scripts, folder.path());

    let output = run(folder.path(), "ground/build/set-version", &["9.8.7"], &[]);

    assert!(output.status.success(), "{output:?}");
    let lock: serde_json::Value =
        serde_json::from_str(&fs::read_to_string(folder.path().join(lock)).unwrap()).unwrap();
    assert_eq!([&lock["version"], &lock["packages"][""]["version"]], ["9.8.7", "9.8.7"]);
    let version = env!("CARGO_PKG_VERSION");
    for file in files {
        let text = fs::read_to_string(folder.path().join(&file)).unwrap();
        assert!(text.contains("9.8.7"), "{}", file.display());
        let former = [format!("\"{version}\""), format!("'{version}'"), format!("={version}\"")];
        assert!(!former.iter().any(|former| text.contains(former)), "{}", file.display());
    }
}

#[test]
fn the_formula_has_the_addresses_and_the_checksum_of_the_release() {
    let folder = tempfile::tempdir().unwrap();
    let script = "ground/package/formula";
    copy(&["ground/places".into(), script.into(), "packages/passage.rb".into()], folder.path());
    let url = "https://example.org/download/pg_passage-9.8.7.tar.gz";
    let repository = [("REPOSITORY", "https://example.org/project")];

    let refused = run(folder.path(), script, &[url], &repository);
    assert!(!refused.status.success());
    let message = String::from_utf8(refused.stderr).unwrap();
    assert!(message.contains("has no pg_passage-9.8.7.tar.gz: run make package"), "{message}");

    fs::create_dir_all(folder.path().join("target/packages")).unwrap();
    let sums = "aaaa  passage-9.8.7.tar.gz\nbbbb  pg_passage-9.8.7.tar.gz\n";
    fs::write(folder.path().join("target/packages/SHA256SUMS"), sums).unwrap();
    let printed = run(folder.path(), script, &[url], &repository);
    let formula = String::from_utf8(printed.stdout).unwrap();
    assert!(formula.contains(&format!("url \"{url}\"")), "{formula}");
    assert!(formula.contains("homepage \"https://example.org/project\""), "{formula}");
    assert!(formula.contains("sha256 \"bbbb\""), "{formula}");
    assert!(!formula.contains("HOMEPAGE") && !formula.contains("SHA256"), "{formula}");
    // The formula builds the crate of the program.
    let path = formula.split("path: \"").nth(1).and_then(|rest| rest.split('"').next()).unwrap();
    let manifest = read(&format!("{path}/Cargo.toml"));
    assert!(manifest.contains("name = \"passage\""), "{path}");
}

#[test]
fn every_step_of_a_release_names_scripts_and_targets_that_exist() {
    let releasing = Page::read("RELEASING.md");
    let steps: Vec<_> = tables(&releasing.text)
        .into_iter()
        .filter(|table| table.head[0] == "step")
        .flat_map(|table| table.rows)
        .collect();
    let numbers: Vec<_> = steps.iter().map(|row| row[0].split('.').next().unwrap()).collect();
    let expected: Vec<_> = (1..=steps.len()).map(|number| number.to_string()).collect();
    assert_eq!(numbers, expected);

    let makefile = read("Makefile");
    let mut targets = BTreeSet::new();
    for command in steps.iter().flat_map(|row| code(&row[1])) {
        let words: Vec<_> = command.split([' ', ';']).collect();
        for pair in words.windows(2).filter(|pair| pair[0] == "make") {
            assert!(makefile.contains(&format!("\n{}: ", pair[1])), "{command}");
            targets.insert(pair[1].to_owned());
        }
        for path in words.iter().filter(|word| word.starts_with("ground/")) {
            assert!(root().join(path).is_file(), "{command}");
        }
        for path in words.iter().filter(|word| word.starts_with("packages/")) {
            assert!(root().join(path).exists(), "{command}");
        }
    }
    for target in ["release-check", "package", "crates", "docs", "bench", "quality"] {
        assert!(targets.contains(target), "no step runs make {target}");
    }
}

#[test]
fn the_page_of_versions_has_the_numbers_of_the_project() {
    let page = Page::read("docs/reference/versions.md");
    let rows = table(&page.text, "part").rows;
    let needs = |part: &str| {
        let row = rows.iter().find(|row| row[0].contains(part));
        row.unwrap_or_else(|| panic!("no row of {part}: {rows:?}"))[1].clone()
    };
    let two_numbers = |version: &str| version.rsplit_once('.').unwrap().0.to_owned();
    let minor = two_numbers(env!("CARGO_PKG_VERSION"));

    // The first supported server is in META.json, all of them in the check of `passage doctor`.
    let meta = meta();
    let runtime = &meta["prereqs"]["runtime"];
    let doctor = read("client/store/src/admin/doctor/server.rs");
    let range = doctor.split("RangeInclusive<i32> = ").nth(1).unwrap().split(';').next().unwrap();
    let (first, last) = range.split_once("..=").unwrap();
    assert_eq!(runtime["requires"]["PostgreSQL"], format!("{first}.0.0"));
    let servers = needs("pg_passage");
    for major in first.parse::<u32>().unwrap()..=last.parse().unwrap() {
        assert!(servers.contains(&major.to_string()), "{servers} lacks {major}");
    }
    assert!(!servers.contains(&(last.parse::<u32>().unwrap() + 1).to_string()), "{servers}");

    let pgvector = two_numbers(runtime["recommends"]["vector"].as_str().unwrap());
    assert!(needs("embeddings").contains(&format!("pgvector {pgvector}")), "{rows:?}");
    let hint = read("sql/stores/store.sql");
    assert!(hint.contains(&format!("to install version {pgvector} or later")));
    let doctor = doctor.split("Install pgvector ").nth(1).unwrap();
    let iterative = doctor.split(' ').next().unwrap();
    assert!(needs("filters").contains(&format!("pgvector {iterative}")), "{rows:?}");

    assert!(needs("`passage`").contains(&format!("pg_passage {minor}")), "{rows:?}");
    let python = read("integrations/python/pyproject.toml");
    let python = python.split("requires-python = \">=").nth(1).unwrap().split('"').next().unwrap();
    assert!(needs("for Python").contains(&format!("Python {python}")), "{rows:?}");
    let cargo = read("Cargo.toml");
    let rust = cargo.split("rust-version = \"").nth(1).unwrap().split('"').next().unwrap();
    assert!(needs("build").contains(&format!("Rust {rust}")), "{rows:?}");
}
