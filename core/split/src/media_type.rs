/*!
Media types: the type of a document decides how it is split and how its chunks are joined.

A media type is reduced to its essence: lower case, without parameters, and with one name where several are in
use. So `Text/X-Markdown; charset=utf-8` is `text/markdown`. Any string is accepted, since a store may contain
documents from elsewhere; unknown types count as prose. The table of this module lists the known types.
*/

mod content;
mod family;
mod kind;
mod language_marks;
mod likely;
mod table;

use crate::{Error, Kind};
pub use content::is_binary;
pub use family::{CommentSyntax, Family};
pub use likely::LikelyType;
use std::{borrow::Cow, fmt, str::FromStr};
pub use table::NAMES;
use table::{KNOWN, KnownMediaType};

/// The tools whose file names often have a suffix.
const TOOLS: [&str; 4] = ["dockerfile", "containerfile", "makefile", "jenkinsfile"];

/// The structured syntax suffixes of RFC 6838 and their types.
const SUFFIXES: [(&str, &str); 4] = [
    ("+json", "application/json"),
    ("+yaml", "text/x-yaml"),
    ("+toml", "text/x-toml"),
    ("+xml", "application/xml"),
];

/// The essence of a MIME type.
///
/// ```
/// use passage_split::{Family, MediaType};
///
/// let media_type = MediaType::new("Text/X-Markdown; charset=utf-8");
/// assert_eq!(media_type, MediaType::MARKDOWN);
/// assert_eq!(media_type.family(), Family::Prose);
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct MediaType(Cow<'static, str>);

impl MediaType {
    /// Markdown, with GitHub's tables and front matter.
    pub const MARKDOWN: MediaType = MediaType(Cow::Borrowed("text/markdown"));
    /// Plain text with lines and paragraphs; the fallback for unknown documents.
    pub const PLAIN: MediaType = MediaType(Cow::Borrowed("text/plain"));

    /// Creates a media type from any string, without parameters such as `; charset=utf-8`.
    pub fn new(given: &str) -> Self {
        let essence = given.split_once(';').map_or(given, |(essence, _)| essence);
        let essence = essence.trim().to_ascii_lowercase();
        match KNOWN.iter().find(|known| known.name == essence || known.aliases.contains(&&*essence))
        {
            Some(known) => Self(Cow::Borrowed(known.name)),
            None => Self(Cow::Owned(essence)),
        }
    }

    /// Returns the media type of a file from its name or path, or `None` if unknown.
    ///
    /// Case is ignored. Both `/` and `\` separate folders. The complete name has priority over the
    /// extension, and that over a tool's name before the first dot: `Dockerfile.dev`, `Makefile.am`.
    ///
    /// ```
    /// use passage_split::MediaType;
    ///
    /// assert_eq!(MediaType::from_path("docs/a.md"), Some(MediaType::MARKDOWN));
    /// assert_eq!(MediaType::from_path("docs/a"), None);
    /// ```
    pub fn from_path(path: &str) -> Option<Self> {
        let name = path.rsplit(['/', '\\']).next().unwrap_or(path).to_ascii_lowercase();
        // A leading dot marks a hidden file and not an extension.
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
            // `.env.local` has the settings of one environment.
            .or_else(|| named(".env").filter(|_| name.starts_with(".env.")))
            .map(|known| Self(Cow::Borrowed(known.name)))
    }

    /// Returns the media type that the name in a uri tells, or `None`. In a URL the name is in its path, so the host
    /// `example.org` is not a file of Org mode.
    ///
    /// ```
    /// use passage_split::MediaType;
    ///
    /// assert_eq!(MediaType::from_uri("https://example.org/a.md?raw=1"), Some(MediaType::MARKDOWN));
    /// assert_eq!(MediaType::from_uri("https://example.org"), None);
    /// assert_eq!(MediaType::from_uri("docs/C#.md"), Some(MediaType::MARKDOWN));
    /// ```
    pub fn from_uri(uri: &str) -> Option<Self> {
        let Some((_, rest)) = uri.split_once("://") else { return Self::from_path(uri) };
        let (_, path) = rest.split(['?', '#']).next()?.split_once('/')?;
        Self::from_path(path)
    }

    /// Returns the name, as stored.
    pub fn name(&self) -> &str {
        &self.0
    }

    /// Returns whether the type, or its structure, is in the table of known types.
    pub fn is_known(&self) -> bool {
        self.known().is_some()
    }

    /// Returns the name of the type whose structure this one has: that of its suffix, else its own. So
    /// `application/ld+json` is split as `application/json`.
    pub fn structure(&self) -> &str {
        self.known().map_or(&self.0, |known| known.name)
    }

    /// Returns the row of the table for the type, if any.
    fn known(&self) -> Option<&'static KnownMediaType> {
        let named = |name: &str| KNOWN.iter().find(|known| known.name == name);
        named(&self.0).or_else(|| {
            let (_, name) = SUFFIXES.iter().find(|(end, _)| self.0.ends_with(end))?;
            named(name)
        })
    }

    /// Returns the family of the type; prose for unknown types.
    ///
    /// # Source
    ///
    /// The classes of *Content-Agnostic Assembly* (seed 004). Types with the suffix `+json`, `+yaml`
    /// or `+xml` are data, as in RFC 6838.
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

    /// Parses a media type of the table.
    ///
    /// # Errors
    ///
    /// Returns [`Error::UnknownMediaType`] for any other.
    fn from_str(given: &str) -> Result<Self, Error> {
        let media_type = Self::new(given);
        if media_type.is_known() {
            return Ok(media_type);
        }
        Err(Error::UnknownMediaType { value: given.to_owned(), valid: NAMES })
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
            // A diff is not a programming language.
            if known.family == Family::Code && known.name != "text/x-diff" {
                assert!(comment.is_some(), "{}", known.name);
            }
            if known.name.contains("json") {
                assert_eq!(comment, None, "{}", known.name);
            }
        }
    }

    #[test]
    fn parameters_and_case_are_ignored() {
        let markdown = MediaType::new(" Text/X-Markdown ; charset=UTF-8; variant=GFM");
        assert_eq!(markdown, MediaType::MARKDOWN);
        assert_eq!(markdown.name(), "text/markdown");
    }

    #[test]
    fn file_names_are_detected_in_any_case() {
        let detected =
            |name: &str| MediaType::from_path(name).map(|media_type| media_type.name().to_owned());
        assert_eq!(detected("README.MD").as_deref(), Some("text/markdown"));
        assert_eq!(detected("docs/guide.Mdx").as_deref(), Some("text/markdown"));
        assert_eq!(detected("C:\\notes\\todo.markdown").as_deref(), Some("text/markdown"));
        assert_eq!(detected("src/UserService.ts").as_deref(), Some("text/x-typescript"));
        assert_eq!(detected("a.tar.json").as_deref(), Some("application/json"));
        assert_eq!(detected("Makefile").as_deref(), Some("text/x-makefile"));
        assert_eq!(detected("LICENSE").as_deref(), Some("text/plain"));
        assert_eq!(detected("app.TSX").as_deref(), Some("text/x-tsx"));
        assert_eq!(detected("Dockerfile.dev").as_deref(), Some("text/x-dockerfile"));
        assert_eq!(detected("Dockerfile.md").as_deref(), Some("text/markdown"));
        assert_eq!(detected("CMakeLists.txt").as_deref(), Some("text/x-cmake"));
        assert_eq!(detected("home/.bashrc").as_deref(), Some("text/x-shellscript"));
        assert_eq!(detected("include/x.h").as_deref(), Some("text/x-c"));
        assert_eq!(detected("app/.env.local").as_deref(), Some("text/x-ini"));
        assert_eq!(detected("mysql/my.cnf").as_deref(), Some("text/x-ini"));
        assert_eq!(detected("photo.jpeg"), None);
        assert_eq!(detected(".md"), None);
        assert_eq!(detected("docs.md/picture"), None);
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
    fn the_suffix_of_a_name_decides_the_structure() {
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
    fn an_unknown_type_is_accepted_but_not_as_an_argument() {
        assert_eq!(MediaType::new("Application/Pdf").name(), "application/pdf");
        let error = "Application/Pdf".parse::<MediaType>().unwrap_err();
        assert_eq!(error.to_string(), "unrecognized value for \"media type\": \"Application/Pdf\"");
        assert_eq!("text/X-markdown;a=b".parse(), Ok(MediaType::MARKDOWN));
    }
}
