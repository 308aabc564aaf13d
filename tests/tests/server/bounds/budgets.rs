//! Budgets: passages take at most the tokens that the caller allows, with the lines that they repeat.

use crate::rng::Rng;
use passage_tests::Cluster;
use std::fmt::Write;

/// A document of sections whose tables and blocks of code are cut into several chunks, so passages repeat headers and fences.
fn document(rng: &mut Rng) -> String {
    let mut text = "# Guide\n".to_owned();
    for section in 0..12 {
        writeln!(text, "\n## Part {section}\n\nThe quokka reads part {section}.\n").unwrap();
        match rng.below(3) {
            0 => {
                text.push_str("| animal | food |\n|---|---|\n");
                (0..30).for_each(|row| writeln!(text, "| quokka {row} | leaf {row} |").unwrap());
            }
            1 => {
                text.push_str("```sh\n");
                (0..40).for_each(|line| writeln!(text, "feed quokka {line}").unwrap());
                text.push_str("```\n");
            }
            _ => (0..8).for_each(|line| write!(text, "A quokka sleeps at {line}. ").unwrap()),
        }
    }
    text
}

#[tokio::test]
async fn passages_with_their_repeated_lines_fit_into_every_budget() {
    let cluster = Cluster::start().await;
    let client = cluster.client().await;
    let mut rng = Rng::new(42, 1);
    for number in 0..4 {
        let sql = "SELECT FROM passage.ingest($1, $2, 'text/markdown', splitting => passage.splitting(max_size => 240, preferred_size => 160, min_size => 40))";
        client.query(sql, &[&format!("{number}.md"), &document(&mut rng)]).await.unwrap();
    }
    let strategies =
        ["none", "adjacent", "broad", "section", "hierarchical", "merge", "document", "auto"];
    let searched = "SELECT coalesce(sum(tokens), 0), count(*), 0::bigint \
        FROM passage.search('quokka', strategy => $1, max_tokens => $2, max_passages => $3)";
    // `reassemble` keeps all hits.
    let reassembled = "WITH hits AS (SELECT array_agg(id ORDER BY hashtext(id::text || $3)) AS ids, sum(tokens) AS tokens \
            FROM (SELECT id, tokens FROM rag.chunks ORDER BY hashtext(id::text || $3::integer) LIMIT 3) AS chosen) \
        SELECT coalesce(sum(p.tokens), 0), count(*), max(hits.tokens) \
        FROM hits, passage.reassemble(hits.ids, strategy => $1, max_tokens => $2) AS p";
    let mut full = 0;
    for round in 0..400 {
        let budget = 150 + i32::try_from(rng.below(1_200)).unwrap();
        let strategy = *rng.choose(&strategies);
        let count = i32::try_from(1 + rng.below(20)).unwrap();
        let sql = if round % 2 == 0 { searched } else { reassembled };
        let row = client.query_one(sql, &[&strategy, &budget, &count]).await.unwrap();
        let (tokens, passages, of_hits): (i64, i64, i64) = (row.get(0), row.get(1), row.get(2));
        assert!(passages > 0, "{strategy} finds passages");
        // A header takes at most ten tokens. The only passage of a search has a hit that fits.
        let allowed = i64::from(budget).max(of_hits + 30);
        assert!(
            tokens <= allowed,
            "round {round}, {strategy}: {tokens} of {budget} tokens in {passages} passages of {of_hits} tokens of hits"
        );
        full += i32::from(tokens * 10 > allowed * 9);
    }
    assert!(full > 50, "only {full} calls spend their budgets");
}
