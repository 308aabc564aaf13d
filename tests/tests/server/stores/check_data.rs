//! `check_store(data => true)` has no findings in documents that the client or SQL just loaded.

use passage_tests::Cluster;
use passage_tests::cluster::OWNER;
use std::collections::HashMap;
use std::env;
use std::path::{Path, PathBuf};

/// The maximum number of files of a file name extension, and the maximum number of bytes of a file.
const SAMPLE: (usize, u64) = (25, 100_000);

/// Calls a function with each file below a folder, in order.
fn walk(folder: &Path, visit: &mut dyn FnMut(&Path)) {
    let mut entries: Vec<_> = std::fs::read_dir(folder).into_iter().flatten().flatten().collect();
    entries.sort_by_key(std::fs::DirEntry::file_name);
    for entry in entries {
        match entry.file_type() {
            Ok(kind) if kind.is_dir() => walk(&entry.path(), visit),
            Ok(kind) if kind.is_file() => visit(&entry.path()),
            _ => {}
        }
    }
}

/// Copies a sample of the unpacked crates into a folder, with files of every known kind.
fn copy_sample(into: &Path) -> usize {
    let home = env::var_os("CARGO_HOME").map(PathBuf::from);
    let home = home.or_else(|| env::home_dir().map(|home| home.join(".cargo"))).unwrap_or_default();
    let mut counts: HashMap<String, usize> = HashMap::new();
    let mut copied = 0;
    walk(&home.join("registry/src"), &mut |path| {
        let Some(name) = path.file_name().and_then(|name| name.to_str()) else { return };
        let is_short = path.metadata().is_ok_and(|metadata| metadata.len() <= SAMPLE.1);
        if !is_short || passage_split::MediaType::from_path(name).is_none() {
            return;
        }
        // The client reports files in UTF-16 as errors.
        if std::fs::read(path).is_ok_and(|bytes| bytes.contains(&0)) {
            return;
        }
        let extension = name.rsplit('.').next().unwrap_or(name).to_lowercase();
        let count = counts.entry(extension).or_default();
        *count += 1;
        if *count <= SAMPLE.0 {
            copied += 1;
            std::fs::copy(path, into.join(format!("{copied}-{name}"))).unwrap();
        }
    });
    copied
}

/// Writes documents whose sections often have no chunk of their own before their members.
fn write_lists(into: &Path) {
    let write = |name: &str, text: String| std::fs::write(into.join(name), text).unwrap();
    let repeat = |line: &str| {
        (1..=200).map(|number| line.replace("{}", &number.to_string())).collect::<String>()
    };
    write("list.yaml", repeat("- name: item {}\n  note: a note of item {}\n"));
    write("nested.yaml", format!("items:\n{}", repeat("  - [{}, {}]\n")));
    write("lines.jsonl", repeat("{\"id\": {}, \"text\": \"the text of line {}\"}\n"));
    write("tables.toml", repeat("[a.b{}.c]\nname = \"table {}\"\n\n[[d]]\nid = {}\n"));
    write("records.json", format!("[{}null]", repeat("{\"id\": {}, \"name\": \"record {}\"},\n")));
    write("rows.tsv", repeat("{}\tname of {}\n"));
    write("elements.xml", format!("<a>{}</a>", repeat("<b><c>{}</c></b>\n")));
    write("settings.ini", repeat("[section {}]\nid = {}\nname = of {}\n"));
    write(
        "methods.go",
        format!("package a\n\n{}", repeat("func (r *T{}) A() {\n\tb({})\n}\n\nfunc c{}() {}\n\n")),
    );
    let long = "    a(\"a line of a method outside of its class\");\n".repeat(30);
    let method = |name: &str, body: &str| format!("void T::{name}() {{\n{body}}}\n\n");
    let text = method("a", &long) + &method("b", "") + "// A comment.\n\n" + &method("c", &long);
    write("methods.cc", format!("namespace n {{\n\n{text}}}\n"));
}

#[tokio::test]
async fn freshly_loaded_real_documents_have_no_findings() {
    let folder = tempfile::tempdir().unwrap();
    write_lists(folder.path());
    walk(
        Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../core/split/tests/fixtures")),
        &mut |path| {
            let name = path.file_name().expect("a file has a name");
            std::fs::copy(path, folder.path().join(name)).unwrap();
        },
    );
    let copied = copy_sample(folder.path());

    let cluster = Cluster::bare().await;
    cluster.install_as(OWNER).await;
    cluster.execute("SELECT passage.create_store(), passage.create_store('by_sql')").await;
    let path = folder.path().to_str().unwrap();
    cluster.passage(["ingest", "--no-embed", "--sizer", "characters", path]).await;
    let loaded = cluster.query_text("SELECT count(*)::text FROM rag.documents").await;
    assert!(loaded.parse::<usize>().unwrap() >= 20 + copied * 9 / 10, "{loaded} of {copied}");
    // A part of the documents has dead links.
    let findings = |store: &str| {
        format!(
            "SELECT * FROM passage.check_store('{store}', data => true) WHERE problem NOT LIKE 'links to documents or sections that the store lacks: %'"
        )
    };
    assert_eq!(cluster.query_lines(&findings("rag")).await, Vec::<String>::new());

    // Smaller chunks divide more units.
    let client = cluster.client().await;
    let mut texts = Vec::new();
    walk(folder.path(), &mut |path| {
        let name = path.file_name().and_then(|name| name.to_str()).unwrap().to_owned();
        let text = std::fs::read_to_string(path).ok().filter(|text| !text.contains('\0'));
        texts.extend(text.filter(|text| text.len() < 30_000).map(|text| (name, text)));
    });
    for (name, text) in texts {
        let sql = "SELECT outcome FROM passage.ingest($1, $2, splitting => passage.splitting(max_size => 150), store => 'by_sql')";
        client.query_one(sql, &[&name, &text]).await.unwrap();
    }
    assert_eq!(cluster.query_lines(&findings("by_sql")).await, Vec::<String>::new());
}
