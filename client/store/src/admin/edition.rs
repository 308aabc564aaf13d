/*!
The SQL edition: the functions of `pg_passage` in SQL, for servers without the native extension.

The client has its script, which `ground/build/install-script --edition sql` prints.
*/

use super::super::installed::{Edition, Installed};

/// The script of the SQL edition: a transaction of its own.
const SCRIPT: &str = include_str!(concat!(env!("OUT_DIR"), "/edition.sql"));

/// Parts of the product that the edition lacks: their functions raise an error.
const LACKING: [&str; 3] = ["passage.keep_in_step", "passage.adopt", "stores distributed by Citus"];

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

impl Edition {
    /// Returns what the edition of this client lacks.
    pub fn lacks(self) -> Vec<&'static str> {
        match self {
            Self::Native => Vec::new(),
            Self::Sql => LACKING.to_vec(),
        }
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
    use std::collections::BTreeSet;

    #[test]
    fn the_statements_of_the_script_end_no_transaction() {
        for line in statements().lines() {
            assert!(!["BEGIN;", "COMMIT;"].contains(&line));
        }
    }

    /// The functions without which the edition lacks each part.
    const FUNCTIONS: [(&str, &[&str]); 3] = [
        (
            LACKING[0],
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
            LACKING[1],
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
        (LACKING[2], &["_passage.shard_rows"]),
    ];

    #[test]
    fn the_edition_refuses_exactly_the_functions_of_the_parts_that_it_lacks() {
        let calls = SCRIPT.split("_passage.refuse_function('").skip(1);
        let refused = calls.filter_map(|rest| rest.split_once('\'')).map(|(name, _)| name);
        let named = FUNCTIONS.iter().flat_map(|(_, functions)| *functions).copied();
        assert_eq!(refused.collect::<BTreeSet<_>>(), named.collect());
        assert!(Edition::Native.lacks().is_empty());
    }
}
