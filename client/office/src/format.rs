//! The formats of documents that are not text, and how a file shows its format.

use std::fmt;

/// A format of documents that a text splitter cannot read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[expect(missing_docs, reason = "each variant is the name of a format")]
pub enum Format {
    Pdf,
    Docx,
    Pptx,
    Xlsx,
    Odt,
    Odp,
    Ods,
    Epub,
    Rtf,
    Eml,
    Mbox,
    /// Word up to version 2003.
    Doc,
    /// `PowerPoint` up to version 2003.
    Ppt,
    /// Excel up to version 2003.
    Xls,
    /// A message of Outlook.
    Msg,
}

/// A row of the table of formats.
struct KnownFormat {
    format: Format,
    /// The name in messages, with its article.
    name: &'static str,
    /// The plural in messages.
    plural: &'static str,
    media_type: &'static str,
    /// Extensions of file names, in lower case.
    extensions: &'static [&'static str],
}

const fn known(
    format: Format,
    name: &'static str,
    plural: &'static str,
    media_type: &'static str,
    extensions: &'static [&'static str],
) -> KnownFormat {
    KnownFormat { format, name, plural, media_type, extensions }
}

/// All formats, in the order of [`Format`].
#[rustfmt::skip]
const KNOWN: [KnownFormat; 15] = [
    known(Format::Pdf, "a PDF", "PDF", "application/pdf", &["pdf"]),
    known(Format::Docx, "a Word document", "Word documents",
        "application/vnd.openxmlformats-officedocument.wordprocessingml.document", &["docx", "docm", "dotx"]),
    known(Format::Pptx, "a PowerPoint presentation", "PowerPoint presentations",
        "application/vnd.openxmlformats-officedocument.presentationml.presentation", &["pptx", "pptm", "ppsx"]),
    known(Format::Xlsx, "an Excel workbook", "Excel workbooks",
        "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", &["xlsx", "xlsm"]),
    known(Format::Odt, "an OpenDocument text", "OpenDocument texts",
        "application/vnd.oasis.opendocument.text", &["odt", "ott"]),
    known(Format::Odp, "an OpenDocument presentation", "OpenDocument presentations",
        "application/vnd.oasis.opendocument.presentation", &["odp", "otp"]),
    known(Format::Ods, "an OpenDocument spreadsheet", "OpenDocument spreadsheets",
        "application/vnd.oasis.opendocument.spreadsheet", &["ods", "ots"]),
    known(Format::Epub, "an EPUB", "EPUB", "application/epub+zip", &["epub"]),
    known(Format::Rtf, "a Rich Text document", "Rich Text documents", "application/rtf", &["rtf"]),
    known(Format::Eml, "a mail", "mails", "message/rfc822", &["eml"]),
    known(Format::Mbox, "a mailbox", "mailboxes", "application/mbox", &["mbox"]),
    known(Format::Doc, "a Word document of the old format", "Word documents of the old format",
        "application/msword", &["doc", "dot"]),
    known(Format::Ppt, "a PowerPoint presentation of the old format",
        "PowerPoint presentations of the old format", "application/vnd.ms-powerpoint", &["ppt", "pps"]),
    known(Format::Xls, "an Excel workbook of the old format", "Excel workbooks of the old format",
        "application/vnd.ms-excel", &["xls"]),
    known(Format::Msg, "a message of Outlook", "messages of Outlook", "application/vnd.ms-outlook", &["msg"]),
];

impl Format {
    /// All formats.
    pub const ALL: [Self; KNOWN.len()] = {
        let mut all = [Self::Pdf; KNOWN.len()];
        let mut position = 0;
        while position < KNOWN.len() {
            all[position] = KNOWN[position].format;
            position += 1;
        }
        all
    };

    /// Returns the format that the extension of a name tells.
    pub fn from_name(name: &str) -> Option<Self> {
        let (_, extension) = name.rsplit(['/', '\\']).next()?.rsplit_once('.')?;
        let extension = extension.to_ascii_lowercase();
        let known = KNOWN.iter().find(|known| known.extensions.contains(&&*extension));
        known.map(|known| known.format)
    }

    /// Returns the format with this media type.
    pub fn from_media_type(name: &str) -> Option<Self> {
        KNOWN.iter().find(|known| known.media_type == name).map(|known| known.format)
    }

    /// Returns the media type.
    pub fn media_type(self) -> &'static str {
        self.known().media_type
    }

    /// Returns the extensions of file names, in lower case. The first one is the most common.
    pub fn extensions(self) -> &'static [&'static str] {
        self.known().extensions
    }

    /// Returns the format's name without its article, as in `2 Excel workbooks`.
    pub fn noun(self, count: usize) -> &'static str {
        let KnownFormat { name, plural, .. } = self.known();
        match name.split_once(' ') {
            Some((_, singular)) if count == 1 => singular,
            _ => plural,
        }
    }

    fn known(self) -> &'static KnownFormat {
        &KNOWN[self as usize]
    }
}

/// Writes the name with its article, as in `a PDF`.
impl fmt::Display for Format {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.known().name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_has_the_order_of_the_formats_and_no_extension_twice() {
        let mut extensions: Vec<&str> = Vec::new();
        for (position, known) in KNOWN.iter().enumerate() {
            assert_eq!(known.format as usize, position);
            assert_eq!(Format::from_media_type(known.media_type), Some(known.format));
            extensions.extend(known.extensions);
        }
        let all = extensions.len();
        extensions.sort_unstable();
        extensions.dedup();
        assert_eq!(extensions.len(), all);
    }
}
