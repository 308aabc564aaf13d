/*!
A program of the user that converts documents, as in `pandoc {} -t gfm`.

The program runs without a shell, so no name of a file is executed. Its file is a copy with a name of its own, in a folder
that only this user reads: a document may come from an archive or a page. `{}` is the path of the copy; without it
the document is on standard input. The result is on standard output, or in the folder `{output}`.
*/

use super::environment::Environment;
use super::in_process::Failure;
use super::process::{self, Ended};
use super::records::{self, Records, are_records};
use super::remedy::Remedy;
use crate::source;
use passage_split::PlaceMark;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::fs;
use std::io;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command};
use std::time::Duration;

/// The argument that is the path of the document.
const DOCUMENT: &str = "{}";

/// The argument that is the folder of the result.
const OUTPUT: &str = "{output}";

/// The types of results that are not only text.
const MARKDOWN: &str = "text/markdown";
const JSON_LINES: &str = "application/jsonl";

/// The media types of results, by the extensions of their files.
const RESULTS: [(&str, &str); 6] = [
    ("md", MARKDOWN),
    ("markdown", MARKDOWN),
    ("jsonl", JSON_LINES),
    ("html", "text/html"),
    ("htm", "text/html"),
    ("txt", "text/plain"),
];

/// A program with its arguments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Program {
    /// The command line as it was given.
    pub(super) line: String,
    words: Vec<String>,
}

/// The text that a program has made of a document.
#[derive(Serialize, Deserialize)]
pub(super) struct ProgramOutput {
    pub(super) text: String,
    /// Its media type.
    pub(super) media_type: String,
    pub(super) title: Option<String>,
    /// The places of pages, slides or sheets, which only JSON lines have.
    pub(super) marks: Vec<PlaceMark>,
    pub(super) metadata: Map<String, Value>,
}

impl ProgramOutput {
    fn of_text(text: String, media_type: &str) -> Self {
        Self { text, media_type: media_type.to_owned(), ..Records::default().into() }
    }
}

impl From<Records> for ProgramOutput {
    fn from(records: Records) -> Self {
        let Records { text, media_type, title, marks, metadata } = records;
        let media_type = media_type.unwrap_or_else(|| MARKDOWN.to_owned());
        Self { text, media_type, title, marks, metadata }
    }
}

impl Program {
    /// Parses a command line by the rules for quotes of a shell. Returns `None` if it is empty or a quote is open.
    pub(super) fn parse(line: &str) -> Option<Self> {
        let words = shlex::split(line).filter(|words| !words.is_empty())?;
        Some(Self { line: line.to_owned(), words })
    }

    /// Converts a document. Its copy has the extension, by which programs know formats.
    pub(super) fn convert(
        &self,
        bytes: Vec<u8>,
        extension: &str,
        time: Duration,
        environment: &Environment,
    ) -> Result<ProgramOutput, Failure> {
        let folder = tempfile::tempdir().map_err(|error| no_folder(&error))?;
        let (path, output) = (folder.path().join("document"), folder.path().join("output"));
        let path = path.with_extension(extension);
        let reads_file = self.words.iter().any(|word| word.contains(DOCUMENT));
        let input = if reads_file { Vec::new() } else { bytes.clone() };
        let written = if reads_file { fs::write(&path, bytes) } else { Ok(()) };
        written.and_then(|()| fs::create_dir(&output)).map_err(|error| no_folder(&error))?;

        let (program, arguments) = self.words.split_first().expect("a command line has a word");
        let arguments = arguments.iter().map(|word| {
            let word = word.replace(OUTPUT, &output.to_string_lossy());
            word.replace(DOCUMENT, &path.to_string_lossy())
        });
        let mut command = Command::new(program);
        environment.restrict(&mut command);
        // In a group of its own, so that all processes that it starts end at the time limit.
        command.args(arguments).current_dir(folder.path()).process_group(0);
        let stdout = match process::run(&mut command, input, time, source::MAX_BYTES, kill_group) {
            Ok(Ended::Exited(status, stdout)) if status.success() => stdout,
            Ok(Ended::Exited(status, _)) => {
                return Err(self.failed(&format!("ended with {status}")));
            }
            Ok(Ended::TimedOut) => return Err(Failure::too_slow(time)),
            Ok(Ended::WroteTooMuch) => return Err(self.failed("wrote more than 1 GB")),
            Err(error) => return Err(self.not_started(&error)),
        };
        let (bytes, result_type) = if self.words.iter().any(|word| word.contains(OUTPUT)) {
            self.read_output(&output)?
        } else {
            let result_type = sniffed(&stdout);
            (stdout, result_type)
        };
        let text = String::from_utf8(bytes)
            .map_err(|_| self.failed("wrote a text that is not UTF-8"))?
            .replace('\0', "");
        let output = if result_type == JSON_LINES || (result_type == MARKDOWN && are_records(&text))
        {
            let records = records::parse(&text);
            records
                .map_err(|defect| self.failed(&format!("wrote JSON lines whose {defect}")))?
                .into()
        } else {
            ProgramOutput::of_text(text, result_type)
        };
        if output.text.trim().is_empty() {
            return Err(self.failed("found no text"));
        }
        Ok(output)
    }

    /// Reads the first result in the folder.
    fn read_output(&self, folder: &Path) -> Result<(Vec<u8>, &'static str), Failure> {
        let mut paths: Vec<PathBuf> = fs::read_dir(folder)
            .into_iter()
            .flatten()
            .flatten()
            .map(|entry| entry.path())
            .collect();
        paths.sort();
        let result = paths.iter().find_map(|path| {
            let extension = path.extension()?.to_str()?.to_ascii_lowercase();
            let (_, media_type) = RESULTS.iter().find(|(known, _)| *known == extension)?;
            Some((path, *media_type))
        });
        let Some((path, media_type)) = result else {
            return Err(self.failed("wrote no .md, .html, .txt or .jsonl file"));
        };
        let bytes =
            source::read(path).map_err(|_| self.failed("wrote a file that is not readable"))?;
        Ok((bytes, media_type))
    }

    fn name(&self) -> &str {
        &self.words[0]
    }

    fn failed(&self, what: &str) -> Failure {
        let reason = format!("cannot be converted: {} {what}", self.name());
        Failure::Document { reason, remedy: Remedy::RunProgram }
    }

    fn not_started(&self, error: &io::Error) -> Failure {
        let reason = format!("cannot be converted: {} does not start: {error}", self.name());
        Failure::Document { reason, remedy: Remedy::InstallProgram }
    }
}

/// Returns the type of a text: HTML if it begins as a page, else Markdown, which plain text is, too.
fn sniffed(text: &[u8]) -> &'static str {
    let begins = |mark: &[u8]| {
        let head = text.trim_ascii_start();
        head.get(..mark.len()).is_some_and(|head| head.eq_ignore_ascii_case(mark))
    };
    let is_page = begins(b"<!doctype html") || begins(b"<html");
    if is_page { "text/html" } else { MARKDOWN }
}

fn kill_group(child: &mut Child) {
    let group = -i32::try_from(child.id()).expect("an id of a process is an i32");
    #[expect(unsafe_code, reason = "the standard library does not kill groups")]
    // SAFETY: the function takes two numbers. The group is that of a child that has not been waited for.
    unsafe {
        libc::kill(group, libc::SIGKILL);
    }
}

fn no_folder(error: &io::Error) -> Failure {
    let reason = format!("cannot be converted: no temporary file: {error}");
    Failure::Document { reason, remedy: Remedy::FreeDisk }
}
