//! The example of docs/guides/security.md, and the rights that it grants: the roles owner, writing application and
//! reading tenant use a store with SQL, triggers and the client.

mod example;
mod hints;
mod withheld_rights;

use passage_tests::cluster::{OWNER, SUPERUSER};
use passage_tests::{Cluster, fixture};
use serde_json::Value;
use std::process::Output;

/// The roles of the example.
async fn with_roles() -> Cluster {
    let cluster = Cluster::start().await;
    cluster
        .execute_as(
            SUPERUSER,
            "CREATE ROLE app LOGIN; CREATE ROLE reader LOGIN; GRANT app, reader TO owner",
        )
        .await;
    cluster
}

/// Runs the client as a role, with a setting of the session.
async fn client(cluster: &Cluster, role: &str, tenant: &str, arguments: &[&str]) -> Output {
    let mut program = cluster.client_program();
    program.args(arguments).env("DATABASE_URL", cluster.url_as(role)).current_dir(fixture!("."));
    program.env("PGOPTIONS", format!("-c app.tenant={tenant}")).output().await.unwrap()
}

async fn succeed(cluster: &Cluster, role: &str, tenant: &str, arguments: &[&str]) -> String {
    let output = client(cluster, role, tenant, arguments).await;
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success(), "{role} {arguments:?}: {stderr}");
    String::from_utf8(output.stdout).unwrap()
}

/// Returns what `doctor --as` finds: the subject and the severity, and the remedies.
async fn doctor(cluster: &Cluster, role: &str) -> (Vec<(String, String)>, Vec<String>) {
    let arguments = ["doctor", "--json", "--as", role];
    let output = succeed(cluster, OWNER, "", &arguments).await;
    let findings: Vec<Value> =
        output.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let text = |finding: &Value, key: &str| finding[key].as_str().unwrap().to_owned();
    let severities =
        findings.iter().map(|finding| (text(finding, "what"), text(finding, "severity")));
    let remedies = findings.iter().filter(|finding| finding["severity"] != "good");
    (severities.collect(), remedies.map(|finding| text(finding, "remedy")).collect())
}
