//! The fields of a chunk that another program has embedded: its id and its embedding.

use super::fields::{Fields, LineOptions};
use crate::Error;
use serde_json::Value;
use uuid::Uuid;

impl Fields {
    /// Takes a uuid.
    pub(super) fn uuid(&mut self, key: &str) -> Result<Option<Uuid>, Error> {
        let Some(text) = self.text(key)? else { return Ok(None) };
        match Uuid::try_parse(&text) {
            Ok(uuid) => Ok(Some(uuid)),
            Err(_) => self.must_be(key, "a uuid"),
        }
    }

    /// Takes the embedding of a chunk with the name of its model.
    pub(super) fn embedding(
        &mut self,
        options: &LineOptions,
    ) -> Result<Option<(String, Vec<f32>)>, Error> {
        let model = self.text("model")?;
        let values = match self.take("embedding") {
            None => return Ok(None),
            Some(Value::Array(values)) => values,
            Some(_) => return self.must_be("embedding", "an array of numbers"),
        };
        let (actual, expected) = (values.len(), options.dimensions.unwrap_or(values.len()));
        if actual != expected || actual == 0 {
            let dimensions =
                if expected == 0 { "a dimension".into() } else { format!("{expected} dimensions") };
            return Err(self.error(format!("\"embedding\" must have {dimensions}, not {actual}")));
        }
        let mut embedding = Vec::with_capacity(values.len());
        for value in values {
            match value.as_f64().map(|number| number as f32) {
                Some(number) if number.is_finite() => embedding.push(number),
                _ => return self.must_be("embedding", "an array of finite numbers of 4 bytes"),
            }
        }
        let model = match (model, &options.model) {
            (Some(line), Some(run)) if line != *run => {
                return self.must_be("model", "the model that --model-name names");
            }
            (Some(model), _) => model,
            (None, Some(model)) => model.clone(),
            (None, None) => {
                return Err(
                    self.error("\"embedding\" requires \"model\", or the option --model-name")
                );
            }
        };
        if model.trim().is_empty() {
            return self.must_be("model", "the name of a model");
        }
        Ok(Some((model, embedding)))
    }
}
