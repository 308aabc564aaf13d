/*!
The page of `passage serve`, and the file of `passage context --html`.

Both show the same view with the same modules in `page/`. The server sends each module as a file. A report is one file
that needs no server: its script, style and data are inline. A strict policy allows nothing else, and documents
become text nodes only, so their text never runs.
*/

use base64::Engine;
use base64::engine::general_purpose::STANDARD as BASE64;
use serde_json::Value;
use sha2::{Digest, Sha256};
use std::fmt::Write;

/// The policy of the page: scripts and styles of this server only, no markup from strings.
pub(crate) const CONTENT_SECURITY_POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; \
     img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; \
     require-trusted-types-for 'script'; trusted-types 'none'";

const HTML: &str = "text/html; charset=utf-8";
const CSS: &str = "text/css; charset=utf-8";
const SCRIPT: &str = "text/javascript; charset=utf-8";

const STYLE: &str = include_str!("page/page.css");

/// Declares the modules, by the names of their files.
macro_rules! modules {
    ($($name:literal),* $(,)?) => {
        &[$(($name, include_str!(concat!("page/", $name)))),*]
    };
}

/// The modules of a report, in an order in which each follows those that it imports.
const REPORT_MODULES: &[(&str, &str)] = modules![
    "dom.js",
    "format.js",
    "marks.js",
    "sql.js",
    "sql_copies.js",
    "budget.js",
    "sizes.js",
    "tree.js",
    "chunk_text.js",
    "passage.js",
    "report.js",
];

/// The modules that only the page has.
const PAGE_MODULES: &[(&str, &str)] = modules![
    "api.js",
    "call_copies.js",
    "cards.js",
    "compare.js",
    "context.js",
    "document_data.js",
    "documents.js",
    "evaluation.js",
    "fields.js",
    "hits.js",
    "links.js",
    "page.js",
    "ratings.js",
    "search.js",
    "state.js",
];

/// A file of the page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Asset {
    pub content_type: &'static str,
    pub body: &'static str,
}

/// Returns the file of the page at a path; `None` if there is none.
pub(crate) fn asset(path: &str) -> Option<Asset> {
    let (content_type, body) = match path.strip_prefix('/')? {
        "" => (HTML, include_str!("page/index.html")),
        "page.css" => (CSS, STYLE),
        name => {
            let mut modules = PAGE_MODULES.iter().chain(REPORT_MODULES);
            (SCRIPT, modules.find(|(module, _)| *module == name)?.1)
        }
    };
    Some(Asset { content_type, body })
}

/// Returns the view of a passage as one HTML file, which needs no server and loads nothing.
///
/// `view` is an object with `passage` (a row of `reassemble`), `explain`, `outline` and `chunks` (rows), `budget` (a
/// number or null), `call` (the arguments of `explain_context`) and `origin` (a text for the end of the page).
pub fn single_file(view: &Value) -> String {
    let script = report_script();
    let policy = format!(
        "default-src 'none'; script-src '{}'; style-src '{}'; base-uri 'none'; form-action 'none'; \
         require-trusted-types-for 'script'; trusted-types 'none'",
        source_hash(&script),
        source_hash(STYLE)
    );
    let data = inline_json(view);
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"{policy}\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n<meta name=\"referrer\" content=\"no-referrer\">\n\
         <title>pg_passage</title>\n<style>{STYLE}</style>\n</head>\n<body>\n\
         <header class=\"top\"><span class=\"brand\">pg_passage</span></header>\n\
         <main id=\"main\"><noscript>This file needs JavaScript.</noscript></main>\n\
         <script type=\"application/json\" id=\"view\">{data}</script>\n\
         <script type=\"module\">{script}</script>\n</body>\n</html>\n"
    )
}

/// Returns the modules of a report as one script.
///
/// An inline script cannot import another one. So each module becomes a function that returns its exports, and
/// names that a module does not export stay its own.
fn report_script() -> String {
    let mut script = String::new();
    for (_, source) in REPORT_MODULES {
        let exports: Vec<_> = source.lines().filter_map(exported_name).collect();
        let names = exports.join(", ");
        let _ = writeln!(script, "const {{ {names} }} = (() => {{");
        for line in source.lines().filter(|line| !line.starts_with("import ")) {
            script.push_str(line.strip_prefix("export ").unwrap_or(line));
            script.push('\n');
        }
        let _ = writeln!(script, "return {{ {names} }}\n}})()");
    }
    script
}

/// Returns the name that a line exports.
fn exported_name(line: &str) -> Option<&str> {
    let declaration = line.strip_prefix("export ")?;
    let declaration = declaration.strip_prefix("async ").unwrap_or(declaration);
    let name = declaration.split(' ').nth(1).expect("an export declares a name");
    name.split('(').next()
}

/// Returns JSON for a script element: no character of it can end the element or begin a comment.
fn inline_json(value: &Value) -> String {
    let mut escaped = String::new();
    for char in value.to_string().chars() {
        match char {
            '<' | '>' | '&' | '\u{2028}' | '\u{2029}' => {
                let _ = write!(escaped, "\\u{:04x}", u32::from(char));
            }
            _ => escaped.push(char),
        }
    }
    escaped
}

/// Returns the expression of a policy that allows a script or a style with this text.
fn source_hash(text: &str) -> String {
    format!("sha256-{}", BASE64.encode(Sha256::digest(text)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn every_file_that_the_page_names_is_an_asset() {
        let html = asset("/").unwrap();
        assert_eq!(html.content_type, HTML);
        for name in ["page.css", "page.js"] {
            assert!(html.body.contains(&format!("\"{name}\"")), "{name}");
        }
        for (name, source) in PAGE_MODULES.iter().chain(REPORT_MODULES) {
            for import in source.lines().filter(|line| line.starts_with("import ")) {
                let path = import.split('\'').nth(1).and_then(|path| path.strip_prefix('.'));
                assert!(path.and_then(asset).is_some(), "{name}: {import}");
            }
        }
        assert_eq!(asset("/page.css").unwrap().content_type, CSS);
        assert_eq!(asset("/other.js"), None);
        assert_eq!(asset("page.js"), None);
    }

    #[test]
    fn a_report_has_each_module_after_those_that_it_imports() {
        let position = |path: &str| REPORT_MODULES.iter().position(|(name, _)| *name == path);
        for (at, (name, source)) in REPORT_MODULES.iter().enumerate() {
            for import in source.lines().filter(|line| line.starts_with("import ")) {
                let path = import.split("'./").nth(1).and_then(|path| path.strip_suffix('\''));
                let imported = path.and_then(position);
                assert!(imported.is_some_and(|imported| imported < at), "{name}: {import}");
            }
        }
    }

    #[test]
    fn names_that_modules_of_a_report_export_are_unique() {
        let all = REPORT_MODULES.iter().flat_map(|(_, source)| source.lines());
        let mut names: Vec<_> = all.filter_map(exported_name).collect();
        let count = names.len();
        assert!(count > 20);
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), count);
        let script = report_script();
        assert!(!script.contains("\nimport ") && !script.contains("\nexport "));
    }

    #[test]
    fn text_of_a_document_cannot_end_the_data_of_a_report() {
        let text = "</script><script>alert(1)</script><!--\u{2028}&amp;";
        let file = single_file(&json!({"passage": {"content": text}}));
        assert!(!file.contains("alert(1)</script>") && !file.contains('\u{2028}'));
        assert_eq!(file.matches("</script>").count(), 2);
        let data = file.split("id=\"view\">").nth(1).unwrap().split("</script>").next().unwrap();
        assert!(!data.contains(['<', '>', '&']));
        let view: Value = serde_json::from_str(data).unwrap();
        assert_eq!(view["passage"]["content"], text);
    }

    #[test]
    fn a_report_allows_only_its_own_script_and_style() {
        let file = single_file(&json!({}));
        for (begin, end) in [("<style>", "</style>"), ("<script type=\"module\">", "</script>")] {
            let inline = file.split(begin).nth(1).unwrap().split(end).next().unwrap();
            assert!(file.contains(&source_hash(inline)), "{begin}");
        }
        assert!(file.contains("default-src 'none'"));
    }
}
