//! The examples of the papers that expansion is based on: the model and the server give the same answers.

use super::layouts::text_cluster;
use super::model::{Chunk, Document, Hits, Limits, OrderBy, Reassembly, ScoreBy};
use super::random::{Call, Function};
use super::sql::{Store, answers};
use uuid::Uuid;

/// Returns a document of chunks with their titles, unit, kind and content.
fn document(number: u32, media_type: &str, chunks: &[(&str, &str, &str, &str)]) -> Document {
    let chunk =
        |(ordinal, (titles, unit, kind, content)): (i64, &(&str, &str, &str, &str))| Chunk {
            id: id(number, ordinal as u64),
            ordinal: Some(ordinal),
            level: Some(-1),
            section: Some(titles.split_terminator('/').map(str::to_owned).collect()),
            unit: Some((*unit).to_owned()),
            kind: Some((*kind).to_owned()),
            tokens: None,
            content: (*content).to_owned(),
            span: None,
        };
    Document {
        id: Uuid::from_u64_pair(u64::from(number) << 32, 0x8000 << 48),
        media_type: Some(media_type.to_owned()),
        chunks: (0..).zip(chunks).map(chunk).collect(),
        links: Vec::new(),
    }
}

fn id(document: u32, chunk: u64) -> Uuid {
    Uuid::from_u64_pair(u64::from(document) << 32, chunk)
}

/// Returns a call for hits with their scores.
fn call(hits: &[(Uuid, f64)], strategy: &str, function: Function) -> Call {
    let hits = Hits {
        ids: hits.iter().map(|(id, _)| Some(*id)).collect(),
        scores: Some(hits.iter().map(|(_, score)| Some(*score)).collect()),
        strategy: strategy.to_owned(),
        limits: Limits::default(),
    };
    Call { documents: Vec::new(), hits, function }
}

fn passages(max_distance: Option<i64>) -> Function {
    let (score_by, order_by) = (ScoreBy::Max, OrderBy::Score);
    Function::Passages(Reassembly { max_distance, score_by, order_by })
}

/// Returns the answers to calls, which model and server must agree on.
async fn answered(documents: &[Document], calls: &[Call]) -> Vec<Vec<String>> {
    answers(&text_cluster("").await, &Store::tables(), documents, calls).await
}

/// The guide of seeds 000 and 004.
fn guide() -> Document {
    let chunks = [
        ("Guide/Installation", "text", "prose", "Installation overview"),
        ("Guide/Installation/Prerequisites", "text", "prose", "Prerequisites"),
        ("Guide/Installation/Steps", "text", "prose", "Installation steps"),
        ("Guide/Installation/Steps/Step1", "text", "prose", "Step 1 details"),
        ("Guide/Installation/Configuration", "text", "prose", "Configuration"),
    ];
    document(1, "text/markdown", &chunks)
}

#[tokio::test]
async fn seed_000_simple_hierarchical_expansion() {
    let calls = ["reassembly", "broad", "auto"]
        .map(|strategy| call(&[(id(1, 2), 0.5)], strategy, Function::Expansion));
    let expected = [
        "1/0 parent -2 of 1/2, score 0.5, decayed 0.125",
        "1/1 preceding -1 of 1/2, score 0.5, decayed 0.25",
        "1/2 hit 0 of 1/2, score 0.5, decayed 0.5",
        "1/3 child 1 of 1/2, score 0.5, decayed 0.25",
        "1/4 following 2 of 1/2, score 0.5, decayed 0.125",
    ];
    assert_eq!(answered(&[guide()], &calls).await, [expected; 3]);
}

#[tokio::test]
async fn seed_000_several_results_of_a_document_make_one_passage() {
    let call = call(&[(id(1, 4), 0.75), (id(1, 1), 0.875)], "reassembly", passages(None));
    let passage = "1. score 0.875, document 1: [1/0 1/1 1/2 1/4] hits [1/1 1/4] truncated false \
        complete false";
    assert_eq!(answered(&[guide()], &[call]).await, [[passage]]);
}

#[tokio::test]
async fn seed_000_results_of_two_documents_make_two_passages() {
    let chunks = [("", "text", "prose", "one"), ("", "text", "prose", "two")];
    let documents = [1, 2].map(|number| document(number, "text/markdown", &chunks));
    let call = call(&[(id(1, 0), 0.75), (id(2, 1), 0.875)], "none", passages(Some(3)));
    let expected = [
        "1. score 0.875, document 2: [2/1] hits [2/1] truncated false complete true",
        "2. score 0.75, document 1: [1/0] hits [1/0] truncated false complete true",
    ];
    assert_eq!(answered(&documents, &[call]).await, [expected]);
}

#[tokio::test]
async fn seed_002_windows_by_kind_and_scores_by_distance() {
    let kinds = [("prose", 2), ("code", 3), ("api-reference", 1), ("data", 2)];
    let page = |(number, &(kind, _)): (u32, &(&str, i64))| {
        document(number, "text/plain", &[("", "text", kind, "text"); 9])
    };
    let documents: Vec<Document> = (0..).zip(&kinds).map(page).collect();
    let middle = |number| call(&[(id(number, 4), 1.0)], "adjacent", Function::Expansion);
    let answers = answered(&documents, &[0, 1, 2, 3].map(middle)).await;
    for ((number, (kind, width)), answer) in (0..).zip(kinds).zip(answers) {
        let row = |distance: i64| {
            let role = if distance == 0 { "hit" } else { "adjacent" };
            let decayed = ["1", "0.5", "0.25", "0.166666667"][distance.unsigned_abs() as usize];
            let scores = format!("of {number}/4, score 1, decayed {decayed}");
            format!("{number}/{} {role} {distance} {scores}", 4 + distance)
        };
        let expected: Vec<String> = (-width..=width).map(row).collect();
        assert_eq!(answer, expected, "{kind}");
    }
}

#[tokio::test]
async fn seed_004_a_method_is_returned_with_its_class() {
    let chunks = [
        ("", "module", "code", "import { User } from './user';\n"),
        ("AuthService", "container", "code", "export class AuthService {\n"),
        ("AuthService/constructor", "member", "code", "  constructor() {}\n"),
        ("AuthService/validateUser", "member", "code", "  validateUser() {\n"),
        ("AuthService/validateUser", "member", "code", "  }\n"),
        ("AuthService/Options", "container", "code", "  Options = class {};\n"),
        ("AuthService", "container", "code", "}\n"),
        ("main", "member", "code", "function main() {}\n"),
    ];
    let call = call(&[(id(1, 3), 0.5)], "auto", passages(Some(3)));
    let class = "1. score 0.5, document 1: [1/1 1/2 1/3 1/4 1/5 1/6] hits [1/3] truncated false \
        complete true";
    assert_eq!(answered(&[document(1, "text/x-typescript", &chunks)], &[call]).await, [[class]]);
}

#[tokio::test]
async fn seed_004_a_property_is_returned_with_its_object() {
    let mut chunks = [
        ("root", "container", "data", "{\"name\": \"x\", \"server\": "),
        ("root/server", "container", "data", "{\"host\": \"y\", \"timeout\": "),
        ("root/server/timeout", "value", "data", "30"),
        ("root/server", "container", "data", ", \"retries\": 3}"),
        ("root", "container", "data", "}"),
    ];
    let object = document(1, "application/json", &chunks);
    chunks[3].3 = ", \"retries\": }";
    let broken = document(2, "application/json", &chunks);
    let calls = [1, 2].map(|number| call(&[(id(number, 2), 0.5)], "auto", passages(Some(3))));
    // Invalid JSON falls back to the context of prose.
    let expected = [
        ["1. score 0.5, document 1: [1/1 1/2 1/3] hits [1/2] truncated false complete true"],
        ["1. score 0.5, document 2: [2/1 2/2] hits [2/2] truncated false complete false"],
    ];
    assert_eq!(answered(&[object, broken], &calls).await, expected);
}
