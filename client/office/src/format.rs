//! The formats of documents that are not text, and how a file shows its format.

mod content;

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
    /// PowerPoint up to version 2003.
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

    /// Returns the format that the content of a file proves, else the one that its name tells.
    ///
    /// Mail is text, so only its name tells it, and only if the content begins as mail does: notes in a file
    /// `draft.eml` stay text.
    ///
    /// ```
    /// use passage_office::Format;
    ///
    /// assert_eq!(Format::recognize("notes.txt", b"%PDF-1.7\n"), Some(Format::Pdf));
    /// assert_eq!(Format::recognize("report.pdf", b"damaged"), Some(Format::Pdf));
    /// assert_eq!(Format::recognize("notes.txt", b"See %PDF-1.7."), None);
    /// ```
    pub fn recognize(name: &str, bytes: &[u8]) -> Option<Self> {
        content::proven(bytes, Self::from_name(name)).or_else(|| {
            Self::from_name(name).filter(|format| match format {
                Format::Eml => content::begins_as_mail(bytes),
                Format::Mbox => bytes.starts_with(b"From "),
                // Configuration files have these names, too: dotfiles.dot, debian.doc.
                Format::Doc | Format::Ppt | Format::Xls | Format::Msg | Format::Rtf => {
                    std::str::from_utf8(bytes).is_err() || bytes.contains(&0)
                }
                _ => true,
            })
        })
    }

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

    #[test]
    fn text_with_the_name_of_another_format_stays_text() {
        assert_eq!(Format::recognize("readme.doc", b"Plain words.\n"), None);
        assert_eq!(Format::recognize("draft.eml", b"Dear all,\n\nhello\n"), None);
        assert_eq!(
            Format::recognize("a.eml", b"Received: x\r\nSubject: y\r\n\r\nz"),
            Some(Format::Eml)
        );
        assert_eq!(
            Format::recognize("a.mbox", b"From a@b Mon\nSubject: y\n\nz"),
            Some(Format::Mbox)
        );
        assert_eq!(Format::recognize("a.md", b"From here on: all\n"), None);
    }
}
