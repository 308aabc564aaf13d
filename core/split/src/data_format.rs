/*!
Formats of structured data: the text of a passage, and whether it parses.

The chunks of a document hold every comma and bracket. A passage holds entries: it has no comma after
its last entry and no bracket of a container of which it has only a part. An entry with a key is in
braces, as in `{"server": {"port": 80}}`, and an item of an array is its bare value. Several items are in
brackets. A passage of XML has no tag whose counterpart is elsewhere.

Its twin in SQL is `sql/edition/data_format.sql`.
*/

use crate::MediaType;
use crate::split::{self, Excerpt};

/// A format of structured data with a parser.
///
/// ```
/// use passage_split::{DataFormat, MediaType};
///
/// let json = DataFormat::of(&MediaType::new("application/json")).unwrap();
/// let text = r#"{"a": {"b": 1, "c": 2, "#;
/// let excerpt = json.excerpt(text).unwrap();
/// assert_eq!((&text[excerpt.bytes], excerpt.brackets), (r#""b": 1, "c": 2"#, ["{", "}"]));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DataFormat {
    /// JSON, also with comments.
    Json,
    /// JSON lines.
    JsonLines,
    /// YAML.
    Yaml,
    /// TOML.
    Toml,
    /// XML.
    Xml,
    /// INI and Java's properties.
    Ini,
}

impl DataFormat {
    /// Returns the format of a media type, if it has one.
    pub fn of(media_type: &MediaType) -> Option<Self> {
        match media_type.structure() {
            "application/json" => Some(Self::Json),
            "application/jsonl" => Some(Self::JsonLines),
            "text/x-yaml" => Some(Self::Yaml),
            "text/x-toml" => Some(Self::Toml),
            "application/xml" => Some(Self::Xml),
            "text/x-ini" | "text/x-java-properties" => Some(Self::Ini),
            _ => None,
        }
    }

    /// Returns the entries in a run of chunks, or `None` if the text stays as it is: it has no brackets
    /// or commas around whole entries.
    pub fn excerpt(self, text: &str) -> Option<Excerpt> {
        match self {
            Self::Json => split::json_excerpt(text, false),
            Self::JsonLines => split::json_excerpt(text, true),
            Self::Yaml => split::yaml_excerpt(text),
            Self::Toml if self.parses(text) => None,
            Self::Toml => split::toml_excerpt(text),
            Self::Xml => split::xml_excerpt(text),
            Self::Ini => None,
        }
    }

    /// Returns whether a text parses: a document, in TOML also a value, in XML also the content of an
    /// element. Each line of INI parses.
    pub fn parses(self, text: &str) -> bool {
        match self {
            Self::Json => split::parses(text, &MediaType::new("application/json")),
            Self::JsonLines => split::parses(text, &MediaType::new("application/jsonl")),
            Self::Yaml => split::parses(text, &MediaType::new("text/x-yaml")),
            Self::Toml => {
                let parses = |text: &str| split::parses(text, &MediaType::new("text/x-toml"));
                parses(text) || parses(&format!("x = {text}"))
            }
            Self::Xml => {
                let parses = |text: &str| split::parses(text, &MediaType::new("application/xml"));
                parses(text) || parses(&format!("<x>{text}</x>"))
            }
            Self::Ini => true,
        }
    }

    /// Returns the number of titles of the root of a document, which is not a record. The sections of
    /// INI are at the top.
    pub fn root_depth(self) -> usize {
        usize::from(self != Self::Ini)
    }

    /// Returns whether nothing of a text is certain if it does not parse. An alias in YAML has its anchor
    /// elsewhere, but its record is worth reading.
    pub fn must_parse(self) -> bool {
        matches!(self, Self::Json | Self::JsonLines | Self::Xml)
    }

    /// Returns whether the excerpt of a text parses.
    pub fn excerpt_parses(self, text: &str) -> bool {
        match self.excerpt(text) {
            Some(Excerpt { bytes, brackets: [open, close] }) => {
                self.parses(&[open, &text[bytes], close].concat())
            }
            None => self.parses(text),
        }
    }
}
