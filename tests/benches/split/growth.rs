//! The growth of time: a document ten times as long takes ten times as long, in every kind.

use std::time::Instant;

use passage_split::MediaType;

use super::stored_and_split;
use crate::rounds::turns;
use crate::table::{Bar, Table};

/// The bytes of the smaller document, which must exceed a processor's caches together with its chunks, and the
/// factor of the larger one.
const SMALLER: usize = 1_000_000;
const TIMES: usize = 10;

/// The beginning of a document of a kind, the repeated part, and the end; `{}` is the number of the part.
const DOCUMENTS: [(&str, &str, &str, &str); 6] = [
    ("text/markdown", "# All\n", "\n## Part {}\n\nSome *text* of part {}.\n\n- one\n- two\n", ""),
    (
        "text/html",
        "<main><h1>All</h1>",
        "<h2>Part {}</h2><p>Some <i>text</i>.</p><ul><li>one</ul>",
        "",
    ),
    (
        "application/json",
        "[null",
        ",\n{\"id\": {}, \"of\": {\"name\": \"part {}\", \"list\": [1, 2]}}",
        "]",
    ),
    ("text/x-yaml", "all:\n", "- id: {}\n  of:\n    name: part {}\n    list: [1, 2]\n", ""),
    ("text/x-toml", "", "[[all]]\nid = {}\nof.name = \"part {}\"\nlist = [1, 2]\n\n", ""),
    (
        "text/x-rust",
        "",
        "/// Is part {}.\nfn part_{}(a: u8) -> u8 {\n    let b = a + 1;\n    b\n}\n\n",
        "",
    ),
];

/// Measures each kind whose growth could be other than linear.
pub async fn measure(table: &mut Table) {
    for (name, begin, part, end) in DOCUMENTS {
        let media_type = MediaType::new(name);
        let [small, large] = [SMALLER, SMALLER * TIMES].map(|bytes| {
            let parts =
                (0..bytes / part.len()).map(|number| part.replace("{}", &number.to_string()));
            format!("{begin}{}{end}", parts.collect::<String>())
        });
        let time = |text: &str| {
            let begun = Instant::now();
            stored_and_split(text, &media_type);
            begun.elapsed().as_secs_f64() * 1e6
        };
        // Numbers get longer, so bytes are compared, not parts.
        let times = large.len() as f64 / small.len() as f64;
        let figures = turns(async |_| time(&small) * times, async |_| time(&large)).await;
        let what = format!(
            "split {:.1} MB of {name} at once against a tenth of it ten times",
            large.len() as f64 / 1e6
        );
        table.times(&what, figures, Bar::AtMost(1.5));
    }
}
