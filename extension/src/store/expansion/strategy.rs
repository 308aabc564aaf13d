//! The strategy of a call: a preset, or a row of the store's table `strategies`.

use super::hit_document::HitDocument;
use crate::server::error::Error;
use crate::server::sql_text::{EQUAL, UNEQUAL};
use crate::server::types::Json;
use crate::store::layout::{Layout, Relation};
use passage_core::strategy::{CustomStrategy, Scope};
use passage_core::{Error as Request, Strategy, StrategyOverrides};

/// The strategy that a call names.
pub struct StrategyRequest {
    /// The name of a preset or of a row of the store.
    pub name: String,
    /// The limits that are arguments of the call.
    pub overrides: StrategyOverrides,
}

/// The place where the limits of a call's strategy are defined.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum StrategySource {
    /// In the extension.
    Preset {
        /// Whether hits may be widened to containers.
        container: bool,
    },
    /// In the row with the strategy's name.
    ByName,
    /// In the row that is the default for the document's media type, else in the extension.
    ByMediaType,
}

/// The columns of the table `strategies` that are read beside the name, with their types.
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

/// Strategies that the users of a store defined.
pub struct CustomStrategies(Vec<CustomStrategy>);

impl StrategyRequest {
    /// Returns where the limits are defined.
    ///
    /// # Errors
    ///
    /// Returns [`Request::UnknownStrategy`] if there is neither a preset of the name nor a table
    /// `strategies`.
    pub fn source(&self, layout: &Layout) -> Result<StrategySource, Error> {
        let is_auto = self.name == "auto";
        let strategies = layout.strategies.as_ref();
        match (Strategy::preset(&self.name), strategies) {
            (Some(_), Some(rows))
                if is_auto && rows.has("default_for") && layout.has_strategies() =>
            {
                Ok(StrategySource::ByMediaType)
            }
            (Some(preset), _) => Ok(StrategySource::Preset {
                container: is_auto || preset.scope == Scope::Container,
            }),
            (None, Some(_)) => Ok(StrategySource::ByName),
            (None, None) => Err(self.unknown()),
        }
    }

    /// Returns the error for an unknown name.
    pub fn unknown(&self) -> Error {
        Request::UnknownStrategy(self.name.clone()).into()
    }

    /// Returns the preset of the name, or `none` for another name, with the limits of the call.
    ///
    /// # Errors
    ///
    /// Returns what [`StrategyOverrides::apply`] does.
    pub fn preset(&self) -> Result<Strategy, Error> {
        let preset = Strategy::preset(&self.name).or_else(|| Strategy::preset("none"));
        self.with_overrides(preset.expect("none is a preset"))
    }

    /// Returns the strategy for a document, with the limits of the call. Without sections no relatives
    /// are known, so `auto` takes the adjacent chunks.
    ///
    /// # Errors
    ///
    /// Returns what [`CustomStrategy::strategy`] does, with the name of the row, and what [`StrategyOverrides::apply`] does.
    pub fn strategy(
        &self,
        source: StrategySource,
        CustomStrategies(rows): &CustomStrategies,
        document: &HitDocument,
        has_sections: bool,
    ) -> Result<Strategy, Error> {
        let row = match source {
            StrategySource::Preset { .. } => None,
            StrategySource::ByName => rows.first(),
            StrategySource::ByMediaType => {
                CustomStrategy::default_for(rows, &document.media_type())
            }
        };
        match row {
            Some(row) => {
                let in_row = |error| Error::Row { strategy: row.name.clone(), error };
                self.with_overrides(row.strategy().map_err(in_row)?)
            }
            None if self.name == "auto" => {
                let adjacent = Strategy::preset("adjacent").filter(|_| !has_sections);
                self.with_overrides(
                    adjacent.unwrap_or_else(|| Strategy::auto(&document.media_type())),
                )
            }
            None => self.preset(),
        }
    }

    /// Returns the share of its budget that a search keeps for context.
    ///
    /// # Errors
    ///
    /// Returns what [`StrategyOverrides::context_share`] does.
    pub fn context_share(&self) -> Result<f64, Error> {
        Ok(self.overrides.context_share(&self.name)?)
    }

    fn with_overrides(&self, mut strategy: Strategy) -> Result<Strategy, Error> {
        self.overrides.apply(&mut strategy)?;
        Ok(strategy)
    }
}

impl StrategySource {
    /// Returns whether hits may be widened to containers.
    pub fn may_need_containers(self) -> bool {
        self != Self::Preset { container: false }
    }

    /// Returns a subquery for the rows that may be the strategy, as a JSON array, NULL without any.
    ///
    /// PostgreSQL executes it once for all hits.
    pub fn select(self, strategies: Option<&Relation>) -> String {
        let none = || "NULL::pg_catalog.jsonb".to_owned();
        let Some(strategies) = strategies else { return none() };
        let column = |column, sql_type| strategies.column("s", column, sql_type);
        let condition = match self {
            Self::Preset { .. } => return none(),
            Self::ByName => format!("{} {EQUAL} $2", column("name", "text")),
            Self::ByMediaType => {
                format!("{} {UNEQUAL} '{{}}'::pg_catalog.text[]", column("default_for", "text[]"))
            }
        };
        // Columns that a user added are not read.
        let fields = COLUMNS.map(|(name, sql_type)| {
            // The text is parsed where it is used: JSON in JSON may be nested too deeply to parse.
            let text = if sql_type == "jsonb" { "::pg_catalog.text" } else { "" };
            format!(", '{name}', {}{text}", column(name, sql_type))
        });
        format!(
            "(SELECT pg_catalog.jsonb_agg(pg_catalog.jsonb_build_object(\
             'name', coalesce({}, ''){})) FROM {} AS s WHERE {condition})",
            column("name", "text"),
            fields.concat(),
            strategies.name
        )
    }
}

impl CustomStrategies {
    /// Parses the rows that [`StrategySource::select`] reads.
    ///
    /// # Errors
    ///
    /// Returns [`Request::UnknownStrategy`] if the limits in the table have other types.
    pub fn parse(rows: Option<Json>, request: &StrategyRequest) -> Result<Self, Error> {
        let Some(rows) = rows else { return Ok(Self(Vec::new())) };
        rows.parse().map(Self).ok_or_else(|| request.unknown())
    }

    /// Returns whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}
