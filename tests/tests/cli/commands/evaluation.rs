//! `passage eval`: figures of questions with known answers, by configuration and budget.

use super::search::{garden, search_json};
use crate::embedding::rerank::{reply, score, valves};
use crate::embedding_service::{Reply, Service};
use crate::{RunOutput, Sources, ingest_text, run_client, text_cluster};
use passage_tests::Cluster;
use passage_tests::cluster::SUPERUSER;
use passage_tests::fixture;
use serde_json::{Value, json};
use std::fs;
use std::process::Stdio;
use std::time::Duration;
use tempfile::TempDir;
use tokio::time::sleep;

/// A folder with a file of questions.
struct Questions(TempDir);

impl Questions {
    fn new(lines: &[Value]) -> Self {
        let lines: Vec<String> = lines.iter().map(Value::to_string).collect();
        Self::with_text(&lines.join("\n"))
    }

    fn with_text(text: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("questions.jsonl"), text).unwrap();
        Self(folder)
    }

    fn path(&self, name: &str) -> String {
        self.0.path().join(name).to_str().unwrap().to_owned()
    }

    async fn run(&self, cluster: &Cluster, arguments: &[&str]) -> RunOutput {
        let questions = self.path("questions.jsonl");
        run_client(cluster, [&["eval", &questions], arguments].concat()).await
    }

    /// Returns the report of a run with this exit code, and what it printed as errors.
    #[track_caller]
    fn report(output: &RunOutput, code: i32) -> Value {
        assert_eq!(output.code, Some(code), "{}", output.stderr);
        serde_json::from_str(&output.stdout).unwrap()
    }
}

/// Returns a figure of a configuration at a budget.
fn figure(report: &Value, configuration: usize, budget: u32, figure: &str) -> f64 {
    let summary = report["summary"].as_array().unwrap();
    let row =
        summary.iter().find(|row| row["configuration"] == configuration && row["budget"] == budget);
    row.unwrap()[figure].as_f64().unwrap()
}

/// Questions about the garden: one by meaning, one by words, and one with two answers.
fn garden_questions() -> Vec<Value> {
    vec![
        json!({"name": "acid", "query": "which fruit needs acidic ground?",
            "wanted": [{"uri": "garden/soil.md", "section": ["Soil", "Acidity"]}]}),
        json!({"query": "roots of couch grass", "wanted": [{"text": "never: meat, cooked food,\nroots of couch grass"}]}),
        json!({"query": "clay and sand, and a sharp blade", "wanted": [{"uri": "garden/soil.md", "lines": [8, 11]},
            {"uri": "garden/tools/blades.md"}]}),
    ]
}

#[tokio::test]
async fn modes_strategies_and_budgets_are_compared_side_by_side() {
    let Some(cluster) = garden("eval compares modes and strategies").await else { return };
    let questions = Questions::new(&garden_questions());
    let compared =
        ["--mode", "text", "--mode", "hybrid", "--strategy", "none", "--strategy", "auto"];
    let arguments = [&compared[..], &["--budget", "60,4096"]].concat();
    let report = Questions::report(
        &questions.run(&cluster, &[&arguments[..], &["--json"]].concat()).await,
        0,
    );

    let names: Vec<_> =
        report["configurations"].as_array().unwrap().iter().map(|one| &one["name"]).collect();
    assert_eq!(names, ["text, none", "text, auto", "hybrid, none", "hybrid, auto"]);
    assert_eq!(report["results"].as_array().unwrap().len(), 3 * 4 * 2);
    assert_eq!(report["errors"], json!([]));
    for configuration in 0..4 {
        // The whole garden fits into the large budget. By meaning every chunk is a hit.
        let all = [2, 3].contains(&configuration);
        assert!(!all || figure(&report, configuration, 4096, "recall") >= 1.0, "{report}");
        assert!(!all || figure(&report, configuration, 4096, "complete") >= 1.0, "{report}");
        for name in ["found", "recall", "complete"] {
            let [small, large] =
                [60, 4096].map(|budget| figure(&report, configuration, budget, name));
            assert!((0.0..=1.0).contains(&small) && small <= large, "{name}: {small}, {large}");
        }
    }
    let row = &report["summary"][1];
    assert_eq!((&row["configuration"], &row["budget"]), (&1.into(), &60.into()));
    assert_eq!(row["difference"]["questions"], 3);
    for end in ["mean", "low", "high"] {
        assert!(row["difference"]["recall"][end].is_number(), "{row}");
    }
    assert_eq!(report["summary"][0]["difference"], Value::Null);
    // A passage has its place.
    let acid = &report["results"][0]["passages"][0];
    assert!(acid["uri"].is_string() && acid["section"].is_array() && acid["first_line"].is_u64());

    let again = questions.run(&cluster, &[&arguments[..], &["--json"]].concat()).await;
    assert_eq!(Questions::report(&again, 0), report, "a rerun says the same");
    let table = questions.run(&cluster, &[&arguments[..], &["--worst", "1"]].concat()).await;
    assert_eq!(table.code, Some(0), "{}", table.stderr);
    for text in [
        "3 questions, store rag",
        "60 tokens",
        "4,096 tokens",
        "text, none ",
        "hybrid, auto ",
        " to +",
    ] {
        assert!(table.stdout.contains(text), "{text}\n{}", table.stdout);
    }
}

/// An independent measure: the share of the wanted lines that are in the lines of the passages of `search`.
#[tokio::test]
async fn recall_is_the_share_of_the_wanted_lines_in_the_passages_of_search() {
    let cluster = text_cluster().await;
    let folder = fixture!("client/garden");
    ingest_text(&cluster, &[folder]).await;
    let source = fs::read_to_string(format!("{folder}/soil.md")).unwrap();
    let (first, last) = (8, 27);
    let query = "compost heap and clay in summer";
    let questions = Questions::new(&[
        json!({"query": query, "wanted": [{"uri": "garden/soil.md", "lines": [first, last]}]}),
    ]);
    let mut seen = Vec::new();
    for budget in ["60", "120", "250", "1000"] {
        let common = ["--mode", "text", "--strategy", "none", "--limit", "100"];
        let output =
            questions.run(&cluster, &[&common[..], &["--budget", budget, "--json"]].concat()).await;
        let report = Questions::report(&output, 0);
        let found =
            search_json(&cluster, &[&common[..], &["--max-tokens", budget, query]].concat()).await;
        let found = found["passages"].as_array().unwrap();
        let has = |line: usize| {
            let own = found.iter().filter(|passage| passage["uri"] == "garden/soil.md");
            own.flat_map(|passage| passage["citations"].as_array().unwrap()).any(|chunk| {
                let [first, last] =
                    ["first_line", "last_line"].map(|key| chunk[key].as_u64().unwrap() as usize);
                (first..=last).contains(&line)
            })
        };
        let size = |lines: &mut dyn Iterator<Item = usize>| {
            lines.map(|line| lines_size(&source, line)).sum::<usize>()
        };
        // The white space at the end of the last line is not wanted.
        let wanted = size(&mut (first..=last)) - 1;
        let mut held = size(&mut (first..=last).filter(|line| has(*line)));
        if has(last) {
            held -= 1;
        }
        let expected = held as f64 / wanted as f64;
        let recall = report["results"][0]["recall"].as_f64().unwrap();
        assert!((recall - expected).abs() < 0.02, "{budget}: {recall}, not {expected}");
        let rank = found.iter().position(|passage| passage["uri"] == "garden/soil.md");
        let expected = rank.map_or(0.0, |rank| 1.0 / (rank + 1) as f64);
        let reciprocal = report["results"][0]["reciprocal_rank"].as_f64().unwrap();
        assert!(
            (reciprocal - expected).abs() < 1e-9 || recall == 0.0,
            "{reciprocal}, not {expected}"
        );
        assert_eq!(report["results"][0]["passages"].as_array().unwrap().len(), found.len());
        seen.push(recall);
    }
    assert!(seen.is_sorted() && seen[0] > 0.0 && seen[0] < seen[3], "{seen:?}");
}

/// Returns the bytes of a line with its line feed.
fn lines_size(text: &str, line: usize) -> usize {
    text.split_inclusive('\n').nth(line - 1).map_or(0, str::len)
}

#[tokio::test]
async fn a_wrong_line_ends_the_run_with_its_number_and_what_is_valid() {
    let cluster = text_cluster().await;
    let good = r#"{"query": "a", "wanted": [{"uri": "a.md"}]}"#;
    for (line, cause, remedy) in [
        (
            r#"{"query": "a", "wanted": [{"url": "a.md"}]}"#,
            "unknown key \"url\"",
            "Perhaps you mean \"uri\"",
        ),
        (
            r#"{"query": "a", "wanted": [{"lines": [1, 2]}]}"#,
            "an item of \"wanted\" must have a \"uri\" or a \"text\"",
            "Valid keys",
        ),
        ("xyzzy-hunter2", "invalid JSON at column 1", "A line is an object"),
    ] {
        let questions = Questions::with_text(&format!("{good}\n\n{line}\n"));
        let output = questions.run(&cluster, &[]).await;
        assert_eq!(output.code, Some(2));
        output.assert_refusal(&format!("questions.jsonl:3: {cause}"), remedy);
    }
    let questions = Questions::with_text("");
    questions.run(&cluster, &[]).await.assert_refusal("has no questions", "A line is an object");
    let missing = run_client(&cluster, ["eval", "/nowhere/q.jsonl"]).await;
    missing.assert_refusal("cannot read /nowhere/q.jsonl", "readable file");
    let questions = Questions::with_text(good);
    for (arguments, cause, remedy) in [
        (&["--strategy", "atuo"][..], "unrecognized strategy \"atuo\"", "passage.strategies()"),
        (&["--limits", "{\"parent\": 1}"], "parent", "parents"),
        (&["--ranking", "1"], "--ranking must be a JSON object", "single quotes"),
        (&["--baseline", "/nowhere.json"], "cannot read /nowhere.json", "readable file"),
        (&["--mode", "vector"], "store \"rag\" has no embeddings", ""),
        (&["--store", "other"], "\"other\"", ""),
    ] {
        questions.run(&cluster, arguments).await.assert_refusal(cause, remedy);
    }
}

#[tokio::test]
async fn a_question_that_cannot_be_measured_is_reported_and_does_not_count() {
    let cluster = text_cluster().await;
    ingest_text(&cluster, &[fixture!("client/garden")]).await;
    let wanted = |wanted: Value| json!({"query": "blueberries", "wanted": [wanted]});
    let questions = Questions::new(&[
        wanted(json!({"uri": "garden/soil.md"})),
        wanted(json!({"uri": "garden/soil.txt"})),
        wanted(json!({"uri": "garden/soil.md", "section": ["Soil", "Acid"]})),
        wanted(json!({"uri": "garden/soil.md", "lines": [30, 300]})),
        wanted(json!({"uri": "garden/soil.md", "text": "nowhere to be found"})),
        wanted(json!({"text": "nowhere to be found"})),
        wanted(json!({"uri": "garden/soil.md", "collection": "other"})),
        json!({"query": "blueberries", "wanted": [{"uri": "garden/soil.md"}], "filter": {"kinds": "prose"}}),
    ]);
    let output = questions.run(&cluster, &["--json", "--budget", "100,200"]).await;
    let report = Questions::report(&output, 1);
    let errors = report["errors"].as_array().unwrap();
    // The wrong filter fails at each budget.
    assert_eq!(errors.len(), 8, "{errors:?}");
    let row = &report["summary"][0];
    assert_eq!((&row["questions"], &row["recall"]), (&1.into(), &json!(1.0)));
    for (question, message, hint) in [
        (2, "no document has the uri \"garden/soil.txt\"", "passage status"),
        (3, "document \"garden/soil.md\" has no section Soil › Acid", "passage outline"),
        (4, "document \"garden/soil.md\" has 33 lines, not 300", "passage outline"),
        (5, "document \"garden/soil.md\" does not have the text", "passage outline"),
        (6, "no document has the wanted text", "\"uri\""),
        (7, "no document has the uri \"garden/soil.md\"", "passage status"),
        (8, "kinds", "kind"),
    ] {
        let number = format!("question {question} (blueberries)");
        assert!(output.stderr.contains(&number), "{number}\n{}", output.stderr);
        output.assert_refusal(message, hint);
    }
    let table = questions.run(&cluster, &["--budget", "200"]).await;
    assert!(table.code == Some(1) && table.stdout.contains("over 1 question"), "{}", table.stdout);
}

#[tokio::test]
async fn a_lost_connection_is_opened_again_and_no_question_is_lost() {
    let cluster = text_cluster().await;
    ingest_text(&cluster, &[fixture!("client/garden")]).await;
    let line = json!({"query": "blueberries", "wanted": [{"uri": "garden/soil.md"}]});
    let questions = Questions::new(&vec![line; 1_000]);
    let arguments = ["eval", &questions.path("questions.jsonl"), "--json", "--budget", "100,200"];
    let mut program = cluster.client_program();
    program.args(arguments).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut run = program.spawn().unwrap();
    let mut ended = 0;
    while run.try_wait().unwrap().is_none() && ended < 3 {
        let sql = "SELECT count(*) FILTER (WHERE pg_terminate_backend(pid)) FROM pg_stat_activity \
            WHERE application_name = 'passage' AND query LIKE '%passage.search(%' AND state IS NOT NULL";
        ended += cluster.query_text_as(SUPERUSER, sql).await.parse::<u32>().unwrap();
        // The search is repeated once, so the next connection must live for it.
        sleep(Duration::from_millis(200)).await;
    }
    let output = run.wait_with_output().await.unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(ended > 0, "the run ended before its connection");
    assert!(output.status.success(), "{stderr}");
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(report["results"].as_array().unwrap().len(), 2_000);
    assert_eq!(report["summary"][0]["recall"], 1.0);
}

#[tokio::test]
async fn stores_and_reports_of_earlier_runs_are_compared() {
    let cluster = text_cluster().await;
    let sources = Sources::with([
        ("a.md", "# A\n\nThe valve is hot.\n"),
        ("b.md", "# B\n\nTurn the valve twice.\n"),
    ]);
    let ingest = async |arguments: &[&str]| {
        let output = ingest_text(&cluster, &[&[&*sources.book()], arguments].concat()).await;
        assert_eq!(output.code, Some(0), "{}", output.stderr);
    };
    ingest(&[]).await;
    let questions = Questions::new(&[
        json!({"query": "turn the valve", "wanted": [{"text": "Turn the valve twice."}]}),
        json!({"query": "hot valve", "wanted": [{"uri": "book/a.md", "section": ["A"]}],
            "filter": {"uri": "book/a.md"}}),
    ]);
    let budget = ["--budget", "1000", "--json"];
    let before = questions.run(&cluster, &budget).await;
    assert!(figure(&Questions::report(&before, 0), 0, 1000, "recall") >= 1.0);
    fs::write(questions.path("before.json"), &before.stdout).unwrap();

    cluster.execute("SELECT passage.create_store('other')").await;
    ingest(&["--store", "other"]).await;
    let both = questions
        .run(&cluster, &[&["--store", "rag", "--store", "other"], &budget[..]].concat())
        .await;
    let report = Questions::report(&both, 0);
    let names: Vec<_> =
        report["configurations"].as_array().unwrap().iter().map(|one| &one["name"]).collect();
    assert_eq!(names, ["rag, text, default", "other, text, default"]);
    let same = json!({"mean": 0.0, "low": 0.0, "high": 0.0});
    assert_eq!(report["summary"][1]["difference"]["recall"], same);

    // A store with half of the answer, compared with the report of the whole one.
    cluster.execute("DELETE FROM rag.chunks WHERE content LIKE '%twice%'").await;
    let baseline = questions.path("before.json");
    let after = questions.run(&cluster, &[&["--baseline", &baseline], &budget[..]].concat()).await;
    let report = Questions::report(&after, 1);
    assert_eq!(report["configurations"][0]["name"], "baseline: text, default");
    let difference = &report["summary"][1]["difference"];
    assert_eq!((&difference["questions"], &difference["recall"]["mean"]), (&1.into(), &json!(0.0)));
    assert!(after.stderr.contains("no document has the wanted text"), "{}", after.stderr);
    let other = questions.run(&cluster, &["--baseline", &baseline, "--budget", "7"]).await;
    other.assert_refusal("no question with a result", "budgets");
}

#[tokio::test]
async fn questions_are_made_of_titles_and_sentences_and_measure_the_store() {
    let cluster = text_cluster().await;
    ingest_text(&cluster, &[fixture!("client/garden"), "--collection", "garden"]).await;
    ingest_text(&cluster, &[fixture!("handbook"), "--collection", "handbook"]).await;
    let make = async |arguments: &[&str]| {
        let output = run_client(&cluster, [&["eval", "--make"], arguments].concat()).await;
        assert_eq!(output.code, Some(0), "{}", output.stderr);
        output.stdout
    };
    let lines = make(&["8"]).await;
    let questions: Vec<Value> =
        lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(questions.len(), 8, "{lines}");
    let wanted = |question: &Value| question["wanted"][0].clone();
    let with = |key: &str| questions.iter().filter(|one| wanted(one)[key] != Value::Null).count();
    assert!(with("section") >= 3 && with("text") >= 3, "{lines}");
    // The first questions are about different documents.
    let uris: std::collections::HashSet<_> =
        questions[..4].iter().map(|one| wanted(one)["uri"].to_string()).collect();
    assert_eq!(uris.len(), 4, "{lines}");
    assert_eq!(make(&["8"]).await, lines, "the seed decides");
    assert_ne!(make(&["8", "--seed", "1"]).await, lines);
    let handbook = make(&["4", "--collection", "handbook"]).await;
    assert!(handbook.lines().all(|line| line.contains(r#""uri":"handbook/"#)), "{handbook}");

    // Their answers are in the store, and words find most of them.
    let file = Questions::with_text(&lines);
    let report = Questions::report(&file.run(&cluster, &["--json", "--budget", "1000"]).await, 0);
    assert!(figure(&report, 0, 1000, "found") > 0.8, "{report}");

    let all = run_client(&cluster, ["eval", "--make", "10000"]).await;
    assert!(all.stderr.contains("note: only "), "{}", all.stderr);
    let two = run_client(&cluster, ["eval", "--make", "1", "--store", "a", "--store", "b"]).await;
    two.assert_refusal("--make takes one store", "Name one");
    let neither = run_client(&cluster, ["eval"]).await;
    assert_eq!(neither.code, Some(2));
}

#[tokio::test]
async fn a_reranker_is_measured_beside_the_order_of_the_search() {
    let cluster = valves().await;
    let service = Service::start(|_, asked| reply(asked, score)).await;
    let question = json!({"query": "valve", "wanted": [{"uri": "book/7.md"}]});
    let questions = Questions::new(&[question]);
    let url = service.url();
    let options = ["--mode", "text", "--strategy", "none", "--budget", "40,4000"];
    let service_options = ["--rerank-url", &url, "--rerank-model", "judge", "--json"];
    let arguments = [&options[..], &service_options].concat();
    let report = Questions::report(&questions.run(&cluster, &arguments).await, 0);
    let names: Vec<_> =
        report["configurations"].as_array().unwrap().iter().map(|one| &one["name"]).collect();
    assert_eq!(names, ["text, none", "text, none, reranked"]);
    assert!(figure(&report, 0, 4000, "reciprocal_rank") < 1.0, "{report}");
    for budget in [40, 4000] {
        assert!(figure(&report, 1, budget, "reciprocal_rank") > 0.99, "{report}");
    }
    // Once before the questions, and once for both budgets.
    assert_eq!(service.seen().len(), 2);

    // Figures of a reranker that fails would be those of the search.
    let broken = Service::start(|_, _| Reply::Status(400, vec![], "{}".into())).await;
    let url = broken.url();
    let options = [&options[..], &["--rerank-url", &url, "--rerank-model", "judge"]].concat();
    let run = questions.run(&cluster, &options).await;
    assert_eq!((run.code, &*run.stdout), (Some(1), ""), "{}", run.stderr);
    assert!(run.stderr.contains("rerank"), "{}", run.stderr);
}
