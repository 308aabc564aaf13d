//! A server on which remedies are carried out.

use super::case::{Act, Case, Check, Finding, PARTITIONS, READER, Seen, TABLES};
use crate::embedding_service::Service;
use crate::{RunOutput, Sources};
use passage_tests::Cluster;
use passage_tests::cluster::{OWNER, SUPERUSER};
use serde_json::Value;

/// A server on which cases run, with an embedding service and documents.
pub struct Workshop<'a> {
    pub cluster: &'a Cluster,
    service: Service,
    sources: Sources,
}

impl<'a> Workshop<'a> {
    pub async fn new(cluster: &'a Cluster) -> Self {
        let sources = Sources::with([
            (
                "guide.md",
                "# Guide\n\nIntroduction.\n\n## Set up\n\nInstall it.\n\n## Use\n\nCall it.\n",
            ),
            (
                "shape.ts",
                "export class Shape {\n  area(): number {\n    return 1;\n  }\n\n  name(): string {\n    return 'shape';\n  }\n}\n",
            ),
        ]);
        cluster.execute_as(SUPERUSER, &format!("CREATE ROLE {READER} LOGIN")).await;
        Self { cluster, service: Service::good(8).await, sources }
    }

    /// Runs the client on the store `s`.
    pub async fn client(&self, role: &str, arguments: &[&str]) -> RunOutput {
        let mut program = self.cluster.client_program();
        program.current_dir(self.sources.0.path()).env("DATABASE_URL", self.cluster.url_as(role));
        program.env("PASSAGE_STORE", "s").env("PASSAGE_EMBED_MODEL", "tiny");
        program.env("PASSAGE_EMBED_URL", self.service.url());
        RunOutput::of(program.args(arguments)).await
    }

    /// Makes the store of a case.
    pub async fn make(&self, store: &str) {
        let drop = "DROP SCHEMA IF EXISTS s CASCADE; DROP SCHEMA IF EXISTS aside CASCADE";
        self.cluster.execute_as(SUPERUSER, drop).await;
        self.cluster.execute("CREATE SCHEMA aside").await;
        self.cluster.execute(store).await;
        if [TABLES, PARTITIONS].contains(&store) {
            let sizes = [
                "--sizer",
                "characters",
                "--max-size",
                "60",
                "--preferred-size",
                "40",
                "--min-size",
                "0",
            ];
            let run = self.client(OWNER, &[&["ingest", "book"], &sizes[..]].concat()).await;
            assert_eq!(run.code, Some(0), "{}", run.stderr);
            self.cluster.execute_as(SUPERUSER, "ANALYZE").await;
        }
    }

    /// Carries a remedy out. Returns an error unless its finding is missing afterwards and no other one was added.
    pub async fn run(&self, case: &Case, seen: &mut Seen) -> Result<(), String> {
        let problem = case.problem;
        self.make(case.store).await;
        // Another role needs privileges first.
        let is_owner = case.role == OWNER;
        let sound = if is_owner { self.findings(case.check, OWNER).await } else { Vec::new() };
        let is_by_superuser = case.damage.starts_with("-- superuser");
        self.try_sql(if is_by_superuser { SUPERUSER } else { OWNER }, case.damage).await?;
        let before = self.findings(case.check, case.role).await;
        let finding = before.iter().find(|finding| finding.problem.contains(problem));
        let finding = finding.ok_or_else(|| format!("{problem}: not in {before:#?}"))?;
        if sound.contains(finding) {
            return Err(format!("{problem}: it was there before: {finding:?}"));
        }
        if case.sentence.is_some_and(|sentence| sentence != finding.remedy) {
            return Err(format!("{problem}: another remedy: {finding:?}"));
        }
        let mut role = case.role;
        for act in case.acts {
            match act {
                Act::Remedy => self.try_sql(OWNER, &finding.remedy).await?,
                Act::Sql(sql) => self.try_sql(OWNER, sql).await?,
                Act::Superuser(sql) => self.try_sql(SUPERUSER, sql).await?,
                Act::Client(arguments) => {
                    let run = self.client(OWNER, arguments).await;
                    if run.code != Some(0) {
                        return Err(format!("{problem}: {arguments:?}: {}", run.stderr));
                    }
                }
                Act::As(other) => role = other,
            }
        }
        let after = self.findings(case.check, role).await;
        let is_same = |other: &&Finding| {
            (&other.object, &other.problem) == (&finding.object, &finding.problem)
        };
        // Another role finds other problems too, and a role that may read more meets what only the owner may check.
        let is_new = |other: &&Finding| {
            role == case.role
                && !before.contains(other)
                && !sound.contains(other)
                && other.remedy != "Check the store as its owner."
        };
        let wrong: Vec<_> = after.iter().filter(|other| is_same(other) || is_new(other)).collect();
        if !wrong.is_empty() {
            return Err(format!("{problem}: after {:?}: {wrong:#?}", finding.remedy));
        }
        seen.add(finding);
        Ok(())
    }

    /// Runs all cases, and fails with all that do not hold.
    pub async fn run_all(&self, cases: impl IntoIterator<Item = &Case>, seen: &mut Seen) {
        let mut failures = Vec::new();
        for case in cases {
            failures.extend(self.run(case, seen).await.err());
        }
        assert!(failures.is_empty(), "{}", failures.join("\n"));
    }

    async fn try_sql(&self, role: &str, sql: &str) -> Result<(), String> {
        let client = self.cluster.client_as(role).await;
        client.batch_execute(sql).await.map_err(|error| {
            let error = error.as_db_error().map_or_else(|| error.to_string(), ToString::to_string);
            format!("{error}\n{sql}")
        })
    }

    /// Returns the findings that are problems.
    pub async fn findings(&self, check: Check, role: &str) -> Vec<Finding> {
        match check {
            Check::Store => {
                let rows = self
                    .cluster
                    .query_rows_as(role, "SELECT * FROM passage.check_store('s', data => true)")
                    .await;
                let text = |value: Option<String>| value.expect("no column is NULL");
                let finding = |row: Vec<Option<String>>| {
                    let [object, problem, remedy] = row.try_into().expect("it has three columns");
                    Finding { object: text(object), problem: text(problem), remedy: text(remedy) }
                };
                rows.into_iter().map(finding).collect()
            }
            Check::Doctor(options) => {
                let run = self.client(role, &[&["doctor", "--json"], options].concat()).await;
                doctor_findings(&run)
            }
        }
    }
}

/// Returns the problems that `passage doctor --json` prints.
pub fn doctor_findings(run: &RunOutput) -> Vec<Finding> {
    let lines = run.stdout.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let text = |value: &Value| value.as_str().expect("it is a text").to_owned();
    let problems = lines.filter(|finding| finding["severity"] != "good");
    let findings: Vec<_> = problems
        .map(|finding| Finding {
            object: text(&finding["what"]),
            problem: text(&finding["finding"]),
            remedy: text(&finding["remedy"]),
        })
        .collect();
    assert!(!run.stdout.is_empty(), "{}", run.stderr);
    findings
}
