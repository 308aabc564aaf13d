//! Chunks of structured data: their values and sections.

mod excerpt;
mod json;
pub mod names;
mod sections;
pub mod standalone;
mod toml;
pub mod well_formed;
mod yaml;

use passage_split::{
    Characters, Chunk, ChunkLimits, MediaType, SplitDocument, SplitOptions, Unit, split,
};

fn read<'t>(text: &'t str, media_type: &str, limits: ChunkLimits) -> SplitDocument<'t> {
    let options = SplitOptions::new(limits);
    let split = split(text, &MediaType::new(media_type), &options, &Characters).unwrap();
    let joined: String = split.chunks.iter().map(|chunk| chunk.content).collect();
    assert_eq!(joined, text);
    split
}

/// Limits that divide values of more than `preferred` characters.
fn small(preferred: usize) -> ChunkLimits {
    ChunkLimits { min: 0, preferred, max: preferred, window: 1_000 }
}

/// Returns the content, section and unit of each chunk.
fn rows<'t>(chunks: &[Chunk<'t>]) -> Vec<(&'t str, String, Unit)> {
    let row = |chunk: &Chunk<'t>| {
        assert!(
            chunk.level as usize == chunk.section.len() || chunk.unit == Unit::Text,
            "{chunk:?}"
        );
        (chunk.content, chunk.section.join("/"), chunk.unit)
    };
    chunks.iter().map(row).collect()
}

fn row<'t>(content: &'t str, section: &str, unit: Unit) -> (&'t str, String, Unit) {
    (content, section.to_owned(), unit)
}

/// Returns the text of a section and its descendants.
fn whole(chunks: &[Chunk<'_>], section: &[&str]) -> String {
    let inside = chunks.iter().filter(|chunk| {
        chunk.section.len() >= section.len()
            && chunk.section.iter().zip(section).all(|(a, b)| a == b)
    });
    inside.map(|chunk| chunk.content).collect()
}

/// Returns the line and column of the syntax error of a text, if it has one.
fn error(text: &str, media_type: &str) -> Option<(usize, usize)> {
    let split = read(text, media_type, ChunkLimits::CHARACTERS);
    split.syntax_error.map(|error| (error.line, error.column))
}
