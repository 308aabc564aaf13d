//! Detection of a media type from the content, where the file name does not tell.

use super::MediaType;
use super::likely::CERTAIN;

/// Interpreters and the media types of their scripts.
const INTERPRETERS: [(&str, &str); 24] = [
    ("sh", "text/x-shellscript"),
    ("bash", "text/x-shellscript"),
    ("dash", "text/x-shellscript"),
    ("ash", "text/x-shellscript"),
    ("ksh", "text/x-shellscript"),
    ("zsh", "text/x-shellscript"),
    ("bats", "text/x-shellscript"),
    ("python", "text/x-python"),
    ("pypy", "text/x-python"),
    ("node", "text/javascript"),
    ("nodejs", "text/javascript"),
    ("bun", "text/x-typescript"),
    ("deno", "text/x-typescript"),
    ("ts-node", "text/x-typescript"),
    ("tsx", "text/x-typescript"),
    ("ruby", "text/x-ruby"),
    ("perl", "text/x-perl"),
    ("php", "text/x-php"),
    ("lua", "text/x-lua"),
    ("rscript", "text/x-r"),
    ("pwsh", "text/x-powershell"),
    ("make", "text/x-makefile"),
    ("psql", "text/x-sql"),
    ("rust-script", "text/x-rust"),
];

/// The number of bytes at the beginning that are examined.
const MAX_HEAD: usize = 4_096;

impl MediaType {
    /// Returns the media type of a document from its name, else from its text, else
    /// [`PLAIN`](Self::PLAIN).
    ///
    /// `path` may be a name, a path or a URL. A text that proves nothing may be likely of a type, with a certainty of at
    /// least 0.8, see [`likely`](Self::likely).
    ///
    /// ```
    /// use passage_split::MediaType;
    ///
    /// assert_eq!(MediaType::detect("bin/run", "#!/bin/sh\n").name(), "text/x-shellscript");
    /// ```
    pub fn detect(path: &str, text: &str) -> Self {
        let likely = || Self::likely(text).filter(|likely| likely.certainty >= CERTAIN);
        Self::from_path(path)
            .or_else(|| Self::from_content(text))
            .or_else(|| likely().map(|likely| likely.media_type))
            .unwrap_or(Self::PLAIN)
    }

    /// Returns the media type that the beginning of a text proves, or `None`.
    ///
    /// The evidence is a `#!` line with an interpreter, the declaration or first element of HTML and XML, a
    /// first key or a list for JSON, a line `---` and a key for YAML, a section and a key of INI, or the title of a manual
    /// page, whose file has a number instead of an extension.
    pub fn from_content(text: &str) -> Option<Self> {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        if let Some(line) = text.strip_prefix("#!") {
            return script(line.lines().next()?);
        }
        let head = &text[..text.floor_char_boundary(MAX_HEAD)];
        let begin = head.trim_start();
        if begin.starts_with('<') {
            return markup(begin);
        }
        if begin.starts_with(['{', '[']) && json(begin) {
            return Some(Self::new("application/json"));
        }
        if begin.starts_with(['[', '#', ';']) && ini(begin) {
            return Some(Self::new("text/x-ini"));
        }
        if is_man_page(head) {
            return Some(Self::new("text/troff"));
        }
        let line = head.strip_prefix("---").and_then(|rest| rest.split_once('\n'));
        let (_, body) = line.filter(|(rest, _)| rest.trim().is_empty())?;
        // Front matter is YAML too, but Markdown follows it.
        if body.lines().any(|line| line.trim_end() == "---") {
            return None;
        }
        let key = body.lines().find(|line| !line.is_empty() && !line.starts_with('#'))?;
        let (name, rest) = key.split_once(':')?;
        let plain = |char: char| char.is_ascii_alphanumeric() || matches!(char, '_' | '-' | '.');
        let is_key = !name.is_empty() && name.chars().all(plain);
        (is_key && (rest.is_empty() || rest.starts_with(' '))).then(|| Self::new("text/x-yaml"))
    }
}

/// Returns whether bytes are binary: they contain a NUL byte, or begin like a PDF.
///
/// UTF-16 contains NUL bytes too, so decode HTML first.
///
/// ```
/// use passage_split::media_type::is_binary;
///
/// assert!(is_binary(b"a\0b") && !is_binary(b"text"));
/// ```
pub fn is_binary(bytes: &[u8]) -> bool {
    bytes.starts_with(b"%PDF-") || memchr::memchr(0, bytes).is_some()
}

/// Returns whether comments and the title of a manual page begin a text.
fn is_man_page(head: &str) -> bool {
    let is_comment = |line: &&str| {
        let line = line.trim_start_matches(['.', '\'']).trim_start();
        line.is_empty() || line.starts_with("\\\"") || line.starts_with("\\#")
    };
    let calls =
        |line: &str| [".TH ", ".Dd ", ".Dt ", ".so "].iter().any(|name| line.starts_with(name));
    let defines = |line: &str| {
        [".de ", ".ds ", ".ie ", ".if ", ".nr ", ".ig"].iter().any(|name| line.starts_with(name))
    };
    // Generated pages begin with definitions.
    let mut lines = head.lines().skip_while(is_comment);
    head.starts_with(['.', '\''])
        && lines.next().is_some_and(|first| calls(first) || (defines(first) && lines.any(calls)))
}

/// Returns the type of a script from the text behind `#!`.
fn script(line: &str) -> Option<MediaType> {
    let words = line.split_whitespace().map(|word| word.rsplit('/').next().unwrap_or(word));
    // Options and assignments of `env` may precede the interpreter.
    let mut words = words;
    let name = words
        .find(|word| *word != "env" && !word.starts_with('-') && !word.contains('='))?
        .to_ascii_lowercase();
    // A version may follow: `python3.12`.
    let bare = name.trim_end_matches(|char: char| char.is_ascii_digit() || char == '.');
    let named = |name: &str| INTERPRETERS.iter().find(|(known, _)| *known == name);
    named(&name).or_else(|| named(bare)).map(|(_, media_type)| MediaType::new(media_type))
}

/// Returns the type of a text that begins with `<`.
fn markup(begin: &str) -> Option<MediaType> {
    let prefix = |mark: &str| {
        let start = begin.get(..mark.len());
        start.is_some_and(|start| start.eq_ignore_ascii_case(mark))
            && begin[mark.len()..].starts_with(|char: char| !char.is_ascii_alphanumeric())
    };
    if prefix("<?php") {
        return Some(MediaType::new("text/x-php"));
    }
    if prefix("<?xml") {
        let xhtml = begin.to_ascii_lowercase().contains("<html");
        return Some(MediaType::new(if xhtml { "text/html" } else { "application/xml" }));
    }
    let html = prefix("<!doctype html") || prefix("<html") || prefix("<head") || prefix("<body");
    if html {
        return Some(MediaType::new("text/html"));
    }
    // Only XML has other document types, and names the space of its first element.
    let first = begin.split('>').next().unwrap_or(begin);
    let has_space = || first.split_whitespace().any(|word| word.starts_with("xmlns"));
    (prefix("<!doctype") || has_space()).then(|| MediaType::new("application/xml"))
}

/// Returns whether a text begins with a section of INI, and a value that is not one of TOML.
fn ini(begin: &str) -> bool {
    let lines = begin.lines().map(str::trim);
    let mut lines = lines.filter(|line| !line.is_empty() && !line.starts_with(['#', ';']));
    let is_section = |line: &str| line.len() > 2 && line.starts_with('[') && line.ends_with(']');
    let is_name = |name: &str| {
        let plain = |char: char| char.is_ascii_alphanumeric() || " _-.".contains(char);
        !name.is_empty() && name.chars().all(plain)
    };
    if !lines.next().is_some_and(is_section) {
        return false;
    }
    let values = lines.take_while(|line| !is_section(line)).map(|line| line.split_once('='));
    let values: Option<Vec<_>> =
        values.map(|entry| entry.filter(|(key, _)| is_name(key.trim()))).collect();
    let is_toml = |value: &str| {
        value.starts_with(['"', '\'', '[', '{', '-', '+'])
            || value.starts_with(|first: char| first.is_ascii_digit())
            || matches!(value, "true" | "false" | "inf" | "nan")
    };
    values.is_some_and(|values| values.iter().any(|(_, value)| !is_toml(value.trim())))
}

/// Returns whether a text begins like JSON: with a key, or with a list of objects or values.
fn json(begin: &str) -> bool {
    let mut rest = begin;
    let mut lists = false;
    while let Some(inner) = rest.strip_prefix('[') {
        rest = inner.trim_start();
        lists = true;
    }
    match rest.strip_prefix('{').map(str::trim_start) {
        Some(object) if object.starts_with('"') => object[1..]
            .split_once('"')
            .is_some_and(|(_, after)| after.trim_start().starts_with(':')),
        Some(object) => object.trim_end() == "}" || (lists && object.starts_with('}')),
        // A list of numbers or strings, unlike `[section]` and `[link](url)`.
        None => {
            let value = rest.split([',', ']', '\n']).next().unwrap_or("").trim();
            let string = value.len() > 1 && value.starts_with('"') && value.ends_with('"');
            let number = value.parse::<f64>().is_ok()
                && value.starts_with(['-', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9']);
            lists && (string || number) && rest.contains(',')
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn detected(text: &str) -> Option<String> {
        MediaType::from_content(text).map(|media_type| media_type.name().to_owned())
    }

    #[test]
    fn a_script_names_its_interpreter() {
        for (line, name) in [
            ("#!/bin/sh", "text/x-shellscript"),
            ("#!/usr/bin/env python3\nimport os\n", "text/x-python"),
            ("#! /usr/bin/python3.12 -u", "text/x-python"),
            ("#!/usr/bin/env -S node --no-warnings\r\n", "text/javascript"),
            ("#!/usr/bin/env -S FOO=1 deno run", "text/x-typescript"),
            ("\u{feff}#!/usr/bin/perl -w\n", "text/x-perl"),
        ] {
            assert_eq!(detected(line).as_deref(), Some(name), "{line}");
        }
        assert_eq!(detected("#!/opt/unheard-of\n"), None);
        assert_eq!(detected("#![allow(unused)]\n"), None);
        assert_eq!(detected("#!"), None);
    }

    #[test]
    fn markup_is_detected_by_its_beginning() {
        assert_eq!(detected("\n<!DOCTYPE HTML>\n<title>x").as_deref(), Some("text/html"));
        assert_eq!(detected("<html lang=en>").as_deref(), Some("text/html"));
        assert_eq!(detected("<?xml version='1.0'?>\n<a/>").as_deref(), Some("application/xml"));
        assert_eq!(
            detected("<?xml version='1.0'?>\n<!DOCTYPE html>\n<html>").as_deref(),
            Some("text/html")
        );
        assert_eq!(detected("<?php echo 1;").as_deref(), Some("text/x-php"));
        assert_eq!(detected("<!-- a -->"), None);
        assert_eq!(
            detected("<!DOCTYPE book SYSTEM \"b.dtd\">").as_deref(),
            Some("application/xml")
        );
        assert_eq!(detected("<svg xmlns='http://a'>").as_deref(), Some("application/xml"));
        assert_eq!(detected("<b>bold</b> words"), None);
        assert_eq!(detected("<headline"), None);
    }

    #[test]
    fn data_is_detected_only_if_unambiguous() {
        for json in ["{\"a\": 1}", " [\n  {\"a\" : 1}]", "[1, 2]", "[\"a\", \"b\"]", "{}"] {
            assert_eq!(detected(json).as_deref(), Some("application/json"), "{json}");
        }
        for other in
            ["[section]\nkey = 1", "[a link](b), c", "{ echo; }", "{% if a %}", "[x] done, y"]
        {
            assert_eq!(detected(other), None, "{other}");
        }
        for ini in ["[Unit]\nDescription=A daemon\n", "# c\n[a b]\n; c\nd = 1\ne = f\n\n[g]\nh"] {
            assert_eq!(detected(ini).as_deref(), Some("text/x-ini"), "{ini}");
        }
        assert_eq!(detected("# [a]\n\n[b]\nsome words = more, and. (x) = y\n(z) = 1"), None);
        assert_eq!(detected("[a]\nb = \"c\"\n\n[d]\ne = f"), None);
        assert_eq!(detected("---\n# note\nkey: value\n").as_deref(), Some("text/x-yaml"));
        assert_eq!(detected("---\ntitle: a\n---\n\n# A\n"), None);
        assert_eq!(detected("---\n\nSome words: and more\n"), None);
    }

    #[test]
    fn a_manual_page_begins_with_its_title() {
        for page in [
            ".TH TOOL 1\n.SH NAME\n",
            ".\\\" A comment.\n'\\\" t\n.Dd January 2, 2026\n.Dt TOOL 8\n",
            ".de Vb\n.nf\n..\n.ie n .ds -- \\(*W-\n.TH TOOL 3pm\n",
        ] {
            assert_eq!(detected(page).as_deref(), Some("text/troff"), "{page}");
        }
        for other in [
            "...\nwords\n",
            ".env files are read\n.TH is a macro\n\n",
            "'quoted' words\n",
            ".a { color: red }\n",
        ] {
            assert_ne!(detected(other).as_deref(), Some("text/troff"), "{other}");
        }
        assert_eq!(MediaType::detect("man1/tool.1", ".TH TOOL 1\n").name(), "text/troff");
    }

    #[test]
    fn the_name_has_priority_and_plain_text_is_the_fallback() {
        assert_eq!(MediaType::detect("a.md", "<html>").name(), "text/markdown");
        assert_eq!(MediaType::detect("bin/run", "#!/bin/sh\n").name(), "text/x-shellscript");
        assert_eq!(MediaType::detect("bin/run", "words"), MediaType::PLAIN);
    }

    #[test]
    fn nul_bytes_and_pdf_are_binary() {
        assert!(is_binary(b"%PDF-1.7\n") && is_binary(b"a\0b"));
        assert!(!is_binary("ä".as_bytes()) && !is_binary(b""));
    }
}
