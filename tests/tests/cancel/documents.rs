//! `split` of every kind of document with 16 to 50 MB, and of the inputs that are the hardest to parse.

use crate::session::Session;
use passage_tests::Cluster;

/// The size of a document in bytes. HTML of more than 32 MB is refused.
const BYTES: usize = 16_000_000;

/// A document by its media type: its beginning, the repeated part and its end, as SQL literals.
const DOCUMENTS: [(&str, [&str; 3]); 36] = [
    ("text/html", ["'<table>'", "'<tr><td>'", "''"]),
    (
        "text/html",
        ["'<main>'", "'<p>Some <i>text</i> of a <a href=x>page</a> as long as this.'", "''"],
    ),
    ("text/html", ["''", "'<b>'", "''"]),
    ("text/html", ["'<p>'", "'words '", "''"]),
    ("text/html", ["'<a b=\"'", "'x '", "''"]),
    (
        "text/markdown",
        ["''", "E'## Part\\n\\nSome *text* of `it`.\\n\\n- one\\n- two\\n\\n'", "''"],
    ),
    ("text/markdown", ["''", "'['", "''"]),
    ("text/markdown", ["''", "'*a '", "''"]),
    ("text/markdown", ["''", "'`'", "''"]),
    ("text/markdown", ["''", "E'# a\\n'", "''"]),
    ("text/plain", ["''", "E'Some words in a paragraph.\\n\\n'", "''"]),
    ("text/plain", ["''", "'a'", "''"]),
    ("text/plain", ["''", "E'\\n'", "''"]),
    ("text/x-rst", ["''", "E'Part\\n----\\n\\nText.\\n\\n'", "''"]),
    ("text/x-asciidoc", ["''", "E'== Part\\n\\nText.\\n\\n'", "''"]),
    ("text/csv", ["E'a,b\\n'", "E'1,\"two\"\\n'", "''"]),
    ("application/json", ["'[0'", "',{\"a\":[1,2],\"b\":null}'", "']'"]),
    ("application/json", ["''", "'['", "''"]),
    ("application/jsonl", ["''", "E'{\"a\": 1, \"b\": \"text\"}\\n'", "''"]),
    ("text/x-yaml", ["''", "E'- a: 1\\n  b: [1, 2]\\n'", "''"]),
    ("text/x-yaml", ["'a: '", "'word and '", "''"]),
    ("text/x-toml", ["''", "E'[[all]]\\nid = 1\\nlist = [1, 2]\\n'", "''"]),
    ("text/x-toml", ["'a = [0'", "',0'", "']'"]),
    ("application/x-ipynb+json", ["'{\"cells\": [{\"source\": [1'", "',1'", "']}]}'"]),
    ("application/xml", ["'<all>'", "E'<part id=\"1\">text</part>\\n'", "'</all>'"]),
    ("application/xml", ["'<a>'", "'<b/>'", "'</a>'"]),
    ("application/xml", ["'<a b=\"'", "'x '", "'\"/>'"]),
    ("application/xml", ["'<!DOCTYPE a ['", "'<!ENTITY b \"&c;&c;\">'", "']><a>&b;</a>'"]),
    ("application/xml", ["'<a><!--'", "'words '", "'--></a>'"]),
    ("application/xml", ["'<a><![CDATA['", "'] '", "']]></a>'"]),
    ("text/x-ini", ["''", "E'[a]\\nb = c\\n'", "''"]),
    ("text/x-ini", ["''", "E'a=\\n'", "''"]),
    ("text/x-ini", ["'['", "'] '", "''"]),
    ("text/x-java-properties", ["''", "E'a = b \\\\\\n  c\\n'", "''"]),
    ("text/x-python", ["''", "E'def a():\\n    return 1\\n\\n'", "''"]),
    ("text/x-rust", ["''", "E'fn a() {\\n    1\\n}\\n\\n'", "''"]),
];

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn split_ends_soon_after_a_cancel_for_each_media_type() {
    let cluster = Cluster::start().await;
    let mut session = Session::of(&cluster, 1).await;
    session.prepare("CREATE TEMP TABLE source (text text)").await;
    session.prepare("ALTER TABLE source ALTER text SET STORAGE EXTERNAL").await;
    for (media_type, [begin, part, end]) in DOCUMENTS {
        let text = format!("{begin} || repeat({part}, {BYTES} / octet_length({part})) || {end}");
        // The text is in a table, because `repeat` itself checks for interrupts.
        session.prepare(&format!("TRUNCATE source; INSERT INTO source SELECT {text}")).await;
        let sql = format!("SELECT count(*) FROM source, passage.split(text, '{media_type}')");
        session.cancel(&format!("split {media_type} {part}"), &sql).await;
    }
    session.report();
}
