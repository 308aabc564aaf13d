//! Source code with parts that its grammar cannot read: their neighbors keep their sections.

#![cfg(feature = "code")]

use passage_split::{Characters, ChunkLimits, MediaType, SplitDocument, SplitOptions, split};
use proptest::prelude::*;
use std::time::Instant;

/// Limits that give each unit a chunk of its own.
const UNITS: ChunkLimits = ChunkLimits { min: 0, preferred: 1, max: 400, window: 1_000 };

fn split_as<'t>(text: &'t str, media_type: &str, limits: ChunkLimits) -> SplitDocument<'t> {
    split(text, &MediaType::new(media_type), &SplitOptions::new(limits), &Characters).unwrap()
}

/// Returns the sections of a document, each once, in order.
fn sections(text: &str, media_type: &str) -> Vec<String> {
    let split = split_as(text, media_type, UNITS);
    assert_eq!(split.syntax_error, None, "{text}");
    let mut sections: Vec<String> = Vec::new();
    for chunk in &split.chunks {
        let section = chunk.section.join("/");
        if !section.is_empty() && !sections.contains(&section) {
            sections.push(section);
        }
    }
    sections
}

const FUNCTION: &str = "CREATE FUNCTION f(a int) RETURNS int LANGUAGE plpgsql AS $fn$\n\
    BEGIN\n  \\not a command;\n  RETURN a;\nEND;\n$fn$;\n";

#[test]
fn commands_of_psql_are_no_errors() {
    let text = format!(
        "\\set ON_ERROR_STOP on\n\\echo Use \"CREATE EXTENSION x\" \\quit\n\nCREATE TABLE t (id int);\n\
         \\copy t from 'x.csv' csv\n{FUNCTION}SELECT * FROM t \\gx\nCREATE VIEW v AS SELECT 1;\n"
    );
    assert_eq!(sections(&text, "text/x-sql"), ["t", "f", "v"]);
}

#[test]
fn rows_of_a_dump_are_text_of_their_own() {
    let rows = "1\ta ; 'quote\n2\t$$ -- \"\n".repeat(30);
    let text =
        format!("CREATE TABLE t (id int);\nCOPY t (id, a) FROM stdin;\n{rows}\\.\n\n{FUNCTION}");
    assert_eq!(sections(&text, "text/x-sql"), ["t", "f"]);
    // Without an end there are no rows.
    let text = format!("COPY t FROM stdin;\n{FUNCTION}");
    assert_eq!(sections(&text, "text/x-sql"), ["f"]);
}

#[test]
fn statements_that_the_grammar_does_not_know_have_sections() {
    let text = "CREATE TYPE box (INPUT = box_in, OUTPUT = box_out);\n\
        CREATE OPERATOR <-> (LEFTARG = box, RIGHTARG = box, PROCEDURE = d);\n\
        CREATE OPERATOR CLASS box_ops DEFAULT FOR TYPE box USING gist AS OPERATOR 1 <->, FUNCTION 1 d(box);\n\
        CREATE RULE r AS ON INSERT TO t DO ALSO (INSERT INTO a VALUES (1); DELETE FROM b);\n\
        CREATE FUNCTION g() RETURNS int BEGIN ATOMIC SELECT 1; SELECT CASE WHEN true THEN 1 END; END;\n\
        CREATE TABLE \"T 1\" (id int);\n";
    assert_eq!(sections(text, "text/x-sql"), ["box", "<->", "box_ops", "r", "g", "T 1"]);
}

#[test]
fn batches_and_delimiters_of_other_servers_divide_statements() {
    let mysql = "DELIMITER //\nCREATE PROCEDURE `p`()\nBEGIN\n  SELECT 1;\n  SELECT 2;\nEND//\nDELIMITER ;\nCREATE TABLE t (id int);\n";
    assert_eq!(sections(mysql, "text/x-sql"), ["p", "t"]);
    let server = "CREATE PROCEDURE [dbo].[p] AS\nBEGIN\n  SELECT 1;\n  SELECT 2;\nEND\nGO\nCREATE TABLE t (id int)\nGO\n";
    assert_eq!(sections(server, "text/x-sql"), ["dbo.p", "t"]);
}

#[test]
fn a_class_has_its_own_name_behind_a_macro() {
    let body = " {\npublic:\n  int run() { return 1; }\n};\n";
    for head in [
        "class SHOP_API Basket : public Object",
        "class SHOP_API(1) Basket : public Object",
        "class Q_DECL_EXPORT Basket final : public ns::Bar<int>, private Baz",
        "struct SHOP_API Basket",
        "class SHOP_API Basket SHOP_FINAL : public Object",
        "class SHOP_API alignas(8) Basket : public Object",
    ] {
        let text = format!(
            "NAMESPACE_BEGIN\n\n{head}{body}\nNAMESPACE_END\nint after() {{ return 2; }}\n"
        );
        let limits = ChunkLimits { max: 60, ..UNITS };
        let split = split_as(&text, "text/x-c++", limits);
        let sections: Vec<String> =
            split.chunks.iter().map(|chunk| chunk.section.join("/")).collect();
        assert!(sections.iter().any(|section| section == "Basket/run"), "{head}: {sections:?}");
        assert!(sections.iter().any(|section| section == "after"), "{head}: {sections:?}");
    }
}

#[test]
fn a_macro_with_a_body_is_a_unit_with_the_title_of_its_arguments() {
    let text = "TEST_CASE(\"queue keeps order\", \"[queue]\") {\n  Queue queue;\n  queue.push(1);\n\
        \n  SECTION(\"pop\") {\n    auto result = queue.pop();\n    REQUIRE(result == 1);\n  }\n}\n\n\
        TEST(QueueTest, Drains) {\n  Queue queue;\n}\n\n\
        BOOST_AUTO_TEST_CASE(grows)\n{\n  Queue queue;\n}\n";
    assert_eq!(sections(text, "text/x-c++"), ["queue keeps order", "QueueTest.Drains", "grows"]);
    let text = "SYSCALL_DEFINE3(read, unsigned int, fd, char __user *, buf, size_t, count)\n{\n\
        \x20   struct fd f = fdget_pos(fd);\n    return 0;\n}\n\nint after(void) { return 1; }\n";
    assert_eq!(sections(text, "text/x-c"), ["read", "after"]);
}

#[test]
fn a_directive_within_the_arguments_of_a_macro_is_left_out_with_them() {
    let text = "EXPORT\n#else\n(())\nint after(void) { return 1; }\n";
    assert_eq!(sections(text, "text/x-c"), ["after"]);
}

#[test]
fn two_signatures_of_a_function_are_one_function() {
    let text = "void before() { go(); }\n\n#ifdef WIDE\nint add(long a,\n        long b) {\n#else\n\
        int add(int a, int b) {\n#endif\n  return a + b;\n}\n\nvoid after() { go(); }\n";
    assert_eq!(sections(text, "text/x-c++"), ["before", "add", "after"]);
    assert_eq!(sections(text, "text/x-c"), ["before", "add", "after"]);
}

#[test]
fn units_before_and_after_a_broken_place_keep_their_sections() {
    let rust = "fn a() {\n    go();\n}\n\nfn broken( {\n\nfn b() {\n    go();\n}\n\nfn c() {\n    go();\n}\n";
    let names = sections(rust, "text/x-rust");
    assert!(
        ["a", "c"].iter().all(|name| names.iter().any(|section| section.ends_with(name))),
        "{names:?}"
    );
}

#[test]
fn broken_code_costs_linear_time() {
    // Each of these would be read once for every repetition.
    for (media_type, begin, part) in [
        ("text/x-c++", "", "class "),
        ("text/x-c++", "", ")A()"),
        ("text/x-c++", "", "R\"("),
        ("text/x-c++", "\"", "\\\""),
        ("text/x-sql", "", "/*"),
        ("text/x-sql", "(", ";"),
        ("text/x-sql", "GO\n(", ";"),
        ("text/x-sql", "", "a;"),
        ("text/x-sql", "", "copy a from stdin;"),
        ("text/x-sql", "", "delimiter a b;"),
    ] {
        let text = [begin, &part.repeat(4_000_000 / part.len())].concat();
        let start = Instant::now();
        split_as(&text, media_type, ChunkLimits::CHARACTERS);
        let elapsed = start.elapsed();
        assert!(elapsed.as_secs() < 20, "{media_type} {begin}{part}: {elapsed:?}");
    }
    // Each tag is another one.
    let tags: Vec<String> = (0..200_000).map(|number| format!("$a{number}$ ")).collect();
    let start = Instant::now();
    split_as(&tags.concat(), "text/x-sql", ChunkLimits::CHARACTERS);
    assert!(start.elapsed().as_secs() < 20, "{:?}", start.elapsed());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4_000))]

    #[test]
    fn scripts_with_commands_have_the_sections_of_the_statements(
        parts in prop::collection::vec(prop::sample::select(vec![
            ("CREATE TABLE t (a int);\n", true),
            ("\\set x 'a;b'\n", false),
            ("\\if :x\n", false),
            ("SELECT 'it''s' \\g out.txt\n", false),
            ("COPY t FROM stdin;\n1\t'\n\\.\n", false),
            ("-- it's a comment;\n", false),
            ("CREATE CAST (a AS b) WITHOUT FUNCTION;\n", true),
            ("DO $$ BEGIN PERFORM 1; END $$;\n", false),
            ("\n", false),
        ]), 0..12),
    ) {
        let text: String = parts.iter().map(|(part, _)| *part).collect();
        let split = split_as(&text, "text/x-sql", UNITS);
        prop_assert_eq!(split.syntax_error, None, "{}", text);
        let count = split.chunks.iter().filter(|chunk| !chunk.section.is_empty()).count();
        prop_assert_eq!(count, parts.iter().filter(|(_, is_unit)| *is_unit).count(), "{}", text);
        let joined: String = split.chunks.iter().map(|chunk| chunk.content).collect();
        prop_assert_eq!(joined, text);
    }

    #[test]
    fn code_with_macros_is_split_without_loss(
        parts in prop::collection::vec(prop::sample::select(vec![
            "class A_API B : C {\n", "};\n", "}\n", "{", "#ifdef X\n", "#else\n", "#endif\n", "M(a, \"b\")\n",
            "M(a) {\n", "int f() {\n", "return 1;\n", "EXPORT\n", "\u{e9}\n", "R\"x(a)x\"", "/*", "*/", "#if 0\n",
            "enum { A, B };\n", "int g() NOEXCEPT;\n", "((", "))",
        ]), 0..24),
        language in prop::sample::select(vec!["text/x-c", "text/x-c++"]),
    ) {
        let text: String = parts.concat();
        let split = split_as(&text, language, UNITS);
        let joined: String = split.chunks.iter().map(|chunk| chunk.content).collect();
        prop_assert_eq!(joined, text);
    }
}

#[test]
fn macros_and_closing_lines_belong_to_the_unit_beside_them() {
    let limits = ChunkLimits { min: 60, preferred: 120, ..UNITS };
    let body = "    rows = read(path, rows + 1);\n".repeat(4);
    let text = format!(
        "#ifdef SHOP_FILES\nSHOP_DEPRECATED(3_0)\nint load(int rows) {{\n{body}}}\n\n\
         SHOP_API\nint save(int rows) {{\n{body}}}\n#endif /* SHOP_FILES */\n\nint other;\n"
    );
    let split = split_as(&text, "text/x-c", limits);
    let save = split.chunks.iter().find(|chunk| chunk.section == ["save"]).unwrap();
    assert!(save.content.starts_with("SHOP_API\nint save"), "{}", save.content);
    assert!(save.content.trim_end().ends_with("}\n#endif /* SHOP_FILES */"), "{}", save.content);
    // A passage of this function alone leaves out the closing line, one for each level.
    assert_eq!((save.level, save.section.len()), (0, 1));
    let load = split.chunks.iter().find(|chunk| chunk.section == ["load"]).unwrap();
    assert!(load.content.starts_with("SHOP_DEPRECATED(3_0)\nint load"), "{}", load.content);
}
