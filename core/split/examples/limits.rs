/*!
Measures splitting of a document of 50 MB of each kind: the time, the memory, and the delay after a
cancel.

```sh
cargo run --release -p passage-split --features html,code --example limits [BYTES] [NAME]
```

A separate process reads and splits each document, and prints a row of a Markdown table: the time, the
longest time between two polls, the time from a stop near the end until all memory is freed, and the
peak of memory per byte of the document, without the document itself. Times are processor times, so
that other work on the machine does not count.
*/

use passage_split::{
    Characters, ChunkLimits, MediaType, MetadataOverrides, SplitOptions, interrupt, split,
};
use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::process::{Command, ExitCode};
use std::time::{Duration, Instant};

/// The beginning, the repeated part and the end of a document; `{}` is the number of the part.
struct Sample {
    name: &'static str,
    media_type: &'static str,
    begin: &'static str,
    part: &'static str,
    end: &'static str,
}

const fn sample(
    name: &'static str,
    media_type: &'static str,
    [begin, part, end]: [&'static str; 3],
) -> Sample {
    Sample { name, media_type, begin, part, end }
}

const MARKDOWN: &str = "## Part {}\n\nSome *text* of `part` {}, which [leads](to.md) to the next and \
    goes on for a line.\n\n- one\n- two\n\n| a | b |\n|---|---|\n| {} | x |\n\n";
const HTML: &str = "<section id=part-{}><h2>Part {}</h2><p>Some <i>text</i> of a <a href=part.html>part</a> \
    which is as long as most are, and <code>code</code>.</p><ul><li>one</li><li>two</li></ul></section>\n";

#[rustfmt::skip]
const SAMPLES: &[Sample] = &[
    sample("Markdown", "text/markdown", ["# All\n\n", MARKDOWN, ""]),
    sample("plain text", "text/plain", ["", "A paragraph of part {}, with words and more words in it.\n\n", ""]),
    sample("HTML, 30 MB", "text/html", ["<main><h1>All</h1>", HTML, "</main>"]),
    sample("HTML of `<tr><td>`", "text/html", ["<table>", "<tr><td>", ""]),
    sample("HTML of text, 30 MB", "text/html", ["<p>", "words and words ", ""]),
    sample("reStructuredText", "text/x-rst", ["All\n===\n\n", "Part {}\n--------------\n\nSome *text* of part.\n\n* one\n* two\n\n", ""]),
    sample("AsciiDoc", "text/x-asciidoc", ["= All\n\n", "== Part {}\n\nSome *text* of part.\n\n* one\n* two\n\n", ""]),
    sample("CSV", "text/csv", ["id,name,text\n", "{},name {},\"some, text\"\n", ""]),
    sample("JSON", "application/json", ["[null", ",\n{\"id\": {}, \"of\": {\"name\": \"part {}\", \"list\": [1, 2]}}", "]"]),
    sample("JSON, minified", "application/json", ["[0", ",{\"a\":{},\"b\":[1,2,{\"c\":null}]}", "]"]),
    sample("JSON lines", "application/jsonl", ["", "{\"id\": {}, \"text\": \"some text of part {}\"}\n", ""]),
    sample("YAML", "text/x-yaml", ["all:\n", "- id: {}\n  of:\n    name: part {}\n    list: [1, 2]\n", ""]),
    sample("TOML", "text/x-toml", ["", "[[all]]\nid = {}\nof.name = \"part {}\"\nlist = [1, 2]\n\n", ""]),
    sample("INI", "text/x-ini", ["", "[part {}]\nid = {}\n# about\nname = part {}\n\n", ""]),
    sample("INI, one section", "text/x-ini", ["[all]\n", "id{}={}\n", ""]),
    sample("properties", "text/x-java-properties", ["", "part.{} = some \\\n  text\n", ""]),
    sample("XML", "application/xml", ["<all>\n", "<part id=\"{}\">\n  <name>part {}</name>\n  <of/>\n</part>\n", "</all>"]),
    sample("XML, one line", "application/xml", ["<a>", "<b>{}</b>", "</a>"]),
    sample("XML, unclosed", "application/xml", ["", "<a>", ""]),
    sample("XML, text and elements", "application/xml", ["<a>", "some text of <b>part</b> {}, ", "</a>"]),
    sample("notebook", "application/x-ipynb+json", ["{\"cells\": [{}", ",\n{\"cell_type\": \"code\", \"source\": [\"x = {}\\n\", \"y\"], \"outputs\": [{\"a\": [1, 2, 3]}]}", "]}"]),
    sample("Rust", "text/x-rust", ["", "/// Is part {}.\nfn part_{}(a: u8) -> u8 {\n    let b = a + 1;\n    b\n}\n\n", ""]),
    sample("Python", "text/x-python", ["", "def part_{}(a):\n    \"\"\"Is part {}.\"\"\"\n    return a + 1\n\n\n", ""]),
    sample("JavaScript, minified", "text/javascript", ["", "function f{}(a){return a?a.b(function(){return{c:1}}):null}", ""]),
    sample("Java", "text/x-java", ["class A {\n", "  /** Is {}. */\n  int part{}(int a) { return a + 1; }\n\n", "}\n"]),
    sample("C", "text/x-c", ["", "/* Is {}. */\nint part_{}(int a) {\n  return a + 1;\n}\n\n", ""]),
    sample("SQL", "text/x-sql", ["", "INSERT INTO a (b, c) VALUES ({}, 'x');\n", ""]),
    sample("CSS", "text/css", ["", ".a{} { color: red; }\n", ""]),
    sample("TypeScript", "text/x-typescript", ["", "export interface A{} { a: Map<string, number>; }\n", ""]),
    sample("TSX", "text/x-tsx", ["", "const A{} = (a: Props) => <b c={d}>text</b>;\n", ""]),
    sample("JSX", "text/x-jsx", ["", "const A{} = (a) => <b c={d}>text</b>;\n", ""]),
    sample("Go", "text/x-go", ["package a\n\n", "// Is {}.\nfunc part{}(a int) int {\n\treturn a + 1\n}\n\n", ""]),
    sample("C++", "text/x-c++", ["", "template <typename T> class A{} : public B<T> {\n  int part(int a) { return a; }\n};\n\n", ""]),
    sample("C#", "text/x-csharp", ["class A {\n", "  /// Is {}.\n  int Part{}(int a) => a + 1;\n\n", "}\n"]),
    sample("Ruby", "text/x-ruby", ["class A\n", "  # Is {}.\n  def part{}(a)\n    a + 1\n  end\n\n", "end\n"]),
    sample("PHP", "text/x-php", ["<?php\n", "function part{}($a) {\n  return $a . \"b $a\";\n}\n\n", ""]),
    sample("shell", "text/x-shellscript", ["", "part{}() {\n  echo \"$1\" | sed 's/a/b/' > /dev/null\n}\n\n", ""]),
    sample("C of a table", "text/x-c", ["int a[] = {\n", "0x{},0x{},", "};\n"]),
    sample("JavaScript of an array", "text/javascript", ["a=[0", ",{}", "]"]),
    sample("SQL of one INSERT", "text/x-sql", ["INSERT INTO a VALUES (0, 'x')", ",\n({}, 'x')", ";\n"]),
    sample("CSS, minified", "text/css", ["", ".a{}{color:red;margin:0 1px}", ""]),
    sample("Rust of a macro", "text/x-rust", ["a! {", " a{} => [b, 1],", "}"]),
    sample("Java of `a<`", "text/x-java", ["class A { ", "B<", ""]),
    sample("C++ of `a<b;`", "text/x-c++", ["void f() {", "a<b>(c<d>(e));", "}"]),
    sample("C# of `a<b>(c)`", "text/x-csharp", ["class A { void F() {", "a(b<c,d>(e));", "}}"]),
    sample("TypeScript of `a<b>(c)`", "text/x-typescript", ["", "a<b>(c)=><d>(e);", ""]),
    sample("JavaScript of `(a,`", "text/javascript", ["(", "(a,b)=>{};", ")"]),
    sample("JavaScript of words", "text/javascript", ["", "word ", ""]),
    sample("Python of words", "text/x-python", ["", "word ", ""]),
    sample("Ruby of words", "text/x-ruby", ["", "word ", ""]),
    sample("C of words", "text/x-c", ["", "word ", ""]),
    sample("C++ of words", "text/x-c++", ["", "word ", ""]),
    sample("C# of words", "text/x-csharp", ["", "word ", ""]),
    sample("SQL of words", "text/x-sql", ["", "word ", ""]),
    sample("CSS of words", "text/css", ["", "word ", ""]),
    sample("PHP of words", "text/x-php", ["<?php ", "word ", ""]),
    sample("shell of words", "text/x-shellscript", ["", "word ", ""]),
    sample("Java of words", "text/x-java", ["", "word ", ""]),
    sample("Go of words", "text/x-go", ["", "word ", ""]),
    sample("TSX of `<a>`", "text/x-tsx", ["", "<a>", ""]),
    sample("shell of `$(`", "text/x-shellscript", ["", "$(a\n", ""]),
    sample("shell of heredocs", "text/x-shellscript", ["", "cat <<A{}\n", ""]),
    sample("Ruby of heredocs", "text/x-ruby", ["", "a <<~A{}\n", ""]),
    sample("PHP of heredocs", "text/x-php", ["<?php ", "a(<<<A{}\n", ""]),
    sample("Python of indents", "text/x-python", ["", "if a:\n", ""]),
    sample("Python of f-strings", "text/x-python", ["", "f\"{a:{b}}\"\n", ""]),
    sample("JavaScript of templates", "text/javascript", ["", "`${", ""]),
    sample("Rust of an open string", "text/x-rust", ["let a = r#\"", "text ", ""]),
    sample("C of an open comment", "text/x-c", ["/*", " text", ""]),
    sample("C of `#if`", "text/x-c", ["", "#if a\n", ""]),
    sample("C of `else if`", "text/x-c", ["void f() { if (a) b;", " else if (a) b;\n", "}"]),
    sample("JavaScript of `a+`", "text/javascript", ["a", "+a", ""]),
    sample("SQL of `a OR`", "text/x-sql", ["SELECT a", " OR a", ""]),
    sample("SQL of joins", "text/x-sql", ["SELECT a FROM b", " JOIN c ON d = e", ""]),
    sample("Ruby of `a b`", "text/x-ruby", ["", "a b, c do |d| e end\n", ""]),
    sample("C# of `from`", "text/x-csharp", ["var a = ", "from a in b select ", ""]),
    sample("Go of `a.b`", "text/x-go", ["package a\nvar b = c", ".d(e)", ""]),
    sample("JavaScript of `if(a)`", "text/javascript", ["", "if(a)", ""]),
    sample("Java of `@a`", "text/x-java", ["", "@a ", ""]),
    sample("CSS of `a,`", "text/css", ["", "a b,", "{}"]),
    sample("C of `*`", "text/x-c", ["int ", "*", ""]),
    sample("JavaScript of `!`", "text/javascript", ["", "-a ", ""]),
    sample("JavaScript of `a=b`", "text/javascript", ["", "a=", ""]),
    sample("JavaScript of `=>`", "text/javascript", ["", "a=>", ""]),
    sample("Rust of `&`", "text/x-rust", ["let a = ", "& ", "1;"]),
    sample("C++ of `new`", "text/x-c++", ["int a = ", "new ", "b;"]),
    sample("Python of `not`", "text/x-python", ["a = ", "not ", "b"]),
    sample("Python of lambdas", "text/x-python", ["a = ", "lambda b: ", "c"]),
    sample("Ruby of `unless`", "text/x-ruby", ["a", " unless b", ""]),
    sample("shell of pipes", "text/x-shellscript", ["a", " | b", ""]),
    sample("SQL of `NOT`", "text/x-sql", ["SELECT ", "NOT ", "a"]),
    sample("SQL of `CASE`", "text/x-sql", ["SELECT ", "CASE WHEN a THEN ", "b"]),
    sample("Java of `else`", "text/x-java", ["class A { void f() { ", "if (a) ", "b(); } }"]),
    sample("Markdown of `[`", "text/markdown", ["", "[", ""]),
    sample("Markdown of `*`", "text/markdown", ["", "*", ""]),
    sample("Markdown of `*a `", "text/markdown", ["", "*a ", ""]),
    sample("Markdown of backticks", "text/markdown", ["", "`", ""]),
    sample("Markdown of `<`", "text/markdown", ["", "<", ""]),
    sample("Markdown of `#`", "text/markdown", ["", "#", ""]),
    sample("Markdown of `# a`", "text/markdown", ["", "# a\n", ""]),
    sample("Markdown of `- a`", "text/markdown", ["", "- a\n", ""]),
    sample("Markdown of `> `", "text/markdown", ["", "> ", ""]),
    sample("Markdown of `|`", "text/markdown", ["|a|\n|-|\n", "|a|\n", ""]),
    sample("Markdown, a paragraph", "text/markdown", ["", "words and more words of a single line ", ""]),
    sample("Markdown of spaces", "text/markdown", ["", " ", ""]),
    sample("Markdown of line ends", "text/markdown", ["", "\n", ""]),
    sample("plain text of `a`", "text/plain", ["", "a", ""]),
    sample("plain text of spaces", "text/plain", ["", " ", ""]),
    sample("plain text of line ends", "text/plain", ["", "\n", ""]),
    sample("HTML of `<`, 30 MB", "text/html", ["", "<", ""]),
    sample("HTML of `<b>`", "text/html", ["", "<b>", ""]),
    sample("HTML of an attribute, 30 MB", "text/html", ["<a b=\"", "x ", ""]),
    sample("rst of line ends", "text/x-rst", ["", "\n", ""]),
    sample("rst of titles", "text/x-rst", ["", "a\n-\n", ""]),
    sample("AsciiDoc of titles", "text/x-asciidoc", ["", "= a\n", ""]),
    sample("CSV of `a`", "text/csv", ["", "a\n", ""]),
    sample("CSV of quotes", "text/csv", ["", "\"\"", ""]),
    sample("JSON of `[`", "application/json", ["", "[", ""]),
    sample("JSON of `0,`", "application/json", ["[0", ",0", "]"]),
    sample("JSON of a string", "application/json", ["\"", "a", "\""]),
    sample("JSON of keys", "application/json", ["{\"a\":0", ",\"a\":0", "}"]),
    sample("YAML of `[`", "text/x-yaml", ["", "[", ""]),
    sample("YAML of `- `", "text/x-yaml", ["", "- ", ""]),
    sample("YAML of `a`", "text/x-yaml", ["", "a", ""]),
    sample("YAML of words", "text/x-yaml", ["a: ", "word and ", ""]),
    sample("YAML of a quoted word", "text/x-yaml", ["a: \"", "word and ", "\""]),
    sample("YAML of `a:`", "text/x-yaml", ["", "a:\n", ""]),
    sample("TOML of `a=1`", "text/x-toml", ["", "a{}=1\n", ""]),
    sample("TOML of `[`", "text/x-toml", ["", "[", ""]),
    sample("TOML of an array", "text/x-toml", ["a=[0", ",0", "]"]),
    sample("notebook of numbers", "application/x-ipynb+json", ["{\"cells\": [{\"source\": [1", ",1", "]}]}"]),
    sample("XML of one name", "application/xml", ["<a>", "<b/>", "</a>"]),
    sample("XML of `<`", "application/xml", ["", "<", ""]),
    sample("XML of an attribute", "application/xml", ["<a b=\"", "x ", "\"/>"]),
    sample("XML of attributes", "application/xml", ["<a", " b=\"\"", "/>"]),
    sample("XML of a name", "application/xml", ["<", "a", "/>"]),
    sample("XML of entities", "application/xml", ["<!DOCTYPE a [<!ENTITY e0 \"x\">", "<!ENTITY e{} \"&e0;&e{};\">\n", "]><a>&e1;</a>"]),
    sample("XML of comments", "application/xml", ["<a>", "<!---->", "</a>"]),
    sample("XML of a comment", "application/xml", ["<a><!--", "- ", "--></a>"]),
    sample("XML of CDATA", "application/xml", ["<a>", "<![CDATA[]]>", "</a>"]),
    sample("XML of a CDATA section", "application/xml", ["<a><![CDATA[", "] ", "]]></a>"]),
    sample("XML of text", "application/xml", ["<a>", "&b; ", "</a>"]),
    sample("XML of spaces", "application/xml", ["<a>", " ", "</a>"]),
    sample("INI of `[a]`", "text/x-ini", ["", "[a]\n", ""]),
    sample("INI of `a=`", "text/x-ini", ["", "a=\n", ""]),
    sample("INI of a value", "text/x-ini", ["a=", "x ", ""]),
    sample("INI of indented lines", "text/x-ini", ["a=\n", " b\n", ""]),
    sample("INI of `]`", "text/x-ini", ["[", "] ", ""]),
    sample("INI of comments", "text/x-ini", ["", ";\n", ""]),
    sample("properties of `a=`", "text/x-java-properties", ["", "a=\n", ""]),
    sample("properties of `\\`", "text/x-java-properties", ["a=", "\\\n", ""]),
    sample("properties of a key", "text/x-java-properties", ["", "a\\", ""]),
    sample("Rust of `(`", "text/x-rust", ["", "(", ""]),
    sample("Rust of line ends", "text/x-rust", ["", "\n", ""]),
];

/// The time between two readings of the processor time, which take a microsecond each.
const STEP: Duration = Duration::from_millis(1);

thread_local! {
    /// The time and the result of the last reading of the processor time.
    static LAST: Cell<Option<(Instant, Duration)>> = const { Cell::new(None) };
    static LONGEST: Cell<Duration> = const { Cell::new(Duration::ZERO) };
    static POLLS: Cell<u64> = const { Cell::new(0) };
    static STOP: Cell<u64> = const { Cell::new(u64::MAX) };
}

struct Stopped(Duration);

/// Returns the processor time of this thread.
fn processor() -> Duration {
    let stat = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    let nanoseconds = stat.split(' ').next().and_then(|time| time.parse().ok());
    Duration::from_nanos(nanoseconds.unwrap_or_default())
}

fn check() {
    let now = Instant::now();
    match LAST.get() {
        Some((last, _)) if now - last < STEP => {}
        last => {
            let time = processor();
            LAST.set(Some((Instant::now(), time)));
            let gap = last.map_or(Duration::ZERO, |(_, last)| time.saturating_sub(last));
            LONGEST.set(LONGEST.get().max(gap));
        }
    }
    POLLS.set(POLLS.get() + 1);
    if POLLS.get() == STOP.get() {
        resume_unwind(Box::new(Stopped(processor())));
    }
}

fn text(sample: &Sample, bytes: usize) -> String {
    let bytes = if sample.name.ends_with("30 MB") { bytes * 3 / 5 } else { bytes };
    let mut text = String::with_capacity(bytes + 1_000);
    text.push_str(sample.begin);
    for number in 0_u32.. {
        if text.len() + sample.end.len() >= bytes {
            break;
        }
        if sample.part.contains("{}") {
            text.push_str(&sample.part.replace("{}", &number.to_string()));
        } else {
            text.push_str(sample.part);
        }
    }
    text.push_str(sample.end);
    text
}

/// Reads and splits a document as a loader does. Returns the number of its chunks, or the error.
fn work(text: &str, media_type: &MediaType) -> Result<usize, passage_split::Error> {
    LAST.set(Some((Instant::now(), processor())));
    let reading =
        MetadataOverrides { media_type: Some(media_type.clone()), ..MetadataOverrides::default() };
    let document = reading.build_document(text.to_owned(), "", None)?;
    let options = SplitOptions::new(ChunkLimits::CHARACTERS);
    let chunks = split(&document.text, &document.media_type, &options, &Characters)?.chunks;
    check();
    Ok(chunks.len())
}

/// Returns a field of the status of this process, in bytes.
fn memory(field: &str) -> usize {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix(field));
    let kilobytes = line.and_then(|line| line.split_whitespace().nth(1)?.parse::<usize>().ok());
    kilobytes.unwrap_or_default() * 1_024
}

fn measure(sample: &Sample, bytes: usize) {
    let text = text(sample, bytes);
    let media_type = MediaType::new(sample.media_type);
    let before = memory("VmRSS");
    interrupt::register(check);
    let begun = processor();
    let result = work(&text, &media_type);
    let time = processor().saturating_sub(begun);
    let longest = LONGEST.get();
    let peak = memory("VmHWM").saturating_sub(before) as f64 / text.len() as f64;

    STOP.set(POLLS.get() * 9 / 10);
    POLLS.set(0);
    let stopped = catch_unwind(AssertUnwindSafe(|| work(&text, &media_type)));
    let freed = match stopped {
        Err(panic) => panic
            .downcast::<Stopped>()
            .map_or(Duration::ZERO, |at| processor().saturating_sub(at.0)),
        Ok(_) => Duration::ZERO,
    };
    let chunks = match result {
        Ok(chunks) => format!("{chunks} chunks"),
        Err(error) => error.to_string(),
    };
    println!(
        "| {} | {:.1} MB | {chunks} | {:.2} s | {:.0} ms | {:.0} ms | {peak:.1} |",
        sample.name,
        text.len() as f64 / 1e6,
        time.as_secs_f64(),
        longest.as_secs_f64() * 1e3,
        freed.as_secs_f64() * 1e3,
    );
}

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    let bytes = arguments.next().map_or(Ok(50_000_000), |bytes| bytes.parse());
    let Ok(bytes) = bytes else {
        eprintln!("usage: limits [BYTES] [NAME]");
        return ExitCode::from(2);
    };
    if let Some(name) = arguments.next() {
        SAMPLES
            .iter()
            .filter(|sample| sample.name == name)
            .for_each(|sample| measure(sample, bytes));
        return ExitCode::SUCCESS;
    }
    println!(
        "| document | size | result | time | longest without a poll | freed after a stop | bytes of memory per byte |"
    );
    println!("|---|---|---|---|---|---|---|");
    let this = std::env::current_exe().expect("the program has a path");
    let mut failed = false;
    for sample in SAMPLES {
        let run = Command::new(&this).args([&bytes.to_string(), sample.name]).status();
        failed |= !run.is_ok_and(|status| status.success());
    }
    ExitCode::from(u8::from(failed))
}
