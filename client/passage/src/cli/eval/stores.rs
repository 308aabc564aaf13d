//! The stores of an evaluation, with their modes and the embedder of their questions.

use super::{Eval, search_mode};
use crate::Error;
use crate::cli::options::embedder::embedder;
use crate::cli::options::question::{no_model, unknown_model};
use crate::cli::search::Mode;
use crate::eval::EvaluatedStore;
use crate::serve::{embedding_model, store_embedder};
use crate::store::{Notice, SearchMode, Store};

/// The stores of an evaluation.
#[derive(Default)]
pub struct Stores {
    pub connected: Vec<EvaluatedStore>,
    /// The modes of each store, in the order of the options.
    pub modes: Vec<(String, Vec<SearchMode>)>,
    pub notes: Vec<Notice>,
}

impl Eval {
    /// Connects to the stores, and loads the model if a mode needs it.
    pub async fn stores(&self) -> Result<Stores, Error> {
        let url = self.database.url()?;
        let mut names = Vec::new();
        for name in &self.store {
            if !names.contains(name) {
                names.push(name.clone());
            }
        }
        let mut stores = Stores::default();
        let mut loaded = None;
        for name in names {
            let mut store = Store::connect(&url, &name).await?;
            store.tell_model(self.embedder.model_name());
            let mut modes: Vec<SearchMode> = Vec::new();
            for mode in &self.mode {
                let mode = search_mode(*mode);
                if !modes.contains(&mode) {
                    modes.push(mode);
                }
            }
            if modes.is_empty() {
                modes.push(self.default_mode(&store, &mut stores.notes).await?);
            }
            let mut own = None;
            if modes.iter().any(|mode| *mode != search_mode(Mode::Text)) {
                if loaded.is_none() {
                    loaded = Some(embedder(&self.embedder, None).await?.0);
                }
                let embedder = loaded.as_ref().expect("it is loaded");
                let embedder = store_embedder(embedder, store.recorded_embedding().await?)?;
                store.check_model(&embedding_model(&embedder)).await?;
                own = Some(embedder);
            }
            stores.modes.push((name, modes));
            stores.connected.push(EvaluatedStore { store, embedder: own });
        }
        Ok(stores)
    }

    /// Returns the mode of a store if no option names one, as for `search`.
    async fn default_mode(
        &self,
        store: &Store,
        notes: &mut Vec<Notice>,
    ) -> Result<SearchMode, Error> {
        let note = if !store.has_embeddings().await? {
            None
        } else if !self.embedder.is_available() {
            Some(no_model())
        } else if !store.knows_model().await? {
            Some(unknown_model(store))
        } else {
            return Ok(search_mode(Mode::Hybrid));
        };
        notes.extend(note);
        Ok(search_mode(Mode::Text))
    }
}
