//! `split` of every kind of document with 16 to 50 MB, of the inputs that are the hardest to parse, and of the
//! largest syntax trees.

use super::session::{MAX_WORK, Session};
use passage_tests::Cluster;
use passage_tests::share::share;
use std::time::Duration;

/// The size of a document in bytes. HTML of more than 32 MB is refused.
const BYTES: usize = 16_000_000;

/// Sizes of source code with the largest syntax trees, which need 35 to 105 bytes for a byte.
const TREE_BYTES: [usize; 2] = [1_200_000, 3_000_000];

/// The largest processor time from a cancel to the error for such code, most of which frees the tree.
const MAX_TREE_WORK: Duration = Duration::from_millis(200);

/// The number of languages, which are the first of `CODE`.
const LANGUAGES: usize = 16;

/// A document by its media type: its beginning, the repeated part and its end, as SQL literals.
const DOCUMENTS: [(&str, [&str; 3]); 34] = [
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
];

/// Source code of every language, and documents that are hard for its parser.
const CODE: [(&str, [&str; 3]); 40] = [
    ("text/x-rust", ["''", "E'fn a() {\\n    1\\n}\\n\\n'", "''"]),
    ("text/x-typescript", ["''", "E'export interface A { a: Map<string, number>; }\\n'", "''"]),
    ("text/x-tsx", ["''", "E'const A = (a: B) => <b c={d}>text</b>;\\n'", "''"]),
    (
        "text/javascript",
        ["''", "E'function f(a) { return a.b(function () { return 1; }); }\\n'", "''"],
    ),
    ("text/x-jsx", ["''", "E'const A = (a) => <b c={d}>text</b>;\\n'", "''"]),
    ("text/x-python", ["''", "E'def a():\\n    return 1\\n\\n'", "''"]),
    ("text/x-go", ["E'package a\\n'", "E'func a(b int) int {\\n\\treturn b\\n}\\n'", "''"]),
    ("text/x-java", ["'class A {'", "E'  int a(int b) { return b; }\\n'", "'}'"]),
    ("text/x-c", ["''", "E'int a(int b) {\\n  return b;\\n}\\n'", "''"]),
    (
        "text/x-c++",
        ["''", "E'template <typename T> class A { int a(T b) { return b; } };\\n'", "''"],
    ),
    ("text/x-csharp", ["'class A {'", "E'  int A(int b) => b + 1;\\n'", "'}'"]),
    ("text/x-ruby", ["''", "E'def a(b)\\n  b + 1\\nend\\n'", "''"]),
    ("text/x-php", ["'<?php '", "E'function a($b) { return \"c $b\"; }\\n'", "''"]),
    ("text/x-shellscript", ["''", "E'a() {\\n  echo \"$1\" | sed s/a/b/\\n}\\n'", "''"]),
    ("text/x-sql", ["''", "E'INSERT INTO a (b, c) VALUES (1, ''x'');\\n'", "''"]),
    ("text/css", ["''", "E'.a { color: red; }\\n'", "''"]),
    // Deep nesting, open strings and comments.
    ("text/x-rust", ["''", "'('", "''"]),
    ("text/x-rust", ["'let a = r#\"'", "'text '", "''"]),
    ("text/x-c", ["'/*'", "' text'", "''"]),
    ("text/x-c", ["''", "E'#if a\\n'", "''"]),
    ("text/javascript", ["''", "'`${'", "''"]),
    ("text/javascript", ["''", "'if(a)'", "''"]),
    ("text/x-python", ["''", "E'if a:\\n'", "''"]),
    ("text/x-tsx", ["''", "'<a>'", "''"]),
    ("text/x-shellscript", ["''", "E'cat <<A\\n'", "''"]),
    ("text/x-ruby", ["''", "E'a <<~A\\n'", "''"]),
    ("text/x-php", ["'<?php '", "E'a(<<<A\\n'", "''"]),
    // Ambiguous and left- or right-recursive code.
    ("text/x-java", ["'class A { '", "'B<'", "''"]),
    ("text/x-c++", ["'void f() {'", "'a<b>(c<d>(e));'", "'}'"]),
    ("text/x-csharp", ["'class A { void F() {'", "'a(b<c,d>(e));'", "'}}'"]),
    ("text/x-typescript", ["''", "'a<b>(c)=><d>(e);'", "''"]),
    ("text/javascript", ["'a'", "'+a'", "''"]),
    ("text/javascript", ["''", "'a=>'", "''"]),
    ("text/x-sql", ["'SELECT a'", "' OR a'", "''"]),
    ("text/x-sql", ["'INSERT INTO a VALUES (1)'", "',(1)'", "''"]),
    ("text/x-go", ["'package a; var b = c'", "'.d(e)'", "''"]),
    // Text in another language.
    ("text/x-ruby", ["''", "'word '", "''"]),
    ("text/x-csharp", ["''", "'word '", "''"]),
    ("text/css", ["''", "'word '", "''"]),
    ("text/x-shellscript", ["''", "E'$(a\\n'", "''"]),
];

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn split_ends_soon_after_a_cancel_for_each_media_type() {
    cancel_splits(1, &DOCUMENTS, &[BYTES], MAX_WORK).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn split_ends_soon_after_a_cancel_for_source_code_of_each_language() {
    cancel_splits(5, &CODE, &[BYTES], MAX_TREE_WORK).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn split_ends_soon_after_a_cancel_for_the_largest_syntax_trees() {
    cancel_splits(7, &CODE, &TREE_BYTES, MAX_TREE_WORK).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn ingest_of_source_code_of_each_language_ends_soon_after_a_cancel() {
    let cluster = Cluster::start().await;
    let mut session = Session::of(&cluster, 8).await.within(MAX_TREE_WORK);
    store_source(&session).await;
    for (media_type, parts @ [_, part, _]) in &CODE[..LANGUAGES] {
        session.prepare(&insert(parts, TREE_BYTES[0])).await;
        let ingest = format!("SELECT passage.ingest('a', text, '{media_type}') FROM source");
        session.cancel(&format!("ingest {media_type} {part}"), &ingest).await;
    }
    session.report();
}

/// Cancels `split` of each document in each size.
async fn cancel_splits(
    number: u32,
    documents: &[(&str, [&str; 3])],
    sizes: &[usize],
    max_work: Duration,
) {
    let cluster = Cluster::start().await;
    let mut session = Session::of(&cluster, number).await.within(max_work);
    store_source(&session).await;
    for (media_type, parts) in share(documents) {
        let [_, part, _] = parts;
        for bytes in sizes {
            session.prepare(&insert(&parts, *bytes)).await;
            let what = format!("split {bytes} bytes of {media_type} {part}");
            session.cancel(&what, &split(media_type)).await;
        }
    }
    session.report();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn split_of_source_code_ends_at_the_statement_timeout() {
    let cluster = Cluster::start().await;
    let mut session = Session::of(&cluster, 6).await;
    store_source(&session).await;
    for (media_type, parts @ [_, part, _]) in &CODE {
        session.prepare(&insert(parts, BYTES)).await;
        session.time_out(&format!("split {media_type} {part}"), &split(media_type)).await;
    }
    session.report();
}

/// Makes the table of the text: `repeat` itself checks for interrupts.
async fn store_source(session: &Session) {
    session.prepare("CREATE TEMP TABLE source (text text)").await;
    session.prepare("ALTER TABLE source ALTER text SET STORAGE EXTERNAL").await;
}

fn insert([begin, part, end]: &[&str; 3], bytes: usize) -> String {
    let text = format!("{begin} || repeat({part}, {bytes} / octet_length({part})) || {end}");
    format!("TRUNCATE source; INSERT INTO source SELECT {text}")
}

fn split(media_type: &str) -> String {
    format!("SELECT count(*) FROM source, passage.split(text, '{media_type}')")
}
