//! Settings that the client does not accept from a `passage.toml` it found, and where it never sends a key.

use crate::embedding_service::Service;
use crate::{RunOutput, Sources, text_cluster};
use passage::embed::{
    ApiKey, EmbeddingKind, Error, RemoteEmbedder, ServiceConfig as Settings, ServiceError,
};
use passage_tests::Cluster;
use passage_tests::cases;
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
    for (line, option) in cases([
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
    ]) {
        fs::write(folder.join("passage.toml"), format!("# ours\n{line}\n")).unwrap();
        let number = 1 + line.lines().count();
        let location = format!("passage.toml, line {number}: ");
        for arguments in
            cases([&["ingest", "book", "--no-embed"][..], &["search", "a"], &["status"]])
        {
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
async fn a_found_file_may_set_what_is_shown_below_the_users_own() {
    let cluster = text_cluster().await;
    cluster.execute("SELECT passage.create_store('notes')").await;
    let sources = Sources::with([("a.md", "# A\n\nText.\n"), ("b.txt", "B\n")]);
    let (folder, home) = (sources.0.path(), tempfile::tempdir().unwrap());
    let own = home.path().join(".config/passage/passage.toml");
    fs::create_dir_all(own.parent().unwrap()).unwrap();
    fs::write(&own, "store = \"notes\"\ncollection = \"mine\"\n[search]\nlimit = 3\n").unwrap();
    fs::write(folder.join("passage.toml"), "collection = \"ours\"\njson = true\n").unwrap();
    let run = async |arguments: &[&str]| {
        let run = RunOutput::of(program(&cluster, folder, home.path()).args(arguments)).await;
        assert_eq!(run.code, Some(0), "{}", run.stderr);
        run.stdout
    };
    // The user's own file decides where documents are written, and the found one only the form of the output.
    let summary = run(&["ingest", "book", "--no-embed"]).await;
    assert!(summary.starts_with('{'), "{summary}");
    run(&["ingest", "book/a.md", "--no-embed", "--collection", "ours"]).await;
    let rows =
        cluster.query_lines("SELECT collection, uri FROM notes.documents ORDER BY 1, 2").await;
    assert_eq!(rows, ["mine|book/a.md", "mine|book/b.txt", "ours|book/a.md"]);
    let found = run(&["search", "text"]).await;
    assert!(found.contains("\"collection\":\"ours\"") && !found.contains("mine"), "{found}");

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
async fn a_found_collection_does_not_let_commands_write_to_it() {
    let cluster = text_cluster().await;
    let sources = Sources::with([("a.md", "# A\n\nText.\n")]);
    let (folder, home) = (sources.0.path(), tempfile::tempdir().unwrap());
    let mine = "SELECT passage.ingest('book/' || name, name, collection => 'mine', version => '1') \
         FROM unnest('{a.md,b.md,c.md}'::text[]) AS name";
    cluster.execute(mine).await;
    let state = "SELECT collection, uri, orphaned_at IS NULL, xmin FROM rag.documents ORDER BY id";
    let before = cluster.query_lines(state).await;
    fs::write(folder.join("passage.toml"), "version = \"1\"\ncollection = \"mine\"\n").unwrap();
    for arguments in cases([
        &["sync", "book", "--no-embed"][..],
        &["sync", "book", "--no-embed", "--grace", "0"],
        &["sync", "book", "--no-embed", "--grace", "0", "--collection", "mine"],
        &["ingest", "book/a.md", "--no-embed"],
        &["remove", "book/a.md", "--yes"],
        &["export"],
        &["embed"],
        &["reindex", "--no-embed"],
    ]) {
        let run = RunOutput::of(program(&cluster, folder, home.path()).args(arguments)).await;
        let refusal = format!("cannot be set for passage {} by a file", arguments[0]);
        assert_eq!(run.code, Some(2), "{arguments:?}: {}{}", run.stdout, run.stderr);
        run.assert_refusal(
            &refusal,
            "on the command line. If you trust the file, name it with --config",
        );
        assert_eq!(cluster.query_lines(state).await, before, "{arguments:?}");
    }
    // The user decides, or trusts the file.
    let mut given = program(&cluster, folder, home.path());
    given.args(["sync", "book", "--no-embed", "--collection", "", "--version", ""]);
    assert_eq!(RunOutput::of(&mut given).await.code, Some(0));
    let unchanged: Vec<_> = cluster
        .query_lines(state)
        .await
        .into_iter()
        .filter(|row| row.starts_with("mine"))
        .collect();
    assert_eq!(unchanged, before);
    let mut trusted = program(&cluster, folder, home.path());
    trusted.args(["sync", "book", "--no-embed", "--grace", "0", "--config", "passage.toml"]);
    assert_eq!(RunOutput::of(&mut trusted).await.code, Some(0));
    let rows = "SELECT uri FROM rag.documents WHERE collection = 'mine'";
    assert_eq!(cluster.query_lines(rows).await, ["book/a.md"]);
}

/// The command with a limit of memory and of time.
async fn limited(command: &Command) -> RunOutput {
    let command = command.as_std();
    let mut shell = Command::new("sh");
    shell.args(["-c", "ulimit -v 4000000; exec timeout 20 \"$@\"", "sh"]);
    shell.arg(command.get_program()).args(command.get_args());
    for (name, value) in command.get_envs() {
        match value {
            Some(value) => shell.env(name, value),
            None => shell.env_remove(name),
        };
    }
    RunOutput::of(shell.current_dir(command.get_current_dir().unwrap())).await
}

#[tokio::test]
async fn a_configuration_that_is_no_file_of_a_megabyte_is_refused_without_waiting() {
    let cluster = text_cluster().await;
    let (folder, home) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let file = folder.path().join("passage.toml");
    let link = |target: &str| std::os::unix::fs::symlink(target, &file).unwrap();
    let sparse = || fs::File::create(&file).unwrap().set_len(8 << 30).unwrap();
    let pipe =
        || assert!(std::process::Command::new("mkfifo").arg(&file).status().unwrap().success());
    let kinds: [(&str, &dyn Fn(), &str); 9] = [
        ("sparse", &sparse, "has more than 1 MB"),
        ("long", &|| fs::write(&file, "#\n".repeat(500_001)).unwrap(), "has more than 1 MB"),
        ("pipe", &pipe, "is not a file"),
        ("loop", &|| link("passage.toml"), "cannot read"),
        ("folder", &|| fs::create_dir(&file).unwrap(), "is not a file"),
        ("device", &|| link("/dev/zero"), "is not a file"),
        ("terminal", &|| link("/dev/tty"), "is not a file"),
        ("kernel", &|| link("/proc/self/mem"), "cannot read"),
        ("bytes", &|| fs::write(&file, b"a = \"\xff\"").unwrap(), "is not UTF-8"),
    ];
    for (kind, make, cause) in kinds {
        make();
        let run = limited(program(&cluster, folder.path(), home.path()).arg("status")).await;
        assert_eq!(run.code, Some(2), "{kind}: {}{}", run.stdout, run.stderr);
        run.assert_refusal(cause, "Remove it, or name another configuration file with --config.");
        assert!(run.stderr.contains("passage.toml"), "{kind}: {}", run.stderr);
        // The user may name a device, but no pipe: without a writer it would wait.
        let named = ["status", "--config", "passage.toml"];
        let run = limited(program(&cluster, folder.path(), home.path()).args(named)).await;
        assert_eq!(run.code, Some(2), "{kind}: {}{}", run.stdout, run.stderr);
        assert!(run.stderr.contains("--config"), "{kind}: {}", run.stderr);
        // As the user's own file.
        let own = home.path().join(".config/passage");
        fs::create_dir_all(&own).unwrap();
        fs::rename(&file, own.join("passage.toml")).unwrap();
        let run = limited(program(&cluster, folder.path(), home.path()).arg("status")).await;
        assert_eq!(run.code, Some(2), "{kind}: {}{}", run.stdout, run.stderr);
        assert!(run.stderr.contains(cause), "{kind}: {}", run.stderr);
        fs::remove_dir_all(home.path().join(".config")).unwrap();
    }
    // A link to a missing file counts as none.
    link("missing.toml");
    let run = limited(program(&cluster, folder.path(), home.path()).arg("status")).await;
    assert_eq!(run.code, Some(0), "{}", run.stderr);
}

#[tokio::test]
async fn a_broken_configuration_is_explained_and_the_help_is_shown() {
    let cluster = text_cluster().await;
    let (folder, home) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    fs::write(folder.path().join("passage.toml"), "limt = 5\n").unwrap();
    let run =
        RunOutput::of(program(&cluster, folder.path(), home.path()).args(["search", "a"])).await;
    run.assert_refusal(
        "passage.toml, line 1: unknown option \"limt\"",
        "Perhaps you mean \"limit\".",
    );
    assert!(!run.stderr.contains("working folder"), "{}", run.stderr);
    for help in cases([&["--help"][..], &["search", "--help"], &["--version"]]) {
        let run = RunOutput::of(program(&cluster, folder.path(), home.path()).args(help)).await;
        assert_eq!(run.code, Some(0), "{}", run.stderr);
    }
}

#[tokio::test]
async fn a_key_is_sent_over_plain_http_only_to_the_loopback_interface() {
    for url in cases([
        "http://example.invalid/v1",
        "http://10.0.0.1/v1",
        "http://0.0.0.0:1/v1",
        "http://user:pw@example.invalid/v1",
    ]) {
        let mut settings = Settings::new(url, "m");
        settings.retries = 0;
        settings.key = (!url.contains('@')).then(|| ApiKey::new(KEY));
        match RemoteEmbedder::embed_one(settings, EmbeddingKind::Query, "a".into()).await {
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
        RemoteEmbedder::embed_one(settings, EmbeddingKind::Query, "a".into()).await.unwrap();
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
