//! The constructors in `sql/functions/` against the groups of arguments that core defines.
//!
//! With `PASSAGE_WRITE_EXAMPLES=1` the files are written.

use passage_core::arguments::GROUPS;
use passage_tests::cases;

#[test]
fn constructors_are_those_that_core_declares() {
    for group in cases(GROUPS) {
        let path = format!("{}/../sql/functions/{}.sql", env!("CARGO_MANIFEST_DIR"), group.name);
        let header = format!(
            "-- {}: the constructor of the argument, written from core/passages/src/arguments/definitions.rs.\n\n",
            group.name
        );
        let declared = header + &group.constructor();
        if std::env::var_os("PASSAGE_WRITE_EXAMPLES").is_some() {
            std::fs::write(&path, &declared).unwrap();
        }
        let written = std::fs::read_to_string(&path).unwrap_or_default();
        assert!(written == declared, "{path} differs; PASSAGE_WRITE_EXAMPLES=1 writes it");
    }
}
