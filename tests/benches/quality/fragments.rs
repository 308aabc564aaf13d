/*!
The recall of `fragments`: in the one document that a question is about, and in all documents.

Each strategy is called with its default limits. The table also has the cost: the tokens of all fragments, and the
saving against the whole document.
*/

mod table;

use super::excerpts::{Excerpt, score_excerpts};
use super::report::title;
use super::server::{Loaded, Server};
use super::set::Question;
use table::{Excerpts, MethodScores};

/// The strategies, and whether they get the embedding of the question.
const STRATEGIES: [(&str, bool); 7] = [
    ("seed", false),
    ("proximity", false),
    ("adaptive", false),
    ("semantic", false),
    ("semantic", true),
    ("auto", false),
    ("auto", true),
];

/// The searched documents.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// The question's document.
    Document,
    /// The whole store.
    Store,
}

/// Queries all questions of a set in every way.
pub fn measure<'s>(server: &Server, loaded: &Loaded<'s>, scope: Scope) -> Excerpts<'s> {
    let set = loaded.set;
    let tokens = tokens(server, loaded);
    let scoped = match scope {
        Scope::Document => "in their documents",
        Scope::Store => "in the whole store",
    };
    let row = |(strategy, embedded)| {
        let row = ask(server, loaded, scope, strategy, embedded);
        eprintln!("bench: {}, fragments, {} {scoped}: measured", set.name, row.name);
        row
    };
    Excerpts {
        title: format!("{}, fragments {scoped}", title(set)),
        questions: &set.questions,
        whole: set.questions.iter().map(|question| tokens[question.answer.document]).collect(),
        rows: STRATEGIES.into_iter().map(row).collect(),
    }
}

fn ask(
    server: &Server,
    loaded: &Loaded,
    scope: Scope,
    strategy: &str,
    embedded: bool,
) -> MethodScores {
    let set = loaded.set;
    let sql = format!(
        "SELECT uri, content, first_line, last_line, tokens::bigint \
         FROM passage.fragments(query => $1, embedding => $2::real[], uri => $3, \
             strategy => $4, store => '{}')",
        loaded.store
    );
    let texts: Vec<_> = set.documents.iter().map(|document| document.text.as_str()).collect();
    let one = |(question, embedding): (&Question, &Vec<f32>)| {
        let uri = (scope == Scope::Document).then(|| loaded.uri(question.answer.document));
        let embedding = embedded.then_some(embedding);
        let rows = server.query(&sql, &[&question.text, &embedding, &uri, &strategy]);
        let number = |row: &tokio_postgres::Row, column: usize| row.get::<_, i32>(column) as usize;
        let excerpt = |row: &tokio_postgres::Row| Excerpt {
            document: loaded.number(row.get(0)),
            content: row.get(1),
            lines: number(row, 2)..=number(row, 3),
            tokens: usize::try_from(row.get::<_, i64>(4)).expect("a size is not negative"),
        };
        let excerpts: Vec<_> = rows.iter().map(excerpt).collect();
        score_excerpts(&question.answer, &texts, &excerpts)
    };
    let with = if embedded { ", with embedding" } else { "" };
    let scores = set.questions.iter().zip(&loaded.asked).map(one).collect();
    MethodScores { name: format!("`{strategy}`{with}"), scores }
}

/// Returns the tokens of each document of a set.
fn tokens(server: &Server, loaded: &Loaded) -> Vec<usize> {
    let sql = format!(
        "SELECT d.uri, sum(c.tokens)::bigint FROM {store}.documents AS d \
         JOIN {store}.chunks AS c ON c.document_id = d.id GROUP BY d.uri",
        store = loaded.store
    );
    let mut tokens = vec![0; loaded.set.documents.len()];
    for row in server.query(&sql, &[]) {
        tokens[loaded.number(row.get(0))] = row.get::<_, i64>(1) as usize;
    }
    tokens
}
