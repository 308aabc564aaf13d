//! How documents are split: by the options, else as the store records, else by defaults.

use super::embedder::load;
use super::window::Window;
use super::{Embedder, Model as ModelOptions};
use crate::Error;
use crate::embed::{self, Model};
use crate::split::{ChunkSizes, SizeUnit, SplitPattern, Splitter};
use crate::store::{self, EmbeddingModel, Notice, Store};
use clap::{Args, ValueEnum};
use std::sync::Arc;

/// The heading of options for the sizes of chunks.
pub const CHUNKS: &str = "Chunks";

/// Settings of the splitter.
#[derive(Args, Default)]
#[command(next_help_heading = CHUNKS)]
pub struct Splitting {
    /// Unit of chunk sizes [default: that of the store; in a new store wordpieces, or characters
    /// without a local model]
    #[arg(long, hide_short_help = true)]
    pub sizer: Option<Sizer>,
    /// Maximum size of a chunk in units of --sizer, 1 to 1000000 [default: that of the store; in a
    /// new store 200 wordpieces or 1000 characters, or up to 2000 for a service whose model reads
    /// more]
    #[arg(long, hide_short_help = true, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub max_size: Option<u32>,
    /// Preferred size of a chunk in units of --sizer, 1 to 1000000 [default: that of the store; in a
    /// new store 128 wordpieces or 600 characters, in proportion to --max-size]
    #[arg(long, hide_short_help = true, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub preferred_size: Option<u32>,
    /// Minimum size of a chunk in units of --sizer: smaller ones are merged if possible, 0 to
    /// 1000000 [default: that of the store; in a new store 50 wordpieces or 200 characters, in
    /// proportion to --max-size]
    #[arg(long, hide_short_help = true, value_name = "N", value_parser = clap::value_parser!(u32).range(0..=1_000_000))]
    pub min_size: Option<u32>,
    /// Size of the end of the previous chunk that is embedded with each chunk, in units of --sizer,
    /// 0 to 1000000 [default: that of the store, else 0]
    #[arg(long, hide_short_help = true, value_name = "N", value_parser = clap::value_parser!(u32).range(0..=1_000_000))]
    pub overlap: Option<u32>,
    /// Regular expression of the lines before which a document is divided, such as '^=== '; '' for none
    /// [default: that of the store, else none]
    ///
    /// No chunk extends across such a line, or across a line with only the comment passage: split, such
    /// as <!-- passage: split --> in Markdown. Structured data is not divided.
    #[arg(long, hide_short_help = true, value_name = "PATTERN", value_parser = requested_pattern)]
    pub split_at: Option<RequestedPattern>,
}

/// The pattern of an option; `None` where the option requests no pattern.
#[derive(Clone)]
pub struct RequestedPattern(Option<SplitPattern>);

fn requested_pattern(pattern: &str) -> Result<RequestedPattern, passage_split::Error> {
    let pattern = (!pattern.is_empty()).then(|| pattern.parse()).transpose()?;
    Ok(RequestedPattern(pattern))
}

impl Splitting {
    /// Returns the requested sizes.
    pub fn sizes(&self) -> ChunkSizes {
        let size = |option: Option<u32>| option.map(|size| size as usize);
        ChunkSizes {
            min: size(self.min_size),
            preferred: size(self.preferred_size),
            max: size(self.max_size),
        }
    }

    /// Returns the requested pattern, else the recorded one.
    fn pattern(&self, recorded: Option<&str>) -> Result<Option<SplitPattern>, Error> {
        match &self.split_at {
            Some(RequestedPattern(requested)) => Ok(requested.clone()),
            None => Ok(recorded.map(str::parse).transpose()?),
        }
    }
}

/// The unit of chunk sizes.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Sizer {
    /// Tokens of the local model
    Wordpieces,
    /// Characters, which need no model
    Characters,
}

/// Makes the splitter of `split`, which reads no store.
pub fn splitter(
    sizer: Sizer,
    model: &ModelOptions,
    splitting: &Splitting,
) -> Result<Splitter, Error> {
    let model = match sizer {
        Sizer::Characters => None,
        Sizer::Wordpieces => Some(load(model)?),
    };
    let window = Window::new(model.as_deref(), None, "");
    from_options(&window, splitting, None)
}

/// Returns how a new store splits: by wordpieces of the local model, else by characters, with sizes that
/// match the model of a service. Without an embedder, the store has no embeddings.
pub fn default_splitting(
    local: Option<&Model>,
    embedder: Option<&embed::Embedder>,
    options: &Embedder,
) -> store::Splitting {
    let service = options.service().filter(|_| embedder.is_some());
    let prefix = embedder.map_or("", |embedder| &embedder.prefixes().document);
    let limits = Window::new(local, service, prefix).limits(ChunkSizes::default());
    store::Splitting { unit: unit_of(local), limits, overlap: 0, split_at: None }
}

/// The options of a run that writes chunks to a store.
pub struct StoreSplitter<'a> {
    pub store: &'a Store,
    pub options: &'a Splitting,
    pub embedder: &'a Embedder,
    /// The model that embeds the chunks, if it is a local one.
    pub loaded: Option<Arc<Model>>,
    /// The unit if neither the options nor the store has one. Without a model, characters are the default.
    pub default: Sizer,
}

impl StoreSplitter<'_> {
    /// Makes the splitter. Options that agree with the store split as it records, so that unchanged
    /// documents keep their chunks. Also returns a note if chunks may be too long for the model.
    pub async fn splitter(self) -> Result<(Splitter, Option<Notice>), Error> {
        let Self { store, options, embedder, loaded, default } = self;
        let recorded = store.recorded_splitting().await?;
        let unit = options.sizer.or(recorded.as_ref().map(|recorded| sizer(recorded.unit)));
        let mut note = None;
        let model = match (unit, loaded) {
            (Some(Sizer::Characters), loaded) => {
                note = loaded.filter(|_| options.sizer.is_none()).map(|_| too_long_for_model());
                None
            }
            (Some(Sizer::Wordpieces), None) if options.sizer.is_none() => {
                let model = load(&embedder.model).map_err(|error| needs_model(store, error))?;
                // Another model counts other wordpieces.
                let recorded = store.recorded_embedding().await?;
                if recorded.model.is_some_and(|recorded| recorded != model.name()) {
                    let (name, dimensions) = (model.name().to_owned(), model.dimensions());
                    let model = EmbeddingModel { name, dimensions, prefixes: None };
                    store.check_model(&model).await?;
                }
                Some(model)
            }
            (Some(Sizer::Wordpieces), None) => Some(load(&embedder.model)?),
            (None, None) if default == Sizer::Wordpieces => load(&embedder.model).ok(),
            (None, _) if default == Sizer::Characters => None,
            (_, loaded) => loaded,
        };
        match recorded {
            Some(recorded) if agree(options, &recorded) => {
                let window = Window::of_store(model.as_deref(), embedder, store).await?;
                let splitter = window.splitter().with_limits(recorded.limits)?;
                let pattern = options.pattern(recorded.split_at.as_deref())?;
                Ok((splitter.with_overlap(recorded.overlap).with_split_at(pattern), note))
            }
            _ => {
                let unit = unit_of(model.as_deref());
                // A size in another unit says nothing about this one.
                let recorded = recorded.map(|recorded| {
                    if recorded.unit == unit {
                        recorded
                    } else {
                        store::Splitting { overlap: 0, ..recorded }
                    }
                });
                let window = Window::of_store(model.as_deref(), embedder, store).await?;
                Ok((from_options(&window, options, recorded.as_ref())?, note))
            }
        }
    }
}

/// Makes a splitter from options. Overlap and pattern are the recorded ones by default.
fn from_options(
    window: &Window<'_>,
    options: &Splitting,
    recorded: Option<&store::Splitting>,
) -> Result<Splitter, Error> {
    let limits = window.limits(options.sizes());
    let overlap = recorded.map_or(0, |recorded| recorded.overlap);
    let overlap = options.overlap.map_or(overlap, |overlap| overlap as usize);
    let pattern = options.pattern(recorded.and_then(|recorded| recorded.split_at.as_deref()))?;
    let splitter = window.splitter().with_limits(limits);
    let splitter = splitter.map_err(|error| out_of_order(&error, window.model))?;
    Ok(splitter.with_overlap(overlap).with_split_at(pattern))
}

fn unit_of(model: Option<&Model>) -> SizeUnit {
    if model.is_some() { SizeUnit::Wordpieces } else { SizeUnit::Characters }
}

fn sizer(unit: SizeUnit) -> Sizer {
    match unit {
        SizeUnit::Characters => Sizer::Characters,
        SizeUnit::Wordpieces => Sizer::Wordpieces,
    }
}

/// Returns whether each given size has the value that the store records.
fn agree(options: &Splitting, recorded: &store::Splitting) -> bool {
    let limits = recorded.limits;
    let is = |option: Option<u32>, recorded: usize| {
        option.is_none_or(|option| option as usize == recorded)
    };
    options.sizer.is_none_or(|option| option == sizer(recorded.unit))
        && is(options.max_size, limits.max)
        && is(options.preferred_size, limits.preferred)
        && is(options.min_size, limits.min)
        && is(options.overlap, recorded.overlap)
}

/// Explains why a run without embeddings needs the model.
fn needs_model(store: &Store, error: Error) -> Error {
    let cause = format!(
        "store \"{}\" has chunks in wordpieces, which the model counts: {error}",
        store.name()
    );
    let remedy = format!(
        "{} To split the store without a model: passage reindex --no-embed --sizer characters.",
        match error {
            Error::Model(_) => "Run passage model fetch, or name the folder of the model with --model or PASSAGE_MODEL.".into(),
            error => error.remedy(),
        }
    );
    Error::usage(&cause, &remedy)
}

fn too_long_for_model() -> Notice {
    Notice {
        message: "chunk sizes are in characters, as the store records; the model may not read all of a chunk".into(),
        hint: Some("To split the store in wordpieces of the model: passage reindex --sizer wordpieces.".into()),
    }
}

/// Names the options in the error of limits that are not in order.
fn out_of_order(error: &passage_split::Error, model: Option<&Model>) -> Error {
    let passage_split::Error::OutOfRange { argument, value, max } = error else {
        return error.clone().into();
    };
    let option = argument.replace('_', "-");
    let cause = format!("--{option} must be at most {max}, not {value}");
    let remedy = match (*argument, model) {
        ("preferred_size", _) => format!("Choose a size of at most --max-size, which is {max}."),
        ("min_size", _) => format!("Choose a size of at most --preferred-size, which is {max}."),
        (_, Some(_)) => format!(
            "The model reads {max} wordpieces of a chunk. Choose a smaller size, or a model that reads more."
        ),
        (_, None) => "Choose a smaller size.".into(),
    };
    Error::usage(&cause, &remedy)
}
