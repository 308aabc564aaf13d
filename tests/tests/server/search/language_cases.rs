//! Inputs that a user reported: questions in Chinese and Japanese, words next to letters of another script, and equal
//! words in other forms of their characters. The stores have PostgreSQL's configuration for English, as by default.

use passage_tests::Cluster;
use tokio_postgres::Client;

/// The functions that search.
const SEARCHES: [&str; 3] = ["search", "search_hits", "fragments"];

const CHINESE: &str = "# 部署手册\n\n## 安装\n\n先安装数据库，再运行初始化脚本。磁盘至少需要二十吉字节。\n\n## 日志轮换\n\n\
    日志文件每天零点轮换一次。发送信号 USR1 可以立即轮换。磁盘空间不足时，收集器继续写旧文件，并每小时记录一次警告。\n\n## 备份\n\n\
    每天夜里做一次全量备份，保存九十天。go 服务的部署方案见附录。\n\n## 中\n\n这一节只说明“中”等级的告警。\n";

const JAPANESE: &str = "# 運用ガイド\n\n## 機械学習アルゴリズム\n\n\
    モデルの再学習は毎週月曜日に行います。データベースの移行は東京リージョンで実施します。\n\n## バックアップ\n\n\
    毎晩ベースバックアップを取得し、別のマシンで復元を検証します。\n\n## ログ\n\n\
    ｶﾀｶﾅの半角とカタカナの全角は同じ検索で見つかるべきです。サーバーの再起動は夜間に行う。\n";

/// Documents of one section each, by their uris.
const DOCUMENTS: [(&str, &str); 11] = [
    (
        "mix/1.md",
        "# 部署\n\n使用docker部署服务，调用API时需要token。在PostgreSQL中运行脚本install.sh即可。\n",
    ),
    (
        "mix/2.md",
        "# 設定\n\nconfig.yamlファイルでport8080を指定し、Redisキャッシュを有効にします。\n",
    ),
    ("mix/3.md", "# 설정\n\nKubernetes에서 docker를 사용합니다. API키는 관리자가 발급합니다.\n"),
    (
        "nfc.md",
        "# Café\n\n## Ouverture\n\nLe café ouvre à neuf heures. Škola je otvorená. Polską drogą. Straße nach Köln.\n",
    ),
    (
        "nfd.md",
        "# Cafe\u{301}\n\n## Ouverture\n\nLe cafe\u{301} ouvre a\u{300} huit heures. La de\u{301}claration est de\u{301}pose\u{301}e.\n\n\
        ## Ferme\u{301}\n\nFermeture le dimanche.\n",
    ),
    (
        "ko/nfd.md",
        "# \u{1107}\u{1162}\u{11a8}\u{110b}\u{1165}\u{11b8}\n\n매일 밤 \u{1103}\u{1166}\u{110b}\u{1175}\u{1110}\u{1165}\u{1107}\u{1166}\u{110b}\u{1175}\
        \u{1109}\u{1173}를 백업합니다.\n",
    ),
    ("ko/nfc.md", "# 백업\n\n매일 밤 데이터베이스를 저장합니다.\n"),
    (
        "fr/nfd.md",
        "# Re\u{301}sume\u{301}\n\nLa de\u{301}claration est de\u{301}pose\u{301}e a\u{300} Zu\u{308}rich.\n",
    ),
    (
        "jp/full.md",
        "# ＡＰＩ仕様\n\nＡＰＩキーは管理画面で発行します。ﾃﾞｰﾀﾍﾞｰｽは二台です。１２３番を参照。\n",
    ),
    ("bo/1.md", "# ㄅㄆㄇ\n\nབོད་སྐད་ཀྱི་ཡིག་ཆ། ꀀꀁꀂꀃ\n"),
    ("key.md", "# 暗号\n\n公開鍵と秘密鍵を使います。ไฟล์นี้มีน้ำ. \n"),
];

/// Returns a client of a server with a store of all documents.
async fn documents() -> (Cluster, Client) {
    let cluster = Cluster::without_store().await;
    let client = cluster.client().await;
    client.batch_execute("SELECT passage.create_store()").await.unwrap();
    // One chunk for each section of the manuals, since small sections would be merged.
    let manuals = [("zh.md", CHINESE), ("ja.md", JAPANESE)];
    for (uri, text) in manuals {
        let sql = "SELECT passage.ingest($1, $2, splitting => passage.splitting(min_size => 10, preferred_size => 40, max_size => 80))";
        client.query(sql, &[&uri, &text]).await.unwrap();
    }
    for (uri, text) in DOCUMENTS {
        client.query("SELECT passage.ingest($1, $2)", &[&uri, &text]).await.unwrap();
    }
    client.batch_execute("ANALYZE rag.documents, rag.chunks").await.unwrap();
    (cluster, client)
}

#[tokio::test]
async fn questions_find_their_section_first() {
    let (_cluster, client) = documents().await;
    for (query, expected) in [
        ("日志多久轮换一次", "日志轮换"),
        ("轮换日志", "日志轮换"),
        ("日志轮换吗", "日志轮换"),
        ("日志轮换", "日志轮换"),
        ("日志 多久 轮换 一次", "日志轮换"),
        ("モデルの再学習はいつですか", "機械学習アルゴリズム"),
        ("中", "中"),
    ] {
        for function in SEARCHES {
            let content = if function == "search_hits" { "section::text" } else { "content" };
            let sql =
                format!("SELECT {content} FROM passage.{function}($1) ORDER BY score DESC LIMIT 1");
            let rows = client.query(&sql, &[&query]).await.unwrap();
            let first: String = rows.first().map(|row| row.get(0)).unwrap_or_default();
            let of_section = match (function, expected) {
                ("search_hits", title) => first.contains(title),
                (_, "機械学習アルゴリズム") => first.contains("再学習"),
                (_, title) => first.contains(title),
            };
            assert!(of_section, "{function} {query}: {first}");
        }
    }
}

#[tokio::test]
async fn words_are_found_in_every_document_that_has_them() {
    let (_cluster, client) = documents().await;
    for (query, expected) in [
        // Next to letters of another script.
        ("docker", &["mix/1.md", "mix/3.md"][..]),
        ("API", &["jp/full.md", "mix/1.md", "mix/3.md"]),
        ("token", &["mix/1.md"]),
        ("PostgreSQL", &["mix/1.md"]),
        ("install.sh", &["mix/1.md"]),
        ("Redis", &["mix/2.md"]),
        ("port8080", &["mix/2.md"]),
        ("config.yaml", &["mix/2.md"]),
        ("yaml", &["mix/2.md"]),
        ("Kubernetes", &["mix/3.md"]),
        // In composed and decomposed characters.
        ("déclaration", &["fr/nfd.md", "nfd.md"]),
        ("de\u{301}claration", &["fr/nfd.md", "nfd.md"]),
        ("Zürich", &["fr/nfd.md"]),
        ("Zu\u{308}rich", &["fr/nfd.md"]),
        ("café", &["nfc.md", "nfd.md"]),
        ("cafe\u{301}", &["nfc.md", "nfd.md"]),
        ("Škola", &["nfc.md"]),
        ("S\u{30c}kola", &["nfc.md"]),
        ("데이터베이스", &["ko/nfc.md", "ko/nfd.md"]),
        (
            "\u{1103}\u{1166}\u{110b}\u{1175}\u{1110}\u{1165}\u{1107}\u{1166}\u{110b}\u{1175}\u{1109}\u{1173}",
            &["ko/nfc.md", "ko/nfd.md"],
        ),
        // In half and full width.
        ("ｶﾀｶﾅ", &["ja.md"]),
        ("カタカナ", &["ja.md"]),
        ("\"ﾃﾞｰﾀﾍﾞｰｽ\"", &["ja.md", "jp/full.md"]),
        ("\"データベース\"", &["ja.md", "jp/full.md"]),
        ("ＡＰＩ", &["jp/full.md", "mix/1.md", "mix/3.md"]),
        ("123", &["jp/full.md"]),
        // In other scripts.
        ("ㄅㄆㄇ", &["bo/1.md"]),
        ("སྐད", &["bo/1.md"]),
        ("ꀀꀁ", &["bo/1.md"]),
        // A syllable at the beginning, within and at the end of a run.
        ("鍵", &["key.md"]),
        ("\"鍵\"", &["key.md"]),
        ("公", &["key.md"]),
        ("น้ำ", &["key.md"]),
    ] {
        for function in SEARCHES {
            let sql = format!(
                "SELECT coalesce(array_agg(DISTINCT uri ORDER BY uri), '{{}}') FROM passage.{function}($1)"
            );
            let found: Vec<String> = client.query_one(&sql, &[&query]).await.unwrap().get(0);
            assert_eq!(found, *expected, "{function} {query}");
        }
    }
}

#[tokio::test]
async fn sharp_s_is_equal_to_ss_as_the_configuration_has_it() {
    let cluster = Cluster::without_store().await;
    let client = cluster.client().await;
    for (store, found) in [("german", 1_i64), ("simple", 0)] {
        let create = "SELECT passage.create_store($1, language => $2::text::regconfig)";
        client.query(create, &[&store, &store]).await.unwrap();
        let ingest = "SELECT passage.ingest('a.md', 'Die Straße nach Köln.', store => $1)";
        client.query(ingest, &[&store]).await.unwrap();
        let sql = "SELECT count(*) FROM passage.search_hits('Strasse', store => $1)";
        let count: i64 = client.query_one(sql, &[&store]).await.unwrap().get(0);
        assert_eq!(count, found, "{store}");
    }
}
