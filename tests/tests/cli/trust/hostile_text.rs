//! Names, titles and messages with control sequences: no command prints their control characters to a
//! terminal, and a pipe gets documents unchanged.
//!
//! Each command runs in a pseudo-terminal, and the test reads each byte that arrives there.

use crate::{RunOutput, Sources, text_cluster};
use passage_tests::Cluster;
use passage_tests::cases;
use passage_tests::cluster::{SUPERUSER, client_path};
use std::ffi::{OsStr, OsString};
use std::fs;
use std::io::{Cursor, Read, Write};
use std::net::TcpListener;
use std::os::unix::ffi::OsStrExt;
use std::process::Stdio;
use tokio::io::AsyncWriteExt;
use tokio::process::Command;

/// Sets a window title, changes colors, clears the screen, reverses the direction of the text, hides
/// text, and begins a line of its own.
const EVIL: &str = "\u{1b}]0;PWN\u{7}\u{1b}[35m\u{9b}2J\u{7f}\u{202e}\u{2066}\u{200f}\u{61c}\u{200b}\u{2028}\r\nerror: lie";

/// The form of [`EVIL`] on one line of a terminal.
const SHOWN: &str =
    r"\x1B]0;PWN\x07\x1B[35m\u009B2J\x7F\u202E\u2066\u200F\u061C\u200B\u2028\r\nerror: lie";

/// A part of it that is allowed in a file name, and its form on a terminal.
const NAME: &str = "n\u{1b}]0;PWN\u{7}\u{202e}";
const SHOWN_NAME: &str = r"n\x1B]0;PWN\x07\u202E";

/// The sequences that the client itself prints: colors and those of a progress bar.
const OURS: [&str; 15] = [
    "0m", "1m", "2m", "31m", "32m", "33m", "36m", "4m", "?25l", "?25h", "2K", "1A", "1B", "K", "J",
];

/// Runs the client in a pseudo-terminal, answers "n", and returns what arrives there.
pub async fn at_terminal(cluster: &Cluster, arguments: &[&OsStr]) -> String {
    let mut command = terminal(cluster);
    command.args(arguments);
    typed(&mut command).await
}

pub fn terminal(cluster: &Cluster) -> Command {
    const SPAWN: &str =
        "import os, pty, sys; sys.exit(os.waitstatus_to_exitcode(pty.spawn(sys.argv[1:])))";
    let mut command = Command::new("python3");
    command.args(["-c", SPAWN]).arg(client_path());
    command.env("DATABASE_URL", cluster.url()).env("TERM", "xterm-256color").env_remove("NO_COLOR");
    command.kill_on_drop(true);
    command
}

pub async fn typed(command: &mut Command) -> String {
    let (input, output) = (Stdio::piped(), Stdio::piped());
    let mut child = command.stdin(input).stdout(output).stderr(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(b"n\n").await.unwrap();
    let output = child.wait_with_output().await.unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    // The terminal itself turns each line end into two characters.
    String::from_utf8(output.stdout).expect("a terminal gets UTF-8").replace("\r\n", "\n")
}

/// Fails if a text contains a control character, or a character that reorders or hides text.
#[track_caller]
fn assert_clean(what: &dyn std::fmt::Debug, text: &str, ours: &[&str]) {
    let mut rest = text;
    while let Some(char) = rest.chars().next() {
        rest = &rest[char.len_utf8()..];
        if char == '\u{1b}' {
            let ours = ours.iter().find_map(|ours| rest.strip_prefix('[')?.strip_prefix(ours));
            rest = ours.unwrap_or_else(|| panic!("{what:?}: an escape sequence in {text:?}"));
        }
        let is_evil = matches!(char, '\0'..='\u{8}' | '\u{b}'..='\u{1a}' | '\u{1c}'..='\u{1f}' | '\u{7f}'..='\u{9f}'
            | '\u{61c}' | '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}');
        // A progress bar returns to the beginning of its line.
        let is_bar = char == '\r' && ours.contains(&"2K");
        assert!(!is_evil || is_bar, "{what:?}: {char:?} in {text:?}");
    }
    assert!(!text.contains("\nerror: lie"), "{what:?}: a forged line in {text:?}");
}

/// Runs a command in a terminal and in a pipe; both must show `shown` and no control characters.
async fn assert_shown<A: AsRef<OsStr>>(
    cluster: &Cluster,
    arguments: &[A],
    shown: &str,
) -> RunOutput {
    let arguments: Vec<&OsStr> = arguments.iter().map(AsRef::as_ref).collect();
    let at_terminal = at_terminal(cluster, &arguments).await;
    assert_clean(&arguments, &at_terminal, &OURS);
    assert!(at_terminal.contains(shown), "{arguments:?}: {shown}\n{at_terminal}");
    let run = RunOutput::of(cluster.client_program().args(&arguments)).await;
    assert_clean(&arguments, &run.stderr, &[]);
    run
}

/// A store in which each text has control characters.
async fn hostile_store() -> (Cluster, String) {
    let cluster = text_cluster().await;
    let client = cluster.client().await;
    let document = "INSERT INTO rag.documents (collection, version, uri, title, media_type, metadata) \
         VALUES ($1, $1, $1, $1, 'text/x-' || $1, jsonb_build_object($1::text, $1::text)) RETURNING id::text";
    let id: String = client.query_one(document, &[&EVIL]).await.unwrap().get(0);
    let chunk = "INSERT INTO rag.chunks (document_id, ordinal, section, content, first_line, last_line, tokens) \
         VALUES ($2::text::uuid, 0, ARRAY[$1::text, $1], $1 || E'\\nvarroa ' || $1, 1, 2, 9) RETURNING id::text";
    let chunk: String = client.query_one(chunk, &[&EVIL, &id]).await.unwrap().get(0);
    for key in cases(["model", "distance", "sizer", "language"]) {
        let sql = "INSERT INTO rag.settings (key, value) VALUES ($1, to_jsonb($2::text)) \
             ON CONFLICT (key) DO UPDATE SET value = excluded.value";
        client.execute(sql, &[&key, &EVIL]).await.unwrap();
    }
    client.batch_execute("ANALYZE").await.unwrap();
    (cluster, chunk)
}

#[tokio::test]
async fn no_command_prints_control_characters_of_a_store() {
    let (cluster, chunk) = hostile_store().await;
    for arguments in [
        &["status"][..],
        &["status", "--list"],
        &["outline", EVIL],
        &["search", "varroa"],
        &["search", "--chunks", "varroa"],
        &["fragments", "varroa"],
        &["fragments", "--uri", EVIL, "--no-embed"],
        &["context", &chunk],
        &["outline", "nowhere\u{1b}]0;PWN\u{7}\u{1b}[35m"],
        &["remove", "--collection", EVIL, "--version", EVIL, EVIL, &format!("no{EVIL}")],
        &["remove", "--dry-run", &format!("no{EVIL}")],
        &["remove", "--dry-run", "--collection", &format!("no{EVIL}")],
        &["reindex", "--collection", EVIL, "--dry-run", "--sizer", "characters", "--no-embed"],
        &["reindex", "--collection", &format!("no{EVIL}"), "--sizer", "characters", "--no-embed"],
        &["status", "--store", EVIL],
        &["search", "varroa", "--strategy", EVIL],
        &["ingest", EVIL, "--no-embed"],
        &["split", EVIL],
        &["status", EVIL],
        &["status", "--config", EVIL],
        &["search", "--mode", EVIL, "x"],
        &["ingest", "a", "--metadata", EVIL, "--model", EVIL],
        &["init", "--store", EVIL, "--model", EVIL],
        &["model", "fetch", "--from", EVIL, "--to", "/nowhere"],
        &["status", "--database-url", &format!("postgresql://x{EVIL}@/nowhere?host=/nowhere")],
    ] {
        let is_wrong = [&["status", EVIL][..], &["search", "--mode", EVIL, "x"]];
        let unquoted = ["model", "init", "reindex"].contains(&arguments[0])
            || arguments.contains(&"--metadata")
            || arguments.contains(&"--database-url")
            || arguments.starts_with(&["remove", "--dry-run"]);
        let shown = if unquoted { "" } else { r"\x1B]0;PWN\x07\x1B[35m" };
        assert_shown(&cluster, arguments, shown).await;
        if !is_wrong.contains(&arguments) {
            let json: Vec<&str> = arguments.iter().copied().chain(["--json"]).collect();
            let run = assert_shown(&cluster, &json, "").await;
            assert_clean(&json, &run.stdout, &[]);
        }
    }
    let copy = "WITH copy AS (INSERT INTO rag.documents (collection, uri) VALUES ('copies', $1) RETURNING id)
        INSERT INTO rag.chunks (document_id, ordinal, content) SELECT copy.id, 0, chunks.content FROM copy, rag.chunks LIMIT 1";
    cluster.client().await.execute(copy, &[&EVIL]).await.unwrap();
    let duplicates = assert_shown(&cluster, &["duplicates"], r"\x1B]0;PWN\x07\x1B[35m").await;
    assert_clean(&"duplicates", &duplicates.stdout, &[]);
    let doctor = assert_shown(&cluster, &["doctor", "--no-embed"], "").await;
    assert_clean(&"doctor", &doctor.stdout, &[]);

    // Titles are one line everywhere; a pipe gets the content of documents unchanged.
    for arguments in
        cases([&["search", "varroa"][..], &["fragments", "varroa"], &["context", &chunk]])
    {
        let piped = RunOutput::of(cluster.client_program().args(arguments)).await.stdout;
        assert!(piped.contains(&format!(" {SHOWN}")), "{piped:?}");
        let (line, _) = EVIL.split_once('\r').unwrap();
        assert!(
            piped.contains(&format!("{} {line}\n", '│'))
                || piped.contains(&format!("{} {line}\n", '┃')),
            "{piped:?}"
        );
        assert!(piped.contains(&format!(" varroa {line}\n")), "{piped:?}");
    }
    let json =
        RunOutput::of(cluster.client_program().args(["search", "--json", "varroa"])).await.stdout;
    let results: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(results["passages"][0]["uri"], EVIL);
    assert_eq!(results["passages"][0]["content"], format!("{EVIL}\nvarroa {EVIL}"));
}

#[tokio::test]
async fn messages_of_a_server_are_shown_without_control_characters() {
    let cluster = text_cluster().await;
    cluster.execute("INSERT INTO rag.documents (uri) VALUES ('a')").await;
    let says = |level: &str| {
        let evil = EVIL.replace('%', "%%");
        format!(
            "CREATE OR REPLACE FUNCTION admits(uri text) RETURNS boolean STABLE LANGUAGE plpgsql AS $$ BEGIN \
             RAISE {level} '{evil}' USING HINT = '{evil}', DETAIL = '{evil}'; RETURN true; END $$"
        )
    };
    cluster.execute_as(SUPERUSER, &says("NOTICE")).await;
    cluster
        .execute_as(
            SUPERUSER,
            "CREATE POLICY noted ON rag.documents USING (admits(uri)); \
             ALTER TABLE rag.documents ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY",
        )
        .await;
    assert_shown(&cluster, &["search", "valve"], "").await;
    for (level, shown) in cases([("WARNING", ""), ("EXCEPTION", SHOWN)]) {
        cluster.execute_as(SUPERUSER, &says(level)).await;
        for command in [&["status", "--list"][..], &["remove", "a", "--dry-run"]] {
            assert_shown(&cluster, command, shown).await;
        }
    }

    // A foreign server can send an error before authentication.
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    std::thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            let _ = stream.read(&mut [0; 1024]);
            let said = format!("SFATAL\0VFATAL\0C28000\0M{EVIL}\0H{EVIL}\0D{EVIL}\0\0");
            let length = u32::try_from(said.len() + 4).unwrap();
            let _ = stream.write_all(&[b"E", &length.to_be_bytes()[..], said.as_bytes()].concat());
        }
    });
    let url = format!("postgresql://me@127.0.0.1:{port}/a?sslmode=disable");
    for command in ["status", "doctor"] {
        assert_shown(&cluster, &[command, "--database-url", &url], r"\x1B]0;PWN\x07").await;
    }
}

#[tokio::test]
async fn names_of_files_and_members_are_shown_without_control_characters() {
    let cluster = text_cluster().await;
    let sources = Sources::with([
        (&*format!("{NAME}.md"), &b"# A\n\nText.\n"[..]),
        (&format!("{NAME}.png"), b"\x89PNG"),
        (&format!("{NAME}-nul.txt"), b"a\0b"),
        (&format!("{NAME}.ipynb"), b"{"),
        (&format!("{NAME}/inner.md"), b"\xff\xfe\x00"),
    ]);
    let bad = std::path::Path::new(&sources.book()).join(OsStr::from_bytes(b"\xff\x1b[35m.md"));
    fs::write(&bad, "x").unwrap();
    let run = assert_shown(&cluster, &["ingest", "--no-embed", &sources.book()], SHOWN_NAME).await;
    for shown in
        ["{}.md", "skipped", "{}.png: not text", "{}-nul.txt contains a NUL", "{}.ipynb is not"]
    {
        let shown = shown.replace("{}", SHOWN_NAME);
        assert!(run.stderr.contains(&shown), "{shown}\n{}", run.stderr);
    }
    assert_shown(&cluster, &["sync", "--no-embed", "--dry-run", &sources.book()], SHOWN_NAME).await;
    let gone = format!("{}/{NAME}.md", sources.book());
    assert_shown(&cluster, &["split", &gone], "Text.").await;
    fs::remove_file(gone).unwrap();
    let removed = ["sync", "--no-embed", "--grace", "0", "--exclude", "*.txt", &sources.book()];
    assert_shown(&cluster, &removed, "").await;

    let folder = sources.0.path();
    let mut tar = tar::Builder::new(Vec::new());
    for name in [format!("{NAME}.md"), format!("{NAME}.png"), format!("{NAME}-nul.txt")] {
        let mut header = tar::Header::new_gnu();
        header.set_size(3);
        tar.append_data(&mut header, name, &b"a\0b"[..]).unwrap();
    }
    let mut header = tar::Header::new_gnu();
    header.set_size(1);
    let name = format!("../{NAME}");
    header.as_mut_bytes()[..name.len()].copy_from_slice(name.as_bytes());
    header.set_cksum();
    tar.append(&header, &b"a"[..]).unwrap();
    fs::write(folder.join("a.tar"), tar.into_inner().unwrap()).unwrap();
    let mut zip = zip::ZipWriter::new(Cursor::new(Vec::new()));
    for name in [format!("{NAME}.md"), format!("../{NAME}.md")] {
        zip.start_file(name, zip::write::SimpleFileOptions::default()).unwrap();
        zip.write_all(b"a\0b").unwrap();
    }
    fs::write(folder.join("a.zip"), zip.finish().unwrap().into_inner()).unwrap();
    let lines = format!(
        "{}\n{}\n",
        serde_json::json!({ "uri": EVIL, "text": "a" }),
        serde_json::json!({ "uri": EVIL, "text": "a", EVIL: 1 })
    );
    fs::write(folder.join("lines.jsonl"), lines).unwrap();
    fs::write(folder.join("passage.toml"), format!("{} = 1\n", serde_json::json!(NAME))).unwrap();
    let path = |name: &str| folder.join(name).to_str().unwrap().to_owned();
    for name in ["a.tar", "a.zip"] {
        assert_shown(&cluster, &["ingest", "--no-embed", &path(name)], SHOWN_NAME).await;
    }
    let lines = path("lines.jsonl");
    let jsonl = ["ingest", "--no-embed", "--jsonl", "documents", &lines];
    assert_shown(&cluster, &jsonl, r"\u202E\u2066").await;

    let mut status = terminal(&cluster);
    let shown = typed(status.current_dir(folder).arg("status")).await;
    assert_clean(&"passage.toml", &shown, &OURS);
    assert!(shown.contains(SHOWN_NAME), "{shown}");
    let mut help = terminal(&cluster);
    let shown = typed(help.env("PASSAGE_STORE", EVIL).args(["status", "--help"])).await;
    assert_clean(&"--help", &shown, &OURS);
    let arguments: Vec<OsString> = vec!["ingest".into(), bad.into()];
    assert_shown(&cluster, &arguments, "").await;
}
