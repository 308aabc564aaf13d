use super::member::inside;
use super::*;
use crate::{Content, Filter, SourceDocument, SourceEntry};
use ::zip::write::SimpleFileOptions;
use flate2::Compression;
use flate2::write::GzEncoder;
use std::io::Write;

/// Returns a tar archive of members by name. A member without content is a link.
fn tar(members: &[(&str, Option<&[u8]>)]) -> Vec<u8> {
    let mut tar = ::tar::Builder::new(Vec::new());
    for (name, content) in members {
        let mut header = ::tar::Header::new_gnu();
        let content = content.unwrap_or_else(|| {
            header.set_entry_type(::tar::EntryType::Symlink);
            header.set_link_name("/etc/passwd").unwrap();
            b""
        });
        // The builder refuses the names that an attacker would use.
        header.as_gnu_mut().unwrap().name[..name.len()].copy_from_slice(name.as_bytes());
        header.set_size(content.len() as u64);
        header.set_cksum();
        tar.append(&header, content).unwrap();
    }
    tar.into_inner().unwrap()
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn zip(members: &[(&str, &[u8])]) -> Vec<u8> {
    let mut zip = ::zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    for (name, content) in members {
        zip.start_file(*name, SimpleFileOptions::default()).unwrap();
        zip.write_all(content).unwrap();
    }
    zip.finish().unwrap().into_inner()
}

/// Returns the entries of an archive: uris with their bytes, and messages.
fn read(name: &str, bytes: &[u8], filter: &Filter) -> Vec<String> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    std::fs::write(&path, bytes).unwrap();
    let text = |entry: Result<SourceEntry, Error>| match entry {
        Ok(SourceEntry::Document(SourceDocument {
            uri,
            content: Content::Bytes(bytes),
            inside,
            ..
        })) => {
            assert!(uri.ends_with(&inside.unwrap()));
            format!("{uri}={}", String::from_utf8_lossy(&bytes))
        }
        Ok(SourceEntry::Skipped(path)) => {
            format!("skipped {}", path.file_name().unwrap().display())
        }
        Err(error) => error.to_string().replace(folder.path().to_str().unwrap(), "."),
        other => panic!("{other:?}"),
    };
    members(&path, filter.clone().into()).map(text).collect()
}

const MEMBERS: [(&str, &[u8]); 6] = [
    ("guide/a.md", b"# A"),
    ("./b.md", b"# B"),
    (".git/config", b"hidden"),
    ("logo.png", b"\0"),
    ("../../etc/cron.md", b"out"),
    ("/etc/c.md", b"# C"),
];

#[test]
fn members_of_every_format_have_uris_that_begin_with_the_archives_name() {
    let tarred = tar(&MEMBERS.map(|(name, content)| (name, Some(content))));
    for (name, bytes) in [
        ("x.tar", tarred.clone()),
        ("x.tar.gz", gzip(&tarred)),
        ("x.TGZ", gzip(&tarred)),
        ("x.zip", zip(&MEMBERS)),
    ] {
        assert_eq!(
            read(name, &bytes, &Filter::default()),
            [
                format!("{name}/guide/a.md=# A"),
                format!("{name}/b.md=# B"),
                "skipped logo.png".into(),
                format!("./{name}: the member \"../../etc/cron.md\" is outside the archive"),
                format!("{name}/etc/c.md=# C"),
            ],
            "{name}"
        );
        let filter = Filter::new(&["guide/".into()], &[]).unwrap();
        let guide = read(name, &bytes, &filter);
        assert_eq!(guide[0], format!("{name}/guide/a.md=# A"));
        assert_eq!(guide.len(), 2, "{guide:?}");
    }
}

#[test]
fn links_are_skipped() {
    let tarred = tar(&[("link.md", None), ("a.md", Some(b"a"))]);
    assert_eq!(read("x.tar", &tarred, &Filter::default()), ["x.tar/a.md=a"]);
}

#[test]
fn the_error_for_a_damaged_archive_names_the_damaged_member() {
    let members = [("a.md", b"text of a".as_slice()), ("b.md", b"text of b")];
    let tarred = tar(&members.map(|(name, content)| (name, Some(content))));
    let (short, long) = (gzip(&tarred), tarred.len());
    let cut = read("x.tgz", &short[..short.len() / 2], &Filter::default());
    assert!(cut.last().unwrap().starts_with("cannot read ./x.tgz: "), "{cut:?}");
    let cut = read("x.tar", &tarred[..long - 1536 + 4], &Filter::default());
    assert!(cut[1].ends_with("unexpected end of data, in b.md"), "{cut:?}");

    let mut zipped = zip(&members);
    let at = zipped.windows(4).position(|bytes| bytes == b"b.md").unwrap() + 4;
    zipped[at..at + 4].fill(0xff);
    let broken = read("x.zip", &zipped, &Filter::default());
    assert_eq!(broken[0], "x.zip/a.md=text of a");
    assert!(broken[1].starts_with("cannot read ./x.zip: "), "{broken:?}");
    assert!(broken[1].ends_with(", in b.md"), "{broken:?}");
    for name in ["x.zip", "x.tar", "x.tgz"] {
        let entries = read(
            name,
            b"no archive at all, but a text that is long enough for a header",
            &Filter::default(),
        );
        assert!(
            entries.len() == 1 && entries[0].starts_with(&format!("cannot read ./{name}: ")),
            "{entries:?}"
        );
    }
}

#[test]
fn an_archive_with_an_extreme_compression_ratio_is_refused() {
    let zeros = vec![b' '; 70 << 20];
    for (name, bytes) in [
        ("x.tgz", gzip(&tar(&[("a.md", Some(&zeros)), ("b.md", Some(b"b"))]))),
        ("x.zip", zip(&[("a.md", &zeros)])),
    ] {
        let entries = read(name, &bytes, &Filter::default());
        assert!(
            entries[0].contains("it unpacks to more than 200 times its size, in a.md"),
            "{entries:?}"
        );
        assert!(entries.iter().all(|entry| entry.starts_with("cannot read")), "{name}");
    }
}

proptest::proptest! {
    #[test]
    fn no_name_leads_out_of_the_archive(name in "[./a\\\\]{0,12}") {
        if let Some(inside) = inside(&name) {
            let parts: Vec<&str> = inside.split('/').collect();
            proptest::prop_assert!(!inside.starts_with('/') && !parts.contains(&".."));
        }
    }

    #[test]
    fn no_bytes_cause_a_panic(bytes: Vec<u8>, kind in 0_usize..3) {
        let name = ["x.tar", "x.tgz", "x.zip"][kind];
        let entries = read(name, &bytes, &Filter::default());
        proptest::prop_assert!(entries.iter().all(|entry| entry.starts_with("cannot read")), "{entries:?}");
    }
}
