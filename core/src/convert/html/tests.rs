//! What a reader of the Markdown sees of a page.

use super::*;

fn markdown(html: &str) -> String {
    convert(html, None).text
}

#[test]
fn smoke() {
    assert_eq!(markdown("<p>a <b>b</b>"), "a **b**\n");
}
