//! The checks of `make lint` that are our own report what they are for, and nothing else.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// Runs a script of `ground/` on a path.
fn check(script: &str, path: &Path) -> Output {
    let ground = Path::new(env!("CARGO_MANIFEST_DIR")).join("../ground");
    Command::new("python3")
        .arg(ground.join(script))
        .arg(path)
        .output()
        .expect("python3 is installed")
}

fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

/// Writes a crate with the given files below `src`.
fn crate_of(files: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in files {
        let path = folder.path().join("src").join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    folder
}

#[test]
fn check_cycles_reports_a_cycle_between_siblings() {
    let folder = crate_of(&[
        ("lib.rs", "mod plan;\nmod probe;\n"),
        (
            "plan.rs",
            "use super::probe::{self, Probe};\npub struct Plan;\nfn run() { probe::run() }\n",
        ),
        ("probe.rs", "pub struct Probe;\npub fn run() {}\nfn of(plan: &crate::plan::Plan) {}\n"),
    ]);

    let output = check("check/cycles", folder.path());

    assert_eq!(output.status.code(), Some(1));
    let report = stdout(&output);
    assert!(
        report.contains("2 modules depend on each other; a shortest cycle: plan -> probe -> plan"),
        "{report}"
    );
    assert!(report.contains("probe.rs:3: crate::plan::Plan (defined in plan)"), "{report}");
}

#[test]
fn check_cycles_reports_a_parent_that_calls_a_child_which_uses_the_parents_type() {
    let folder = crate_of(&[
        ("lib.rs", "mod split;\n"),
        ("split.rs", "mod merge;\npub struct Options;\npub fn split() { merge::run() }\n"),
        ("split/merge.rs", "use super::Options;\npub fn run() {}\n"),
    ]);

    let output = check("check/cycles", folder.path());

    assert_eq!(output.status.code(), Some(1));
    assert!(stdout(&output).contains("split -> split::merge -> split"), "{}", stdout(&output));
}

#[test]
fn check_cycles_follows_re_exports_and_leaves_out_tests_comments_and_literals() {
    let folder = crate_of(&[
        ("lib.rs", "mod options;\nmod split;\npub use options::Options;\npub use split::split;\n"),
        (
            "options.rs",
            "pub struct Options;\n// crate::split::split\nconst A: &str = \"crate::split::split\";\n",
        ),
        (
            "split.rs",
            "use crate::Options;\npub fn split() {}\n#[cfg(test)]\nmod tests { use super::split; }\n",
        ),
        ("bin/tool.rs", "fn main() {}\n#[cfg(test)]\nmod tests { use super::main; }\n"),
    ]);

    let output = check("check/cycles", folder.path());

    assert_eq!(stdout(&output), "");
    assert_eq!(output.status.code(), Some(0));
}

/// Writes a file and returns what the language check prints about it.
fn language(name: &str, text: &str) -> (Option<i32>, String) {
    let folder = tempfile::tempdir().unwrap();
    let path: PathBuf = folder.path().join(name);
    fs::write(&path, text).unwrap();
    let output = check("check/language", &path);
    (
        output.status.code(),
        stdout(&output).replace(&format!("{}/", path.parent().unwrap().display()), ""),
    )
}

#[test]
fn check_language_reports_phrases_with_file_line_and_advice() {
    let (code, report) =
        language("a.rs", "/// Reads the file.\n/// The file is read\n/// anew.\nfn read() {}\n");

    assert_eq!(code, Some(1));
    assert_eq!(report, "a.rs:3: anew: write \"again\", or name the operation\n");
}

#[test]
fn check_language_reads_comments_and_texts_of_scripts() {
    let script = "// The file is\n// read anew.\nconst gone = `a ${gone} b`\nsay('It is gone.')\nsay(`It is gone.`)\n";
    let expected = "a.mjs:2: anew: write \"again\", or name the operation\n\
                    a.mjs:4: gone: write \"removed\", \"closed\" or \"missing\"\n\
                    a.mjs:5: gone: write \"removed\", \"closed\" or \"missing\"\n";
    assert_eq!(language("a.mjs", script), (Some(1), expected.into()));
}

#[test]
fn check_language_reports_sentences_that_begin_with_a_relative_clause() {
    let (code, report) = language(
        "a.md",
        "# What it does\n\nIt reads. What cannot be read is skipped.\nWhy? What is a store?\n",
    );

    assert_eq!(code, Some(1));
    assert_eq!(
        report,
        "a.md:3: What cannot be read ...: begin with the subject, not with a relative clause\n"
    );
}

#[test]
fn check_language_reports_names_that_have_a_better_one() {
    let (code, report) = language("a.rs", "struct Telling;\nstruct Story;\n");

    assert_eq!(code, Some(1));
    assert!(report.starts_with("a.rs:1: Telling: "), "{report}");
    assert_eq!(report.lines().count(), 1, "{report}");
}

#[test]
fn check_language_reports_most_as_a_noun_and_further_for_other() {
    let text = "/// The most chunks of a query.\n/// Further chunks are left out.\nconst LIMIT: u8 = 1;\n\n\
                /// The most common words rank first. Most of them are short, as most words are, at most 9.\n\
                /// The fold with the most words is further down.\nconst WORDS: u8 = 9;\n";
    let sql = "COMMENT ON FUNCTION f() IS 'rows\nmax_rows: most rows, 5 by default; also max_bytes, most bytes of a row';\n\
               SELECT most FROM unnest(sizes) AS most;\n";
    let advice = "write \"maximum\"; a name says what it limits";

    assert_eq!(
        language("a.rs", text),
        (
            Some(1),
            format!(
                "a.rs:1: The most chunks: {advice}\n\
                 a.rs:2: Further chunks: write \"other\", \"more\" or \"another\"\n"
            )
        )
    );
    assert_eq!(
        language("a.sql", sql),
        (
            Some(1),
            format!(
                "a.sql:2: most rows: {advice}\na.sql:2: max_bytes, most bytes: {advice}\n\
                 a.sql:3: AS most: {advice}\n"
            )
        )
    );
}

#[test]
fn check_language_reports_names_that_do_not_say_what_they_hold() {
    let rust = "fn f(most: u8, kinds: &[Kind]) -> bool {\n    let of = |kind: &Kind| Kind::of(kind).of();\n    \
                kinds.iter().any(|of| of == MOST_KINDS)\n}\nimpl Kind { fn of(self) -> Self { self } }\n";
    let script = "const of = (kind) => kinds.of(kind)\nfor (const kind of kinds) show(kind, `kind of ${kind}`)\n\
                  const total = sizes.reduce((most, size) => size, /kind of/)\n";
    let names = |report: &str| -> Vec<String> {
        let name = |line: &str| line.rsplit_once(": ").expect("a finding has advice").0.to_owned();
        report.lines().map(name).collect()
    };

    assert_eq!(
        names(&language("a.rs", rust).1),
        ["a.rs:1: most", "a.rs:2: of", "a.rs:3: of", "a.rs:3: of", "a.rs:3: MOST_KINDS"]
    );
    assert_eq!(names(&language("a.mjs", script).1), ["a.mjs:1: of", "a.mjs:3: most"]);
}

#[test]
fn check_language_accepts_plain_sentences_code_and_identifiers() {
    let (code, report) = language(
        "a.rs",
        "/// Returns what the server stores. There is no limit, and `anew` is code.\nfn anew(gone: bool) { let wants = gone; }\n",
    );

    assert_eq!((code, report.as_str()), (Some(0), ""));
}
