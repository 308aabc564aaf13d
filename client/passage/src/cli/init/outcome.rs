//! The result of `init`, as text and as JSON.

use super::super::output::render::{self, count, line, printable};
use crate::store::{Created, Edition, EmbeddingModel, Installation, Installed};
use serde_json::json;

/// The result of `init`.
pub(super) struct Outcome<'a> {
    pub(super) store: &'a str,
    pub(super) created: Created,
    pub(super) model: Option<&'a EmbeddingModel>,
    /// The number of chunks without an embedding.
    pub(super) unembedded: u64,
}

impl Outcome<'_> {
    pub(super) fn as_text(&self) -> String {
        let Self { store, ref created, model, unembedded } = *self;
        let mut output = String::new();
        for text in
            created.installation.iter().flat_map(|made| installation(made, created.former.as_ref()))
        {
            line(&mut output, &printable(&text));
        }
        let what = if created.statements == 0 { "already exists" } else { "is ready" };
        let with = match model {
            Some(EmbeddingModel { name, dimensions, .. }) => {
                format!("with embeddings of {}, {dimensions} dimensions", printable(name))
            }
            None => "without embeddings".into(),
        };
        line(&mut output, &format!("the store \"{}\" {what}, {with}", printable(store)));
        if unembedded > 0 {
            let chunks = count(unembedded as usize, "chunk");
            line(&mut output, &format!("{chunks} without an embedding: run passage embed"));
        }
        output
    }

    pub(super) fn as_json(&self) -> String {
        let name = self.model.map(|model| &model.name);
        let dimensions = self.model.map(|model| model.dimensions);
        let installed =
            self.created.installation.as_ref().map(|made| made.installed.edition.name());
        render::json(&json!({
            "store": self.store, "statements": self.created.statements, "model": name, "dimensions": dimensions,
            "unembedded": self.unembedded, "installed": installed,
        }))
    }
}

/// Returns what was installed and why, and what it lacks.
fn installation(made: &Installation, former: Option<&Installed>) -> Vec<String> {
    let Installation { installed: Installed { edition, version, .. }, reason } = made;
    let mut lines = Vec::new();
    match (former, reason) {
        (Some(former), _) => lines.push(format!(
            "the database has the {edition} of pg_passage, version {version}, in place of the {}",
            former.edition
        )),
        (None, Some(reason)) => lines.push(format!(
            "the database has the {edition} of pg_passage, version {version}, because the native extension is not \
             available: {reason}"
        )),
        (None, None) => {}
    }
    if *edition == Edition::Sql {
        let lacks = edition.lacks().join(", ");
        lines.push(format!(
            "it lacks {lacks}; if the server has the native extension later: passage init --edition native"
        ));
    }
    lines
}
