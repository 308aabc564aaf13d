//! Problems of a store of views that only degrade results.
//!
//! `check_store` describes in one form what the tables of another program lack: the missing thing, a colon, and the
//! effect. Functions work without it. Everything else is an error: rows that are not in step, broken views, columns that
//! every function needs.

/// Returns whether a problem of `check_store` only degrades the results of a store of views.
pub(super) fn is_degradation(problem: &str) -> bool {
    let Some((what, _)) = problem.split_once(": ") else {
        return problem.starts_with("no index finds ")
            || problem.starts_with("readers of the adopted table ");
    };
    let is_lack = |what: &str| {
        ["missing", "unknown", "no vector index"].iter().any(|word| what.ends_with(word))
    };
    let is_slow =
        what.starts_with("no index finds ") || what.starts_with("indexes were not checked");
    let has_no_section = what.starts_with("no chunk has a section");
    let is_required = what.strip_suffix(" missing").is_some_and(|columns| {
        columns
            .split(", ")
            .any(|column| ["id", "document_id", "ordinal", "content"].contains(&column))
    });
    (is_lack(what) || is_slow || has_no_section)
        && !is_required
        && what != "triggers, views or other parts are missing"
}

#[cfg(test)]
mod tests {
    use super::is_degradation;

    #[test]
    fn a_lack_of_the_source_degrades_and_a_store_out_of_step_is_broken() {
        for degraded in [
            "no vector index: a search by embedding reads all rows",
            "embeddings are unknown: no search by embedding",
            "sections are unknown: adjacent chunks are the only context",
            "the order in a document is unknown: that of the key is used",
            "first_line, last_line missing: no line numbers",
            "view is missing: no search by embedding",
            "no index finds chunks by id: s.chunks has a window function, which computes every row",
            "no index finds chunks by id",
            "readers of the adopted table cannot read the store",
        ] {
            assert!(is_degradation(degraded), "{degraded}");
        }
        for broken in [
            "trigger is disabled: changes are not seen",
            "triggers, views or other parts are missing: 2",
            "adopted table does not exist",
            "row-level security is off, and on for docs: readers of the table see words and sections of all rows",
            "content missing: no function works",
            "rows that the store lacks: 3",
            "missing column",
        ] {
            assert!(!is_degradation(broken), "{broken}");
        }
    }
}
