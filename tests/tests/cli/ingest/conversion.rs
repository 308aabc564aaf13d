//! `passage ingest` of documents that are not text: a folder with one of each format, and documents that fail alone.

use crate::office_documents as documents;
use crate::{Sources, assert_sound, ingest_text, run_client, text_cluster, text_of};
use passage_tests::wait::within;
use std::fs;
use std::time::Duration;

/// A document of a format, the place of its section "Setup", and the places of a passage of it.
struct Sample {
    name: &'static str,
    bytes: Vec<u8>,
    place: &'static str,
    passage: &'static str,
}

/// Every format that has a converter.
fn one_of_each() -> Vec<Sample> {
    let sample = |name, bytes, place| Sample { name, bytes, place, passage: place };
    vec![
        sample("guide.docx", documents::docx(), ""),
        sample("guide.epub", documents::epub(), ""),
        sample("guide.odt", documents::odt(), ""),
        Sample { passage: "pages 1-3", ..sample("guide.pdf", documents::pdf(), "page 1") },
        sample("guide.rtf", documents::rtf(), ""),
        sample("mail.eml", documents::eml(), ""),
        sample("mails.mbox", documents::mbox(), ""),
        sample("sheets.ods", documents::ods(), "sheet Setup"),
        sample("sheets.xls", documents::xls(), "sheet Setup"),
        sample("sheets.xlsx", documents::xlsx(), "sheet Setup"),
        sample("slides.odp", documents::odp(), "slide 1"),
        sample("slides.pptx", documents::pptx(), "slide 1"),
    ]
}

#[tokio::test]
async fn a_folder_with_one_document_of_each_format_is_loaded_with_sections_and_citations() {
    let cluster = text_cluster().await;
    let each = one_of_each();
    let sources = Sources::with(each.iter().map(|Sample { name, bytes, .. }| (*name, bytes)));
    // A chunk for each section, however short.
    let sizes = ["--sizer", "characters", "--max-size", "400", "--min-size", "1"];
    let run = ingest_text(&cluster, &[&sizes[..], &[&sources.book()]].concat()).await;
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    assert!(run.stdout.starts_with("12 documents added; "), "{}", run.stdout);
    assert_sound(&cluster).await;

    let converted = "SELECT count(*) FROM rag.documents WHERE media_type = 'text/markdown' \
         AND source_media_type NOT LIKE 'text/%' AND title <> ''";
    assert_eq!(cluster.query_text(converted).await, "12");
    for Sample { name, place, passage, .. } in &each {
        let uri = format!("book/{name}");
        let passages = format!(
            "SELECT chunks.section[1] || '|' || concat_ws(' ', 'page ' || (hit ->> 'page'), 'slide ' || (hit ->> 'slide'), \
             'sheet ' || (hit ->> 'sheet')) FROM passage.search('quorum', max_passages => 1, \
             filter => passage.filter(uri => '{uri}')) AS found, \
             jsonb_path_query_first(citations, '$[*] ? (@.role == \"hit\")') AS hit \
             JOIN rag.chunks ON id = (hit ->> 'chunk_id')::uuid"
        );
        assert_eq!(cluster.query_text(&passages).await, format!("Setup|{place}"), "{name}");

        let arguments = ["search", "quorum", "--uri", &uri, "--mode", "text"];
        let search = run_client(&cluster, arguments).await;
        let expected =
            if passage.is_empty() { format!("   {uri}") } else { format!("   {uri}, {passage}  ") };
        assert!(search.stdout.contains(&expected), "{name}: {}{}", search.stdout, search.stderr);
    }
    let again = ingest_text(&cluster, &[&sizes[..], &[&sources.book()]].concat()).await;
    assert!(again.stdout.starts_with("0 documents added, 12 unchanged"), "{}", again.stdout);
}

/// Returns a PDF with a paragraph on each page.
fn pages(count: usize) -> Vec<u8> {
    let texts: Vec<String> =
        (1..=count).map(|page| format!("Paragraph {page} has a number of its own.")).collect();
    let pages: Vec<_> = texts.iter().map(|text| vec![(10.0, 50.0, 700.0, &**text)]).collect();
    documents::pdf_of(&pages)
}

#[tokio::test]
async fn each_chunk_keeps_its_pages_when_a_reindex_splits_it_again() {
    let cluster = text_cluster().await;
    let sources = Sources::with([("a.pdf", pages(9))]);
    // A chunk has several pages, or one, or a part of one.
    let sizes =
        |size: &'static str| ["--sizer", "characters", "--max-size", size, "--min-size", "1"];
    let collection = ["--collection", "book"];
    let run =
        ingest_text(&cluster, &[&sizes("150")[..], &collection, &[&sources.book()]].concat()).await;
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    // In place, and last by a shadow store.
    for (size, place) in [("40", &collection[..]), ("400", &collection), ("90", &[])] {
        let arguments = [&["reindex", "--no-embed"][..], place, &sizes(size)].concat();
        let run = run_client(&cluster, arguments).await;
        assert_eq!(run.code, Some(0), "{}", run.stderr);
        let chunks = "SELECT metadata ->> 'page', metadata ->> 'last_page', \
             (SELECT array_agg(number[1] ORDER BY at) FROM regexp_matches(content, 'Paragraph (\\d)', 'g') \
              WITH ORDINALITY AS m (number, at)) FROM rag.chunks ORDER BY ordinal";
        for chunk in cluster.query_lines(chunks).await {
            let [first, last, found] = chunk.split('|').collect::<Vec<_>>()[..] else {
                panic!("{chunk}")
            };
            let found = found.trim_matches(['{', '}']);
            let numbers: Vec<&str> = found.split(',').filter(|number| !number.is_empty()).collect();
            let (Some(from), Some(to)) = (numbers.first(), numbers.last()) else { continue };
            let last = if last.is_empty() { first } else { last };
            assert_eq!((first, last), (*from, *to), "{size}: {chunk}");
        }
    }
    assert_sound(&cluster).await;
}

/// Returns a Word document whose conversion takes seconds.
fn long_document() -> Vec<u8> {
    documents::docx_of(&documents::docx_paragraph("", &documents::run("word")).repeat(850_000))
}

/// Returns a PDF of a few kilobytes whose page has a gigabyte of instructions.
fn bomb() -> Vec<u8> {
    let deflated = |bytes: &[u8]| {
        let mut encoder = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::best());
        std::io::Write::write_all(&mut encoder, bytes).unwrap();
        encoder.finish().unwrap()
    };
    let twice = deflated(&deflated(&vec![b' '; 1 << 30]));
    let mut pdf = documents::pdf_of_objects(
        &[
            "<< /Type /Catalog /Pages 2 0 R >>".to_owned(),
            "<< /Type /Pages /Count 1 /Kids [3 0 R] >>".to_owned(),
            "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Contents 4 0 R >>".to_owned(),
            format!(
                "<< /Length {} /Filter [/FlateDecode /FlateDecode] >>\nstream\n@\nendstream",
                twice.len()
            ),
        ],
        "",
    );
    let at = pdf.windows(3).position(|bytes| bytes == b"\n@\n").unwrap();
    pdf.splice(at + 1..at + 2, twice);
    pdf
}

#[tokio::test]
async fn a_document_that_exceeds_a_limit_fails_alone() {
    let cluster = text_cluster().await;
    let sources = Sources::with([
        ("a.md", b"# A\n".to_vec()),
        ("long.docx", long_document()),
        ("z.docx", documents::docx()),
    ]);
    let run = ingest_text(&cluster, &["--convert-timeout", "1", &sources.book()]).await;
    run.assert_refusal("long.docx cannot be converted within 1 seconds", "--convert-timeout");
    assert!(run.stdout.starts_with("2 documents added, 1 failed"), "{}", run.stdout);

    let sources = Sources::with([("bomb.pdf", bomb()), ("z.pdf", documents::pdf())]);
    let run = ingest_text(&cluster, &["--convert-memory", "512", &sources.book()]).await;
    run.assert_refusal(
        "bomb.pdf cannot be converted: its converter has crashed, or needs more than 512 MB",
        "--convert-memory",
    );
    assert!(run.stdout.starts_with("1 document added, 1 failed"), "{}", run.stdout);
}

/// Returns the process that converts a document for another one, which lasts for some time.
async fn converting(parent: u32) -> u32 {
    let child = || {
        fs::read_dir("/proc").unwrap().flatten().find_map(|entry| {
            let process: u32 = entry.file_name().to_str()?.parse().ok()?;
            let status = fs::read_to_string(entry.path().join("status")).ok()?;
            let command = fs::read(entry.path().join("cmdline")).ok()?;
            let is_child =
                status.contains(&format!("PPid:\t{parent}\n")) && !status.contains("State:\tZ");
            (is_child && String::from_utf8_lossy(&command).contains("__convert")).then_some(process)
        })
    };
    within("a conversion", async {
        loop {
            let process = child();
            tokio::time::sleep(Duration::from_millis(200)).await;
            // One that runs for long: the other document is converted in an instant.
            if let Some(process) = process.filter(|process| child() == Some(*process)) {
                return process;
            }
        }
    })
    .await
}

#[tokio::test]
async fn a_document_whose_converter_crashes_fails_alone() {
    let cluster = text_cluster().await;
    let sources = Sources::with([("long.docx", long_document()), ("z.docx", documents::docx())]);
    let mut command = cluster.client_program();
    command.args(["ingest", "--no-embed", "--jobs", "1", &sources.book()]);
    command.stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::piped());
    let child = command.spawn().unwrap();
    let converter = converting(child.id().unwrap()).await.to_string();
    let kill = tokio::process::Command::new("kill").args(["-ILL", &converter]).status().await;
    assert!(kill.unwrap().success());
    let output = child.wait_with_output().await.unwrap();
    let (stdout, stderr) =
        (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    let expected =
        "long.docx cannot be converted: its converter has crashed\n  Open it in the program";
    assert!(stderr.contains(expected), "{stderr}");
    assert!(stdout.starts_with("1 document added, 1 failed"), "{stdout}");
    assert_eq!(output.status.code(), Some(1));
}

#[tokio::test]
async fn each_document_without_text_fails_alone_with_its_remedy() {
    let cluster = text_cluster().await;
    let compound = [0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1];
    let encrypted: Vec<u8> = compound
        .into_iter()
        .chain("EncryptedPackage".encode_utf16().flat_map(u16::to_le_bytes))
        .collect();
    let sources = Sources::with([
        ("encrypted.docx", encrypted),
        ("scanned.pdf", documents::pdf_of(&[vec![], vec![]])),
        ("damaged.xlsx", documents::xlsx()[..200].to_vec()),
        ("z.odt", documents::odt()),
    ]);
    let run = ingest_text(&cluster, &[&sources.book()]).await;
    for (cause, remedy) in [
        ("encrypted.docx is encrypted", "without a password"),
        ("scanned.pdf has no text, only images", "ocrmypdf"),
        ("damaged.xlsx is damaged", "save or export it again"),
    ] {
        run.assert_refusal(cause, remedy);
    }
    assert!(run.stdout.starts_with("1 document added, 3 failed"), "{}", run.stdout);
    assert!(text_of(&cluster, "book/z.odt").await.starts_with("# Setup\n"));
}
