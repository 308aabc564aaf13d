//! The texts that are embedded.

use passage::embed::Model;
use passage::split::Splitter;
use passage_split::{MediaType, title};
use passage_tests::cluster::model_path;

use crate::corpus;

/// The number of texts of each kind.
const TEXTS: usize = 96;

/// Bytes with more wordpieces than the model reads, so that each text has the maximum.
const LONG: usize = 2_000;

/// Texts of one kind.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Texts with as many wordpieces as the model reads.
    Full,
    /// Chunks of the demo's documents, as the demo embeds them.
    Demo,
}

impl Kind {
    pub const ALL: [Self; 2] = [Self::Full, Self::Demo];

    pub fn name(self) -> &'static str {
        match self {
            Self::Full => "full",
            Self::Demo => "demo",
        }
    }

    pub fn description(self) -> &'static str {
        match self {
            Self::Full => "texts of 256 wordpieces",
            Self::Demo => "the chunks of the demo",
        }
    }

    /// Returns the texts, evenly chosen.
    pub fn texts(self, model: &Model) -> Vec<String> {
        let all = match self {
            Self::Full => {
                let long = |text: String| {
                    let end = text.floor_char_boundary(LONG);
                    (text.len() > LONG).then(|| text[..end].to_owned())
                };
                corpus::markdown().into_iter().filter_map(long).collect()
            }
            Self::Demo => chunks(model),
        };
        let step = all.len() / TEXTS;
        assert!(step > 0, "only {} texts: the corpus of the demo is missing", all.len());
        all.into_iter().step_by(step).take(TEXTS).collect()
    }
}

fn chunks(model: &Model) -> Vec<String> {
    let splitter = Splitter::by_wordpieces(model.wordpieces().clone(), model.limit() - 2);
    let model = model_path().expect("ground/fetch/model fetches the model");
    let mut files = Vec::new();
    corpus::collect(&model.with_file_name("corpus"), |_| true, &mut files);
    let split = |text: &String| {
        let title = title(text, &MediaType::MARKDOWN);
        let pieces = splitter.split(text, &MediaType::MARKDOWN, None, title.as_deref());
        let pieces = pieces.expect("the limits are in order").pieces;
        pieces.iter().map(|piece| piece.embedded_text(text)).collect::<Vec<_>>()
    };
    files.iter().flat_map(split).collect()
}
