/*!
Media types: what a document is, which decides how it is split and how its chunks are joined.

A media type is kept by its essence: lower case, without parameters, and under one name where
several are in use, so `Text/X-Markdown; charset=utf-8` is `text/markdown`. Any string can be one,
for a store may hold documents that came from elsewhere; what nobody knows counts as prose. Which
types have a name here stands in the table of this module, and nowhere else.
*/

mod content;
mod family;
mod kind;
mod table;

use crate::{Error, Kind};
pub use content::is_binary;
pub use family::{CommentSyntax, Family};
use std::{borrow::Cow, fmt, str::FromStr};
pub use table::NAMES;
use table::{KNOWN, Known};

/// The tools whose files often have more behind the name.
const TOOLS: [&str; 4] = ["dockerfile", "containerfile", "makefile", "jenkinsfile"];

/// What the ends of a name mean (RFC 6838), and the types of that structure.
const SUFFIXES: [(&str, &str); 4] = [
    ("+json", "application/json"),
    ("+yaml", "text/x-yaml"),
    ("+toml", "text/x-toml"),
    ("+xml", "application/xml"),
];

/// What a document is: the essence of a MIME type.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct MediaType(Cow<'static, str>);

impl MediaType {
    /// Markdown, with GitHub's tables and front matter.
    pub const MARKDOWN: MediaType = MediaType(Cow::Borrowed("text/markdown"));
    /// Text without structure but lines and paragraphs; what a document is when nothing is known.
    pub const PLAIN: MediaType = MediaType(Cow::Borrowed("text/plain"));

    /// Takes any string as a media type; parameters such as `; charset=utf-8` are left off.
    pub fn new(given: &str) -> Self {
        let essence = given.split_once(';').map_or(given, |(essence, _)| essence);
        let essence = essence.trim().to_ascii_lowercase();
        match KNOWN.iter().find(|known| known.name == essence || known.aliases.contains(&&*essence))
        {
            Some(known) => Self(Cow::Borrowed(known.name)),
            None => Self(Cow::Owned(essence)),
        }
    }

    /// Returns the media type of a file by its name or path, or `None` if the name tells nothing.
    ///
    /// Case does not matter. Both `/` and `\` part folders. The whole name goes before what
    /// follows its last dot, and that before what stands in front of the first, which may name a
    /// tool: `Dockerfile.dev`, `Makefile.am`.
    pub fn from_path(path: &str) -> Option<Self> {
        let name = path.rsplit(['/', '\\']).next().unwrap_or(path).to_ascii_lowercase();
        // A leading dot begins the name of a hidden file and no extension.
        let extension = name.rsplit_once('.').filter(|(stem, _)| !stem.is_empty());
        let extension = extension.map(|(_, extension)| extension);
        let stem = name.split_once('.').map(|(stem, _)| stem).filter(|stem| TOOLS.contains(stem));
        let named = |name| KNOWN.iter().find(|known| known.files.contains(&name));
        named(&name)
            .or_else(|| {
                let extension = extension?;
                KNOWN.iter().find(|known| known.extensions.contains(&extension))
            })
            .or_else(|| named(stem?))
            .map(|known| Self(Cow::Borrowed(known.name)))
    }

    /// Returns the name that is stored.
    pub fn name(&self) -> &str {
        &self.0
    }

    /// Tells whether the type or its structure stands in the table, rather than being any string.
    pub fn is_known(&self) -> bool {
        self.known().is_some()
    }

    /// Returns the name of the type whose structure this one has: its own, or that which its end
    /// names, so `application/ld+json` is split as `application/json`.
    pub fn structure(&self) -> &str {
        self.known().map_or(&self.0, |known| known.name)
    }

    /// Returns the row of the table that tells of the type.
    fn known(&self) -> Option<&'static Known> {
        let named = |name: &str| KNOWN.iter().find(|known| known.name == name);
        named(&self.0).or_else(|| {
            let (_, name) = SUFFIXES.iter().find(|(end, _)| self.0.ends_with(end))?;
            named(name)
        })
    }

    /// Returns what the type's chunks have in common; prose where nothing is known.
    ///
    /// # Source
    ///
    /// The classes of *Content-Agnostic Assembly* (seed 004). Types that end in `+json`, `+yaml`
    /// or `+xml` are data, as RFC 6838 means them.
    pub fn family(&self) -> Family {
        self.known().map_or(Family::Prose, |known| known.family)
    }

    /// Returns the syntax of a one-line comment, or `None` where it is unknown or the type has no
    /// comments, as JSON.
    pub fn comment_syntax(&self) -> Option<CommentSyntax> {
        self.known()?.comment
    }

    /// Returns the kind of chunk that the type is split into, its place apart; see [`Kind::detect`].
    pub fn kind(&self) -> Kind {
        match self.family() {
            Family::Prose => Kind::Prose,
            Family::Code => Kind::Code,
            Family::Data => Kind::Data,
        }
    }
}

impl FromStr for MediaType {
    type Err = Error;

    /// Takes a media type that has to stand in the table.
    ///
    /// # Errors
    ///
    /// Returns [`Error::UnknownValue`] for any other.
    fn from_str(given: &str) -> Result<Self, Error> {
        let media_type = Self::new(given);
        if media_type.is_known() {
            return Ok(media_type);
        }
        Err(Error::UnknownValue { argument: "media type", value: given.to_owned(), valid: NAMES })
    }
}

impl fmt::Display for MediaType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_language_has_a_comment_and_json_has_none() {
        for known in &KNOWN {
            let comment = MediaType::new(known.name).comment_syntax();
            // A difference is no language.
            if known.family == Family::Code && known.name != "text/x-diff" {
                assert!(comment.is_some(), "{}", known.name);
            }
            if known.name.contains("json") {
                assert_eq!(comment, None, "{}", known.name);
            }
        }
    }

    #[test]
    fn parameters_and_case_do_not_matter() {
        let markdown = MediaType::new(" Text/X-Markdown ; charset=UTF-8; variant=GFM");
        assert_eq!(markdown, MediaType::MARKDOWN);
        assert_eq!(markdown.name(), "text/markdown");
    }

    #[test]
    fn files_are_known_by_their_names_whatever_the_case() {
        let of = |name: &str| MediaType::from_path(name).map(|found| found.name().to_owned());
        assert_eq!(of("README.MD").as_deref(), Some("text/markdown"));
        assert_eq!(of("docs/guide.Mdx").as_deref(), Some("text/markdown"));
        assert_eq!(of("C:\\notes\\todo.markdown").as_deref(), Some("text/markdown"));
        assert_eq!(of("src/UserService.ts").as_deref(), Some("text/x-typescript"));
        assert_eq!(of("a.tar.json").as_deref(), Some("application/json"));
        assert_eq!(of("Makefile").as_deref(), Some("text/x-makefile"));
        assert_eq!(of("LICENSE").as_deref(), Some("text/plain"));
        assert_eq!(of("app.TSX").as_deref(), Some("text/x-tsx"));
        assert_eq!(of("Dockerfile.dev").as_deref(), Some("text/x-dockerfile"));
        assert_eq!(of("Dockerfile.md").as_deref(), Some("text/markdown"));
        assert_eq!(of("CMakeLists.txt").as_deref(), Some("text/x-cmake"));
        assert_eq!(of("home/.bashrc").as_deref(), Some("text/x-shellscript"));
        assert_eq!(of("include/x.h").as_deref(), Some("text/x-c"));
        assert_eq!(of("photo.jpeg"), None);
        assert_eq!(of(".md"), None);
        assert_eq!(of("docs.md/picture"), None);
    }

    #[test]
    fn seed_004_types_have_their_families() {
        let family = |name: &str| MediaType::new(name).family();
        for prose in "text/markdown text/x-markdown text/html application/xhtml+xml text/plain \
            text/vnd.nobody-knows image/png"
            .split_whitespace()
        {
            assert_eq!(family(prose), Family::Prose, "{prose}");
        }
        for code in "text/x-typescript text/javascript text/x-python text/x-rust".split_whitespace()
        {
            assert_eq!(family(code), Family::Code, "{code}");
        }
        for data in "application/json text/json text/x-json text/x-yaml text/x-toml \
            application/ld+json"
            .split_whitespace()
        {
            assert_eq!(family(data), Family::Data, "{data}");
        }
        assert_eq!(family(""), Family::Prose);
    }

    #[test]
    fn the_end_of_a_name_tells_the_structure() {
        let json = "Application/LD+JSON; charset=utf-8".parse::<MediaType>().unwrap();
        assert_eq!((json.name(), json.structure()), ("application/ld+json", "application/json"));
        assert_eq!(MediaType::new("application/toml").structure(), "text/x-toml");
        assert_eq!(MediaType::new("application/vnd.oai.openapi+yaml").structure(), "text/x-yaml");
        assert_eq!(MediaType::new("image/svg+xml").structure(), "application/xml");
        assert_eq!(MediaType::new("application/xhtml+xml").structure(), "text/html");
        assert_eq!(
            MediaType::new("application/x-ipynb+json").structure(),
            "application/x-ipynb+json"
        );
        assert_eq!(MediaType::new("image/png").structure(), "image/png");
    }

    #[test]
    fn an_unknown_type_is_kept_but_refused_where_a_person_gives_it() {
        assert_eq!(MediaType::new("Application/Pdf").name(), "application/pdf");
        let error = "Application/Pdf".parse::<MediaType>().unwrap_err();
        assert_eq!(error.to_string(), "unrecognized value for \"media type\": \"Application/Pdf\"");
        assert_eq!("text/X-markdown;a=b".parse(), Ok(MediaType::MARKDOWN));
    }
}
