//! The progress of an ingest on a terminal.

use crate::Sources;
use crate::embedding_service::{Reply, Service};
use crate::trust::hostile_text::{terminal, typed};
use passage_tests::Cluster;
use std::time::Duration;

#[tokio::test]
async fn a_run_that_continues_shows_its_pace_and_an_estimate_of_its_end() {
    let cluster = Cluster::bare().await;
    if cluster.lacks_vector("the pace of an ingest") {
        return;
    }
    cluster.execute_as("postgres", "CREATE EXTENSION vector").await;
    let service = Service::start(|_, asked| {
        let is_slow = asked.texts().iter().any(|text| text.contains("slow"));
        std::thread::sleep(Duration::from_millis(if is_slow { 100 } else { 0 }));
        Reply::Embeddings(8)
    })
    .await;
    let names: Vec<String> = (0..60).map(|number| format!("{number:02}.md")).collect();
    let file = |name: &'static str| {
        (name, if *name < *"30" { "A quick note.\n" } else { "A slow note.\n" })
    };
    let names: Vec<&'static str> = names.into_iter().map(|name| &*name.leak()).collect();
    let first = Sources::with(names[..30].iter().map(|name| file(name)));
    let options = |program: &mut tokio::process::Command, folder: &str| {
        program.env("PASSAGE_EMBED_URL", service.url()).env("PASSAGE_EMBED_MODEL", "tiny");
        program.args(["ingest", "--embed-batch", "1", "--embed-concurrency", "1", folder]);
    };
    let mut init = cluster.client_program();
    init.env("PASSAGE_EMBED_URL", service.url()).env("PASSAGE_EMBED_MODEL", "tiny").arg("init");
    assert_eq!(crate::RunOutput::of(&mut init).await.code, Some(0));
    let mut begun = cluster.client_program();
    options(&mut begun, &first.book());
    assert_eq!(crate::RunOutput::of(&mut begun).await.code, Some(0));

    let all = Sources::with(names.iter().map(|name| file(name)));
    let mut continued = terminal(&cluster);
    options(&mut continued, &all.book());
    let shown = typed(&mut continued).await;
    assert!(shown.contains("chunks embedded, "), "{shown}");
    assert!(shown.contains("/s, ") && shown.contains(" s left"), "{shown}");
    assert!(shown.contains("30 unchanged"), "{shown}");
}
