//! Words that PostgreSQL's parser does not see: in scripts without spaces, in other forms of their characters, and with
//! signs and numbers.

use passage_tests::Cluster;

/// Documents of one section each, by their uris.
const DOCUMENTS: [(&str, &str); 20] = [
    ("zh/install.md", "# 安装\n\n先安装数据库，再运行初始化脚本。磁盘至少需要二十吉字节。\n"),
    ("zh/rotation.md", "# 日志轮换\n\n日志文件每天零点轮换一次。发送信号 USR1 可以立即轮换。\n"),
    ("zh/backup.md", "# 备份\n\n每天夜里做一次全量备份，保存九十天。\n"),
    (
        "ja/model.md",
        "# 機械学習\n\nモデルの再学習は毎週月曜日に行います。ｶﾀｶﾅの半角も見つかります。\n",
    ),
    (
        "mix/1.md",
        "# 部署\n\n使用docker部署服务，调用API时需要token。在PostgreSQL中运行脚本install.sh即可。\n",
    ),
    (
        "mix/2.md",
        "# 設定\n\nconfig.yamlファイルでport8080を指定し、Redisキャッシュを有効にします。\n",
    ),
    ("mix/3.md", "# 설정\n\nKubernetes에서 helm를 사용합니다. API키는 관리자가 발급합니다.\n"),
    ("ko/nfd.md", "# 백업\n\n매일 밤 데이터베이스를 백업합니다.\n"),
    (
        "fr/nfd.md",
        "# Re\u{301}sume\u{301}\n\nLa de\u{301}claration est de\u{301}pose\u{301}e a\u{300} Zu\u{308}rich.\n",
    ),
    ("jp/full.md", "# ＡＰＩ仕様\n\nキーは管理画面で発行します。ﾃﾞｰﾀﾍﾞｰｽは二台です。\n"),
    (
        "ar/file.md",
        "# دليل\n\nالمـــلف محفوظ في \u{fe8d}\u{fedf}\u{fed8}\u{fe8e}\u{fecb}\u{fe93}.\n",
    ),
    ("cpp.md", "# Build\n\nThe C++17 compiler builds the core.\n"),
    ("sharp.md", "# Languages\n\nWe write C# and F# for the .NET runtime.\n"),
    ("plain.md", "# Music\n\nThe notes C and F, and a net.\n"),
    ("next.md", "# Next\n\nVersion 3.1.4 is the next one.\n"),
    ("src/alpha.ts", "export function first(x: number) {\n  return x + 1;\n}\n"),
    ("docs/beta.md", "# Beta\n\nOnly the title has the name of this file.\n"),
    ("paths.md", "# Paths\n\nThe command is in `src/gamma.ts:12` and (/usr/lib/delta.conf).\n"),
    ("release.md", "# Release\n\nTag v2.3.0-rc.1 repairs CVE-2024-1234.\n"),
    ("hosts.md", "# Hosts\n\nThe proxy is 203.0.113.7. Start java with -Xmx512m and --dry-run.\n"),
];

async fn documents(configuration: &str) -> Cluster {
    let cluster = Cluster::without_store().await;
    let client = cluster.client().await;
    let sql = format!("SELECT passage.create_store(language => '{configuration}')");
    client.query(&sql, &[]).await.unwrap();
    // The SQL edition splits no source code.
    let sql = "SELECT passage.ingest($1, $2, CASE WHEN $1 LIKE '%.ts' THEN 'text/plain' END)";
    for (uri, text) in DOCUMENTS {
        client.query(sql, &[&uri, &text]).await.unwrap();
    }
    cluster
}

/// The functions that search.
const FUNCTIONS: [&str; 3] = ["search", "search_hits", "fragments"];

/// Checks which document each query finds first, and which documents it must not find, by every function.
async fn assert_found(configuration: &str, cases: &[(&str, &str, &[&str])]) {
    let cluster = documents(configuration).await;
    let client = cluster.client().await;
    for (query, expected, others) in cases {
        for function in FUNCTIONS {
            let sql = format!("SELECT uri FROM passage.{function}($1) ORDER BY score DESC");
            let rows = client.query(&sql, &[query]).await.unwrap();
            let uris: Vec<String> = rows.iter().map(|row| row.get(0)).collect();
            let first = uris.first().map_or("", String::as_str);
            assert_eq!(first, *expected, "{function} {query}: {uris:?}");
            let is_other = |uri: &String| others.contains(&uri.as_str());
            assert!(!uris.iter().any(is_other), "{function} {query}: {uris:?}");
        }
    }
}

#[tokio::test]
async fn questions_find_runs_without_spaces() {
    let cases: [(&str, &str, &[&str]); 6] = [
        ("日志多久轮换一次", "zh/rotation.md", &[]),
        ("轮换日志", "zh/rotation.md", &["zh/install.md"]),
        ("日志轮换吗", "zh/rotation.md", &[]),
        ("モデルの再学習はいつですか", "ja/model.md", &[]),
        ("데이터베이스", "ko/nfd.md", &[]),
        ("데이터베이스의 백업", "ko/nfd.md", &[]),
    ];
    assert_found("english", &cases).await;
    assert_found("simple", &cases).await;
}

#[tokio::test]
async fn a_quoted_run_must_match_as_written() {
    let cluster = documents("simple").await;
    for (query, count) in [
        ("\"日志文件\"", "1"),
        ("\"文件日志\"", "0"),
        ("\"docker部署\"", "1"),
        ("\"部署docker\"", "0"),
        ("轮换 -\"信号\"", "0"),
    ] {
        // For a phrase that no chunk has, `fragments` finds its words.
        let is_lost = count == "0" && query.starts_with('"');
        for function in FUNCTIONS.iter().take(if is_lost { 2 } else { 3 }) {
            let sql = format!("SELECT count(*) FROM passage.{function}('{query}')");
            assert_eq!(cluster.query_text(&sql).await, count, "{function} {query}");
        }
    }
}

#[tokio::test]
async fn marks_surround_the_hit_of_a_question_without_spaces() {
    let cluster = documents("simple").await;
    let sql = "SELECT content FROM passage.search('日志多久轮换一次', max_passages => 1,
        output => passage.output(marks => ARRAY['>>', '<<']))";
    let content = cluster.query_text(sql).await;
    assert!(content.contains(">># 日志轮换") && content.contains("<<"), "{content}");
}

#[tokio::test]
async fn a_path_finds_its_file_or_the_chunk_that_names_it() {
    let cases: [(&str, &str, &[&str]); 8] = [
        ("src/alpha.ts", "src/alpha.ts", &[]),
        ("./src/alpha.ts", "src/alpha.ts", &[]),
        ("what does src/alpha.ts do", "src/alpha.ts", &[]),
        ("docs/beta.md", "docs/beta.md", &[]),
        ("beta.md", "docs/beta.md", &[]),
        ("src/gamma.ts", "paths.md", &[]),
        ("/usr/lib/delta.conf", "paths.md", &[]),
        ("delta.conf", "paths.md", &["docs/beta.md"]),
    ];
    assert_found("english", &cases).await;
    assert_found("simple", &cases).await;
}

#[tokio::test]
async fn words_of_another_script_are_found_within_a_run() {
    let cases: [(&str, &str, &[&str]); 9] = [
        ("docker", "mix/1.md", &[]),
        ("token", "mix/1.md", &[]),
        ("PostgreSQL", "mix/1.md", &[]),
        ("install.sh", "mix/1.md", &[]),
        ("Redis", "mix/2.md", &[]),
        ("port8080", "mix/2.md", &[]),
        ("yaml", "mix/2.md", &[]),
        ("Kubernetes", "mix/3.md", &[]),
        ("helm", "mix/3.md", &[]),
    ];
    assert_found("english", &cases).await;
    assert_found("simple", &cases).await;
}

#[tokio::test]
async fn forms_of_characters_are_equal() {
    let cases: [(&str, &str, &[&str]); 9] = [
        ("déclaration", "fr/nfd.md", &[]),
        ("de\u{301}claration", "fr/nfd.md", &[]),
        ("Zürich", "fr/nfd.md", &[]),
        ("カタカナ", "ja/model.md", &[]),
        ("ｶﾀｶﾅ", "ja/model.md", &[]),
        ("データベース", "jp/full.md", &[]),
        ("API仕様", "jp/full.md", &[]),
        ("الملف", "ar/file.md", &[]),
        ("القاعة", "ar/file.md", &[]),
    ];
    assert_found("simple", &cases).await;
    // Contents and spans are as written.
    let cluster = documents("simple").await;
    let sql = "SELECT c.content LIKE '%ﾃﾞｰﾀﾍﾞｰｽ%' AND end_byte - start_byte = octet_length(c.content)
        FROM passage.search_hits('データベース', max_hits => 1) AS h JOIN rag.chunks AS c ON c.id = h.chunk_id";
    assert_eq!(cluster.query_text(sql).await, "t");
}

#[tokio::test]
async fn signs_and_numbers_are_words() {
    let cases: [(&str, &str, &[&str]); 15] = [
        ("C++", "cpp.md", &["sharp.md", "plain.md"]),
        ("C#", "sharp.md", &["cpp.md", "plain.md"]),
        ("F#", "sharp.md", &["cpp.md", "plain.md"]),
        (".NET", "sharp.md", &["cpp.md", "plain.md"]),
        ("F", "plain.md", &["sharp.md"]),
        ("net", "plain.md", &["sharp.md"]),
        ("2.3.0", "release.md", &["next.md"]),
        ("v2.3.0", "release.md", &["next.md"]),
        ("v2.3.0-rc.1", "release.md", &["next.md"]),
        ("v3.1.4", "next.md", &["release.md"]),
        ("3.1", "next.md", &["release.md"]),
        ("2024-1234", "release.md", &[]),
        ("203.0.113", "hosts.md", &[]),
        ("-Xmx512m", "hosts.md", &[]),
        ("--dry-run", "hosts.md", &[]),
    ];
    assert_found("english", &cases).await;
}
