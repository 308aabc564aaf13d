//! Conversion of whole pages to Markdown.

use super::*;
use crate::ConvertedDocument;

fn convert(html: &str, base: Option<&str>) -> ConvertedDocument {
    crate::convert(html, &MediaType::new("text/html"), base).unwrap().expect("HTML is converted")
}

fn markdown(html: &str) -> String {
    convert(html, None).text
}

#[test]
fn boilerplate_around_the_content_is_omitted() {
    let page = "<!doctype html><title>T</title><style>a{}</style><nav><a href=/>Home</a></nav>\
        <header><h1>Site</h1></header><div class='cookie-banner'>Accept</div>\
        <main><header><h1>Title</h1></header><nav>toc</nav><p>Words.<script>x()</script>\
        <p hidden>hidden</p><p style='display: none'>removed</p><p aria-hidden=true>silent</p>\
        <form>Say <input value=x><button>Go</button></form><aside>A note.</aside>\
        <template>t</template><noscript>n</noscript><!-- comment --></main>\
        <aside>Adverts</aside><footer>Imprint</footer>";
    assert_eq!(markdown(page), "# Title\n\nWords.\n\nSay \n\nA note.\n");
}

#[test]
fn a_boilerplate_class_on_the_body_hides_nothing() {
    let page = "<body class='sidebar cookie-banner-open'><p>Words.";
    assert_eq!(markdown(page), "Words.\n");
}

#[test]
fn an_article_with_most_of_the_text_is_the_content() {
    let words = "Many words. ".repeat(30);
    let page = format!("<div>Around</div><article><h1>A</h1><p>{words}</article>");
    assert!(markdown(&page).starts_with("# A\n\nMany words."));
    let two = format!("<article><p>One {words}</article><article><p>Two {words}</article>");
    assert!(markdown(&two).contains("One") && markdown(&two).contains("Two"));
}

#[test]
fn lists_of_links_are_navigation_unless_a_heading_precedes_them() {
    let words = "<p>".to_owned() + &"Many words. ".repeat(30);
    let list = "<li><a href=11>Chapter 11</a>".repeat(12);
    let page = format!("<h1>A</h1>{words}<div><ul>{list}</ul></div>");
    assert!(!markdown(&page).contains("Chapter"));
    let page = format!("<h1>A</h1>{words}<h2>See also</h2><ul>{list}</ul>");
    assert!(markdown(&page).contains("- [Chapter 11](11)"));
    // An index page has no other content.
    let page = format!("<h1>Index</h1><div class=toc><ul>{list}</ul></div>");
    assert!(markdown(&page).contains("- [Chapter 11](11)"));
}

#[test]
fn headings_lose_their_permalinks_and_nothing_else() {
    for heading in [
        "<h2 id=a>A <code>b</code><a class=headerlink href=#a>¶</a></h2>",
        "<h2><a class=header href=#a>A <code>b</code></a></h2>",
        "<h2><a class=anchor aria-hidden=true href=#a></a>A <code>b</code></h2>",
        "<h2>A <code>b</code><span><a class=mark href=#a id=a>#</a></span></h2>",
        "<h2><a href=#a>§</a>A<br><code>b</code></h2>",
        "<h2>A <code>b</code><a class=srclink href=x>[src]</a></h2>",
        "<h2><div>A</div> <code>b</code><a class=hash-link href=x#a>Permalink</a></h2>",
    ] {
        assert_eq!(markdown(heading), "## A `b`\n", "{heading}");
    }
    assert_eq!(markdown("<h2><a href=x>A</a></h2>"), "## [A](x)\n");
    assert_eq!(markdown("<h2></h2><p>a"), "a\n");
}

#[test]
fn code_keeps_its_language_and_its_lines() {
    for (pre, language) in [
        ("<pre><code class='language-rust ignore'>a\n  b</code></pre>", "rust"),
        (
            "<div class='highlight-python notranslate'><div class=highlight><pre>a\n  b</pre></div></div>",
            "python",
        ),
        ("<pre><code class='hljs c++'><span>a</span>\n  <span>b</span></code></pre>", "c++"),
        ("<pre class='prettyprint lang-js'>a<br>  b</pre>", "js"),
        ("<pre lang=sql>a\n  b\n</pre>", "sql"),
        (
            "<div class='sourceCode'><pre class='sourceCode haskell'><code>a\n  b</code></pre></div>",
            "haskell",
        ),
        ("<pre><span class=linenos>1</span>a\n  b<button>Copy</button></pre>", ""),
        ("<pre class=programlisting>a\n  b</pre>", ""),
    ] {
        assert_eq!(markdown(pre), format!("```{language}\na\n  b\n```\n"), "{pre}");
    }
    let two = "<pre><code class=language-mjs>a</code><code class=language-cjs>b</code></pre>";
    assert_eq!(markdown(two), "```mjs\na\n```\n\n```cjs\nb\n```\n");
    assert_eq!(markdown("<pre>a ``` b</pre>"), "````\na ``` b\n````\n");
    assert_eq!(markdown("<code>a  <b>b</b>\n\nc</code>"), "`a b c`\n");
}

#[test]
fn tables_keep_all_cells_and_columns() {
    let page = "<table><caption>Sizes</caption><thead><tr><th>a<th>b</thead>\
        <tr><th>row<td>1|2<tr><td><p>x</p><p>y</p><td><ul><li>z</ul></table>";
    let table = "Sizes\n\n| a | b |\n| --- | --- |\n| row | 1\\|2 |\n| x y | - z |\n";
    assert_eq!(markdown(page), table);
    assert_eq!(markdown("<table><tr><td>1<td>2</table>"), "|  |  |\n| --- | --- |\n| 1 | 2 |\n");
}

#[test]
fn the_content_of_layout_tables_replaces_them() {
    let page = "<table><tr><td>Left<td><h2>A</h2><pre>x</pre></table>";
    assert_eq!(markdown(page), "Left\n\n## A\n\n```\nx\n```\n");
    assert_eq!(markdown("<table role=presentation><tr><td>a<td>b</table>"), "a\n\nb\n");
}

#[test]
fn lists_nest_and_definitions_have_their_terms() {
    let page = "<ul><li>a<ol start=3><li>b<li>c</ol><li><p>d</p><p>e</p></ul>\
        <dl><dt><code>f</code> <b>g</b><dd>h<p>i</dl>";
    let lists = "- a\n  3. b\n  4. c\n- d\n  \n  e\n\n**`f` g**\n\nh\n\ni\n";
    assert_eq!(markdown(page).replace("\n  \n", "\n\n"), lists.replace("\n  \n", "\n\n"));
}

#[test]
fn links_resolve_against_the_page_or_its_base_element() {
    let page = "<a href=../b.html#c>b</a> <img src=i.png alt='an i'> <a href='javascript:x'>js</a> \
        <img src=data:abc alt=data> <a href=#d>d</a> <a name=e></a>";
    let based = convert(page, Some("https://example.org/docs/a/index.html")).text;
    assert_eq!(
        based,
        "[b](https://example.org/docs/b.html#c) ![an i](https://example.org/docs/a/i.png) js \
         data [d](https://example.org/docs/a/index.html#d)\n"
    );
    assert_eq!(markdown(page), "[b](../b.html#c) ![an i](i.png) js data [d](#d)\n");
    let said = format!("<base href=/v2/>{page}");
    let based = convert(&said, Some("https://example.org/docs/")).text;
    assert!(based.starts_with("[b](https://example.org/b.html#c)"), "{based}");
    assert_eq!(convert(page, Some("docs/a.html")).text, markdown(page));
}

#[test]
fn a_link_around_blocks_moves_to_the_first_block() {
    let page = "<a href=x><h3>A</h3><p>b</p></a>";
    assert_eq!(markdown(page), "### [A](x)\n\nb\n");
    assert_eq!(markdown("<code><a href=x>f</a></code>"), "[`f`](x)\n");
}

#[test]
fn the_title_loses_the_site_name_only_if_a_heading_confirms_it() {
    let title = |title: &str| convert(&format!("<title>{title}</title><h2>Files</h2><p>a"), None);
    assert_eq!(title("Files | Node.js").title.as_deref(), Some("Files"));
    assert_eq!(title("Node.js — Files").title.as_deref(), Some("Files"));
    assert_eq!(title("Files in depth").title.as_deref(), Some("Files in depth"));
    assert_eq!(title("A\n b").title.as_deref(), Some("A b"));
    assert_eq!(title("").title.as_deref(), Some("Files"));
    assert_eq!(convert("<p>a", None).title, None);
}

#[test]
fn broken_and_partial_pages_are_converted() {
    assert_eq!(markdown("<p>a <b>b<p>c</i></div>"), "a **b**\n\n**c**\n");
    assert_eq!(markdown("just < words & more"), "just < words & more\n");
    assert_eq!(markdown(""), "");
    assert_eq!(markdown("<frameset><frame src=a></frameset>"), "");
    assert_eq!(
        markdown("<?xml version='1.0'?><html xmlns='x'><body><p>a<br/>b</p></body></html>"),
        "a  \nb\n"
    );
    assert_eq!(markdown("<table><b>x</b><tr><td>y"), "**x**\n\ny\n");
}

#[test]
fn the_page_header_is_kept_if_it_has_the_only_heading() {
    assert_eq!(markdown("<header><h1>A</h1></header><p>b"), "# A\n\nb\n");
    let words = "Many words. ".repeat(30);
    let page = format!("<header><h1>Site</h1></header><h2>A</h2><p>{words}");
    assert!(markdown(&page).starts_with("## A\n\nMany"));
}

#[test]
fn hostile_pages_convert_in_linear_time() {
    let tags = [
        "<div>",
        "<b>",
        "<p><b><i><u>x",
        "<ul><li>x",
        "<blockquote>x",
        "<table><tr><td>",
        "<a href=x>",
        "<svg><g>",
        "<select><option>",
        "<dl><dt>x<dd>",
        "<dl><dt>",
        "<table><caption>x",
        "<h1><table><caption>x",
        "<a href=x><dl><dt>x",
        "<code><i>x",
        "<pre>",
        "<b>x</b>",
    ];
    // The thread has the stack of a worker. Quadratic time would take minutes here.
    let convert_all = move || {
        for tag in tags {
            let page = tag.repeat(100_000) + "end";
            let text = markdown(&page);
            assert!(text.len() < 2 * page.len(), "{tag}");
        }
        let rows = format!("<table><tr><th>a<th>b{}", "<tr><td>x<td>y".repeat(50_000));
        let wide = rows + "<tr><td>" + &"z".repeat(50_000);
        assert!(markdown(&wide).len() < 2 * wide.len());
        let add = |all: String, n: u32| all + " a" + &n.to_string();
        let attributes = (0..100_000).fold(String::new(), add);
        assert_eq!(markdown(&format!("<p{attributes}>x")), "x\n");
    };
    let worker = std::thread::Builder::new().stack_size(2 << 20).spawn(convert_all).unwrap();
    worker.join().unwrap();
}

#[test]
fn a_page_with_too_many_nodes_or_bytes_is_an_error() {
    let nodes = Error::PageTooComplex { max: parse::MAX_NODES };
    for tag in ["<tr><td>", "<br>", "<b></b>", "<p>x"] {
        let page = tag.repeat(2 * parse::MAX_NODES / tag.matches('<').count().min(2));
        let page = format!("<table>{page}");
        assert!(page.len() <= parse::MAX_BYTES, "{tag}");
        assert!(super::convert(&page, None) == Err(nodes.clone()), "{tag}");
    }
    let attributes = "<p a b c d e f g h>".repeat(parse::MAX_NODES / 8);
    assert!(super::convert(&attributes, None) == Err(nodes));
    let long = "words ".repeat(parse::MAX_BYTES / 6 + 1);
    let bytes = Error::PageTooLarge { max: parse::MAX_BYTES };
    assert!(super::convert(&long, None) == Err(bytes));
    assert!(convert(&long[..parse::MAX_BYTES / 2], None).text.len() >= parse::MAX_BYTES / 2);
}

#[test]
fn every_phase_of_a_conversion_can_be_interrupted() {
    use crate::interrupt::tests::{polls_of, stops_at};
    let page = "<h2>Title</h2><ul><li>one<li>two</ul><table><tr><td>a<td>b</table><pre>x</pre>"
        .repeat(100);
    let polls = polls_of(|| convert(&page, None));
    // The phases are the parser, the analysis, the rewriting and the writer.
    assert!(polls > 4 * 900, "{polls}");
    for poll in (0..polls).step_by(97) {
        assert!(stops_at(poll, || convert(&page, None)), "{poll} of {polls}");
    }
    // An interrupted conversion leaves no state behind.
    assert_eq!(convert("<ol><li>x</ol>", None).text, "1. x\n");
}

#[test]
fn panels_that_scripts_hide_are_content() {
    for panel in [
        "role=tabpanel hidden",
        "role=tabpanel aria-hidden=true",
        "class='tab-pane' style='display: none'",
        "class=accordion-body hidden",
    ] {
        let page =
            format!("<main><h1>A</h1><p>npm add<div {panel}>pnpm add</div><p hidden>no</main>");
        assert_eq!(markdown(&page), "# A\n\nnpm add\n\npnpm add\n", "{panel}");
    }
}

#[test]
fn raised_lowered_and_removed_text_keeps_its_meaning() {
    for (html, text) in [
        ("10<sup>6</sup> a", "10^6 a\n"),
        ("10<sup>-6</sup>", "10^-6\n"),
        ("x<sup>n + 1</sup>", "x^(n + 1)\n"),
        ("the 5<sup>th</sup> of", "the 5th of\n"),
        ("note<sup><a href=#n>1</a></sup>", "note[1](#n)\n"),
        ("H<sub>2</sub>O", "H2O\n"),
        ("a<del> b </del>c <s>d</s>", "a ~~b~~ c ~~d~~\n"),
        ("<del>b</del>", "~~b~~\n"),
    ] {
        assert_eq!(markdown(&format!("<p>{html}")), text, "{html}");
    }
    assert!(
        markdown("<p>10<sub>2</sub>").contains('2')
            && !markdown("<p>10<sub>2</sub>").contains("102")
    );
}

#[test]
fn headers_and_footers_of_sections_are_content() {
    let page = "<header><p>Site</header><h1>A</h1><p>Words.<section><header><h2>B</h2></header><p>Text.\
        <footer>Note 42.</footer></section><footer>Imprint</footer>";
    assert_eq!(markdown(page), "# A\n\nWords.\n\n## B\n\nText.\n\nNote 42.\n");
}

#[test]
fn a_cell_is_in_every_column_and_row_that_it_covers() {
    let page = "<table><tr><th rowspan=2>Year<th colspan=2>Q1<tr><th>in<th>out\
        <tr><td rowspan=2>2025<td>1<td>2<tr><td colspan=2>3</table>";
    let table =
        "| Year | Q1 in | Q1 out |\n| --- | --- | --- |\n| 2025 | 1 | 2 |\n| 2025 | 3 | 3 |\n";
    assert_eq!(markdown(page), table);
    // A long cell is written once.
    let long = "word ".repeat(60);
    let page = format!("<table><tr><td colspan=2>{long}<td>x<tr><td>1<td>2<td>3</table>");
    assert_eq!(markdown(&page).matches("word").count(), 60);
    let page = "<table><tr><td colspan=60000 rowspan=60000>a<tr><td>b</table>";
    assert!(markdown(page).len() < 1_000);
}

#[test]
fn a_title_among_dropped_elements_keeps_its_end_tag() {
    // The builder would panic at the next tag in a title that has no end.
    let page = format!("<p>Words.{}<title>Title</title><p>More.", "<em>".repeat(200));
    assert!(markdown(&page).contains("More."));
}
