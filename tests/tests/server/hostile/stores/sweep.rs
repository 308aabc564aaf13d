//! Sweeps: stores with one odd column each, and all calls on them.

use super::attacker::{Attacker, Outcome};
use super::calls::{CALLS, Call, REFUSED};
use super::store::{Kind, Odd, RELATIONS, relation};
use super::types::Reach;
use super::verdict::{Vocabulary, judge};
use passage_tests::cluster::is_sql_edition;

/// The result of a sweep.
#[derive(Debug, Default)]
pub struct Report {
    pub calls: usize,
    pub errors: usize,
    pub findings: Vec<String>,
}

impl std::fmt::Display for Report {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { calls, errors, findings } = self;
        write!(f, "{calls} calls, {errors} errors, {} findings", findings.len())
    }
}

impl Report {
    pub fn add(&mut self, other: Self) {
        self.calls += other.calls;
        self.errors += other.errors;
        self.findings.extend(other.findings);
    }
}

/// The schema of temporary tables.
const TEMPORARY: &str =
    "SELECT nspname FROM pg_catalog.pg_namespace WHERE oid = pg_catalog.pg_my_temp_schema()";

/// The number of odd columns in one session.
const CASES_OF_A_SESSION: usize = 50;

/// A store that is created again for each case.
pub struct Sweep<'c> {
    pub attacker: Attacker<'c>,
    pub store: String,
    pub kind: Kind,
    vocabulary: Vocabulary,
    /// The relation that has an odd column now.
    odd: Option<&'static str>,
    /// The change of the right store, which is created again for each change.
    change: String,
    made: bool,
}

impl<'c> Sweep<'c> {
    pub fn new(attacker: Attacker<'c>, store: &str, kind: Kind, vocabulary: &Vocabulary) -> Self {
        let (store, vocabulary) = (store.to_owned(), vocabulary.clone());
        Self { attacker, store, kind, vocabulary, odd: None, change: String::new(), made: false }
    }

    /// Creates the relations of the store that differ for the next case.
    async fn make(&mut self, odd: Option<&Odd>) {
        let odd_relation = odd.map(|odd| odd.column.relation);
        for _ in 0..100 {
            if self.kind == Kind::Temporary {
                // The schema has another name in each session.
                self.store = match self.attacker.run(TEMPORARY).await {
                    Outcome::Rows(rows) => rows[0].clone(),
                    _ => "unknown".to_owned(),
                };
            }
            let stale = RELATIONS.into_iter().filter(|name| {
                !self.made || Some(*name) == odd_relation || Some(*name) == self.odd
            });
            let sql: Vec<_> =
                stale.map(|name| relation(&self.store, self.kind, name, odd)).collect();
            let sql = format!("{}\n{}", sql.join("\n"), self.change.replace('@', &self.store));
            match self.attacker.run(&sql).await {
                Outcome::Rows(_) => {
                    (self.made, self.odd) = (true, odd_relation);
                    return;
                }
                // Another session may read all stores while this one replaces a relation of its own.
                Outcome::Error { code, .. } if code == "40P01" => {}
                Outcome::Error { code, text } => panic!("{code}: {text}\n{sql}"),
                Outcome::Crash | Outcome::Endless => panic!("to make the store crashes\n{sql}"),
                Outcome::Lost => {
                    self.attacker.reconnect().await;
                    self.made = false;
                }
            }
        }
        panic!("the server does not stay up");
    }

    /// Makes a call. A call that writes is rolled back.
    async fn call(&mut self, call: &Call) -> Outcome {
        let sql = call.sql.replace('@', &format!("'{}'", self.store)).replace('§', &self.store);
        if !call.writes {
            return self.attacker.run(&sql).await;
        }
        if let Outcome::Lost = self.attacker.run("BEGIN").await {
            return Outcome::Lost;
        }
        let outcome = self.attacker.run(&sql).await;
        match outcome {
            Outcome::Crash | Outcome::Endless | Outcome::Lost => outcome,
            _ => match self.attacker.run("ROLLBACK").await {
                lost @ (Outcome::Crash | Outcome::Endless | Outcome::Lost) => lost,
                _ => outcome,
            },
        }
    }

    /// Makes each call for a store with an odd column.
    pub async fn calls(&mut self, odd: Option<&Odd>, mut each: impl FnMut(&Call, &Outcome)) {
        self.make(odd).await;
        for call in CALLS {
            let about = |odd: &Odd| {
                odd.odd_type.reach >= call.reach
                    && (call.about.is_empty() || call.about.contains(&odd.column.relation))
            };
            let is_refused = is_sql_edition() && REFUSED.contains(&call.function);
            if is_refused || !odd.is_none_or(about) {
                continue;
            }
            loop {
                let outcome = self.call(call).await;
                if matches!(outcome, Outcome::Crash | Outcome::Endless | Outcome::Lost) {
                    self.attacker.reconnect().await;
                    self.made = false;
                    self.make(odd).await;
                }
                if outcome != Outcome::Lost {
                    // Sweeps compare answers of stores with different names.
                    let outcome = match outcome {
                        Outcome::Rows(rows) => {
                            let row = |row: String| row.replace(&self.store, "store");
                            Outcome::Rows(rows.into_iter().map(row).collect())
                        }
                        outcome => outcome,
                    };
                    each(call, &outcome);
                    break;
                }
            }
        }
    }

    /// Makes each call on a store with changed rows.
    pub async fn changed(&mut self, change: &str, each: impl FnMut(&Call, &Outcome)) {
        change.clone_into(&mut self.change);
        self.made = false;
        self.calls(None, each).await;
    }

    /// Makes and judges the calls for each odd column.
    pub async fn run(&mut self, cases: &[Odd]) -> Report {
        let mut report = Report::default();
        let (kind, mut vocabulary) = (self.kind, self.vocabulary.clone());
        self.calls(None, |_, outcome| {
            if let Outcome::Rows(rows) = outcome {
                for row in rows {
                    vocabulary.learn(row);
                }
            }
        })
        .await;
        for (number, odd) in cases.iter().enumerate() {
            // PL/pgSQL keeps the compiled function of each trigger, even after its table was dropped, and
            // thousands of kept plans make every change of a table slow.
            if number % CASES_OF_A_SESSION == CASES_OF_A_SESSION - 1 {
                self.attacker.reconnect().await;
                self.made = false;
            }
            self.calls(Some(odd), |call, outcome| {
                report.calls += 1;
                report.errors += usize::from(matches!(outcome, Outcome::Error { .. }));
                // Administration answers in sentences; columns of the right type can give sums.
                let is_right = odd.odd_type.name == odd.column.sql_type;
                let has_words = call.reach == Reach::Tables && !is_right;
                let words = has_words.then_some(&vocabulary);
                // A strategy is not content: messages may show its mistakes.
                let is_content = ["documents", "chunks"].contains(&odd.column.relation);
                if let Some(fault) = judge(outcome, words, is_content) {
                    let Odd { column, odd_type, .. } = odd;
                    report.findings.push(format!(
                        "{} | {kind:?} {}.{} {} | {fault} | {}",
                        call.function, column.relation, column.name, odd_type.name, call.sql
                    ));
                }
            })
            .await;
        }
        report
    }
}
