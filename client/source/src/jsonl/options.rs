//! Settings of a run that the lines of a file must agree with: collection, model and dimensions.

/// A collection and its version.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct CollectionVersion {
    /// The collection.
    pub collection: String,
    /// Its version.
    pub version: String,
}

/// The settings of a run that lines must agree with.
#[derive(Clone, Debug, Default)]
pub struct LineOptions {
    /// The collection of the run, which no line may contradict; `None` if each line names its own.
    pub collection: Option<CollectionVersion>,
    /// The model of embeddings whose lines do not name it.
    pub model: Option<String>,
    /// The dimensions of the store's embeddings, if they are known.
    pub dimensions: Option<usize>,
}
