/*!
The SQL edition: the functions of `pg_passage` in SQL, for servers without the native extension.

The client has its script, which `ground/build/install-script --edition sql` prints.
*/

use super::super::installed::{Edition, Installed};

/// The script of the SQL edition: a transaction of its own.
const SCRIPT: &str = include_str!(concat!(env!("OUT_DIR"), "/edition.sql"));

/// Parts of the product, and the functions without which it lacks them.
const PARTS: [(&str, &[&str]); 6] = [
    ("passage.fragments", &["passage.fragments"]),
    ("passage.split", &["passage.split"]),
    ("passage.ingest", &["passage.ingest"]),
    (
        "passage.keep_in_step",
        &[
            "_passage.step_plan",
            "_passage.step_row",
            "_passage.step_write",
            "_passage.step_record",
            "_passage.template_parts",
            "_passage.is_readable_json",
        ],
    ),
    (
        "passage.adopt",
        &[
            "_passage.adopted_id",
            "_passage.media_type_of_uri",
            "_passage.chain_order",
            "_passage.section_runs",
            "_passage.expression_columns",
            "_passage.visibility_expressions",
            "_passage.adopted_table",
            "_passage.adopted_is_readable",
            "_passage.keep_adopted",
            "_passage.refresh_adopted",
        ],
    ),
    ("stores distributed by Citus", &["_passage.shard_rows"]),
];

/// Returns the statements of the script, for another transaction.
pub(super) fn statements() -> &'static str {
    let script =
        SCRIPT.strip_prefix("BEGIN;\n").and_then(|rest| rest.trim_end().strip_suffix("COMMIT;"));
    script.expect("the script is one transaction")
}

/// Returns the statements, which replace existing functions in place, so that views and generated columns that depend on
/// them stay.
pub(super) fn replacing_statements() -> String {
    let in_place = [
        ("\nCREATE FUNCTION ", "\nCREATE OR REPLACE FUNCTION "),
        ("\nCREATE SCHEMA ", "\nCREATE SCHEMA IF NOT EXISTS "),
    ];
    in_place.iter().fold(statements().to_owned(), |sql, (from, to)| sql.replace(from, to))
}

/// Returns whether the edition raises an error for a function.
fn refuses(function: &str) -> bool {
    SCRIPT.contains(&format!("_passage.refuse_function('{function}',"))
}

impl Edition {
    /// Returns what the edition of this client lacks.
    pub fn lacks(self) -> Vec<&'static str> {
        let lacking = PARTS.iter().filter(|(_, functions)| {
            self == Self::Sql && functions.iter().any(|function| refuses(function))
        });
        lacking.map(|(part, _)| *part).collect()
    }
}

impl Installed {
    /// Returns the version of `pg_passage`, with the edition if that is not the native one.
    pub fn describe(&self) -> String {
        match self.edition {
            Edition::Native => self.version.clone(),
            Edition::Sql => format!("{} ({})", self.version, self.edition),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_statements_of_the_script_end_no_transaction() {
        for line in statements().lines() {
            assert!(!["BEGIN;", "COMMIT;"].contains(&line));
        }
    }

    #[test]
    fn each_function_that_the_edition_refuses_belongs_to_a_part() {
        let calls = SCRIPT.split("_passage.refuse_function('").skip(1);
        for function in calls.filter_map(|rest| rest.split_once('\'')).map(|(name, _)| name) {
            let is_named = PARTS.iter().any(|(_, functions)| functions.contains(&function));
            assert!(is_named, "no part of PARTS has {function}");
        }
        assert!(Edition::Native.lacks().is_empty());
    }
}
