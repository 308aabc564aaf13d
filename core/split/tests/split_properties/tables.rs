//! Generator of comma-separated values with known records.

use proptest::prelude::*;

/// A table, and the offsets of its records.
#[derive(Clone, Debug)]
pub struct Table {
    pub text: String,
    pub records: Vec<usize>,
}

/// Generates a table with a header, and with quoted fields that contain delimiters, line ends and quotes.
pub fn table() -> impl Strategy<Value = Table> {
    let plain = "[a-z0-9 ]{0,12}";
    let quoted =
        "[a-z,;\\n\" ]{0,20}".prop_map(|text| format!("\"{}\"", text.replace('"', "\"\"")));
    let field = prop_oneof![3 => plain, 1 => quoted];
    let records = prop::collection::vec(prop::collection::vec(field, 2..5), 0..40);
    let delimiter = prop::sample::select(vec![",", ";", "\t", "|"]);
    let end = prop::sample::select(vec!["\n", "\r\n", "\n\n"]);
    (records, delimiter, end, any::<bool>()).prop_map(|(records, delimiter, end, mark)| {
        let mut text = String::from(if mark { "\u{feff}" } else { "" });
        let mut starts = vec![0];
        text.push_str(&["name", "size", "note"].join(delimiter));
        text.push_str(end);
        for record in records {
            let record = record.join(delimiter);
            if !record.trim().is_empty() {
                starts.push(text.len());
                text.push_str(&record);
                text.push_str(end);
            }
        }
        Table { text, records: starts }
    })
}
