//! The table of known media types, with family and file names.
//!
//! Its twin in SQL is `sql/edition/media_types.sql`.

use super::family::CommentSyntax;
use super::family::Family::{self, Code, Data, Prose};

/// A known media type.
pub(super) struct KnownMediaType {
    /// The stored name, in lower case.
    pub(super) name: &'static str,
    /// Other names, in lower case.
    pub(super) aliases: &'static [&'static str],
    pub(super) family: Family,
    /// File name extensions without the dot, in lower case.
    pub(super) extensions: &'static [&'static str],
    /// Complete file names, in lower case.
    pub(super) files: &'static [&'static str],
    /// The syntax of a one-line comment, if the type has one.
    pub(super) comment: Option<CommentSyntax>,
}

impl KnownMediaType {
    const fn comment(self, prefix: &'static str, suffix: &'static str) -> Self {
        Self { comment: Some(CommentSyntax { prefix, suffix, empty_body: None }), ..self }
    }

    const fn line_comment(self, prefix: &'static str) -> Self {
        self.comment(prefix, "")
    }

    const fn indented_comment(self, prefix: &'static str, empty_body: &'static str) -> Self {
        let comment = CommentSyntax { prefix, suffix: "", empty_body: Some(empty_body) };
        Self { comment: Some(comment), ..self }
    }
}

const fn known(
    family: Family,
    name: &'static str,
    aliases: &'static [&'static str],
    extensions: &'static [&'static str],
    files: &'static [&'static str],
) -> KnownMediaType {
    KnownMediaType { name, aliases, family, extensions, files, comment: None }
}

/// The names of all known types, as a HINT lists them.
pub const NAMES: &str = "text/markdown, text/plain, text/x-changelog, text/html, application/x-ipynb+json, text/x-rst, \
    text/x-asciidoc, text/x-tex, text/troff, text/x-rust, text/x-typescript, text/x-tsx, \
    text/javascript, text/x-jsx, text/x-python, text/x-go, text/x-java, text/x-kotlin, \
    text/x-scala, text/x-groovy, text/x-swift, text/x-dart, text/x-c, text/x-c++, \
    text/x-objective-c, text/x-csharp, text/x-ruby, text/x-php, text/x-perl, text/x-lua, \
    text/x-r, text/x-julia, text/x-haskell, text/x-elixir, text/x-erlang, text/x-clojure, \
    text/x-zig, text/x-shellscript, text/x-powershell, text/x-sql, text/css, text/x-scss, \
    text/x-vue, text/x-svelte, text/x-astro, text/x-graphql, text/x-protobuf, text/x-makefile, text/x-cmake, text/x-dockerfile, \
    text/x-hcl, text/x-diff, application/json, application/jsonl, text/x-yaml, text/x-toml, \
    text/x-ini, text/x-java-properties, text/csv, application/xml";

/// All known types, in the order of [`NAMES`].
pub(super) const KNOWN: [KnownMediaType; 60] = [
    // MDX is Markdown whose JSX reads as HTML blocks and paragraphs.
    known(
        Prose,
        "text/markdown",
        &["text/x-markdown", "text/mdx"],
        &["md", "markdown", "mdown", "mkd", "mkdn", "mdwn", "rmd", "qmd", "mdx"],
        &[],
    ),
    known(
        Prose,
        "text/plain",
        &["text/x-log"],
        &["txt", "text", "log"],
        &["readme", "license", "licence", "copying", "authors", "contributors", "notice", "todo"],
    ),
    known(
        Prose,
        "text/x-changelog",
        &[],
        &[],
        &[
            "changelog",
            "changelog.txt",
            "changes",
            "changes.txt",
            "news",
            "news.txt",
            "history",
            "history.txt",
        ],
    ),
    known(Prose, "text/html", &["application/xhtml+xml"], &["html", "htm", "xhtml", "shtml"], &[]),
    // Notebooks are converted to Markdown.
    known(Prose, "application/x-ipynb+json", &["application/vnd.jupyter"], &["ipynb"], &[]),
    known(Prose, "text/x-rst", &["text/prs.fallenstein.rst", "text/rst"], &["rst", "rest"], &[]),
    known(Prose, "text/x-asciidoc", &["text/asciidoc"], &["adoc", "asciidoc", "asc"], &[]),
    known(
        Prose,
        "text/x-tex",
        &["application/x-tex", "application/x-latex", "text/x-latex"],
        &["tex", "ltx", "sty"],
        &[],
    ),
    known(
        Prose,
        "text/troff",
        &["text/x-troff", "application/x-troff", "application/x-troff-man"],
        &["man", "roff", "troff", "mdoc"],
        &[],
    ),
    known(Code, "text/x-rust", &["text/rust"], &["rs"], &[]).line_comment("//"),
    known(
        Code,
        "text/x-typescript",
        &["text/typescript", "application/typescript", "application/x-typescript"],
        &["ts", "mts", "cts"],
        &[],
    )
    .line_comment("//"),
    // The dialects with markup have different grammars and so are separate types.
    known(Code, "text/x-tsx", &["text/tsx"], &["tsx"], &[]).line_comment("//"),
    known(
        Code,
        "text/javascript",
        &[
            "application/javascript",
            "application/x-javascript",
            "text/x-javascript",
            "text/ecmascript",
            "application/ecmascript",
        ],
        &["js", "mjs", "cjs"],
        &[],
    )
    .line_comment("//"),
    known(Code, "text/x-jsx", &["text/jsx"], &["jsx"], &[]).line_comment("//"),
    known(
        Code,
        "text/x-python",
        &[
            "text/python",
            "application/x-python",
            "text/x-python-script",
            "application/x-python-code",
        ],
        &["py", "pyi", "pyw"],
        &["sconstruct", "sconscript"],
    )
    .indented_comment("#", "..."),
    known(Code, "text/x-go", &["text/x-golang"], &["go"], &[]).line_comment("//"),
    known(Code, "text/x-java", &["text/x-java-source"], &["java"], &[]).line_comment("//"),
    known(Code, "text/x-kotlin", &[], &["kt", "kts"], &[]).line_comment("//"),
    known(Code, "text/x-scala", &[], &["scala", "sc"], &[]).line_comment("//"),
    known(Code, "text/x-groovy", &[], &["groovy", "gradle"], &["jenkinsfile"]).line_comment("//"),
    known(Code, "text/x-swift", &[], &["swift"], &[]).line_comment("//"),
    known(Code, "text/x-dart", &[], &["dart"], &[]).line_comment("//"),
    known(Code, "text/x-c", &["text/x-csrc", "text/x-chdr"], &["c", "h"], &[]).line_comment("//"),
    known(
        Code,
        "text/x-c++",
        &["text/x-c++src", "text/x-c++hdr", "text/x-cpp"],
        &["cc", "cpp", "cxx", "c++", "hh", "hpp", "hxx", "h++", "ipp", "tpp", "ino", "cu", "cuh"],
        &[],
    )
    .line_comment("//"),
    known(Code, "text/x-objective-c", &["text/x-objcsrc"], &["m", "mm"], &[]).line_comment("//"),
    known(Code, "text/x-csharp", &["text/x-cs"], &["cs", "csx"], &[]).line_comment("//"),
    known(
        Code,
        "text/x-ruby",
        &["application/x-ruby"],
        &["rb", "rake", "gemspec", "ru", "podspec"],
        &["gemfile", "rakefile", "podfile", "vagrantfile", "brewfile"],
    )
    .line_comment("#"),
    known(
        Code,
        "text/x-php",
        &["application/x-php", "application/x-httpd-php"],
        &["php", "phtml"],
        &[],
    )
    .line_comment("//"),
    known(Code, "text/x-perl", &["application/x-perl"], &["pl", "pm"], &[]).line_comment("#"),
    known(Code, "text/x-lua", &[], &["lua"], &[]).line_comment("--"),
    known(Code, "text/x-r", &["text/x-rsrc"], &["r"], &[".rprofile"]).line_comment("#"),
    known(Code, "text/x-julia", &[], &["jl"], &[]).line_comment("#"),
    known(Code, "text/x-haskell", &[], &["hs"], &[]).line_comment("--"),
    known(Code, "text/x-elixir", &[], &["ex", "exs"], &[]).line_comment("#"),
    known(Code, "text/x-erlang", &[], &["erl", "hrl"], &[]).line_comment("%"),
    known(Code, "text/x-clojure", &[], &["clj", "cljs", "cljc", "edn"], &[]).line_comment(";"),
    known(Code, "text/x-zig", &[], &["zig"], &[]).line_comment("//"),
    known(
        Code,
        "text/x-shellscript",
        &[
            "application/x-sh",
            "text/x-sh",
            "application/x-shellscript",
            "text/x-bash",
            "application/x-bash",
        ],
        &["sh", "bash", "zsh", "ksh", "bats"],
        &[
            ".bashrc",
            ".bash_profile",
            ".bash_aliases",
            ".bash_logout",
            ".profile",
            ".zshrc",
            ".zprofile",
            ".zshenv",
            ".kshrc",
            "pkgbuild",
        ],
    )
    .line_comment("#"),
    known(Code, "text/x-powershell", &[], &["ps1", "psm1", "psd1"], &[]).line_comment("#"),
    known(
        Code,
        "text/x-sql",
        &["application/sql", "text/sql"],
        &["sql", "psql", "pgsql", "ddl", "dml"],
        &[],
    )
    .line_comment("--"),
    known(Code, "text/css", &[], &["css"], &[]).comment("/*", "*/"),
    known(Code, "text/x-scss", &[], &["scss", "sass", "less"], &[]).line_comment("//"),
    known(Code, "text/x-vue", &[], &["vue"], &[]).comment("<!--", "-->"),
    known(Code, "text/x-svelte", &[], &["svelte"], &[]).comment("<!--", "-->"),
    known(Code, "text/x-astro", &[], &["astro"], &[]).comment("<!--", "-->"),
    known(Code, "text/x-graphql", &["application/graphql"], &["graphql", "gql"], &[])
        .line_comment("#"),
    known(Code, "text/x-protobuf", &[], &["proto"], &[]).line_comment("//"),
    known(
        Code,
        "text/x-makefile",
        &[],
        &["mk", "mak"],
        &["makefile", "gnumakefile", "bsdmakefile"],
    )
    .line_comment("#"),
    known(Code, "text/x-cmake", &[], &["cmake"], &["cmakelists.txt"]).line_comment("#"),
    known(Code, "text/x-dockerfile", &[], &["dockerfile"], &["dockerfile", "containerfile"])
        .line_comment("#"),
    known(Code, "text/x-hcl", &[], &["tf", "hcl", "tfvars"], &[]).line_comment("#"),
    known(Code, "text/x-diff", &["text/x-patch"], &["diff", "patch"], &[]),
    known(
        Data,
        "application/json",
        &["text/json", "text/x-json"],
        &["json", "jsonc", "json5", "geojson", "webmanifest", "har"],
        &["composer.lock", "pipfile.lock", ".babelrc", ".eslintrc", ".prettierrc"],
    ),
    known(
        Data,
        "application/jsonl",
        &["application/x-ndjson", "application/x-jsonlines", "application/json-lines"],
        &["jsonl", "ndjson"],
        &[],
    ),
    known(
        Data,
        "text/x-yaml",
        &["application/yaml", "application/x-yaml", "text/yaml"],
        &["yaml", "yml"],
        &["pubspec.lock", ".clang-format", ".clang-tidy", ".yamllint"],
    )
    .line_comment("#"),
    known(
        Data,
        "text/x-toml",
        &["application/toml", "text/toml"],
        &["toml"],
        &["cargo.lock", "poetry.lock", "uv.lock", "pipfile"],
    )
    .line_comment("#"),
    known(
        Data,
        "text/x-ini",
        &[],
        &[
            "ini",
            "cfg",
            "conf",
            "cnf",
            "env",
            "editorconfig",
            "desktop",
            "service",
            "socket",
            "timer",
        ],
        &[
            ".coveragerc",
            ".gitconfig",
            ".gitmodules",
            ".gitattributes",
            ".editorconfig",
            ".npmrc",
            ".env",
            ".pylintrc",
            ".flake8",
        ],
    )
    .line_comment(";"),
    known(Data, "text/x-java-properties", &["text/x-properties"], &["properties"], &[])
        .line_comment("#"),
    known(
        Data,
        "text/csv",
        &["text/tab-separated-values", "text/x-csv", "application/csv"],
        &["csv", "tsv", "tab", "psv"],
        &[],
    ),
    known(
        Data,
        "application/xml",
        &["text/xml"],
        &[
            "xml", "xsd", "xsl", "xslt", "svg", "rss", "atom", "plist", "wsdl", "pom", "csproj",
            "fsproj", "vbproj", "vcxproj", "nuspec", "resx", "xaml", "xlf", "xliff", "opml", "kml",
            "gpx", "dbk",
        ],
        &[],
    ),
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

    /// The statements of `sql/edition/media_types.sql`, in which the SQL edition has the table.
    fn sql_edition() -> String {
        let quote = |text: &str| format!("'{}'", text.replace('\'', "''"));
        let optional = |text: Option<&str>| text.map_or("NULL".to_owned(), quote);
        let row = |known: &KnownMediaType| {
            let family = match known.family {
                Prose => "prose",
                Code => "code",
                Data => "data",
            };
            let comment = known.comment;
            format!(
                "        ('{}', '{{{}}}'::text[], '{family}', '{{{}}}'::text[], '{{{}}}'::text[], {}, {}, {})",
                known.name,
                known.aliases.join(","),
                known.extensions.join(","),
                known.files.join(","),
                optional(comment.map(|comment| comment.prefix)),
                optional(comment.map(|comment| comment.suffix)),
                optional(comment.and_then(|comment| comment.empty_body)),
            )
        };
        format!(
            "-- Printed by core/split/src/media_type/table.rs: do not edit. PASSAGE_WRITE_EXAMPLES=1 lets its test write the file.\n\n\
             CREATE FUNCTION _passage.media_types() RETURNS TABLE (\n    \
             name text, aliases text[], family text, extensions text[], files text[], comment_prefix text, comment_suffix text, empty_body text\n) \
             LANGUAGE sql IMMUTABLE PARALLEL SAFE ROWS {}\nSET search_path = pg_catalog, pg_temp\nAS $$\n    \
             VALUES\n{}\n$$;\n\n\
             COMMENT ON FUNCTION _passage.media_types() IS 'known media types, with family and comments';\n",
            KNOWN.len(),
            KNOWN.iter().map(row).collect::<Vec<_>>().join(",\n"),
        )
    }

    #[test]
    fn the_sql_edition_has_the_table() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../sql/edition/media_types.sql");
        if std::env::var_os("PASSAGE_WRITE_EXAMPLES").is_some() {
            std::fs::write(path, sql_edition()).unwrap();
        }
        let written = std::fs::read_to_string(path).unwrap();
        assert!(written == sql_edition(), "{path} differs; PASSAGE_WRITE_EXAMPLES=1 writes it");
    }
}
