//! Odd arguments: each parameter of each function gets NULL and every odd value of its type.

use super::attacker::{Attacker, Outcome};
use super::store::Kind;
use super::sweep::Sweep;
use super::verdict::{SECRET, Vocabulary, judge};
use super::{GREETING, cluster};
use passage_tests::functions::{Argument, Function, functions};

/// An ordinary value of a type, and odd ones.
struct Values {
    sql_type: &'static str,
    right: &'static str,
    odd: &'static [&'static str],
}

const VALUES: &[Values] = &[
    Values {
        sql_type: "name",
        right: "'plain'",
        odd: &[
            "''",
            "'nowhere'",
            "'pg_catalog'",
            "'pg_toast'",
            "'information_schema'",
            r#"'a"b''c'"#,
            "repeat('x', 63)",
            "repeat('x', 1000)::name",
        ],
    },
    Values {
        sql_type: "text",
        right: "'quokka'",
        odd: &["''", r"E'\x01'", "repeat('x', 1000000)", "repeat('quokka ', 10000)", "'%_\\*'"],
    },
    Values {
        sql_type: "integer",
        right: "3",
        odd: &["0", "-1", "2147483647", "-2147483648", "1000001"],
    },
    Values {
        sql_type: "bigint",
        right: "3",
        odd: &["-1", "9223372036854775807", "-9223372036854775808"],
    },
    Values {
        sql_type: "double precision",
        right: "0.5",
        odd: &["'NaN'", "'Infinity'", "'-Infinity'", "-1", "1e308", "1e-320"],
    },
    Values {
        sql_type: "uuid",
        right: "'aaaaaaaa-0000-0000-8000-000000000000'",
        odd: &["'00000000-0000-0000-0000-000000000000'"],
    },
    Values {
        sql_type: "uuid[]",
        right: "'{aaaaaaaa-0000-0000-0000-000000000002}'",
        odd: &[
            "'{}'",
            "'{NULL}'",
            "'{{aaaaaaaa-0000-0000-0000-000000000002,NULL},{NULL,NULL}}'",
            "'[5:5]={aaaaaaaa-0000-0000-0000-000000000002}'",
            "array_fill('aaaaaaaa-0000-0000-0000-000000000002'::uuid, '{100000}')",
            "(SELECT array_agg(lpad(to_hex(i), 32, '0')::uuid) FROM generate_series(1, 1000000) AS i)",
        ],
    },
    Values {
        sql_type: "real[]",
        right: "'{1,2,3}'",
        odd: &[
            "'{}'",
            "'{NULL,1,2}'",
            "'{NaN,1,2}'",
            "'{Infinity,1,2}'",
            "'{{1,2,3}}'",
            "'[-2:0]={1,2,3}'",
            "'{0,0,0}'",
            "'{3e38,3e38,3e38}'",
            "array_fill(1::real, '{1000000}')",
        ],
    },
    Values {
        sql_type: "double precision[]",
        right: "'{1}'",
        odd: &[
            "'{}'",
            "'{NULL}'",
            "'{NaN}'",
            "'{-Infinity}'",
            "'{{1}}'",
            "array_fill(1.0, '{1000000}')",
        ],
    },
    Values {
        sql_type: "text[]",
        right: "'{Guide,Food}'",
        odd: &[
            "'{}'",
            "'{NULL}'",
            "'{{A,B},{C,D}}'",
            "'[2147483646:2147483646]={A}'",
            "array_fill('t'::text, '{100000}')",
            "ARRAY[repeat('t', 1000000)]",
        ],
    },
    Values {
        sql_type: "jsonb",
        right: "'{}'",
        odd: &[
            "'null'",
            "'[]'",
            r#"'"x"'"#,
            "'1e400'",
            r#"'{"code": 1e400}'"#,
            "(repeat('[', 3000) || repeat(']', 3000))::jsonb",
            r#"(repeat('{"a":', 3000) || '1' || repeat('}', 3000))::jsonb"#,
        ],
    },
    Values { sql_type: "boolean", right: "true", odd: &["false"] },
    Values {
        sql_type: "oid",
        right: "'plain.chunks'::regclass",
        odd: &["0", "4294967295", "'pg_authid'::regclass", "'plain'::regnamespace"],
    },
    Values { sql_type: "oid[]", right: "'{}'", odd: &["'{NULL}'", "'{2281}'", "'{{23,25}}'"] },
    Values {
        sql_type: "integer[]",
        right: "'{0}'",
        odd: &["'{}'", "'{NULL}'", "'{-1,2147483647}'"],
    },
    Values {
        sql_type: "bigint[]",
        right: "'{1}'",
        odd: &["'{}'", "'{NULL}'", "'{-1}'", "array_fill(1::bigint, '{10000}')"],
    },
    // An unknown configuration is an internal error of `to_tsvector` itself.
    Values { sql_type: "regconfig", right: "'simple'", odd: &[] },
];

/// Ordinary values of arguments that are statements, or parts of them.
const NAMED: &[(&str, &str)] = &[
    ("statement", "'SELECT 1'"),
    ("access", "'any'"),
    ("relations", r#"ARRAY['"plain"."chunks"']"#),
    ("arguments", "'{}'"),
];

/// The key of the only shard of such a call.
const KEY: &str = "'00000000-0000-0000-0000-000000000000'::uuid";

/// Arguments of `_passage.shard_rows`: its statement is the caller's own. Each table, its shard, the statement, and the
/// types and values of its parameters.
const SHARD_ROWS: &[[&str; 5]] = &[
    [TABLE, "'{1}'", "'SELECT $1'", "'{0}'", "'{1}'"],
    [TABLE, "'{1}'", "'SELECT $1'", "'{4294967295}'", "'{1}'"],
    [TABLE, "'{1}'", "'SELECT $1'", "'{23}'", "'{1}'"],
    [TABLE, "'{1}'", "'SELECT $1'", "'{25}'", "'{1}'"],
    [TABLE, "'{1}'", "'SELECT NULL::record, 1'", "'{}'", "'{}'"],
    // Each of these names contains the next one, so the text would double 40 times.
    [
        "array_fill('_'::text, '{40}')",
        "array_fill(1::bigint, '{40}')",
        "'SELECT 1 AS _'",
        "'{}'",
        "'{}'",
    ],
    ["'{\"\"}'", "'{1}'", "'SELECT 1'", "'{}'", "'{}'"],
    [TABLE, "'{1}'", "''", "'{}'", "'{}'"],
    [TABLE, "'{1}'", "'SELECT 1; SELECT 2'", "'{}'", "'{}'"],
    [TABLE, "'{1}'", "'SELECT 1, 2'", "'{}'", "'{}'"],
    [TABLE, "'{1}'", "'SELECT'", "'{}'", "'{}'"],
    [TABLE, "'{1}'", "'SELECT true'", "'{}'", "'{}'"],
    [TABLE, "'{1}'", "'COMMIT'", "'{}'", "'{}'"],
    [TABLE, "'{1}'", "'COPY plain.chunks TO STDOUT'", "'{}'", "'{}'"],
    [TABLE, "'{1}'", "'EXPLAIN SELECT 1'", "'{}'", "'{}'"],
    [TABLE, "'{1}'", "'DELETE FROM plain.chunks RETURNING 1'", "'{}'", "'{}'"],
    [TABLE, "'{1}'", "'SELECT length(secret) FROM public.secrets'", "'{}'", "'{}'"],
    [TABLE, "'{1}'", "'SELECT count(*)::int4 FROM \"plain\".\"chunks\"'", "'{}'", "'{}'"],
    [TABLE, "'{1}'", "'SELECT $1 + 1'", "'{23}'", "'{x}'"],
    [TABLE, "'{1}'", "'SELECT length($1::text)'", "'{2275}'", "'{x}'"],
    [TABLE, "'{1}'", "'SELECT 2 WHERE $1 IS NULL'", "'{2281}'", "'{x}'"],
    [TABLE, "'{1}'", "'SELECT 3 WHERE $1 IS NULL'", "'{2281}'", "'{NULL}'"],
    [TABLE, "'{1}'", "'SELECT 4 WHERE $1 IS NULL'", "'{2249}'", "'{(1)}'"],
];
const TABLE: &str = r#"ARRAY['"plain"."chunks"']"#;

fn values_of(sql_type: &str) -> Option<&'static Values> {
    VALUES.iter().find(|values| values.sql_type == sql_type)
}

/// Returns calls with one odd argument. The others are ordinary, or left out.
fn calls(function: &Function) -> Vec<String> {
    const ROW: &str = "f::pg_catalog.text";
    let value = |sql_type: &str, value: &str| Some(format!("({value})::{sql_type}"));
    let right = |Argument { name, sql_type, .. }: &Argument| {
        let named = NAMED.iter().find(|(known, _)| known == name).map(|(_, value)| *value);
        let right = named.or(values_of(sql_type).map(|values| values.right));
        value(sql_type, right.unwrap_or("NULL"))
    };
    let mut calls = Vec::new();
    if function.arguments.is_empty() {
        calls.push(function.call(ROW, &[]));
    }
    for (index, argument) in function.arguments.iter().enumerate() {
        let sql_type = &argument.sql_type;
        for odd in ["NULL"].iter().chain(values_of(sql_type).map_or(&[][..], |values| values.odd)) {
            let given = function.arguments.iter().enumerate().map(|(at, argument)| match at {
                _ if at == index => value(sql_type, odd),
                _ if at < function.required => right(argument),
                _ => None,
            });
            calls.push(function.call(ROW, &given.collect::<Vec<_>>()));
        }
    }
    if function.name == "_passage.shard_rows" {
        calls.extend(SHARD_ROWS.iter().map(|[relations, shards, statement, types, values]| {
            format!(
                "SELECT {}({KEY}, NULL, 'plain', {relations}, {shards}, {statement}, 'any', 1, {types}, {values}, NULL)::pg_catalog.text",
                function.name
            )
        }));
    }
    calls
}

#[tokio::test]
async fn odd_arguments_return_rows_or_a_clear_error() {
    let Some(cluster) = cluster().await else { return };
    let attacker = Attacker::new(&cluster, GREETING).await;
    let mut sweep = Sweep::new(attacker, "plain", Kind::Table, &Vocabulary::default());
    sweep.calls(None, |_, _| {}).await;
    let attacker = &mut sweep.attacker;
    let (mut count, mut answers, mut findings) = (0, 0, Vec::new());
    for sql in functions(&cluster).await.iter().flat_map(calls) {
        let begun = std::time::Instant::now();
        attacker.run("BEGIN").await;
        let outcome = attacker.run(&sql).await;
        count += 1;
        answers += usize::from(matches!(outcome, Outcome::Rows(_)));
        // Messages may show the arguments, which are the attacker's own.
        let fault = match &outcome {
            // Rows contain the arguments with all their bytes.
            Outcome::Rows(rows) => {
                let leaks = rows.iter().any(|row| row.contains(SECRET));
                leaks.then(|| "LEAK: the secret is in the answer".to_owned())
            }
            _ => judge(&outcome, None, false),
        };
        findings.extend(fault.map(|fault| {
            let fault: String = fault.chars().take(300).collect();
            format!("{fault} | {sql}")
        }));
        if matches!(outcome, Outcome::Crash | Outcome::Endless | Outcome::Lost) {
            attacker.reconnect().await;
        } else {
            attacker.run("ROLLBACK").await;
        }
        if begun.elapsed().as_secs() > 5 {
            println!("{sql}: {:?}", begun.elapsed());
        }
    }
    println!("{count} calls, {answers} answers, {} findings", findings.len());
    assert!(findings.is_empty(), "{} of {count} calls:\n{}", findings.len(), findings.join("\n"));
    // If all calls failed, they would not reach the code that they should test.
    assert!(answers * 4 > count, "{answers} answers to {count} calls");
}
