//! The contents of a store: in total, by collection, by document; and findings of the doctor.

use super::{BOLD, DIM, ERROR, GOOD, WARNING, count, line, printable};
use passage::store::{Collection, DocumentRow, Finding, Severity, Status};

/// Returns the contents of a store and of its collections.
pub fn status(status: &Status, collections: &[Collection]) -> String {
    let mut output = String::new();
    let mut row = |name: &str, value: &str| {
        line(&mut output, &format!("{BOLD}{name:<11}{BOLD:#}{}", printable(value)));
    };
    row("store", &status.store);
    if let Some(source) = &status.adopted {
        row("adopted", source);
    }
    row("documents", &status.documents.to_string());
    row("chunks", &status.chunks.to_string());
    row("embeddings", &status.embeddings.map_or_else(|| "none".into(), |count| count.to_string()));
    let setting = |key: &str| {
        status.settings.get(key).map(|value| value.as_str().map_or(value.to_string(), Into::into))
    };
    if status.embeddings.is_some_and(|count| count > 0) && setting("model").is_none() {
        row("model", "unknown; name it with --model-name");
    }
    for key in ["model", "dimensions", "distance", "sizer", "language"] {
        if let Some(value) = setting(key) {
            row(key, &value);
        }
    }
    row("size", &format!("{:.1} MB", status.bytes as f64 / 1_048_576.0));
    let extension = status.extension.as_deref().unwrap_or("missing");
    row("server", &format!("PostgreSQL {}, pg_passage {extension}", status.server));
    if !collections.is_empty() {
        output.push('\n');
    }
    let name = |collection: &Collection| named(&collection.collection, &collection.version);
    let width = collections.iter().map(|one| name(one).chars().count()).max().unwrap_or(0);
    for collection in collections {
        let mut facts = vec![
            count(collection.documents as usize, "document"),
            count(collection.chunks as usize, "chunk"),
        ];
        facts.extend(collection.embeddings.map(|number| format!("{number} embedded")));
        if collection.orphaned > 0 {
            facts.push(format!("{} orphaned", collection.orphaned));
        }
        let (name, facts) = (name(collection), facts.join(", "));
        let when = collection
            .ingested_at
            .as_deref()
            .map_or(String::new(), |when| format!(", {}", printable(when)));
        line(&mut output, &format!("{name:width$}  {DIM}{facts}{when}{DIM:#}"));
    }
    output
}

/// Returns the name of a collection with its version.
fn named(collection: &str, version: &str) -> String {
    let collection = if collection.is_empty() { "(no collection)" } else { collection };
    printable(&if version.is_empty() {
        collection.to_owned()
    } else {
        format!("{collection} {version}")
    })
}

/// Returns a line for each document.
pub fn documents(documents: &[DocumentRow]) -> String {
    let mut output = String::new();
    for document in documents {
        let mut facts = Vec::new();
        if !document.collection.is_empty() {
            facts.push(named(&document.collection, &document.version));
        }
        facts.extend(document.media_type.as_deref().map(printable));
        facts.push(count(document.chunks as usize, "chunk"));
        facts.extend(document.embeddings.map(|number| format!("{number} embedded")));
        facts.extend(document.ingested_at.as_deref().map(printable));
        if document.orphaned_at.is_some() {
            facts.push("orphaned".into());
        }
        let uri = document.uri.as_deref().map_or_else(|| document.id.to_string(), printable);
        line(&mut output, &format!("{uri}  {DIM}{}{DIM:#}", facts.join(", ")));
    }
    output
}

/// Returns a line for each finding, with its remedy below.
pub fn findings(findings: &[Finding]) -> String {
    let mut output = String::new();
    for Finding { severity, subject, finding, remedy } in findings {
        let (style, word) = match severity {
            Severity::Good => (GOOD, "good"),
            Severity::Warning => (WARNING, "warning"),
            Severity::Bad => (ERROR, "error"),
        };
        let (subject, finding) = (printable(subject), printable(finding));
        line(&mut output, &format!("{style}{word:<8}{style:#}{BOLD}{subject}{BOLD:#}: {finding}"));
        if let Some(remedy) = remedy {
            line(&mut output, &format!("        {}", printable(remedy)));
        }
    }
    let number = |severity| findings.iter().filter(|finding| finding.severity == severity).count();
    let (bad, warnings) = (number(Severity::Bad), number(Severity::Warning));
    let verdict = match (bad, warnings) {
        (0, 0) => "no problems found".to_owned(),
        (0, warnings) => format!("no errors, {}", count(warnings, "warning")),
        (bad, warnings) => format!("{}, {}", count(bad, "error"), count(warnings, "warning")),
    };
    line(&mut output, &format!("\n{verdict}"));
    output
}
