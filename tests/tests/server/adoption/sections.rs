//! The order of adopted rows whose offsets begin again in each section, as LangChain's splitters for headings and for
//! characters record them together.

use passage_tests::Cluster;
use passage_tests::cases;
use std::fmt::Write as _;

/// A linear congruential generator.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % limit
    }
}

/// A row of the framework's table.
struct FrameworkRow {
    id: usize,
    page: usize,
    titles: [String; 2],
    start: usize,
    text: String,
    /// Whether the row may arrive late: its section has other rows, and its titles come once.
    movable: bool,
}

impl FrameworkRow {
    /// Returns the statement that writes the row, as an upsert.
    fn write(&self, table: Table) -> String {
        let metadata = format!(
            r#"{{"source": "page {}", "start_index": {}, "Header 1": "{}", "Header 2": "{}"}}"#,
            self.page, self.start, self.titles[0], self.titles[1]
        );
        table.insert(self.id, &self.text, &metadata)
    }
}

/// The layouts: with a uuid, rows have the order of arrival, and with a bigint that of the key.
#[derive(Clone, Copy)]
enum Table {
    LangChain,
    Supabase,
}

impl Table {
    const fn create(self) -> &'static str {
        match self {
            Self::LangChain => {
                "CREATE TABLE pages (langchain_id uuid PRIMARY KEY, content text, embedding vector(1), langchain_metadata json)"
            }
            Self::Supabase => {
                "CREATE TABLE pages (id bigint PRIMARY KEY, content text, metadata jsonb, embedding vector(1))"
            }
        }
    }

    const fn key(self) -> &'static str {
        match self {
            Self::LangChain => "langchain_id",
            Self::Supabase => "id",
        }
    }

    /// The ids of a uuid table are in another order than its rows.
    fn id(self, id: usize) -> String {
        match self {
            Self::LangChain => format!("md5('{id}')::uuid"),
            Self::Supabase => id.to_string(),
        }
    }

    fn insert(self, id: usize, text: &str, metadata: &str) -> String {
        let id = self.id(id);
        match self {
            Self::LangChain => format!(
                "INSERT INTO pages VALUES ({id}, '{text}', '[1]', '{metadata}') ON CONFLICT (langchain_id) DO UPDATE
                SET content = excluded.content, langchain_metadata = excluded.langchain_metadata;"
            ),
            Self::Supabase => format!(
                "INSERT INTO pages VALUES ({id}, '{text}', '{metadata}', '[1]') ON CONFLICT (id) DO UPDATE
                SET content = excluded.content, metadata = excluded.metadata;"
            ),
        }
    }
}

/// Writes the pieces of a page with sections of one to four pieces. Every piece after the first one of a section
/// repeats the end of the previous one. Returns the text of the page.
fn split(
    random: &mut Random,
    page: usize,
    sections: usize,
    pieces: &mut Vec<FrameworkRow>,
) -> String {
    let mut text = String::new();
    let mut word = 0;
    let mut sentence = |random: &mut Random| {
        let mut sentence = String::new();
        for _ in 0..6 + random.below(9) {
            word += 1;
            write!(sentence, "p{page}w{word} ").unwrap();
        }
        sentence
    };
    for section in 0..sections {
        // Every fourth section has the titles of an earlier one.
        let repeats = section % 4 == 3;
        let titles = [
            format!("T{}", section / 8),
            format!("S{}", if repeats { section - 2 } else { section }),
        ];
        let twice = repeats || section % 4 == 1;
        let count = 1 + random.below(4);
        let (mut start, mut overlap) = (0, String::new());
        for piece in 0..count {
            let new = sentence(random);
            let written = format!("{overlap}{new}");
            pieces.push(FrameworkRow {
                id: pieces.len() + 1,
                page,
                titles: titles.clone(),
                start,
                text: written.trim_end().to_owned(),
                movable: !twice && count > 1,
            });
            text.push_str(&new);
            let kept = if piece + 1 < count { new.len() / 3 } else { 0 };
            let kept =
                new[new.len() - kept..].find(' ').map_or(new.len(), |at| new.len() - kept + at + 1);
            new[kept..].clone_into(&mut overlap);
            start += written.len() - overlap.len();
        }
    }
    text
}

/// Returns the text of each page, without white space.
async fn texts(cluster: &Cluster) -> Vec<String> {
    let sql = "SELECT regexp_replace(passage.assemble(document_id, array_agg(chunks.id), '', 'kept'), '\\s', '', 'g')
        FROM kept.chunks JOIN kept.documents ON documents.id = document_id GROUP BY document_id ORDER BY min(uri)";
    cluster.query_lines(sql).await
}

async fn rows(cluster: &Cluster, store: &str) -> Vec<String> {
    let sql = format!(
        "SELECT uri, ordinal, source_id, start_byte, end_byte, content FROM {store}.chunks JOIN {store}.documents ON documents.id = document_id
        ORDER BY uri, ordinal"
    );
    cluster.query_lines(&sql).await
}

async fn rows_stay_in_order(table: Table) {
    let mut random = Random(std::env::var("PASSAGE_SEED").map_or(7, |seed| seed.parse().unwrap()));
    let cluster = Cluster::start().await;
    if cluster.lacks_vector("rows stay in order") {
        return;
    }
    cluster.execute(table.create()).await;
    let adopt = |store: &str| format!("SELECT count(*) FROM passage.adopt('pages', '{store}')");
    let mut pieces = Vec::new();
    let mut expected = Vec::new();
    // The last page is large enough that only its last chunk is read if a row follows it.
    for (page, sections) in [(1, 1), (2, 3), (3, 9), (4, 40)] {
        expected.push(split(&mut random, page, sections, &mut pieces).replace(' ', ""));
    }
    let (before, after) = pieces.split_at(pieces.len() / 2);
    for piece in before {
        cluster.execute(&piece.write(table)).await;
    }
    cluster.execute(&adopt("kept")).await;
    for batch in after.chunks(5) {
        let statements: String = batch.iter().map(|piece| piece.write(table)).collect();
        cluster.execute(&statements).await;
    }
    assert_eq!(texts(&cluster).await, expected);
    cluster.execute(&adopt("fresh")).await;
    assert_eq!(rows(&cluster, "kept").await, rows(&cluster, "fresh").await);
    cluster.execute("SELECT passage.unadopt('fresh')").await;

    for round in 0..60 {
        let piece = &pieces[random.below(pieces.len())];
        let id = table.id(piece.id);
        match random.below(3) {
            0 => cluster.execute(&piece.write(table)).await,
            1 => {
                let update = format!(
                    "UPDATE pages SET content = content || '.' WHERE {} = {id}",
                    table.key()
                );
                cluster.execute(&update).await;
                cluster.execute(&piece.write(table)).await;
            }
            _ if piece.movable || matches!(table, Table::Supabase) => {
                let delete = format!("DELETE FROM pages WHERE {} = {id}", table.key());
                cluster.execute(&delete).await;
                cluster.execute(&piece.write(table)).await;
            }
            _ => {}
        }
        if round % 10 == 9 {
            assert_eq!(texts(&cluster).await, expected, "round {round}");
            if matches!(table, Table::Supabase) {
                cluster.execute(&adopt("fresh")).await;
                assert_eq!(rows(&cluster, "kept").await, rows(&cluster, "fresh").await);
                cluster.execute("SELECT passage.unadopt('fresh')").await;
            }
        }
    }
}

#[tokio::test]
async fn sections_of_a_langchain_table_keep_the_order_of_their_first_rows() {
    rows_stay_in_order(Table::LangChain).await;
}

#[tokio::test]
async fn sections_of_a_supabase_table_have_the_order_of_their_keys() {
    rows_stay_in_order(Table::Supabase).await;
}

#[tokio::test]
async fn offsets_that_count_through_the_document_order_its_rows() {
    let cluster = Cluster::start().await;
    if cluster.lacks_vector("offsets order rows") {
        return;
    }
    cluster.execute(Table::LangChain.create()).await;
    cluster.execute("SELECT count(*) FROM passage.adopt('pages', 'kept')").await;
    for (id, start, section) in cases([(1, 40, "B"), (2, 0, "A"), (3, 90, "A"), (4, 60, "B")]) {
        let metadata =
            format!(r#"{{"source": "page", "start_index": {start}, "Header 1": "{section}"}}"#);
        cluster.execute(&Table::LangChain.insert(id, &format!("Text {id}"), &metadata)).await;
    }
    let order = "SELECT string_agg(content, ' ' ORDER BY ordinal) FROM kept.chunks";
    assert_eq!(cluster.query_text(order).await, "Text 2 Text 1 Text 4 Text 3");
}
