//! Valid documents of data that are hard to split.

use std::fmt::Write;

/// A text with brackets, commas, quotes and comments of every format.
const WORDS: &str = "one, [two] {three}: # four // five /* six */ - seven --- ";

/// Returns documents with their media types.
pub fn documents() -> Vec<(&'static str, String)> {
    let all = [
        json().map(|text| ("application/json", text)).to_vec(),
        lines().map(|text| ("application/jsonl", text)).to_vec(),
        yaml().map(|text| ("text/x-yaml", text)).to_vec(),
        toml().map(|text| ("text/x-toml", text)).to_vec(),
        xml().map(|text| ("application/xml", text)).to_vec(),
        vec![("text/x-ini", ini()), ("text/x-java-properties", ini())],
    ];
    all.concat()
}

/// Keys as JSON and TOML strings: quotes, dots, escapes, blanks, numbers, and what looks like a section.
const KEYS: [&str; 16] = [
    r#""a\"b""#,
    r#""a.b""#,
    r#""a.b.c.""#,
    r#""\u0000""#,
    r#""a\u0000b""#,
    r#""""#,
    r#"" ""#,
    r#""1""#,
    r#""-0.5""#,
    r#""[0]""#,
    r#""[0] (2)""#,
    r#""root""#,
    r#""root (2)""#,
    r#""\\""#,
    r#""\u00e9\u4e2d""#,
    r#""]},{[""#,
];

/// Joins texts that are made from the numbers below a count.
fn numbered(count: usize, text: impl Fn(usize) -> String) -> String {
    (0..count).map(text).collect()
}

fn json() -> [String; 8] {
    let records = |range: std::ops::Range<u32>, end: &str| {
        range.fold(String::new(), |mut text, i| {
            let _ = write!(text, "{{\"id\": {i}, \"of\": \"{WORDS}\"}}{end}");
            text
        })
    };
    let keys = KEYS.map(|key| format!("{key}: {{\"x\": [\"{WORDS}\", 1e9], {key}: null}}"));
    let long = "k".repeat(1_000_000);
    [
        format!("{{{}}}", keys.join(", ")),
        format!("\u{feff}// [\r\n[{}]\r\n// ]", records(0..60, ", /* } */\r\n")),
        format!(
            "{{\"{long}\": {{\"a\": {{\"b\": \"{WORDS}\"}}}}, \"z\": [{}null]}}",
            records(0..9, ",")
        ),
        format!("{{{}\"a\": 0}}", format!("\"a\": {{\"b\": \"{WORDS}\"}},").repeat(30)),
        format!("{{{}}}", numbered(50, |i| format!("\"{i}\": [{i}, \"{WORDS}\"],\n"))),
        "[".repeat(200) + &records(0..20, ",") + "0" + &"]".repeat(200),
        "{\"a\": ".repeat(90) + "[" + &records(0..20, ",\n") + "]" + &"}".repeat(90),
        format!(
            "[\"{}\", {}\"\\ud83d\\ude00\", -0.5e-3, {{}}, [[]]]",
            WORDS.repeat(40),
            records(0..5, ",")
        ),
    ]
}

fn lines() -> [String; 3] {
    let record = format!("{{\"id\": 1, \"of\": [\"{WORDS}\", {{\"a\": null}}]}}");
    [
        format!("\u{feff}{}", format!("{record}\r\n\r\n").repeat(30)),
        format!("1\n\"{WORDS}\"\n[]\n{record}\nnull\n{record}"),
        format!("{{\"a\": \"{}\"}}\n", WORDS.repeat(60)).repeat(3),
    ]
}

fn yaml() -> [String; 9] {
    let quoted = format!("\"{WORDS}\"");
    [
        format!(
            "base: &base\n  a: {quoted}\n  b: 1\n{}",
            numbered(20, |i| format!("user{i}:\n  <<: *base\n  of: {quoted}\n"))
        ),
        format!(
            "%YAML 1.2\n---\na: {quoted}\nb: [1, 2]\n...\n---\n- {quoted}\n- x\n--- |\n  text\n  more\n---\nlast: {quoted}\n"
        ),
        numbered(30, |i| format!("? [{i}, {quoted}]\n: - {quoted}\n  - {{a: 1, b: {quoted}}}\n")),
        numbered(20, |i| {
            format!("{i}:\n  - - - {quoted}\n      - b\n    - {quoted}\n  - !!str {i}\n")
        }),
        numbered(20, |i| {
            format!(
                "text{i}: |\n  --- not a document\n  # no comment\n   - {WORDS}\n\n  end\nfolded{i}: >-\n  {WORDS}\n  {WORDS}\n"
            )
        }),
        numbered(20, |i| {
            format!(
                "\"a.b{i}\":\t# tab\r\n  'c''d': {quoted}\t\r\n  \"\\0\": null\r\n  ~: {{x: [1,\r\n    2, {quoted}],\r\n    y: z}}\r\n"
            )
        }),
        format!(
            "\u{feff}# comment\nroot: {quoted}\n{}",
            KEYS.map(|key| format!("{key}:\n  x: {quoted}\n  {key}: 1\n"))
                .concat()
                .replace("\"root\":\n", "\"roots\":\n")
        ),
        format!("- &a [{quoted}, {quoted}]\n- *a\n- &b\n  c: {quoted}\n  d: *a\n- *b\n").repeat(5),
        format!(
            "{{a: {quoted}, b: {{c: {quoted}, d: [{quoted}, {quoted}]}}, ? e : {quoted}, \"f\":{quoted}}}"
        ),
    ]
}

fn toml() -> [String; 5] {
    let quoted = format!("\"{WORDS}\"");
    [
        KEYS.map(|key| {
            format!("[t.{key}]\nx.{key}.y = {quoted}\nz = {{ a = 1, {key} = [{quoted}, 2] }}\n")
        })
        .concat(),
        numbered(20, |i| {
            format!(
                "[[a]]\r\nid = {i}\r\nof = {quoted}\r\n[a.b]\r\nc = {quoted}\r\n[[a.d]]\r\ne = {quoted}\r\n[[a.d]]\r\n"
            )
        }),
        format!(
            "\u{feff}# [x]\n{}",
            numbered(20, |i| format!(
                "a{i}.b = '''\n[no.table]\n{WORDS}\n'''\na{i}.c = \"\"\"\\\n  [[no]]\n  {WORDS}\"\"\"\n"
            ))
        ),
        format!(
            "a = [ # head\n{}]\n",
            format!("  {{ x = {quoted}, y = [1979-05-27, 07:32:00, nan] }}, # ]\n").repeat(20)
        ),
        numbered(20, |i| format!("[x.y.z{i}]\na = {quoted}\n[x.y{i}]\nb = {quoted}\n"))
            + "[x]\nc = 0xf\n",
    ]
}

fn xml() -> [String; 5] {
    let entry = format!(
        "<e a='>' b=\"</e>\"><x:y>{WORDS}</x:y><!-- <z> --><![CDATA[</e>]]>\r\n<?p <q?></e>\r\n"
    );
    [
        format!(
            "\u{feff}<?xml version='1.0'?>\n<!DOCTYPE f [<!ENTITY e \"</f>]>\">]>\n<f>{}</f>\n<!-- end -->",
            entry.repeat(20)
        ),
        format!("<p>{}</p>", format!("{WORDS} <em>{WORDS}</em> and &amp; ").repeat(20)),
        format!("{}{}{}", "<a>".repeat(80), entry.repeat(5), "</a>".repeat(80)),
        format!("<f>text <g>{WORDS} <h>{}</h> more</g> {}</f>", entry.repeat(5), entry.repeat(5)),
        format!("<f>{}</f>", numbered(40, |i| format!("<k{i}/><k{i} v='{WORDS}'/>"))),
    ]
}

fn ini() -> String {
    let section = |i: u32| {
        format!(
            "; [no]\n[a \"{i}\"] # x\n\tb.c = {WORDS}\r\n\n[]\n=\nd: {WORDS}\n  goes on\ne\n{{\n}}\n[e]] = 1\n"
        )
    };
    format!("\u{feff}root = 1\n{}", (0..30).map(section).collect::<String>())
}
