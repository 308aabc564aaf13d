//! The first contact of a newcomer: no arguments, a wrong command, a missing file, an empty machine.

use crate::{RunOutput, Sources, run_client};
use passage_tests::cluster::{SUPERUSER, client_path};
use passage_tests::{Cluster, cases};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use tokio::process::Command;

/// The client on a machine without a server, a model and a configuration.
fn on_an_empty_machine(home: &std::path::Path) -> Command {
    let mut command = Command::new(client_path());
    command.env_clear().env("HOME", home).env("PATH", "/usr/bin:/bin").env("RUST_BACKTRACE", "1");
    command
}

#[tokio::test]
async fn without_arguments_the_three_commands_to_begin_with_are_shown() {
    let home = tempfile::tempdir().unwrap();
    let run = RunOutput::of(&mut on_an_empty_machine(home.path())).await;
    assert_eq!((run.code, &*run.stdout), (Some(2), ""));
    for command in ["init", "ingest docs/", "search \"how"] {
        assert!(run.stderr.contains(&format!("\n  passage {command}")), "{}", run.stderr);
    }
    assert!(run.stderr.lines().count() <= 12, "{}", run.stderr);
}

#[tokio::test]
async fn a_wrong_command_is_answered_with_the_near_one() {
    let home = tempfile::tempdir().unwrap();
    for (word, meant) in cases([
        ("serch", "search"),
        ("query", "search"),
        ("load", "ingest"),
        ("delete", "remove"),
        ("ls", "status"),
        ("servr", "serve"),
        ("embedd", "embed"),
    ]) {
        let run = RunOutput::of(on_an_empty_machine(home.path()).args([word, "x"])).await;
        run.assert_refusal(
            &format!("unrecognized subcommand '{word}'"),
            &format!("exists: '{meant}'"),
        );
        assert_eq!(run.code, Some(2), "{}", run.stderr);
    }
    let run = RunOutput::of(on_an_empty_machine(home.path()).arg("xyzzy")).await;
    assert!(!run.stderr.contains("exists"), "{}", run.stderr);
}

/// Nothing else is asked for: neither a server nor a model exists here.
#[tokio::test]
async fn a_missing_file_is_named_before_a_server_or_a_model() {
    let sources = Sources::with([("a.md", "# A\n")]);
    let home = sources.0.path();
    for arguments in cases([
        &["ingest", "nosuch.md"][..],
        &["ingest", "nosuch.md", "--uri", "a"],
        &["ingest", "nosuch.tar.gz"],
        &["ingest", "nosuch.jsonl", "--jsonl", "documents"],
        &["ingest", "nosuch.md", "nosuch/"],
        &["ingest", "nosuch.md", "--watch"],
        &["ingest", "nosuch.md", "--allow-empty"],
        &["sync", "nosuch.md"],
        &["ingest", "book/a.md", "nosuch.md"],
        &["split", "nosuch.md"],
    ]) {
        let run = RunOutput::of(on_an_empty_machine(home).current_dir(home).args(arguments)).await;
        run.assert_refusal("cannot read nosuch", "Check that it exists");
        let first = run.stderr.lines().next().unwrap();
        assert!(first.contains("cannot read nosuch"), "{arguments:?}: {}", run.stderr);
        let asks = run.stderr.contains("model") || run.stderr.contains("DATABASE_URL");
        // With a file that exists, the run goes on as far as it can.
        assert_eq!(asks, arguments.contains(&"book/a.md"), "{arguments:?}: {}", run.stderr);
    }
    let pattern = RunOutput::of(on_an_empty_machine(home).args(["ingest", "nosuch/**/*.md"])).await;
    pattern.assert_refusal("no files match the pattern \"nosuch/**/*.md\"", "Check the pattern");
    let json =
        RunOutput::of(on_an_empty_machine(home).args(["ingest", "nosuch.md", "--json"])).await;
    assert!(json.stdout.contains("\"failed\":1") && json.code == Some(1), "{}", json.stdout);
}

#[tokio::test]
async fn init_on_an_empty_machine_lists_what_is_missing_in_order() {
    let home = tempfile::tempdir().unwrap();
    for (arguments, url, parts) in cases([
        (
            &["init"][..],
            None,
            &["server", "pgvector", "pg_passage", "vector in the database", "model"][..],
        ),
        (&["init", "--no-embed"], None, &["server", "pg_passage"]),
        (
            &["init"],
            Some("postgresql://127.0.0.1:1/x"),
            &["server", "pgvector", "pg_passage", "vector in the database", "model"],
        ),
    ]) {
        let mut command = on_an_empty_machine(home.path());
        if let Some(url) = url {
            command.env("DATABASE_URL", url);
        }
        let run = RunOutput::of(command.args(arguments)).await;
        assert_eq!(run.code, Some(1), "{}", run.stderr);
        assert_eq!(parts_of(&run), parts, "{}", run.stderr);
        for command in ["export DATABASE_URL=", "make install PG_CONFIG="] {
            assert!(run.stderr.contains(command), "{command}: {}", run.stderr);
        }
        let names_model = run.stderr.contains("        passage model fetch\n");
        assert_eq!(names_model, !arguments.contains(&"--no-embed"), "{}", run.stderr);
    }
}

/// A name from a URL is one word of a command, and stays on its line.
#[tokio::test]
async fn a_hostile_database_name_is_no_command_of_its_own() {
    let home = tempfile::tempdir().unwrap();
    let mut command = on_an_empty_machine(home.path());
    command.env("DATABASE_URL", "postgresql://127.0.0.1:1/a%27%0Atouch%20x%0A%27");
    let run = RunOutput::of(command.arg("init")).await;
    assert!(run.stderr.contains("touch x"), "{}", run.stderr);
    let commands = run.stderr.lines().map(str::trim_start);
    assert!(!commands.into_iter().any(|line| line.starts_with("touch")), "{}", run.stderr);
}

/// Returns the parts that `init` checked, in order.
fn parts_of(run: &RunOutput) -> Vec<&str> {
    let parts = run.stderr.lines().filter_map(|line| {
        let line =
            ["good    ", "warning ", "error   "].iter().find_map(|word| line.strip_prefix(word));
        line.filter(|line| !line.starts_with(' '))
    });
    parts.filter_map(|line| line.split_once(": ").map(|(part, _)| part)).collect()
}

/// The commands for a superuser work as they are printed.
#[tokio::test]
async fn what_init_tells_a_superuser_lets_it_succeed() {
    let cluster = Cluster::bare().await;
    cluster.execute_as(SUPERUSER, "CREATE ROLE \"o'guest\" LOGIN").await;
    let url = cluster.url_as("o'guest");
    let init = async || {
        RunOutput::of(
            cluster.client_program().env("DATABASE_URL", &url).args(["init", "--no-embed"]),
        )
        .await
    };
    let run = init().await;
    assert_eq!(parts_of(&run), ["server", "pg_passage", "role"], "{}", run.stderr);
    run.assert_refusal("permission denied", "sudo -u postgres psql -d passage -c ");
    let command = run.stderr.lines().find(|line| line.contains("sudo -u postgres psql")).unwrap();
    // A sudo that becomes the superuser of this cluster.
    let programs = tempfile::tempdir().unwrap();
    let sudo = programs.path().join("sudo");
    fs::write(&sudo, format!("#!/bin/sh\nshift 2\nPGUSER={SUPERUSER} exec \"$@\"\n")).unwrap();
    fs::set_permissions(&sudo, fs::Permissions::from_mode(0o755)).unwrap();
    let servers = cluster.installation().bin("psql");
    let path = format!(
        "{}:{}:/usr/bin:/bin",
        programs.path().display(),
        servers.parent().unwrap().display()
    );
    let mut shell = Command::new("sh");
    shell.args(["-c", command.trim()]).env("PATH", path).env("PGHOST", cluster.folder());
    let done = shell.output().await.unwrap();
    assert!(done.status.success(), "{command}: {}", String::from_utf8_lossy(&done.stderr));
    let run = init().await;
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    assert_eq!(run.stdout, "the store \"rag\" is ready, without embeddings\n");
}

/// An error that has another cause than the machine is shown alone.
#[tokio::test]
async fn init_explains_nothing_if_only_its_arguments_are_wrong() {
    let cluster = Cluster::bare().await;
    let run = run_client(&cluster, ["init", "--no-embed", "--language", "klingon"]).await;
    run.assert_refusal("klingon", "List the text search configurations");
    assert!(!run.stderr.contains("in this order"), "{}", run.stderr);
}

#[tokio::test]
async fn each_short_help_fits_on_a_screen() {
    let root = Command::new(client_path()).arg("-h").output().await.unwrap();
    let root = String::from_utf8(root.stdout).unwrap();
    let (_, commands) = root.split_once("Commands:\n").unwrap();
    let commands = commands.lines().take_while(|line| !line.is_empty());
    let mut seen = 0;
    for command in commands.filter_map(|line| line.split_whitespace().next()) {
        if command == "help" {
            continue;
        }
        let output = Command::new(client_path()).args([command, "-h"]).output().await.unwrap();
        let help = String::from_utf8(output.stdout).unwrap();
        let options = |help: &str| {
            help.lines()
                .filter(|line| {
                    let line = line.trim_start();
                    line.starts_with("--") || line.starts_with('-') && line.contains(", --")
                })
                .count()
        };
        assert!(
            (1..=16).contains(&options(&help)),
            "{command}: {} options\n{help}",
            options(&help)
        );
        assert!(help.lines().count() <= 55, "{command}: {} lines\n{help}", help.lines().count());
        // A long list has headings, so that no more than eight options are without one.
        let unheaded = help.split_once("Options:\n").map_or("", |(_, rest)| rest);
        let unheaded = unheaded.split("\n\n").next().unwrap_or_default();
        assert!(options(unheaded) <= 10, "{command}: {}\n{help}", options(unheaded));
        seen += 1;
    }
    assert!(seen >= 18, "{seen}");
}
