//! How the documents of a store are split: the unit and the sizes that the table `settings` records.

use super::super::connection::Store;
use super::super::error::Error;
use super::super::unnamed_statement::Parameter;
use passage_split::{ChunkLimits, SizeUnit};
use serde_json::{Value, json};
use std::fmt;

/// The settings of a splitter that decide where it splits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Splitting {
    /// The unit of the sizes.
    pub unit: SizeUnit,
    /// The size limits of chunks.
    pub limits: ChunkLimits,
    /// The size of the end of the previous chunk that each preamble repeats.
    pub overlap: usize,
    /// The pattern of the lines before which documents are divided.
    pub split_at: Option<String>,
}

/// The key of the pattern among the sizes.
const SPLIT_AT: &str = "split_at";

/// The rule for a run whose chunk sizes differ from those that the store records.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OtherSizes {
    /// Fail: documents with chunks of other sizes would be split again without a request.
    Refuse,
    /// Keep the sizes of the store if it has documents.
    Keep,
    /// Record the new sizes, because the run splits stored documents again.
    Record,
}

impl Splitting {
    /// Parses the settings of a store. Returns `None` if they are missing or invalid.
    fn parse(unit: Option<&str>, sizes: Option<&Value>) -> Option<Self> {
        let units = [SizeUnit::Characters, SizeUnit::Wordpieces];
        let unit = units.into_iter().find(|known| Some(known.name()) == unit)?;
        let (limits, overlap) = ChunkLimits::from_json(sizes?)?;
        let split_at = match sizes?.get(SPLIT_AT) {
            None => None,
            Some(pattern) => Some(pattern.as_str()?.to_owned()),
        };
        Some(Self { unit, limits, overlap, split_at })
    }

    /// Returns the sizes with the pattern. A store without a pattern has no key for it.
    fn sizes(&self) -> Value {
        let mut sizes = self.limits.to_json(self.overlap);
        if let Some(pattern) = &self.split_at {
            sizes[SPLIT_AT] = pattern.as_str().into();
        }
        sizes
    }
}

impl Store {
    /// Returns how the documents of the store are split; `None` if nothing is recorded, or if the settings
    /// cannot be read without running code of another role.
    ///
    /// # Errors
    ///
    /// Returns [`Error::Database`] if the store does not exist.
    pub async fn recorded_splitting(&self) -> Result<Option<Splitting>, Error> {
        self.must_exist().await?;
        self.parsed_splitting("_passage.store_settings($1::text::name)", &[&self.name]).await
    }

    /// Checks that a run splits as the store records. Returns whether the store records exactly this.
    ///
    /// A store without documents agrees with every splitting.
    ///
    /// # Errors
    ///
    /// Returns [`Error::SplittingMismatch`] if the store has documents that are split otherwise.
    pub async fn check_splitting(&self, splitting: &Splitting) -> Result<bool, Error> {
        self.must_exist().await?;
        match self.stored_splitting().await? {
            Some(recorded) if recorded == *splitting => Ok(true),
            Some(recorded) if self.has_documents().await? => {
                Err(self.splitting_mismatch(&recorded, splitting))
            }
            _ => Ok(false),
        }
    }

    /// Records how documents are split.
    ///
    /// # Errors
    ///
    /// With [`OtherSizes::Refuse`] returns the error of [`check_splitting`](Self::check_splitting).
    pub(super) async fn record_splitting(
        &self,
        splitting: &Splitting,
        other_sizes: OtherSizes,
    ) -> Result<(), Error> {
        let recorded = self.stored_splitting().await?;
        if recorded.as_ref() == Some(splitting) {
            return Ok(());
        }
        match other_sizes {
            OtherSizes::Refuse => {
                self.check_splitting(splitting).await?;
            }
            OtherSizes::Keep if recorded.is_some() && self.has_documents().await? => {
                return Ok(());
            }
            OtherSizes::Keep | OtherSizes::Record => {}
        }
        let sizes = splitting.sizes();
        // A concurrent run may record first. Then its sizes are the store's. Invalid values are replaced.
        let actions = ["NOTHING", "UPDATE SET value = EXCLUDED.value"];
        for on_conflict in &actions[usize::from(recorded.is_some())..] {
            // One statement, so that unit and sizes always belong together.
            let sql = format!(
                "INSERT INTO {}.settings (key, value) VALUES ('chunk_sizes', $1), ('sizer', $2) \
                 ON CONFLICT (key) DO {on_conflict}",
                self.schema
            );
            self.execute(&sql, &[&sizes, &json!(splitting.unit.name())]).await?;
            match self.stored_splitting().await? {
                Some(recorded) if recorded == *splitting => return Ok(()),
                Some(recorded) => return Err(self.splitting_mismatch(&recorded, splitting)),
                None => {}
            }
        }
        Ok(())
    }

    /// Reads what the table `settings` records.
    async fn stored_splitting(&self) -> Result<Option<Splitting>, Error> {
        let settings = format!(
            "(SELECT pg_catalog.jsonb_object_agg(key, value) FROM {}.settings WHERE key IN ('sizer', 'chunk_sizes'))",
            self.schema
        );
        self.parsed_splitting(&settings, &[]).await
    }

    /// Reads the splitting from an expression for the settings as a JSON object.
    async fn parsed_splitting(
        &self,
        settings: &str,
        parameters: &[&dyn Parameter],
    ) -> Result<Option<Splitting>, Error> {
        let sql = format!(
            "SELECT settings ->> 'sizer', settings -> 'chunk_sizes' FROM (SELECT {settings}) AS recorded (settings)"
        );
        let row = self.query_one(&sql, parameters).await?;
        let (unit, sizes): (Option<String>, Option<Value>) = (row.get(0), row.get(1));
        Ok(Splitting::parse(unit.as_deref(), sizes.as_ref()))
    }

    fn splitting_mismatch(&self, recorded: &Splitting, requested: &Splitting) -> Error {
        Error::SplittingMismatch {
            store: self.name.clone(),
            actual: recorded.to_string(),
            requested: requested.to_string(),
        }
    }

    /// Returns whether the store may have documents. Policies may hide some of them.
    async fn has_documents(&self) -> Result<bool, Error> {
        let table = format!("{}.documents", self.schema);
        let sql = format!(
            "SELECT pg_catalog.row_security_active($1::text::regclass) OR EXISTS (SELECT 1 FROM {table})"
        );
        Ok(self.query_one(&sql, &[&table]).await?.get(0))
    }
}

impl fmt::Display for Splitting {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ChunkLimits { min, preferred, max, .. } = self.limits;
        write!(formatter, "{min} to {max} {}, preferably {preferred}", self.unit.name())?;
        if self.overlap > 0 {
            write!(formatter, ", with an overlap of {}", self.overlap)?;
        }
        match &self.split_at {
            Some(pattern) => write!(formatter, ", divided at \"{pattern}\""),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn invalid_settings_count_as_not_recorded() {
        let sizes = |text: &str| serde_json::from_str::<Value>(text).unwrap();
        let valid = r#"{"min_size": 1, "preferred_size": 2, "max_size": 3, "max_with_preamble": 4, "overlap": 5}"#;
        let parse = |unit: &str, text: &str| Splitting::parse(Some(unit), Some(&sizes(text)));
        let recorded = parse("characters", valid).unwrap();
        assert_eq!(recorded.limits.max, 3);
        assert_eq!(recorded.to_string(), "1 to 3 characters, preferably 2, with an overlap of 5");
        let divided = parse("characters", &valid.replace('}', r#", "split_at": "^=="}"#)).unwrap();
        assert!(divided.to_string().ends_with(r#", divided at "^==""#), "{divided}");
        assert_eq!(
            Some(divided.clone()),
            Splitting::parse(Some("characters"), Some(&divided.sizes()))
        );
        assert_eq!(parse("characters", &valid.replace('}', r#", "split_at": 1}"#)), None);
        assert_eq!(parse("lines", valid), None);
        assert_eq!(Splitting::parse(None, Some(&sizes(valid))), None);
        assert_eq!(Splitting::parse(Some("characters"), None), None);
        for wrong in [
            "{}",
            "[]",
            "3",
            &valid.replace('1', "-1"),
            &valid.replace('1', "9"),
            &valid.replace('4', "1e9"),
        ] {
            assert_eq!(parse("characters", wrong), None, "{wrong}");
        }
    }
}
