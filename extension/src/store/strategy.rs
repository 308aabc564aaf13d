//! The strategy of a call: a preset, or a row of the store.

use super::layout::Relation;
use crate::error::Error;
use crate::spi::Rows;
use passage_core::strategy::Whole;
use passage_core::{Error as Request, MediaType, Overrides, Strategy};
use pgrx::datum::JsonB;

/// The strategy that a call asks for.
pub struct Wanted {
    /// Its name, of a preset or of a row of the store.
    pub name: String,
    /// The named arguments of the call.
    pub overrides: Overrides,
}

/// Where the limits of a call's strategy stand.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub enum Source {
    /// In the extension.
    Preset {
        /// Whether it may want containers.
        container: bool,
    },
    /// In the row of the strategy's name.
    ByName,
    /// In the row that is the default for the document's media type, else in the extension.
    ByMediaType,
}

/// What is read of a strategy.
const LIMITS: [(&str, &str); 14] = [
    ("base", "text"),
    ("parents", "integer"),
    ("preceding", "integer"),
    ("following", "integer"),
    ("children", "integer"),
    ("before", "integer"),
    ("after", "integer"),
    ("windows", "jsonb"),
    ("siblings", "text"),
    ("within", "text"),
    ("threshold", "double precision"),
    ("count_by", "text"),
    ("max_tokens", "integer"),
    ("max_chunks", "integer"),
];

impl Wanted {
    /// Returns where the limits stand.
    ///
    /// # Errors
    ///
    /// Returns [`Request::UnknownStrategy`] if there is neither a preset of the name nor a table
    /// that might have it.
    pub fn source(&self, strategies: Option<&Relation>) -> Result<Source, Error> {
        let is_auto = self.name == "auto";
        match (Strategy::preset(&self.name), strategies) {
            (Some(_), Some(rows)) if is_auto && rows.has("default_for") => Ok(Source::ByMediaType),
            (Some(preset), _) => {
                Ok(Source::Preset { container: is_auto || preset.whole == Whole::Container })
            }
            (None, Some(_)) => Ok(Source::ByName),
            (None, None) => Err(self.unknown()),
        }
    }

    /// The error of a name that nothing has.
    pub fn unknown(&self) -> Error {
        Request::UnknownStrategy(self.name.clone()).into()
    }

    /// Returns the preset of the name, or that of none, with the arguments of the call.
    ///
    /// # Errors
    ///
    /// Returns what [`Overrides::apply`] does.
    pub fn preset(&self) -> Result<Strategy, Error> {
        let preset = Strategy::preset(&self.name).or_else(|| Strategy::preset("none"));
        self.changed(preset.expect("none is a preset"))
    }

    /// Returns the strategy of a document that the store has none for.
    ///
    /// # Errors
    ///
    /// Returns what [`Overrides::apply`] does.
    pub fn builtin(&self, media_type: &MediaType) -> Result<Strategy, Error> {
        if self.name == "auto" { self.changed(Strategy::auto(media_type)) } else { self.preset() }
    }

    /// Returns a strategy with the arguments of the call.
    ///
    /// # Errors
    ///
    /// Returns what [`Overrides::apply`] does.
    pub fn changed(&self, mut strategy: Strategy) -> Result<Strategy, Error> {
        self.overrides.apply(&mut strategy)?;
        Ok(strategy)
    }
}

impl Source {
    /// Tells whether a strategy from there may want containers.
    pub fn may_want_containers(self) -> bool {
        self != Self::Preset { container: false }
    }

    /// Returns the columns that are read of a strategy.
    pub fn columns(self) -> &'static [(&'static str, &'static str)] {
        if let Self::Preset { .. } = self { &[] } else { &LIMITS }
    }
}

/// Names the columns of a strategy, as the alias `s`.
pub fn select(strategies: Option<&Relation>, source: Source) -> Vec<String> {
    Relation::all(strategies, "s", source.columns())
}

/// Writes the join with the row that is the default for a media type: one that names it goes before
/// one for all of its kind, and that before one for everything; of several the first by name.
pub fn by_media_type(strategies: &str, media_type: &str) -> String {
    format!(
        "LEFT JOIN LATERAL (SELECT s.*, CASE WHEN {media_type} = ANY (s.default_for) THEN 1 \
         WHEN pg_catalog.split_part({media_type}, '/', 1) || '/*' = ANY (s.default_for) THEN 2 \
         WHEN '*/*' = ANY (s.default_for) THEN 3 END AS place \
         FROM {strategies} AS s ORDER BY place, s.name LIMIT 1) AS s ON s.place IS NOT NULL"
    )
}

/// Reads the strategy of a hit, if it comes from the store.
///
/// # Errors
///
/// Returns [`Request::UnknownStrategy`] for a base that is no preset, and what
/// [`Overrides::apply`] does.
pub fn read(
    rows: &Rows,
    row: usize,
    source: Source,
    first: usize,
) -> Result<Option<Strategy>, Error> {
    if source.columns().is_empty() {
        return Ok(None);
    }
    let Some(base) = rows.get::<String>(row, first) else { return Ok(None) };
    let limit = |column: usize| rows.get::<i32>(row, first + column);
    let word = |column: usize| rows.get::<String>(row, first + column);
    let stored = Overrides {
        parents: limit(1),
        preceding: limit(2),
        following: limit(3),
        children: limit(4),
        before: limit(5),
        after: limit(6),
        windows: rows.get::<JsonB>(row, first + 7).map(|JsonB(windows)| windows),
        siblings: word(8),
        within: word(9),
        threshold: rows.get(row, first + 10),
        count_by: word(11),
        max_tokens: limit(12),
        max_chunks: limit(13),
    };
    let mut strategy = Strategy::preset(&base).ok_or(Request::UnknownStrategy(base))?;
    stored.apply(&mut strategy)?;
    Ok(Some(strategy))
}
