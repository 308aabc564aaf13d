//! The media types that have a name, a family and file names.

use super::Family::{self, Code, Data, Prose};

/// A media type that is known by name.
pub(super) struct Known {
    /// The name under which it is stored, in lower case.
    pub(super) name: &'static str,
    /// Other names in use, in lower case.
    pub(super) aliases: &'static [&'static str],
    pub(super) family: Family,
    /// What follows the last dot of a file's name, in lower case.
    pub(super) extensions: &'static [&'static str],
    /// Whole names of files, in lower case.
    pub(super) files: &'static [&'static str],
}

const fn known(
    family: Family,
    name: &'static str,
    aliases: &'static [&'static str],
    extensions: &'static [&'static str],
    files: &'static [&'static str],
) -> Known {
    Known { name, aliases, family, extensions, files }
}

/// The names of all known types, as a hint lists them.
pub const NAMES: &str = "text/markdown, text/plain, text/html, text/x-rst, text/x-asciidoc, \
    text/x-tex, text/x-rust, text/x-typescript, text/javascript, text/x-python, text/x-go, \
    text/x-java, text/x-kotlin, text/x-scala, text/x-swift, text/x-c, text/x-c++, text/x-csharp, \
    text/x-ruby, text/x-php, text/x-perl, text/x-lua, text/x-shellscript, text/x-sql, text/css, \
    text/x-makefile, text/x-dockerfile, application/json, application/jsonl, text/x-yaml, \
    text/x-toml, text/x-ini, text/csv, application/xml";

/// Every known type, in the order of [`NAMES`].
pub(super) const KNOWN: [Known; 34] = [
    // MDX is Markdown whose JSX reads as HTML blocks and paragraphs.
    known(
        Prose,
        "text/markdown",
        &["text/x-markdown", "text/mdx"],
        &["md", "markdown", "mdown", "mkd", "mdx"],
        &[],
    ),
    known(
        Prose,
        "text/plain",
        &[],
        &["txt", "text", "log"],
        &["readme", "license", "copying", "authors", "changelog", "changes", "notice", "news"],
    ),
    known(Prose, "text/html", &["application/xhtml+xml"], &["html", "htm", "xhtml"], &[]),
    known(Prose, "text/x-rst", &["text/prs.fallenstein.rst"], &["rst"], &[]),
    known(Prose, "text/x-asciidoc", &["text/asciidoc"], &["adoc", "asciidoc"], &[]),
    known(Prose, "text/x-tex", &["application/x-tex", "application/x-latex"], &["tex"], &[]),
    known(Code, "text/x-rust", &["text/rust"], &["rs"], &[]),
    known(
        Code,
        "text/x-typescript",
        &["text/typescript", "application/typescript", "application/x-typescript", "text/x-tsx"],
        &["ts", "tsx", "mts", "cts"],
        &[],
    ),
    known(
        Code,
        "text/javascript",
        &["application/javascript", "application/x-javascript", "text/x-javascript", "text/jsx"],
        &["js", "jsx", "mjs", "cjs"],
        &[],
    ),
    known(
        Code,
        "text/x-python",
        &["text/python", "application/x-python", "text/x-python-script"],
        &["py", "pyi"],
        &[],
    ),
    known(Code, "text/x-go", &["text/x-golang"], &["go"], &[]),
    known(Code, "text/x-java", &["text/x-java-source"], &["java"], &[]),
    known(Code, "text/x-kotlin", &[], &["kt", "kts"], &[]),
    known(Code, "text/x-scala", &[], &["scala"], &[]),
    known(Code, "text/x-swift", &[], &["swift"], &[]),
    known(Code, "text/x-c", &["text/x-csrc", "text/x-chdr"], &["c", "h"], &[]),
    known(
        Code,
        "text/x-c++",
        &["text/x-c++src", "text/x-c++hdr", "text/x-cpp"],
        &["cc", "cpp", "cxx", "hh", "hpp", "hxx"],
        &[],
    ),
    known(Code, "text/x-csharp", &["text/x-cs"], &["cs"], &[]),
    known(Code, "text/x-ruby", &["application/x-ruby"], &["rb", "rake"], &["gemfile", "rakefile"]),
    known(Code, "text/x-php", &["application/x-php", "application/x-httpd-php"], &["php"], &[]),
    known(Code, "text/x-perl", &["application/x-perl"], &["pl", "pm"], &[]),
    known(Code, "text/x-lua", &[], &["lua"], &[]),
    known(
        Code,
        "text/x-shellscript",
        &["application/x-sh", "text/x-sh", "application/x-shellscript"],
        &["sh", "bash", "zsh"],
        &[],
    ),
    known(Code, "text/x-sql", &["application/sql"], &["sql"], &[]),
    known(Code, "text/css", &[], &["css", "scss", "less"], &[]),
    known(Code, "text/x-makefile", &[], &["mk"], &["makefile", "gnumakefile"]),
    known(Code, "text/x-dockerfile", &[], &["dockerfile"], &["dockerfile", "containerfile"]),
    known(
        Data,
        "application/json",
        &["text/json", "text/x-json"],
        &["json", "jsonc", "json5", "geojson"],
        &[],
    ),
    known(
        Data,
        "application/jsonl",
        &["application/x-ndjson", "application/x-jsonlines"],
        &["jsonl", "ndjson"],
        &[],
    ),
    known(
        Data,
        "text/x-yaml",
        &["application/yaml", "application/x-yaml", "text/yaml"],
        &["yaml", "yml"],
        &[],
    ),
    known(
        Data,
        "text/x-toml",
        &["application/toml", "text/toml"],
        &["toml"],
        &["cargo.lock", "poetry.lock"],
    ),
    known(Data, "text/x-ini", &[], &["ini", "cfg", "conf", "properties"], &[]),
    known(Data, "text/csv", &["text/tab-separated-values"], &["csv", "tsv"], &[]),
    known(Data, "application/xml", &["text/xml"], &["xml", "xsd", "svg"], &[]),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hint_lists_the_whole_table() {
        let names: Vec<&str> = KNOWN.iter().map(|known| known.name).collect();
        assert_eq!(NAMES, names.join(", "));
    }

    #[test]
    fn no_name_or_extension_means_two_things() {
        let names = KNOWN.iter().flat_map(|known| known.aliases.iter().chain([&known.name]));
        let files = KNOWN.iter().flat_map(|known| known.extensions.iter());
        for list in [names.collect::<Vec<_>>(), files.collect()] {
            let mut once = list.clone();
            once.sort_unstable();
            once.dedup();
            assert_eq!(once.len(), list.len());
            assert!(list.iter().all(|name| **name == name.to_ascii_lowercase()));
        }
    }
}
