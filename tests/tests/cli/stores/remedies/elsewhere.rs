//! Problems that `passage doctor` finds on another server, in another database or in another store.

use super::case::{Finding, Seen, TABLES};
use super::workshop::{Workshop, doctor_findings};
use crate::RunOutput;
use passage_tests::Cluster;
use passage_tests::cases;
use passage_tests::cluster::{OWNER, SUPERUSER};

/// Asserts that `passage doctor` has a finding, and returns it.
fn find(run: &RunOutput, problem: &str) -> Finding {
    let findings = doctor_findings(run);
    let found = findings.iter().find(|finding| finding.problem.contains(problem));
    found.cloned().unwrap_or_else(|| panic!("{problem}: {}", run.stdout))
}

/// Asserts that `passage doctor` has no finding any more, and adds its texts.
fn removed(seen: &mut Seen, finding: &Finding, run: &RunOutput) {
    assert!(!doctor_findings(run).iter().any(|it| it.problem == finding.problem), "{}", run.stdout);
    seen.add(finding);
}

/// Problems that need another server, database or store.
pub async fn find_all(workshop: &Workshop<'_>, seen: &mut Seen) {
    let cluster = workshop.cluster;
    policies(workshop, seen).await;
    index_size(workshop, seen).await;
    standby(workshop, seen).await;
    store_and_extension(seen).await;
    encoding(cluster, seen).await;
}

/// A store of a tenant has no policies.
async fn policies(workshop: &Workshop<'_>, seen: &mut Seen) {
    workshop.make(TABLES).await;
    let force = "ALTER TABLE s.documents ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY; \
         ALTER TABLE s.chunks ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY; \
         ALTER TABLE s.embeddings ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY";
    workshop.cluster.execute(force).await;
    let finding =
        find(&workshop.client(OWNER, &["doctor", "--json"]).await, "policies apply to this role");
    let remedy = "Use a store per tenant if tenants search by text. Expansion and vector search still use their indexes.";
    assert_eq!(finding.remedy, remedy);
    let init = workshop.client(OWNER, &["init", "--store", "tenant"]).await;
    assert_eq!(init.code, Some(0), "{}", init.stderr);
    removed(
        seen,
        &finding,
        &workshop.client(OWNER, &["doctor", "--json", "--store", "tenant"]).await,
    );
    workshop.cluster.execute("DROP SCHEMA tenant CASCADE").await;
}

/// The cache has less than the index, and more than its half.
async fn index_size(workshop: &Workshop<'_>, seen: &mut Seen) {
    let cluster = workshop.cluster;
    workshop.make("SELECT passage.create_store('s', 1000, embedding_type => 'vector')").await;
    let fill = "SELECT passage.ingest('long.md', string_agg(format(E'# %s\\n\\nText of number %s.\\n\\n', n, n), ''), splitting => passage.splitting(max_size => 40), store => 's') FROM generate_series(1, 200) AS n;
        INSERT INTO s.embeddings SELECT id, document_id, (SELECT array_agg(sin(ordinal * n)) FROM generate_series(1, 1000) AS n)::real[]::vector FROM s.chunks;
        INSERT INTO s.settings VALUES ('model', '\"tiny\"')";
    cluster.execute(fill).await;
    let size = "SELECT pg_relation_size('s.embeddings_embedding_idx') * 3 / 4 / 1024";
    let size = cluster.query_text(size).await;
    cluster
        .execute_as(SUPERUSER, &format!("ALTER ROLE {OWNER} SET effective_cache_size = '{size}kB'"))
        .await;
    let doctor = ["doctor", "--json", "--no-embed"];
    let finding =
        find(&workshop.client(OWNER, &doctor).await, "it is larger than effective_cache_size");
    assert_eq!(
        finding.remedy,
        "Add memory to the server, or run passage reindex --embedding-type halfvec or binary."
    );
    for types in cases(["halfvec", "binary"]) {
        let reindex = ["reindex", "--embedding-type", types, "--no-embed", "--drop-former"];
        let run = workshop.client(OWNER, &reindex).await;
        assert_eq!(run.code, Some(0), "{}", run.stderr);
        removed(seen, &finding, &workshop.client(OWNER, &doctor).await);
    }
    let smallest = find(
        &{
            cluster
                .execute_as(
                    SUPERUSER,
                    &format!("ALTER ROLE {OWNER} SET effective_cache_size = '8kB'"),
                )
                .await;
            workshop.client(OWNER, &doctor).await
        },
        "it is larger than effective_cache_size",
    );
    assert_eq!(smallest.remedy, "Add memory to the server, or divide the store.");
    cluster.execute_as(SUPERUSER, &format!("ALTER ROLE {OWNER} RESET effective_cache_size")).await;
    removed(seen, &smallest, &workshop.client(OWNER, &doctor).await);
}

/// The primary has no such finding.
async fn standby(workshop: &Workshop<'_>, seen: &mut Seen) {
    workshop.make(TABLES).await;
    let standby = workshop.cluster.standby().await;
    let doctor = ["doctor", "--json", "--no-embed"];
    let at_standby = [&doctor[..], &["--store", "s", "--database-url"]].concat();
    let url = standby.url();
    let found = RunOutput::of(standby.client_program().args(&at_standby).arg(&url)).await;
    let finding = find(&found, "it is a standby: searches work, but documents cannot be loaded");
    assert_eq!(finding.remedy, "Load documents through the primary.");
    removed(seen, &finding, &workshop.client(OWNER, &doctor).await);
}

/// `passage init` creates the extension and the store.
async fn store_and_extension(seen: &mut Seen) {
    let cluster = Cluster::bare().await;
    let doctor = async || {
        RunOutput::of(cluster.client_program().args([
            "doctor",
            "--json",
            "--no-embed",
            "--store",
            "notes",
        ]))
        .await
    };
    let finding = find(&doctor().await, "it is not installed in the database");
    assert_eq!(finding.remedy, "Run passage init, or CREATE EXTENSION pg_passage CASCADE.");
    cluster.execute("CREATE EXTENSION pg_passage CASCADE").await;
    removed(seen, &finding, &doctor().await);
    let finding = find(&doctor().await, "store \"notes\" does not exist");
    assert!(finding.remedy.contains("passage init --store notes"), "{finding:?}");
    cluster.passage(["init", "--no-embed", "--store", "notes"]).await;
    removed(seen, &finding, &doctor().await);

    let mut cluster = cluster;
    cluster.stop();
    let doctor = async |cluster: &Cluster| {
        RunOutput::of(cluster.client_program().args([
            "doctor",
            "--json",
            "--no-embed",
            "--store",
            "notes",
        ]))
        .await
    };
    let finding = find(&doctor(&cluster).await, "cannot connect");
    assert_eq!(
        finding.remedy,
        "Check that the server runs and that DATABASE_URL or --database-url names it."
    );
    cluster.start_again().await;
    removed(seen, &finding, &doctor(&cluster).await);
}

/// Another database has another encoding.
async fn encoding(cluster: &Cluster, seen: &mut Seen) {
    let create =
        "CREATE DATABASE latin TEMPLATE template0 ENCODING 'LATIN1' LC_COLLATE 'C' LC_CTYPE 'C'";
    cluster.execute_as(SUPERUSER, create).await;
    cluster
        .execute_as(SUPERUSER, "CREATE DATABASE unicode TEMPLATE template0 ENCODING 'UTF8'")
        .await;
    let doctor = async |database: &str| {
        let url =
            format!("postgresql:///{database}?host={}&user={OWNER}", cluster.folder().display());
        RunOutput::of(cluster.client_program().args([
            "doctor",
            "--json",
            "--no-embed",
            "--database-url",
            &url,
        ]))
        .await
    };
    let finding = find(&doctor("latin").await, "the encoding of the database is not UTF8");
    assert_eq!(finding.remedy, "Create a database with ENCODING 'UTF8'.");
    removed(seen, &finding, &doctor("unicode").await);
}
