//! A way of making chunks, as it is named on the command line.

use std::fmt;
use std::str::FromStr;

use passage_split::{ChunkLimits, MediaType, Sizer, SplitOptions, split, title};

use super::score::ReturnedPassage;
use super::set::Document;
use super::store::Chunk;

/// Sizes, and parts that are left out to measure their effect.
///
/// Written `MIN/PREFERRED/MAX` in wordpieces, then `:bare` for chunks without preambles, and `:plain` for documents
/// that are split as plain text.
#[derive(Clone, Copy, Debug)]
pub struct Configuration {
    sizes: [usize; 3],
    bare: bool,
    plain: bool,
}

impl Configuration {
    /// The defaults of the client.
    pub const CLIENT: Self = {
        let ChunkLimits { min, preferred, max, .. } = ChunkLimits::WORDPIECES;
        Self { sizes: [min, preferred, max], bare: false, plain: false }
    };

    /// Splits a document, the number `document` of its set, for a model that reads `window` wordpieces. Returns each
    /// chunk with the text to embed. If chunks may be larger, the model does not read their ends.
    ///
    /// # Panics
    ///
    /// Panics if the sizes are not in order.
    pub fn chunks(
        self,
        document: usize,
        Document { name, text }: &Document,
        window: usize,
        sizer: &dyn Sizer,
    ) -> Vec<(String, Chunk)> {
        let is = MediaType::from_path(name).unwrap_or(MediaType::PLAIN);
        // The client gives this title to a document without one.
        let title = title(text, &is).unwrap_or_else(|| name.clone());
        let [min, preferred, max] = self.sizes;
        let limits = ChunkLimits { min, preferred, max, window: window.max(max) };
        let options = SplitOptions { title: Some(&title), ..SplitOptions::new(limits) };
        let is = if self.plain { MediaType::PLAIN } else { is };
        let chunks = split(text, &is, &options, sizer).expect("the sizes are in order").chunks;
        let chunk = |chunk: passage_split::Chunk<'_>| {
            let embedded = if self.bare || chunk.preamble.is_empty() {
                chunk.content.to_owned()
            } else {
                format!("{}\n{}", chunk.preamble, chunk.content)
            };
            let chunk = Chunk {
                section: chunk.section,
                kind: chunk.kind,
                unit: chunk.unit,
                level: chunk.level,
                imports: chunk.imports,
                content: chunk.content.to_owned(),
                passage: ReturnedPassage { document, spans: vec![chunk.bytes], tokens: chunk.size },
            };
            (embedded, chunk)
        };
        chunks.into_iter().map(chunk).collect()
    }
}

impl FromStr for Configuration {
    type Err = String;

    fn from_str(written: &str) -> Result<Self, String> {
        let mut parts = written.split(':');
        let sizes: Result<Vec<_>, _> =
            parts.next().into_iter().flat_map(|sizes| sizes.split('/')).map(str::parse).collect();
        let wrong = || format!("{written} is not MIN/PREFERRED/MAX, and :bare or :plain behind it");
        let sizes = sizes.ok().and_then(|sizes| sizes.try_into().ok()).ok_or_else(wrong)?;
        let mut configuration = Self { sizes, bare: false, plain: false };
        for part in parts {
            match part {
                "bare" => configuration.bare = true,
                "plain" => configuration.plain = true,
                _ => return Err(wrong()),
            }
        }
        let [min, preferred, max] = sizes;
        if min > preferred || preferred > max {
            return Err(format!("{written}: the sizes do not rise"));
        }
        Ok(configuration)
    }
}

impl fmt::Display for Configuration {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [min, preferred, max] = self.sizes;
        write!(formatter, "{min}/{preferred}/{max}")?;
        formatter.write_str(if self.bare { ":bare" } else { "" })?;
        formatter.write_str(if self.plain { ":plain" } else { "" })
    }
}
