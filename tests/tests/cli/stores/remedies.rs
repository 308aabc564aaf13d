/*!
Each remedy of `check_store`, `upgrade_store` and `doctor`, carried out on a store with the problem: afterwards the
finding is missing.

A remedy that is SQL is executed as it is printed. For a sentence, a [`Case`] has the sentence and what its reader does.
[`literals`] reads the texts of all findings from the sources, so a finding without a case fails the test.
*/

mod case;
mod data;
mod doctor;
mod elsewhere;
mod literals;
mod tables;
mod upgrade;
mod views;
mod workshop;

use case::Seen;
use literals::{Coverage, Source};
use passage_tests::Cluster;
use workshop::Workshop;

#[tokio::test]
async fn each_remedy_of_check_store_removes_its_finding() {
    let cluster = Cluster::without_store().await;
    if cluster.lacks_vector("each remedy of check_store removes its finding") {
        return;
    }
    let workshop = Workshop::new(&cluster).await;
    let mut seen = Seen::default();
    let cases = tables::CASES.iter().chain(views::CASES).chain(data::CASES);
    workshop.run_all(cases, &mut seen).await;
    // The findings of `citus/catalogs.sql` need Citus.
    let sources = [
        "functions/check_store",
        "stores/check_relations",
        "stores/check_columns",
        "stores/check_data",
    ];
    let coverage = Coverage::of(sources.map(Source::Sql));
    coverage.assert_seen(&seen, &[]);
}

#[tokio::test]
async fn a_column_of_any_other_type_gets_its_type_back() {
    let cluster = Cluster::without_store().await;
    if cluster.lacks_vector("a column of any other type gets its type back") {
        return;
    }
    tables::change_types(&cluster).await;
}

#[tokio::test]
async fn each_remedy_of_doctor_removes_its_finding() {
    let cluster = Cluster::without_store().await;
    if cluster.lacks_vector("each remedy of doctor removes its finding") {
        return;
    }
    let workshop = Workshop::new(&cluster).await;
    let mut seen = Seen::default();
    workshop.run_all(doctor::CASES, &mut seen).await;
    elsewhere::find_all(&workshop, &mut seen).await;
    Coverage::of(doctor::SOURCES.map(Source::Rust)).assert_seen(&seen, &doctor::WITHOUT_CASE);
}

#[tokio::test]
async fn each_hint_of_upgrade_store_lets_it_succeed() {
    let cluster = Cluster::without_store().await;
    if cluster.lacks_vector("each hint of upgrade_store lets it succeed") {
        return;
    }
    upgrade::follow_hints(&Workshop::new(&cluster).await).await;
}

/// The findings of adopted tables have their cases in the regress test `adopt_remedies`, which executes what is printed.
#[test]
fn each_finding_of_an_adopted_table_is_in_the_test_of_its_remedies() {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/regress/expected/adopt_remedies.out");
    let mut seen = Seen::default();
    seen.add_text(&std::fs::read_to_string(file).unwrap());
    Coverage::of([Source::Sql("adopt/check_adopted")]).assert_problems_seen(&seen);
}
