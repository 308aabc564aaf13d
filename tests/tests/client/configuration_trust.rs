//! Settings that the client does not accept from a `passage.toml` it found, and where it never sends a key.

use crate::embedding_service::Service;
use crate::{RunOutput, Sources, text_cluster};
use passage::embed::{ApiKey, Error, RemoteEmbedder, ServiceConfig as Settings, ServiceError};
use passage_tests::Cluster;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use tokio::process::Command;

const KEY: &str = "xyzzy-hunter2";

/// The client in a folder, with the user's own configuration below `home`.
fn program(cluster: &Cluster, folder: &Path, home: &Path) -> Command {
    let mut program = cluster.client_program();
    program.current_dir(folder).env("HOME", home).env_remove("XDG_CONFIG_HOME");
    program.env("PASSAGE_API_KEY", KEY).env("RUST_BACKTRACE", "1");
    program
}

#[tokio::test]
async fn a_found_file_cannot_set_data_keys_or_other_files() {
    let (cluster, service) = (text_cluster().await, Service::good(8).await);
    let sources = Sources::with([("a.md", "# A\n\nText.\n")]);
    let (folder, home) = (sources.0.path(), tempfile::tempdir().unwrap());
    let url = service.url();
    for (line, option) in [
        (format!("embed-url = \"{url}\""), "embed-url"),
        ("embed-model = \"m\"".into(), "embed-model"),
        (format!("database-url = \"{}\"", cluster.url()), "database-url"),
        ("store = \"other\"".into(), "store"),
        ("model = \"/etc\"".into(), "model"),
        ("allow-private = true".into(), "allow-private"),
        ("jsonl = \"documents\"".into(), "jsonl"),
        ("dry-run = true".into(), "dry-run"),
        ("grace = \"0\"".into(), "grace"),
        ("[remove]\nyes = true".into(), "yes"),
        ("[remove]\ncollection = \"a\"".into(), "collection"),
        ("[reindex]\ndrop-former = true".into(), "drop-former"),
    ] {
        fs::write(folder.join("passage.toml"), format!("# ours\n{line}\n")).unwrap();
        let number = 1 + line.lines().count();
        let location = format!("passage.toml, line {number}: ");
        for arguments in [&["ingest", "book", "--no-embed"][..], &["search", "a"], &["status"]] {
            let run = RunOutput::of(program(&cluster, folder, home.path()).args(arguments)).await;
            assert_eq!(run.code, Some(2), "{line}: {}{}", run.stdout, run.stderr);
            run.assert_refusal(&location, "--config passage.toml");
            assert!(run.stderr.contains(&format!("\"{option}\"")), "{}", run.stderr);
        }
    }
    assert!(service.seen().is_empty(), "{:?}", service.seen());
    assert_eq!(cluster.query_text("SELECT count(*) FROM rag.documents").await, "0");

    // A file that the user names may set them.
    fs::write(folder.join("passage.toml"), format!("embed-url = \"{url}\"\nembed-model = \"m\"\n"))
        .unwrap();
    let init = ["init", "--config", "passage.toml", "--store", "other"];
    RunOutput::of(program(&cluster, folder, home.path()).args(init)).await;
    assert_eq!(service.seen()[0].authorization.as_deref(), Some(&*format!("Bearer {KEY}")));
    let mut by_variable = program(&cluster, folder, home.path());
    RunOutput::of(by_variable.env("PASSAGE_CONFIG", "passage.toml").args(["init", "--store", "x"]))
        .await;
    assert_eq!(service.seen().len(), 2);
}

#[tokio::test]
async fn a_found_file_may_set_harmless_options_below_the_users_own() {
    let cluster = text_cluster().await;
    cluster.execute("SELECT passage.create_store('notes')").await;
    let sources = Sources::with([("a.md", "# A\n\nText.\n"), ("b.txt", "B\n")]);
    let (folder, home) = (sources.0.path(), tempfile::tempdir().unwrap());
    let own = home.path().join(".config/passage/passage.toml");
    fs::create_dir_all(own.parent().unwrap()).unwrap();
    fs::write(&own, "store = \"notes\"\ncollection = \"mine\"\n").unwrap();
    fs::write(folder.join("passage.toml"), "collection = \"ours\"\ninclude = [\"*.md\"]\n")
        .unwrap();
    let run = RunOutput::of(program(&cluster, folder, home.path()).args([
        "ingest",
        "book",
        "--no-embed",
    ]))
    .await;
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    let rows = cluster.query_lines("SELECT collection, uri FROM notes.documents").await;
    assert_eq!(rows, ["ours|book/a.md"]);

    // A relative configuration folder would depend on the working folder.
    fs::create_dir_all(folder.join("fake/passage")).unwrap();
    fs::write(folder.join("fake/passage/passage.toml"), "store = \"fake\"\n").unwrap();
    let mut relative = program(&cluster, folder, home.path());
    let run = RunOutput::of(relative.env("XDG_CONFIG_HOME", "fake").args(["status"])).await;
    assert!(run.stdout.contains("notes"), "{}{}", run.stdout, run.stderr);

    // A configuration that others can write is refused.
    fs::set_permissions(&own, fs::Permissions::from_mode(0o666)).unwrap();
    let run = RunOutput::of(program(&cluster, folder, home.path()).args(["status"])).await;
    run.assert_refusal("is writable by all users", "chmod o-w");
    fs::set_permissions(&own, fs::Permissions::from_mode(0o600)).unwrap();

    // Files of parent folders are not read, and neither are pipes and the like.
    fs::write(folder.join("passage.toml"), "store = \"other\"\n").unwrap();
    let below =
        RunOutput::of(program(&cluster, &folder.join("book"), home.path()).args(["status"])).await;
    assert_eq!(below.code, Some(0), "{}", below.stderr);
    fs::remove_file(folder.join("passage.toml")).unwrap();
    fs::create_dir(folder.join("passage.toml")).unwrap();
    let run = RunOutput::of(program(&cluster, folder, home.path()).args(["status"])).await;
    run.assert_refusal("passage.toml is not a file", "--config");
    let named = ["status", "--config", "/dev/null"];
    let run = RunOutput::of(program(&cluster, folder, home.path()).args(named)).await;
    assert_eq!(run.code, Some(0), "{}", run.stderr);
}

#[tokio::test]
async fn a_key_is_sent_over_plain_http_only_to_the_loopback_interface() {
    for url in [
        "http://example.invalid/v1",
        "http://10.0.0.1/v1",
        "http://0.0.0.0:1/v1",
        "http://user:pw@example.invalid/v1",
    ] {
        let mut settings = Settings::new(url, "m");
        settings.retries = 0;
        settings.key = (!url.contains('@')).then(|| ApiKey::new(KEY));
        match RemoteEmbedder::embed_one(settings, "a").await {
            Err(Error::Service { error: ServiceError::KeyOverHttp, host }) => {
                assert!(url.contains(&host) && !host.contains("pw"), "{host}");
            }
            other => panic!("{url}: {other:?}"),
        }
    }
    // Without a key, or on the loopback interface, the client connects.
    let service = Service::good(8).await;
    let local = service.url().replace("127.0.0.1", "localhost");
    for (url, key) in [(service.url(), Some(KEY)), (service.url(), None), (local, Some(KEY))] {
        let mut settings = Settings::new(url, "m");
        settings.key = key.map(ApiKey::new);
        RemoteEmbedder::embed_one(settings, "a").await.unwrap();
    }
    assert_eq!(service.seen().len(), 3);

    // A proxy of the environment would read the key.
    let (cluster, proxy) = (text_cluster().await, Service::good(8).await);
    let folder = tempfile::tempdir().unwrap();
    let mut program = program(&cluster, folder.path(), folder.path());
    program.env("http_proxy", proxy.url()).args(["init", "--store", "x", "--embed-model", "m"]);
    program.args(["--embed-url", &service.url()]);
    RunOutput::of(&mut program).await;
    assert_eq!((proxy.seen().len(), service.seen().len()), (0, 4));
}
