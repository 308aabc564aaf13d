//! The strategy of a call: a preset, or a row of the store.

use super::document::Document;
use super::layout::Relation;
use super::operators::{EQUAL, UNEQUAL};
use crate::error::Error;
use crate::types::Json;
use passage_core::strategy::{CustomStrategy, Scope};
use passage_core::{Error as Request, Strategy, StrategyOverrides};

/// The strategy that a call asks for.
pub struct Wanted {
    /// Its name, of a preset or of a row of the store.
    pub name: String,
    /// The named arguments of the call.
    pub overrides: StrategyOverrides,
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

/// The columns that are read of a store's own strategies beside the name, with their types.
const COLUMNS: [(&str, &str); 15] = [
    ("base", "text"),
    ("default_for", "text[]"),
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

/// What was read of a store's own strategies.
pub struct Rows(Vec<CustomStrategy>);

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
                Ok(Source::Preset { container: is_auto || preset.scope == Scope::Container })
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
    /// Returns what [`StrategyOverrides::apply`] does.
    pub fn preset(&self) -> Result<Strategy, Error> {
        let preset = Strategy::preset(&self.name).or_else(|| Strategy::preset("none"));
        self.changed(preset.expect("none is a preset"))
    }

    /// Returns the strategy of a document, with the arguments of the call.
    ///
    /// # Errors
    ///
    /// Returns what [`CustomStrategy::strategy`] does with the name of the row, and what [`StrategyOverrides::apply`] does.
    pub fn strategy(
        &self,
        source: Source,
        Rows(rows): &Rows,
        document: &Document,
    ) -> Result<Strategy, Error> {
        let own = match source {
            Source::Preset { .. } => None,
            Source::ByName => rows.first(),
            Source::ByMediaType => CustomStrategy::default_for(rows, &document.media_type()),
        };
        match own {
            Some(own) => {
                let wrong = |error| Error::Row { strategy: own.name.clone(), error };
                self.changed(own.strategy().map_err(wrong)?)
            }
            None if self.name == "auto" => self.changed(Strategy::auto(&document.media_type())),
            None => self.preset(),
        }
    }

    fn changed(&self, mut strategy: Strategy) -> Result<Strategy, Error> {
        self.overrides.apply(&mut strategy)?;
        Ok(strategy)
    }
}

impl Source {
    /// Tells whether a strategy from there may want containers.
    pub fn may_want_containers(self) -> bool {
        self != Self::Preset { container: false }
    }

    /// Writes what reads the rows that may be the strategy as a JSON array, NULL without any.
    ///
    /// It is a query of its own, which runs once for all hits.
    pub fn select(self, strategies: Option<&Relation>) -> String {
        let none = || "NULL::pg_catalog.jsonb".to_owned();
        let Some(strategies) = strategies else { return none() };
        let column = |column, sql_type| strategies.column("s", column, sql_type);
        let which = match self {
            Self::Preset { .. } => return none(),
            Self::ByName => format!("{} {EQUAL} $2", column("name", "text")),
            Self::ByMediaType => {
                format!("{} {UNEQUAL} '{{}}'::pg_catalog.text[]", column("default_for", "text[]"))
            }
        };
        // A column that someone added is no business of ours.
        let known = COLUMNS.map(|(name, sql_type)| {
            // Its text is read where it is used: JSON may be nested deeper than a row can be read.
            let text = if sql_type == "jsonb" { "::pg_catalog.text" } else { "" };
            format!(", '{name}', {}{text}", column(name, sql_type))
        });
        format!(
            "(SELECT pg_catalog.jsonb_agg(pg_catalog.jsonb_build_object(\
             'name', coalesce({}, ''){})) FROM {} AS s WHERE {which})",
            column("name", "text"),
            known.concat(),
            strategies.name
        )
    }
}

impl Rows {
    /// Takes what was read.
    ///
    /// # Errors
    ///
    /// Returns [`Request::UnknownStrategy`] if a table or view has limits of other types.
    pub fn read(found: Option<Json>, wanted: &Wanted) -> Result<Self, Error> {
        let Some(found) = found else { return Ok(Self(Vec::new())) };
        found.read().map(Self).ok_or_else(|| wanted.unknown())
    }

    /// Tells whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}
