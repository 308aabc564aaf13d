//! Chunks of source code: the sections and contents of classes, methods and imports.

#![cfg(feature = "code")]

pub mod cuts;
#[allow(dead_code)] // The program `passages` parses, and this one only lists files.
pub mod standalone;

use passage_split::{
    Characters, Chunk, ChunkLimits, MediaType, SplitDocument, SplitOptions, Unit, split,
};

/// Limits that divide a class of several lines and do not merge its methods.
const SMALL: ChunkLimits = ChunkLimits { min: 0, preferred: 30, max: 60, window: 1_000 };

fn split_as<'t>(text: &'t str, media_type: &str, limits: ChunkLimits) -> SplitDocument<'t> {
    let options = SplitOptions::new(limits);
    split(text, &MediaType::new(media_type), &options, &Characters).unwrap()
}

fn chunks<'t>(text: &'t str, media_type: &str) -> Vec<Chunk<'t>> {
    let split = split_as(text, media_type, SMALL);
    assert_eq!(split.syntax_error, None);
    split.chunks
}

/// Returns the section and content of each chunk.
fn rows<'t>(chunks: &[Chunk<'t>]) -> Vec<(String, &'t str)> {
    chunks.iter().map(|chunk| (chunk.section.join(" / "), chunk.content)).collect()
}

/// Returns the sections of a document, each once.
fn sections(text: &str, media_type: &str) -> Vec<String> {
    // These limits give each unit a chunk of its own.
    let limits = ChunkLimits { min: 0, preferred: 1, max: 12, window: 1_000 };
    let chunks = split_as(text, media_type, limits).chunks;
    let mut sections: Vec<String> = chunks
        .iter()
        .map(|chunk| chunk.section.join("/"))
        .filter(|name| !name.is_empty())
        .collect();
    sections.dedup();
    let mut seen = std::collections::HashSet::new();
    sections.retain(|section| seen.insert(section.clone()));
    sections
}

fn imports(text: &str, media_type: &str) -> Vec<String> {
    chunks(text, media_type).into_iter().flat_map(|chunk| chunk.imports).collect()
}

#[test]
fn seed_001_a_class_has_a_head_and_methods_and_global_code_is_in_the_root() {
    let text = "class UserService {\n  constructor(db) { this.db = db; }\n\n  \
        getUser(id) { return db.find(id); }\n}\n// Global code or imports\n";
    let chunks = chunks(text, "text/x-typescript");
    let expected = [
        ("UserService".to_owned(), "class UserService {\n"),
        ("UserService / constructor".to_owned(), "  constructor(db) { this.db = db; }\n\n"),
        ("UserService / getUser".to_owned(), "  getUser(id) { return db.find(id); }\n}\n"),
        (String::new(), "// Global code or imports\n"),
    ];
    assert_eq!(rows(&chunks), expected);
    let units: Vec<&str> = chunks.iter().map(|chunk| chunk.unit.name()).collect();
    assert_eq!(units, ["container", "member", "member", "module"]);
    let levels: Vec<u32> = chunks.iter().map(|chunk| chunk.level).collect();
    // The level of merged text is the lowest, here that of the closing bracket.
    assert_eq!(levels, [1, 2, 1, 0]);
    assert_eq!(chunks[2].preamble, "UserService\ngetUser\nclass UserService {");
}

#[test]
fn a_class_that_fits_is_one_chunk() {
    let text = "class UserService {\n  getUser(id) { return db.find(id); }\n}\n";
    let chunks = split_as(text, "text/javascript", ChunkLimits::CHARACTERS).chunks;
    assert_eq!(rows(&chunks), [("UserService".to_owned(), text)]);
    assert_eq!(chunks[0].unit, Unit::Container);
}

#[test]
fn comments_decorators_and_attributes_belong_to_the_next_unit() {
    let typescript = "/** Serves. */\n@Injectable()\nexport class A {\n  /** Gets. */\n  \
        @Get(\"a\")\n  b() { return 1; } // one\n\n  // Ends.\n}\n";
    let typescript_chunks = chunks(typescript, "text/x-typescript");
    assert_eq!(typescript_chunks[0].content, "/** Serves. */\n@Injectable()\nexport class A {\n");
    assert_eq!(
        typescript_chunks[1].content,
        "  /** Gets. */\n  @Get(\"a\")\n  b() { return 1; } // one\n"
    );
    assert_eq!(typescript_chunks[2].content, "\n  // Ends.\n}\n");

    let rust = "//! The module.\n/// A point.\n#[derive(Debug)]\n\n#[repr(C)]\npub struct Point { x: u8 }\n";
    let rust_chunks = chunks(rust, "text/x-rust");
    assert_eq!(rust_chunks[0].content, "//! The module.\n");
    assert!(
        rust_chunks[1].content.starts_with("/// A point.") && rust_chunks[1].section == ["Point"]
    );

    let python = "# About A.\n@dec\nclass A(B):\n    # About f.\n    def f(self):\n        \
        return 1  # one\n\n    # About g.\n    @property\n    def g(self): return 2\n";
    let python_chunks = chunks(python, "text/x-python");
    let expected = [
        ("A".to_owned(), "# About A.\n@dec\nclass A(B):\n"),
        ("A / f".to_owned(), "    # About f.\n    def f(self):\n        return 1  # one\n\n"),
        ("A / g".to_owned(), "    # About g.\n    @property\n    def g(self): return 2\n"),
    ];
    assert_eq!(rows(&python_chunks), expected);
}

#[test]
fn a_licence_at_the_head_of_a_file_belongs_to_no_unit() {
    let text = "/* Licensed to all. */\n\n/* Adds. */\nint add(int a, int b) { return a + b; }\n";
    let chunks = chunks(text, "text/x-c");
    assert_eq!(rows(&chunks)[0], (String::new(), "/* Licensed to all. */\n\n"));
    assert_eq!(chunks[1].section, ["add"]);
    assert!(chunks[1].content.starts_with("/* Adds. */"));
}

#[test]
fn overloads_get_numbered_titles() {
    let text =
        "class A {\n  int get(int id) { return 1; }\n  int get(String id) { return 2; }\n}\n";
    let expected = ["A", "A/get", "A/get (2)"];
    assert_eq!(sections(text, "text/x-java"), expected);
}

#[test]
fn imports_report_the_names_that_they_bind() {
    let rust =
        "use a::{b as c, d::*, e::{self, f}};\nuse std::fmt;\nuse g::H as _;\nextern crate i;\n";
    assert_eq!(imports(rust, "text/x-rust"), ["c", "d", "e", "f", "fmt", "H", "i"]);
    let typescript = "import fs, { a as b, c } from \"fs\";\nimport * as path from \"path\";\n\
        import \"side\";\nimport x = require(\"y\");\nconst { z, q: r } = require(\"z\");\n";
    let expected = ["fs", "b", "c", "path", "x", "z", "r"];
    assert_eq!(imports(typescript, "text/x-typescript"), expected);
    let python = "import os.path, sys as system\nfrom .a.b import c as d, e\nfrom x.y import *\n";
    assert_eq!(imports(python, "text/x-python"), ["os", "system", "d", "e", "y"]);
    let go = "package m\nimport (\n\tf \"fmt\"\n\t\"net/http\"\n\t_ \"example.com/x/v2\"\n)\n";
    assert_eq!(imports(go, "text/x-go"), ["f", "http", "x"]);
    let java = "import java.util.List;\nimport static java.lang.Math.max;\nimport java.io.*;\n";
    assert_eq!(imports(java, "text/x-java"), ["List", "max", "io"]);
    let c = "#include <sys/types.h>\n#include \"my/util.h\"\n";
    assert_eq!(imports(c, "text/x-c"), ["types", "util"]);
    let cpp = "#include <vector>\nusing std::string;\n";
    assert_eq!(imports(cpp, "text/x-c++"), ["vector", "string"]);
    let csharp = "using System;\nusing T = System.Text;\nusing static System.Math;\n";
    assert_eq!(imports(csharp, "text/x-csharp"), ["System", "T", "Math"]);
    let ruby = "require \"net/http\"\nrequire_relative \"../foo/bar\"\n";
    assert_eq!(imports(ruby, "text/x-ruby"), ["http", "bar"]);
    let php =
        "<?php\nuse Foo\\Bar;\nuse Foo\\{Baz as Q, Qux};\nrequire_once __DIR__ . '/lib/x.php';\n";
    assert_eq!(imports(php, "text/x-php"), ["Bar", "Q", "Qux", "x"]);
    assert_eq!(
        imports(". ./lib/places.sh\nsource other.bash\n", "text/x-shellscript"),
        ["places", "other"]
    );
    assert_eq!(
        imports("@import url(\"base/reset.css\");\n@import 'x.css';\n", "text/css"),
        ["reset", "x"]
    );
}

#[test]
fn exports_have_their_names_as_titles() {
    let text = "export const go = async () => { await one(); };\nexport const LIMIT = 1_000_000;\n\
        const hidden = 1_000_000;\nexport default { a: 1, run() { return 2; } };\n\
        exports.parse = function () { return 3; };\n";
    let expected = ["go", "LIMIT", "default", "default/run", "parse"];
    assert_eq!(sections(text, "text/javascript"), expected);
    let anonymous = "export default function () { return 1; }\n";
    assert_eq!(sections(anonymous, "text/x-typescript"), ["default"]);
}

#[test]
fn rust_implementations_have_trait_and_type_as_titles() {
    let text = "struct Point;\nimpl<T> fmt::Display for Point<T> {\n    fn fmt(&self) {}\n}\n\
        impl Point {\n    const A: u8 = 1;\n}\nmod tests {\n    fn one() {}\n}\nmod other;\n";
    let expected = [
        "Point",
        "fmt::Display for Point",
        "fmt::Display for Point/fmt",
        "Point (2)",
        "Point (2)/A",
        "tests",
        "tests/one",
    ];
    assert_eq!(sections(text, "text/x-rust"), expected);
}

#[test]
fn go_methods_are_in_the_section_of_their_type() {
    let text = "package m\n\n// Server serves.\ntype Server struct {\n\tx int\n}\n\n// Start starts.\n\
        func (s *Server) Start() error { return nil } // trailing\n\nfunc Map[K any](k K) {}\n\n\
        func (l *List[T]) Push() {}\n";
    let expected = ["Server", "Server/Start", "Map", "List", "List/Push"];
    let mut sections = sections(text, "text/x-go");
    // The container of List has no head, because the type is in another file.
    assert_eq!(sections.iter().filter(|section| *section == "List").count(), 0);
    sections.insert(3, "List".to_owned());
    assert_eq!(sections, expected);
}

#[test]
fn names_are_found_in_declarators_of_c_and_cpp() {
    let c = "char *(*find(int a))(void);\ntypedef struct node {\n  struct node *next;\n} node_t;\n\
        typedef int (*callback)(int);\n#define MAX(a, b) ((a) > (b) ? (a) : (b))\n\
        struct point {\n  int x;\n};\nstatic int\nadd(int a)\n{\n  int inner = 1;\n}\n";
    assert_eq!(sections(c, "text/x-c"), ["find", "node_t", "callback", "MAX", "point", "add"]);
    let cpp = "namespace a::b {\ntemplate <typename T>\nclass Shape {\n  Shape();\n  ~Shape();\n  \
        bool operator==(const Shape &o) const;\n  operator bool() const;\n};\n}\n\
        void Foo::bar() const {}\nint ns::Foo::baz(int x) { return x; }\n";
    let expected = [
        "a::b",
        "a::b/Shape",
        "a::b/Shape/Shape",
        "a::b/Shape/~Shape",
        "a::b/Shape/operator==",
        "a::b/Shape/operator bool",
        "Foo/bar",
        "ns/Foo/baz",
    ];
    assert_eq!(sections(cpp, "text/x-c++"), expected);
}

#[test]
fn a_header_of_cpp_is_detected_by_its_content() {
    let text = "#pragma once\nnamespace a {\nclass Shape : public Base {\n public:\n  \
        virtual ~Shape();\n};\n}\n";
    assert_eq!(sections(text, "text/x-c"), ["a", "a/Shape", "a/Shape/~Shape"]);
}

#[test]
fn members_of_the_other_languages_have_their_names() {
    let csharp = "namespace A.B {\n  class S {\n    int Count { get; set; }\n    S() { }\n    \
        ~S() { }\n    public static S operator +(S a, S b) => a;\n    int this[int i] => 1;\n  }\n}\n";
    let expected =
        ["A.B", "A.B/S", "A.B/S/Count", "A.B/S/S", "A.B/S/~S", "A.B/S/operator +", "A.B/S/this"];
    assert_eq!(sections(csharp, "text/x-csharp"), expected);
    let ruby = "module Admin\n  class User < Base\n    def self.build; new; end\n    \
        private def secret; 1; end\n  end\nend\nPoint = Struct.new(:x) do\n  def bar; end\nend\n";
    let expected =
        ["Admin", "Admin/User", "Admin/User/build", "Admin/User/secret", "Point", "Point/bar"];
    assert_eq!(sections(ruby, "text/x-ruby"), expected);
    let php = "<?php\n/** Doc. */\n#[Attr]\nfinal class User {\n  public function get(int $id) {}\n}\n\
        trait T { function t() {} }\n$f = function () { return 1; };\n";
    assert_eq!(sections(php, "text/x-php"), ["User", "User/get", "T", "T/t", "f"]);
    let shell = "# Says.\nsay() {\n  echo \"$1\"\n}\nfunction run { say a; }\n";
    assert_eq!(sections(shell, "text/x-shellscript"), ["say", "run"]);
    let sql = "-- Users.\nCREATE TABLE public.users (\n  id int\n); -- all\n\
        CREATE VIEW v AS SELECT 1;\nINSERT INTO users VALUES (1);\n";
    assert_eq!(sections(sql, "text/x-sql"), ["public.users", "v"]);
    let css = ".button,\na:hover { color: red; }\n@media print {\n  .b { color: blue; }\n}\n";
    assert_eq!(sections(css, "text/css"), [".button, a:hover", "@media print", "@media print/.b"]);
}

#[test]
fn a_long_function_is_cut_between_its_statements() {
    let statement = "    total += first(second,\n        third);\n";
    let text = format!("fn sum() {{\n{}}}\n", statement.repeat(20));
    let chunks = chunks(&text, "text/x-rust");
    assert!(chunks.len() > 5);
    for chunk in &chunks[1..] {
        assert!(chunk.content.starts_with("    total"));
        assert_eq!(chunk.section, ["sum"]);
    }
}

#[test]
fn a_cut_is_at_a_line_end_and_not_between_the_items_of_a_line() {
    let statement =
        "  await db.query('register-1', [\n    name, password, address, telephone,\n  ]);\n";
    let text = format!("async function register() {{\n{}}}\n", statement.repeat(12));
    for max in 60..=120 {
        let limits = ChunkLimits { min: 20, preferred: max * 3 / 5, max, window: 1_000 };
        let chunks = split_as(&text, "text/x-typescript", limits).chunks;
        for chunk in &chunks {
            assert!(chunk.content.ends_with('\n'), "{max}: {:?}", chunk.content);
        }
    }
}

#[test]
fn a_line_that_is_too_long_is_cut_between_its_statements() {
    let text = format!("function run() {{ {}}}\n", "go(one, two); ".repeat(20));
    let chunks = split_as(&text, "text/javascript", SMALL).chunks;
    assert!(chunks.len() > 4);
    for chunk in &chunks[1..] {
        assert!(chunk.content.starts_with("go("), "{:?}", chunk.content);
    }
}

#[test]
fn a_head_keeps_its_bracket() {
    let fields = "    private readonly int count = 0;\n".repeat(4);
    let attributes = "[Serializable]\n[Description(\"Counts.\")]\n";
    let head = "public sealed class Counter : Base, IDisposable, IEnumerable";
    let method = "    public void Run()\n    {\n        Go();\n    }\n";
    for brace in [" {", "\n{"] {
        let text = format!("{attributes}{head}{brace}\n{fields}{}}}\n", method.repeat(6));
        for max in 80..=200 {
            let limits = ChunkLimits { min: 10, preferred: max * 3 / 5, max, window: 1_000 };
            let chunks = split_as(&text, "text/x-csharp", limits).chunks;
            let head = chunks.iter().find(|chunk| chunk.content.contains("IEnumerable")).unwrap();
            assert!(head.content.contains("IEnumerable{brace}".replace("{brace}", brace).as_str()));
        }
    }
}

#[test]
fn a_closing_bracket_alone_is_no_chunk() {
    let method = "  int value(int first) const { return first + second; }\n";
    let text = format!("class Sum {{\n{}}};\n", method.repeat(3));
    let cpp = chunks(&text, "text/x-c++");
    let last = cpp.last().unwrap();
    assert_eq!(last.section, ["Sum", "value (3)"]);
    assert!(last.content.ends_with("}\n};\n"), "{:?}", last.content);

    // The end of a function that is cut.
    let text = format!("const run = () => {{\n{}}};\n", "  go(first, second);\n".repeat(9));
    for max in 40..=90 {
        let limits = ChunkLimits { min: 10, preferred: max * 3 / 5, max, window: 1_000 };
        let chunks = split_as(&text, "text/x-typescript", limits).chunks;
        assert_ne!(chunks.last().unwrap().content, "};\n", "{max}");
    }

    let ruby = "class A\n  def one; first second third fourth fifth; end\n  def two; first second \
        third fourth fifth; end\nend\n";
    assert!(chunks(ruby, "text/x-ruby").last().unwrap().content.ends_with("; end\nend\n"));
}

#[test]
fn the_closing_line_of_a_module_is_in_the_chunk_of_its_last_unit() {
    let function = "    fn long_name() { one(); two(); three(); four(); }\n";
    let rust = format!("mod outer {{\n  mod tests {{\n{}  }}\n}}\n", function.repeat(2));
    let last = chunks(&rust, "text/x-rust").pop().unwrap();
    assert_eq!((&*last.section.join("/"), last.level), ("outer/tests/long_name (2)", 1));
    assert!(last.content.ends_with(" }\n  }\n}\n"), "{:?}", last.content);

    let long = "    one(first, second);\n".repeat(9);
    let rust = format!("mod tests {{\n  fn long() {{\n{long}  }}\n}}\n");
    let last = chunks(&rust, "text/x-rust").pop().unwrap();
    assert_eq!((&*last.section.join("/"), last.level), ("tests/long", 1));
    assert!(last.content.ends_with(";\n  }\n}\n"), "{:?}", last.content);

    let class = "  class A {\n    int one(int first, int second) { return first; }\n  }\n";
    let csharp = format!("namespace N\n{{\n{class}}}\n");
    let last = chunks(&csharp, "text/x-csharp").pop().unwrap();
    assert!(last.content.ends_with("  }\n}\n"), "{:?}", last.content);
    let inner = "  class A { int one(int first) { return first; } }\n";
    let java = format!("class Outer {{\n  int one(int a, int b) {{ return a; }}\n\n{inner}}}\n");
    let last = chunks(&java, "text/x-java").pop().unwrap();
    assert_eq!((&*last.section.join("/"), last.level), ("Outer/A", 1));

    // Lines that have more than the bracket are chunks.
    let rust = format!("mod tests {{\n{}}} // end\n", function.repeat(2));
    assert_eq!(chunks(&rust, "text/x-rust").pop().unwrap().section, ["tests"]);
}

#[test]
fn the_closing_line_of_a_class_is_in_the_last_chunk_of_its_last_unit() {
    let lines = "      go(first, second);\n".repeat(9);
    let class = |members: &str| format!("class A {{\n  void one() {{ }}\n\n{members}}}\n");
    let long = class(&format!("    void long() {{\n{lines}    }}\n"));
    let last = chunks(&long, "text/x-java").pop().unwrap();
    assert_eq!((&*last.section.join("/"), last.level), ("A/long", 1));
    assert!(last.content.ends_with(";\n    }\n}\n"), "{:?}", last.content);

    let inner = class(&format!("  class B {{\n    void long() {{\n{lines}    }}\n  }}\n"));
    let function = format!("fn a() {{\n  fn one() {{\n{lines}  }}\n}}\n");
    for (text, media_type) in [(inner, "text/x-java"), (function, "text/x-rust")] {
        for max in 60..=120 {
            let limits = ChunkLimits { min: 0, preferred: max * 3 / 5, max, window: 1_000 };
            let chunks = split_as(&text, media_type, limits).chunks;
            for pair in chunks.windows(2) {
                let is_bracket = pair[1].content.trim_matches(['}', ' ', '\n']).is_empty();
                assert!(!is_bracket || pair[0].size + pair[1].size > max, "{max}: {pair:?}");
            }
        }
        let wide = ChunkLimits { min: 0, preferred: 60, max: 200, window: 1_000 };
        let last = split_as(&text, media_type, wide).chunks.pop().unwrap();
        assert_eq!((last.section.len() > 1, last.level), (true, 1));
    }
}

#[test]
fn a_closing_line_that_does_not_fit_is_a_chunk() {
    let method = "  int one(int a) { return 1000000000; }\n";
    let text = format!("class A {{\n{}}}\n", method.repeat(2));
    for max in method.len()..=60 {
        let limits = ChunkLimits { min: 0, preferred: max, max, window: 1_000 };
        let chunks = split_as(&text, "text/x-java", limits).chunks;
        assert!(chunks.iter().all(|chunk| chunk.size <= max), "{max}: {chunks:?}");
        let last = chunks.last().unwrap();
        assert_eq!(last.content == "}\n", max < method.len() + 2, "{max}");
    }
}

#[test]
fn a_variable_of_a_loop_outside_of_functions_is_not_a_unit() {
    let text = "TEST(a)\n{\n    for (int first = 0; first < 4; ++first)\n    {\n        \
        check_some_value(first, second, third);\n    }\n}\n\nextern \"C\" int run(int first) {\n  \
        return first + 1 + 2 + 3;\n}\n";
    for chunk in chunks(text, "text/x-c++") {
        assert!(chunk.content.ends_with('\n'), "{chunk:?}");
    }
    assert!(chunks(text, "text/x-c++").iter().any(|chunk| chunk.section == ["run"]));
}

#[test]
fn a_syntax_error_is_local() {
    let text = "fn one() { 1 }\n\n) fn = ] 5;\n\nfn two() { 2 }\n";
    let document = split_as(text, "text/x-rust", SMALL);
    assert_eq!(document.syntax_error, None);
    let rows = rows(&document.chunks);
    assert!(rows.contains(&("one".to_owned(), "fn one() { 1 }\n")), "{rows:?}");
    assert!(rows.iter().any(|(section, _)| section == "two"), "{rows:?}");
}

#[test]
fn prose_is_split_as_text_with_a_syntax_error() {
    let prose = "fn ok() {}\n\nIt was a bright cold day in April, and the clocks were striking thirteen.\n\n\
        Winston Smith, his chin nuzzled into his breast, slipped quickly through the doors.\n";
    let document = split_as(prose, "text/x-rust", SMALL);
    let error = document.syntax_error.expect("prose is not Rust");
    assert_eq!((error.line, document.chunks[0].section.len()), (3, 0));
    let nul = split_as("int a;\nint \0 b;\n", "text/x-c", SMALL).syntax_error.unwrap();
    assert_eq!((nul.line, nul.column), (2, 5));
}

#[test]
fn a_byte_order_mark_belongs_to_the_first_unit() {
    let text = "\u{feff}class A:\n    def f(self):\n        return 1\n";
    let chunks = split_as(text, "text/x-python", ChunkLimits::CHARACTERS).chunks;
    assert_eq!(rows(&chunks), [("A".to_owned(), text)]);
}

#[test]
fn a_document_whose_tree_needs_too_much_memory_is_split_as_plain_text() {
    let part = "int a(int b) {\n  return b;\n}\n\n";
    let options = SplitOptions::new(ChunkLimits::CHARACTERS);
    let split =
        |text, media_type| split(text, &MediaType::new(media_type), &options, &Characters).unwrap();
    let text = part.repeat(12_000_000 / part.len());
    let result = split(&text, "text/x-c");
    let error = result.syntax_error.expect("the tree would have 400 MB");
    assert!(error.line > 10_000, "{error:?}");
    let plain = split(&text, "text/plain");
    let contents =
        |chunks: &[Chunk<'_>]| chunks.iter().map(|chunk| chunk.bytes.clone()).collect::<Vec<_>>();
    assert_eq!(contents(&result.chunks), contents(&plain.chunks));
    assert!(result.chunks.iter().all(|chunk| chunk.unit == Unit::Text));
    // A sixth of it is code, whatever this thread has parsed before.
    for _ in 0..2 {
        let text = part.repeat(2_000_000 / part.len());
        assert_eq!(split_as(&text, "text/x-c", ChunkLimits::CHARACTERS).syntax_error, None);
    }
}

#[test]
fn a_chunk_that_begins_inside_of_a_statement_is_a_level_deeper() {
    let text = "fn long() {\n    let a = one(1, 2, 3);\n    let b = two(1, 2, 3);\n    match a {\n        \
        1 => first(a, b),\n        2 => second(a, b),\n        3 => third(a, b),\n        \
        _ => other(a, b),\n    }\n    finish(a, b);\n    again(a, b);\n}\n";
    let chunks = chunks(text, "text/x-rust");
    assert!(chunks.len() > 3, "{chunks:?}");
    for chunk in &chunks[1..] {
        let is_statement = ["    let", "    match", "    finish", "    again"]
            .iter()
            .any(|statement| chunk.content.starts_with(statement));
        assert_eq!(chunk.level == 1, is_statement, "{chunk:?}");
        assert!(chunk.level <= 2);
    }
    assert!(chunks.iter().any(|chunk| chunk.level == 2), "{chunks:?}");
}

#[test]
fn a_method_in_the_value_of_a_field_begins_inside_of_the_field() {
    let text = "class Filter {\n  int size = 1;\n\n  Filter ALL =\n      new Filter() {\n        \
        public int check(Class<?> type, String name) {\n          return type.size() + name.size();\n        }\n      \
        };\n\n  int other(Class<?> type, String name) {\n    return type.size() - name.size();\n  }\n}\n";
    let chunks = chunks(text, "text/x-java");
    let levels: Vec<_> = chunks
        .iter()
        .map(|chunk| (chunk.section.join("/"), i64::from(chunk.level) - chunk.section.len() as i64))
        .collect();
    let inside = |name: &str| levels.iter().find(|(section, _)| section == name).unwrap().1;
    assert_eq!((inside("Filter/check"), inside("Filter/other")), (1, 0), "{levels:?}");
}
