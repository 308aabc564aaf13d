//! A loop over cases names the case that failed.

use passage_tests::cases;
use std::process::Command;

const FAILS: &str = "PASSAGE_A_CASE_FAILS";

/// The test executes itself, since a failing test prints nothing that it could read.
#[test]
fn a_failed_case_is_named() {
    if std::env::var_os(FAILS).is_some() {
        tokio::runtime::Runtime::new().unwrap().block_on(async {
            for role in cases(["owner", "reader"]) {
                for (number, object) in
                    cases([(1, "table one"), (2, "view two"), (3, "table three")])
                {
                    tokio::task::yield_now().await;
                    assert!(role == "owner" || number < 2, "{}", object.len());
                }
            }
        });
    }
    let output = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "cases::a_failed_case_is_named", "--nocapture"])
        .env(FAILS, "yes")
        .output()
        .unwrap();
    let report = String::from_utf8(output.stderr).unwrap();
    let named: Vec<_> = report.lines().filter(|line| line.starts_with("case ")).collect();

    assert!(!output.status.success(), "{report}");
    assert_eq!(named, ["case 2: (2, \"view two\")", "case 2: \"reader\""], "{report}");
}
