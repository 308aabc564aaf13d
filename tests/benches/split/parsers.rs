//! The parsers that splitting uses, each alone. All return whether the text is valid.

use std::borrow::Cow;
use std::hint::black_box;

use passage_split::split::MARKDOWN_OPTIONS;
use toml_parser::parser::{Event, EventKind, parse_document};
use toml_parser::{ParseError, Raw, Source};

pub fn markdown(text: &str) -> bool {
    black_box(pulldown_cmark::Parser::new_ext(text, MARKDOWN_OPTIONS).count());
    true
}

pub fn html(text: &str) -> bool {
    black_box(htmd::convert(text)).is_ok()
}

pub fn json(text: &str) -> bool {
    black_box(serde_json::from_str::<serde_json::Value>(text)).is_ok()
}

pub fn yaml(text: &str) -> bool {
    saphyr_parser::Parser::new_from_str(text).all(|event| black_box(event).is_ok())
}

/// The events alone accept any word as a value. An invalid TOML shows only when keys and values are decoded.
pub fn toml(text: &str) -> bool {
    let source = Source::new(text);
    let tokens = source.lex().into_vec();
    let (mut error, mut wrong) = (None::<ParseError>, None::<ParseError>);
    let mut decode = |event: Event| {
        let Some(raw) = source.get(event.span()) else { return };
        let raw = Raw::new_unchecked(raw.as_str(), event.encoding(), event.span());
        let mut value = Cow::Borrowed("");
        match event.kind() {
            EventKind::SimpleKey => raw.decode_key(&mut value, &mut wrong),
            EventKind::Scalar => {
                black_box(raw.decode_scalar(&mut value, &mut wrong));
            }
            _ => {}
        }
    };
    parse_document(&tokens, &mut decode, &mut error);
    error.or(wrong).is_none()
}
