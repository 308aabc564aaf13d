//! The name of the object that a CREATE statement creates, on any server.

/// Words before the name, as in `CREATE UNLOGGED TABLE name`.
const KINDS: [&str; 37] = [
    "TABLE",
    "VIEW",
    "FUNCTION",
    "PROCEDURE",
    "PROC",
    "AGGREGATE",
    "INDEX",
    "TYPE",
    "DOMAIN",
    "SCHEMA",
    "EXTENSION",
    "SEQUENCE",
    "TRIGGER",
    "RULE",
    "POLICY",
    "ROLE",
    "USER",
    "GROUP",
    "DATABASE",
    "SERVER",
    "LANGUAGE",
    "COLLATION",
    "CONVERSION",
    "PUBLICATION",
    "SUBSCRIPTION",
    "STATISTICS",
    "TABLESPACE",
    "OPERATOR",
    "CAST",
    "TRANSFORM",
    "METHOD",
    "WRAPPER",
    "CONFIGURATION",
    "DICTIONARY",
    "PARSER",
    "TEMPLATE",
    "PACKAGE",
];

/// Words between such a word and the name.
const FILLERS: [&str; 9] =
    ["CONCURRENTLY", "IF", "NOT", "EXISTS", "CLASS", "FAMILY", "MAPPING", "FOR", "BODY"];

/// Words that begin a statement.
const STATEMENTS: [&str; 64] = [
    "ABORT",
    "ALTER",
    "ANALYZE",
    "BEGIN",
    "CALL",
    "CHECKPOINT",
    "CLOSE",
    "CLUSTER",
    "COMMENT",
    "COMMIT",
    "COPY",
    "CREATE",
    "DEALLOCATE",
    "DECLARE",
    "DELETE",
    "DESCRIBE",
    "DISCARD",
    "DO",
    "DROP",
    "END",
    "EXEC",
    "EXECUTE",
    "EXPLAIN",
    "FETCH",
    "GRANT",
    "IF",
    "IMPORT",
    "INSERT",
    "LISTEN",
    "LOAD",
    "LOCK",
    "MERGE",
    "MOVE",
    "NOTIFY",
    "OPTIMIZE",
    "PRAGMA",
    "PREPARE",
    "PRINT",
    "PURGE",
    "REASSIGN",
    "REFRESH",
    "REINDEX",
    "RELEASE",
    "RENAME",
    "REPLACE",
    "RESET",
    "REVOKE",
    "ROLLBACK",
    "SAVEPOINT",
    "SECURITY",
    "SELECT",
    "SET",
    "SHOW",
    "START",
    "TABLE",
    "TRUNCATE",
    "UNLISTEN",
    "UNLOCK",
    "UPDATE",
    "UPSERT",
    "USE",
    "VACUUM",
    "VALUES",
    "WITH",
];

/// The maximum number of words between CREATE and the kind of its object.
const MAX_WORDS: usize = 16;

/// Returns whether a text begins with a word that begins a statement.
pub(super) fn begins_statement(text: &str) -> bool {
    let first = Words { text, at: 0 }.next().map(|(_, word)| word.to_ascii_uppercase());
    first.is_some_and(|word| STATEMENTS.binary_search(&&*word).is_ok())
}

/// Returns the offset and the name of the object that a statement creates.
pub(super) fn created(statement: &str) -> Option<(usize, String)> {
    let mut words = Words { text: statement, at: 0 };
    let is =
        |word: &str, known: &[&str]| known.iter().any(|known| word.eq_ignore_ascii_case(known));
    words.next().filter(|(_, word)| is(word, &["CREATE"]))?;
    let (at, kind) = words.by_ref().take(MAX_WORDS).find(|(_, word)| is(word, &KINDS))?;
    if is(kind, &["CAST"]) {
        let end = statement[at..].find(')')? + at + 1;
        let title = statement[at..end].split_whitespace().collect::<Vec<_>>().join(" ");
        return Some((at, title));
    }
    let mut words = words.peekable();
    // A table may have the name of a kind, but hardly that of a filler.
    while words.next_if(|(_, word)| is(word, &FILLERS)).is_some() {}
    let (at, first) = words.next()?;
    if is(first, &["ON", "AS", "AUTHORIZATION"]) {
        return None;
    }
    let mut end = at + first.len();
    // A schema, or the catalog and the schema.
    while let Some((dot, ".")) = words.next()
        && dot == end
        && let Some((next, word)) = words.next()
    {
        end = next + word.len();
    }
    let title = statement[at..end].replace(['"', '`', '[', ']'], "");
    (!title.is_empty()).then_some((at, title))
}

/// The words of a statement with their offsets: names, quoted names, operators and other characters.
struct Words<'t> {
    text: &'t str,
    at: usize,
}

impl<'t> Iterator for Words<'t> {
    type Item = (usize, &'t str);

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let rest = &self.text[self.at..];
            let blank = rest.len() - rest.trim_start().len();
            let rest = &rest[blank..];
            let comment = if rest.starts_with("--") {
                rest.find('\n').map_or(rest.len(), |end| end + 1)
            } else if rest.starts_with("/*") {
                rest.find("*/").map_or(rest.len(), |end| end + 2)
            } else {
                0
            };
            self.at += blank + comment;
            if comment == 0 {
                break;
            }
        }
        let rest = &self.text[self.at..];
        let first = rest.chars().next()?;
        let run =
            |is_part: fn(char) -> bool| rest.find(|char| !is_part(char)).unwrap_or(rest.len());
        let closed = |mark: char| rest[1..].find(mark).map_or(rest.len(), |end| end + 2);
        let length = match first {
            '"' | '`' | '\'' => closed(first),
            '[' => closed(']'),
            // `@extschema@.f` and `#temporary` are names, but `@>` is an operator.
            '@' | '#' if rest[1..].starts_with(|char: char| char.is_alphanumeric()) => {
                1 + rest[1..].find(|char| !is_name(char)).unwrap_or(rest.len() - 1)
            }
            _ if is_operator(first) => run(is_operator),
            _ if is_name(first) => run(is_name),
            _ => first.len_utf8(),
        };
        let start = self.at;
        self.at += length;
        Some((start, &rest[..length]))
    }
}

fn is_name(char: char) -> bool {
    char.is_alphanumeric() || matches!(char, '_' | '$' | '#' | '@')
}

fn is_operator(char: char) -> bool {
    "+-*/<>=~!@#%^&|?".contains(char)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_that_begin_statements_are_sorted() {
        assert!(STATEMENTS.is_sorted());
        assert!(begins_statement("-- a\n/* b */ create table t ()"));
        assert!(!begins_statement("{\"create\": 1}"));
    }

    #[test]
    fn every_kind_of_object_has_a_name() {
        let named = [
            ("CREATE TABLE t (a int)", "t"),
            ("create unlogged table if not exists \"A b\".t ()", "A b.t"),
            ("CREATE TABLE user (id int)", "user"),
            ("CREATE OR REPLACE FUNCTION a.f(int) RETURNS int", "a.f"),
            ("CREATE UNIQUE INDEX CONCURRENTLY i ON t (a)", "i"),
            ("CREATE OPERATOR <-> (LEFTARG = a)", "<->"),
            ("CREATE OPERATOR CLASS c_ops DEFAULT FOR TYPE c USING gist AS", "c_ops"),
            ("CREATE OPERATOR public.@> (LEFTARG = a)", "public.@>"),
            ("CREATE OPERATOR @extschema@.<=> (LEFTARG = a)", "@extschema@.<=>"),
            ("CREATE CAST (ltree AS\n  text) WITH FUNCTION f(ltree)", "CAST (ltree AS text)"),
            ("CREATE FOREIGN DATA WRAPPER w HANDLER h", "w"),
            ("CREATE TEXT SEARCH DICTIONARY d (TEMPLATE = t)", "d"),
            ("CREATE ACCESS METHOD hnsw TYPE INDEX HANDLER h", "hnsw"),
            ("CREATE TRUSTED LANGUAGE l", "l"),
            ("CREATE USER MAPPING FOR joe SERVER s", "joe"),
            ("CREATE TRANSFORM FOR hstore LANGUAGE plperl (", "hstore"),
            ("CREATE /* x */ EVENT TRIGGER -- y\n e ON ddl_command_end", "e"),
            ("CREATE DEFINER=`root`@`%` PROCEDURE `a`.`p`()", "a.p"),
            ("CREATE OR ALTER PROC [dbo].[p] AS", "dbo.p"),
            ("CREATE OR REPLACE PACKAGE BODY b IS", "b"),
        ];
        for (statement, name) in named {
            assert_eq!(
                created(statement).map(|(_, name)| name).as_deref(),
                Some(name),
                "{statement}"
            );
        }
        for statement in
            ["CREATE INDEX ON t (a)", "SELECT 1", "CREATE", "ALTER TABLE t", "CREATE x"]
        {
            assert_eq!(created(statement), None, "{statement}");
        }
    }
}
