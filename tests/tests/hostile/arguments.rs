//! Odd arguments: each parameter of each function gets NULL and every odd value of its type.

use crate::attacker::{ATTACKER, Attacker, Outcome};
use crate::store::Kind;
use crate::sweep::Sweep;
use crate::verdict::{SECRET, Vocabulary, judge};
use crate::{GREETING, cluster};

/// A type of parameters, with an ordinary value and odd ones.
struct Argument {
    sql_type: &'static str,
    right: &'static str,
    odd: &'static [&'static str],
}

const ARGUMENTS: &[Argument] = &[
    Argument {
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
    Argument {
        sql_type: "text",
        right: "'quokka'",
        odd: &["''", r"E'\x01'", "repeat('x', 1000000)", "repeat('quokka ', 10000)", "'%_\\*'"],
    },
    Argument {
        sql_type: "integer",
        right: "3",
        odd: &["0", "-1", "2147483647", "-2147483648", "1000001"],
    },
    Argument {
        sql_type: "bigint",
        right: "3",
        odd: &["-1", "9223372036854775807", "-9223372036854775808"],
    },
    Argument {
        sql_type: "double precision",
        right: "0.5",
        odd: &["'NaN'", "'Infinity'", "'-Infinity'", "-1", "1e308", "1e-320"],
    },
    Argument {
        sql_type: "uuid",
        right: "'aaaaaaaa-0000-0000-8000-000000000000'",
        odd: &["'00000000-0000-0000-0000-000000000000'"],
    },
    Argument {
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
    Argument {
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
    Argument {
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
    Argument {
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
    Argument {
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
    Argument { sql_type: "boolean", right: "true", odd: &["false"] },
    // An unknown configuration is an internal error of `to_tsvector` itself.
    Argument { sql_type: "regconfig", right: "'simple'", odd: &[] },
];

fn of(sql_type: &str) -> Option<&'static Argument> {
    ARGUMENTS.iter().find(|argument| argument.sql_type == sql_type)
}

/// A function, its number of parameters without a default, and the names and types of all.
struct Function {
    name: String,
    required: usize,
    arguments: Vec<(String, String)>,
}

impl Function {
    /// Returns calls with one odd argument. The others are ordinary, or left out.
    fn calls(&self) -> Vec<String> {
        let value = |sql_type: &str, value: &str| format!("({value})::{sql_type}");
        let right = |sql_type: &str| value(sql_type, of(sql_type).map_or("NULL", |of| of.right));
        let mut calls = Vec::new();
        for (index, (_, sql_type)) in self.arguments.iter().enumerate() {
            for odd in ["NULL"].iter().chain(of(sql_type).map_or(&[][..], |of| of.odd)) {
                let given =
                    self.arguments.iter().enumerate().filter_map(|(at, (name, sql_type))| {
                        let value = match at {
                            _ if at == index => value(sql_type, odd),
                            _ if at < self.required => right(sql_type),
                            _ => return None,
                        };
                        // Parameters with a default are passed by name.
                        Some(if at < self.required { value } else { format!("{name} => {value}") })
                    });
                let given: Vec<_> = given.collect();
                calls.push(format!(
                    "SELECT f::pg_catalog.text FROM {}({}) AS f",
                    self.name,
                    given.join(", ")
                ));
            }
        }
        calls
    }
}

#[tokio::test]
async fn odd_arguments_return_rows_or_a_clear_error() {
    let Some(cluster) = cluster().await else { return };
    let sql = "SELECT format('%s|%s|%s', pronamespace::regnamespace || '.' || proname, pronargs - pronargdefaults, (
            SELECT string_agg(coalesce(proargnames[place], '') || '=' || format_type(type, NULL), '|' ORDER BY place)
            FROM unnest(proargtypes::oid[]) WITH ORDINALITY AS a (type, place)))
        FROM pg_proc
        WHERE pronamespace IN ('passage'::regnamespace, '_passage'::regnamespace) AND prokind = 'f' AND prorettype <> 'trigger'::regtype AND pronargs > 0
        ORDER BY 1";
    let functions = cluster.query_lines_as(ATTACKER, sql).await.into_iter().map(|line| {
        let mut parts = line.split('|');
        let mut next = || parts.next().expect("it has three parts").to_owned();
        let (name, required) = (next(), next().parse().expect("it is a number"));
        let pair = |part: &str| {
            let (name, sql_type) = part.split_once('=').expect("an argument has a type");
            (name.to_owned(), sql_type.to_owned())
        };
        Function { name, required, arguments: parts.map(pair).collect() }
    });
    let attacker = Attacker::new(&cluster, GREETING).await;
    let mut sweep = Sweep::new(attacker, "plain", Kind::Table, &Vocabulary::default());
    sweep.calls(None, |_, _| {}).await;
    let attacker = &mut sweep.attacker;
    let (mut calls, mut answers, mut findings) = (0, 0, Vec::new());
    for sql in functions.flat_map(|function| function.calls()) {
        let begun = std::time::Instant::now();
        attacker.run("BEGIN").await;
        let outcome = attacker.run(&sql).await;
        calls += 1;
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
    println!("{calls} calls, {answers} answers, {} findings", findings.len());
    assert!(findings.is_empty(), "{} of {calls} calls:\n{}", findings.len(), findings.join("\n"));
    // If all calls failed, they would not reach the code that they should test.
    assert!(answers * 4 > calls, "{answers} answers to {calls} calls");
}
