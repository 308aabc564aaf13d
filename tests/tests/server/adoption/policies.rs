/*!
Row-level security of adopted tables: what a role sees of the store equals the store of an adoption of the rows it may see.

Each round makes a table with random policies and random rows, which are then changed by random statements of random
writers. For each reader, the rows that it sees are copied into a table of its own with the same policies, which the
owner adopts. All that the reader sees of the first store must equal the second one: documents, chunks, an outline, search
and counts. No text of a hidden row may appear anywhere.
*/

use passage_tests::Cluster;
use passage_tests::cases;
use passage_tests::cluster::{SUPERUSER, session_lines};
use std::fmt::Write;
use tokio_postgres::Client;

/// A linear congruential generator.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % limit
    }

    fn pick<'t>(&mut self, list: &[&'t str]) -> &'t str {
        list[self.below(list.len())]
    }

    /// Returns a condition over a row, which a policy has.
    fn condition(&mut self, depth: usize) -> String {
        if depth > 0 && self.below(3) == 0 {
            let (left, right) = (self.condition(depth - 1), self.condition(depth - 1));
            return match self.below(3) {
                0 => format!("({left}) AND ({right})"),
                1 => format!("({left}) OR ({right})"),
                _ => format!("NOT ({left})"),
            };
        }
        self.pick(&[
            "tenant = current_user",
            "tenant = current_setting('app.tenant', true)",
            "meta ->> 'team' = current_user",
            "(meta -> 'teams') ? current_user",
            "coalesce(meta ->> 'level', '0')::integer <= (SELECT max(grants.level) FROM grants WHERE grants.role = current_user)",
            "EXISTS (SELECT FROM grants WHERE grants.role = current_user AND grants.page = notes.page)",
            "tenant IN (SELECT grants.tenant FROM grants WHERE grants.role = current_user)",
            "is_public",
            "position < 3",
            "id % 3 <> 0",
            "may_see(tenant)",
            "tenant = ANY (ARRAY[current_user, 'all'])",
            "CASE WHEN is_public THEN true ELSE tenant = current_user END",
            "lower(tenant) = lower(current_user)",
            "CASE tenant WHEN current_user THEN true WHEN 'all' THEN is_public ELSE position > 2 END",
            "CASE current_user WHEN tenant THEN true ELSE is_public END",
            "(tenant, page) IN (SELECT grants.tenant, grants.page FROM grants WHERE grants.role = current_user)",
            "position < ALL (SELECT grants.level + 2 FROM grants WHERE grants.role = current_user)",
            "notes.meta @> jsonb_build_object('team', current_user)",
            "(SELECT count(*) FROM grants WHERE grants.role = current_user AND grants.level >= notes.position) > 0",
        ])
        .to_owned()
    }

    /// Returns a statement that writes the table.
    fn statement(&mut self) -> String {
        let id = 1 + self.below(30);
        match self.below(6) {
            0..=2 => {
                let row = self.row(id);
                format!(
                    "INSERT INTO notes VALUES {row} ON CONFLICT (id) DO UPDATE SET body = excluded.body, page = excluded.page, title = excluded.title,
                    tenant = excluded.tenant, meta = excluded.meta, is_public = excluded.is_public"
                )
            }
            3 => format!("UPDATE notes SET tenant = '{}' WHERE id = {id}", self.tenant()),
            4 => format!(
                "UPDATE notes SET meta = meta || '{{\"team\": \"{}\"}}', position = 9 - position WHERE id % 5 = {}",
                self.tenant(),
                self.below(5)
            ),
            _ => format!("DELETE FROM notes WHERE id = {id}"),
        }
    }

    fn tenant(&mut self) -> &'static str {
        self.pick(&["alice", "bob", "all", "Alice"])
    }

    fn row(&mut self, id: usize) -> String {
        let (tenant, page) = (self.tenant(), self.pick(&["guide", "plan", "menu"]));
        let (position, number, flag) = (self.below(6), self.below(1000), self.below(2) == 0);
        let (team, level) = (self.tenant(), self.below(4));
        format!(
            "({id}, '{page}', {position}, 'The water of {tenant} number {number} is warm. It flows.', 'Title of {tenant}', '{tenant}', {flag},
            '{{\"team\": \"{team}\", \"teams\": [\"{tenant}\"], \"level\": {level}, \"start\": {number}}}')"
        )
    }
}

const SETUP: &str = "
    CREATE TABLE grants (role text, tenant text, page text, level integer);
    INSERT INTO grants VALUES ('alice', 'alice', 'guide', 2), ('alice', 'all', 'menu', 1), ('bob', 'bob', 'plan', 3), ('bob', 'all', 'guide', 0);
    CREATE FUNCTION may_see(tenant text) RETURNS boolean LANGUAGE sql RETURN tenant = current_user;
    GRANT SELECT ON grants TO alice, bob";

const TABLE: &str = "id bigint PRIMARY KEY, page text, position integer, body text, title text, tenant text, is_public boolean, meta jsonb";

/// Queries of all that a role sees of a store, without ids.
const SEEN: [&str; 5] = [
    "SELECT uri, title, version, media_type, chunk_count FROM STORE.documents ORDER BY 1, 2, 3, 4, 5",
    "SELECT uri, title, ordinal, source_id, start_byte, end_byte, content FROM STORE.chunks JOIN STORE.documents ON documents.id = document_id ORDER BY source_id",
    "SELECT count(*) FROM STORE.chunks",
    "SELECT content, uri FROM passage.search_hits('water', max_hits => 100, store => 'STORE') ORDER BY 1, 2",
    "SELECT uri, title, array_agg(outline.outline) FROM STORE.documents, passage.outline(documents.id, store => 'STORE') AS outline GROUP BY documents.id, uri, title ORDER BY 1, 2, 3",
];

async fn seen(client: &Client, store: &str) -> Vec<Vec<String>> {
    let mut seen = Vec::new();
    for sql in SEEN {
        seen.push(session_lines(client, &sql.replace("STORE", store)).await);
    }
    seen
}

async fn round(cluster: &Cluster, random: &mut Random) {
    let mut policies = String::new();
    for number in 0..=random.below(3) {
        let kind = if number > 0 && random.below(3) == 0 { "RESTRICTIVE" } else { "PERMISSIVE" };
        let condition = random.condition(2);
        write!(
            policies,
            "CREATE POLICY p{number} ON notes AS {kind} FOR SELECT USING ({condition});"
        )
        .unwrap();
    }
    let policies = format!(
        "{policies} CREATE POLICY writing ON notes FOR INSERT WITH CHECK (true); CREATE POLICY changing ON notes FOR UPDATE USING (true);
        CREATE POLICY removing ON notes FOR DELETE USING (true);
        ALTER TABLE notes ENABLE ROW LEVEL SECURITY; GRANT SELECT ON notes TO alice, bob; GRANT INSERT, UPDATE, DELETE ON notes TO alice, bob"
    );
    let rows: Vec<_> = (1..=20).map(|id| random.row(id)).collect();
    let adopt = "SELECT count(*) FROM passage.adopt('notes', 'STORE', document => 'page', content => 'body', ordinal => 'position', title => 'title',
        start_char => '(meta ->> ''start'')::integer')";
    // Policies are there before the adoption, or the store is upgraded when they are.
    let is_later = random.below(3) == 0;
    let (before, after) = if is_later { ("", policies.as_str()) } else { (policies.as_str(), "") };
    cluster
        .execute(&format!(
            "CREATE TABLE notes ({TABLE}); INSERT INTO notes VALUES {}; {before}; {}; {after}; SELECT count(*) FROM passage.upgrade_store('kept')",
            rows.join(", "),
            adopt.replace("STORE", "kept")
        ))
        .await;
    for _ in 0..25 {
        let (role, statement) = (random.pick(&["alice", "bob", "owner"]), random.statement());
        // Policies for reading also decide which rows a statement may change.
        let _ = cluster.client_as(role).await.batch_execute(&statement).await;
    }
    for role in cases(["alice", "bob"]) {
        let reader = cluster.client_as(role).await;
        reader.batch_execute(&format!("SET app.tenant = '{role}'")).await.unwrap();
        let visible = session_lines(&reader, "SELECT id FROM notes ORDER BY id").await;
        let found = seen(&reader, "kept").await;
        let counts = "SELECT documents, chunks, size FROM passage.stores() WHERE store = 'kept'";
        assert_eq!(session_lines(&reader, counts).await, ["||"], "{role}");
        // The same in a table of the visible rows alone.
        let list = if visible.is_empty() { "NULL".to_owned() } else { visible.join(", ") };
        cluster
            .execute(&format!(
                "ALTER TABLE notes RENAME TO all_notes; CREATE TABLE notes ({TABLE});
                INSERT INTO notes SELECT * FROM all_notes WHERE id IN ({list}) ORDER BY id; {policies}; {}",
                adopt.replace("STORE", "fresh")
            ))
            .await;
        let expected = seen(&cluster.client().await, "fresh").await;
        let hidden = format!(
            "SELECT body FROM all_notes WHERE id NOT IN ({list}) AND body NOT IN (SELECT body FROM notes)"
        );
        let hidden =
            if visible.is_empty() { "SELECT body FROM all_notes".to_owned() } else { hidden };
        let hidden = cluster.query_lines(&hidden).await;
        cluster
            .execute("SELECT count(*) FROM passage.unadopt('fresh'); DROP TABLE notes; ALTER TABLE all_notes RENAME TO notes")
            .await;
        let shown = format!("{found:?}");
        let leaked: Vec<_> = hidden.iter().filter(|text| shown.contains(text.as_str())).collect();
        assert!(leaked.is_empty(), "{role} sees {leaked:?} with {policies}");
        assert_eq!(found, expected, "{role} with {policies}");
    }
    cluster.execute("SELECT count(*) FROM passage.unadopt('kept'); DROP TABLE notes").await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_role_sees_the_store_of_the_rows_that_it_may_see() {
    let seed = std::env::var("PASSAGE_SEED").map_or(11, |seed| seed.parse().unwrap());
    let rounds = std::env::var("PASSAGE_ROUNDS").map_or(12, |rounds| rounds.parse().unwrap());
    let cluster = Cluster::without_store().await;
    cluster.execute_as(SUPERUSER, "CREATE ROLE alice LOGIN; CREATE ROLE bob LOGIN").await;
    cluster.execute(SETUP).await;
    let mut random = Random(seed);
    for _ in 0..rounds {
        round(&cluster, &mut random).await;
    }
}
