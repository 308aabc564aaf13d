//! The command `split`: shows the chunks of a file.

use super::splitter::splitter;
use super::{is_stdin, overrides};
use crate::args::{self, Sizer};
use crate::render;
use passage::document::{self, Document};
use passage::{Error, source};
use passage_split::SyntaxError;

/// Returns the text to print, and notes for standard error.
pub fn split(args: &args::Split) -> Result<(String, Vec<String>), Error> {
    let overrides = overrides(&args.overrides)?;
    let bytes =
        if is_stdin(&args.file) { source::read_stdin()? } else { source::read(&args.file)? };
    let uri = args.file.to_string_lossy();
    let document = document::read(&overrides, bytes, &args.file, &uri, None)?;
    let has_model = args.model.is_available();
    let default = if has_model { Sizer::Wordpieces } else { Sizer::Characters };
    let sizer = args.splitting.sizer.unwrap_or(default);
    let mut notes = Vec::new();
    if args.splitting.sizer.is_none() && !has_model {
        notes.push(
            "chunk sizes are in characters, because no embedding model is available; use --model to name one"
                .to_owned(),
        );
    }
    let splitter = splitter(sizer, &args.model, &args.splitting)?;
    let Document { text, media_type, kind, title, .. } = &document;
    let split = splitter.split(text, media_type, Some(*kind), title.as_deref())?;
    if let Some(SyntaxError { line, column }) = split.syntax_error {
        notes.push(format!(
            "split as plain text: invalid {media_type} at line {line}, column {column}"
        ));
    }
    let render = if args.json { render::pieces_json } else { render::pieces };
    Ok((render(text, &split.pieces), notes))
}
