//! Checks of XML by a library.

use quick_xml::{Reader, events::Event};

/// Returns whether a library reads a text as XML with closed elements.
pub fn is_well_formed(text: &str) -> bool {
    let mut reader = Reader::from_str(text);
    reader.config_mut().allow_dangling_amp = true;
    let mut depth = 0_usize;
    loop {
        match reader.read_event() {
            Ok(Event::Start(_)) => depth += 1,
            Ok(Event::End(_)) => depth -= 1,
            Ok(Event::Eof) => return depth == 0,
            Ok(_) => {}
            Err(_) => return false,
        }
    }
}
