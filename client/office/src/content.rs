//! The format that the first bytes of a file, or the members of a zip archive, prove.

use crate::Format;
use std::io::{Cursor, Read};
use zip::ZipArchive;

/// The bytes in which the mark of a PDF may begin: viewers accept other bytes before it.
const PDF_HEAD: usize = 1_024;

/// The longest `mimetype` of a member that is read.
const MAX_MIMETYPE: u64 = 128;

/// The first bytes of a compound file, the container of Office up to version 2003.
const COMPOUND: &[u8] = &[0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1];

/// The names of streams in the directory of a compound file.
const STREAMS: [(&str, Format); 5] = [
    ("WordDocument", Format::Doc),
    ("PowerPoint Document", Format::Ppt),
    ("Workbook", Format::Xls),
    ("__properties_version1.0", Format::Msg),
    // Office encrypts its present formats inside of a compound file.
    ("EncryptedPackage", Format::Docx),
];

/// The folders that tell the formats of Office Open XML apart.
const FOLDERS: [(&str, Format); 3] =
    [("word/", Format::Docx), ("ppt/", Format::Pptx), ("xl/", Format::Xlsx)];

impl Format {
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
        proven(bytes, Self::from_name(name)).or_else(|| {
            Self::from_name(name).filter(|format| match format {
                Format::Eml => begins_as_mail(bytes),
                Format::Mbox => bytes.starts_with(b"From "),
                // Configuration files have these names, too: dotfiles.dot, debian.doc.
                Format::Doc | Format::Ppt | Format::Xls | Format::Msg | Format::Rtf => {
                    std::str::from_utf8(bytes).is_err() || bytes.contains(&0)
                }
                _ => true,
            })
        })
    }
}

/// Returns the format that the content proves. `named` is that of the name: an encrypted document of Office does
/// not show which of them it is.
fn proven(bytes: &[u8], named: Option<Format>) -> Option<Format> {
    if bytes.starts_with(b"PK\x03\x04") {
        return zipped(bytes);
    }
    if bytes.starts_with(b"{\\rtf") {
        return Some(Format::Rtf);
    }
    if bytes.starts_with(COMPOUND) {
        let (_, format) = *STREAMS.iter().find(|(name, _)| contains_utf16(bytes, name))?;
        return Some(if format == Format::Docx { named.unwrap_or(format) } else { format });
    }
    let head = &bytes[..bytes.len().min(PDF_HEAD)];
    // Text that quotes the mark is not a PDF: it begins a line, and a text has nothing before it but a mark of its
    // encoding.
    let mark = head.windows(5).position(|mark| mark == b"%PDF-")?;
    let is_first = head[..mark].trim_ascii().is_empty() || head.starts_with(b"\xef\xbb\xbf");
    (is_first || named == Some(Format::Pdf)).then_some(Format::Pdf)
}

/// Returns the format of a zip archive; `None` if it is an archive of other files.
fn zipped(bytes: &[u8]) -> Option<Format> {
    let mut archive = ZipArchive::new(Cursor::new(bytes)).ok()?;
    if let Ok(member) = archive.by_name("mimetype") {
        let mut media_type = String::new();
        member.take(MAX_MIMETYPE).read_to_string(&mut media_type).ok()?;
        return Format::from_media_type(media_type.trim().trim_end_matches("-template"));
    }
    archive.index_for_name("[Content_Types].xml")?;
    let has = |folder: &str| archive.file_names().flatten().any(|name| name.starts_with(folder));
    FOLDERS.iter().find(|(folder, _)| has(folder)).map(|(_, format)| *format)
}

/// Returns whether the bytes contain a name in UTF-16, as the directory of a compound file does.
fn contains_utf16(bytes: &[u8], name: &str) -> bool {
    let name: Vec<u8> = name.encode_utf16().flat_map(u16::to_le_bytes).collect();
    memchr::memmem::find(bytes, &name).is_some()
}

/// Returns whether a text begins with a header line of a mail.
fn begins_as_mail(bytes: &[u8]) -> bool {
    let line = bytes.split(|byte| *byte == b'\n').next().unwrap_or_default();
    let is_name = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'-';
    match line.iter().position(|byte| *byte == b':') {
        Some(colon) => colon > 0 && line[..colon].iter().all(is_name),
        None => line.starts_with(b"From "),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;
    use zip::ZipWriter;
    use zip::write::SimpleFileOptions;

    fn archive(members: &[(&str, &str)]) -> Vec<u8> {
        let mut archive = ZipWriter::new(Cursor::new(Vec::new()));
        for (name, content) in members {
            archive.start_file(*name, SimpleFileOptions::default()).unwrap();
            archive.write_all(content.as_bytes()).unwrap();
        }
        archive.finish().unwrap().into_inner()
    }

    #[test]
    fn the_members_of_an_archive_tell_its_format() {
        let office = |folder| archive(&[("[Content_Types].xml", ""), (folder, "")]);
        for (bytes, format) in [
            (office("word/document.xml"), Some(Format::Docx)),
            (office("ppt/presentation.xml"), Some(Format::Pptx)),
            (office("xl/workbook.xml"), Some(Format::Xlsx)),
            (archive(&[("mimetype", "application/epub+zip")]), Some(Format::Epub)),
            (
                archive(&[("mimetype", "application/vnd.oasis.opendocument.text")]),
                Some(Format::Odt),
            ),
            (
                archive(&[("mimetype", "application/vnd.oasis.opendocument.text-template")]),
                Some(Format::Odt),
            ),
            (archive(&[("word/a.md", "# A")]), None),
            (b"PK\x03\x04 damaged".to_vec(), None),
        ] {
            assert_eq!(proven(&bytes, None), format);
        }
    }

    #[test]
    fn the_streams_of_a_compound_file_tell_its_format() {
        let file = |stream: &str| {
            let name: Vec<u8> = stream.encode_utf16().flat_map(u16::to_le_bytes).collect();
            [COMPOUND, &name].concat()
        };
        assert_eq!(proven(&file("WordDocument"), None), Some(Format::Doc));
        assert_eq!(proven(&file("Workbook"), Some(Format::Doc)), Some(Format::Xls));
        assert_eq!(proven(&file("EncryptedPackage"), Some(Format::Pptx)), Some(Format::Pptx));
        assert_eq!(proven(&file("Other"), Some(Format::Doc)), None);
    }

    #[test]
    fn a_pdf_may_have_bytes_before_its_mark_if_its_name_says_so() {
        assert_eq!(proven(b"\n%PDF-1.4\n", None), Some(Format::Pdf));
        assert_eq!(proven(b"HTTP header\n%PDF-1.4\n", Some(Format::Pdf)), Some(Format::Pdf));
        assert_eq!(proven(b"The mark is %PDF-1.4", None), None);
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
