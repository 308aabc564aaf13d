"""The HTTP server with other programs: the client of OpenAI, and a fuzzer of API descriptions."""

import json
import os
import re
import subprocess
import sys
import urllib.parse
import urllib.request

import documents
import openai
import psycopg
import pytest

from http_calls import request
from servers import CLIENT, ROOT, TOKEN, run, serving
from statements import count, until


def test_the_function_of_the_readme_for_python_embeds_with_the_model_of_the_store(library, server):
    [block] = [block for block in documents.readme_blocks() if "def embed" in block]
    session = {}
    exec(block.replace("http://127.0.0.1:8642", server), session)

    expected = json.loads(run(library, "embed", "--query", "How do I rotate a log?"))
    assert session["embed"]("How do I rotate a log?") == pytest.approx(expected, abs=1e-6)


def test_the_client_of_openai_embeds_with_the_model_of_the_store(library, server):
    client = openai.OpenAI(base_url=f"{server}/v1", api_key="none")
    model = client.models.list().data[0].id
    texts = ["How do I rotate a log?", "striped crossing"]
    response = client.embeddings.create(model=model, input=texts)
    assert [each.index for each in response.data] == [0, 1]
    expected = json.loads(run(library, "embed", "--query", texts[0]))
    assert response.data[0].embedding == pytest.approx(expected, abs=1e-6)
    plain = client.embeddings.create(model=model, input=texts[0], encoding_format="float")
    assert plain.data[0].embedding == pytest.approx(expected, abs=1e-6)
    assert plain.usage.prompt_tokens > 3
    with pytest.raises(openai.NotFoundError, match="does not have this model"):
        client.embeddings.create(model="text-embedding-3-small", input="x")
    for text in ["word " * 30_000, ["word " * 200] * 150]:
        with pytest.raises(openai.APIStatusError, match="must have at most 131072 bytes of text, not 150000") as too_long:
            client.embeddings.create(model=model, input=text)
        assert too_long.value.status_code == 413
    for bad, message in [
        ([], "must have 1 to 256 texts, not 0"),
        ("", "has an empty text"),
        (["x", ""], "has an empty text"),
        (["x"] * 257, "must have 1 to 256 texts, not 257"),
        ([1, 2], "must be a string or an array of strings"),
    ]:
        with pytest.raises(openai.BadRequestError, match=message):
            client.embeddings.create(model=model, input=bad)
    assert len(client.embeddings.create(model=model, input=["x"] * 256).data) == 256
    with pytest.raises(openai.BadRequestError, match="must be 384, not 12"):
        client.embeddings.create(model=model, input="x", dimensions=12)


def test_results_are_the_rows_of_the_sql_functions(library, server):
    arguments = {"query": "row-level security", "ranking": {"mode": "text"}, "max_passages": 3}
    status, answer = request(f"{server}/search", arguments)
    assert status == 200
    with psycopg.connect(library) as connection:
        sql = "SELECT to_jsonb(found) FROM passage.search('row-level security', ranking => passage.ranking(mode => 'text'), max_passages => 3) AS found"
        assert answer["results"] == [row for (row,) in connection.execute(sql)]
        hit = answer["results"][0]["hit_ids"][0]
        sql = "SELECT to_jsonb(context) FROM passage.expand_context(%s, strategy => 'broad') AS context"
        rows = [row for (row,) in connection.execute(sql, [hit])]
    assert request(f"{server}/context", {"chunk_id": hit, "strategy": "broad"})[1]["results"] == rows


@pytest.mark.parametrize(
    ("path", "body", "call"),
    [
        ("/outline", {"uri": "docs/faq.md"}, "outline('docs/faq.md')"),
        (
            "/search",
            {"query": "row-level security", "max_passages": 2, "limits": {"links": 2}},
            "search('row-level security', max_passages => 2, limits => passage.limits(links => 2))",
        ),
        ("/fragments", {"query": "row-level security", "max_fragments": 3}, "fragments('row-level security', max_fragments => 3)"),
        (
            "/fragments",
            {"query": "budget", "uri": "docs/faq.md", "return_full": False},
            "fragments('budget', uri => 'docs/faq.md', return_full => false)",
        ),
    ],
)
def test_outline_and_fragments_are_those_of_sql(library, path, body, call):
    with psycopg.connect(library) as connection:
        rows = [row for (row,) in connection.execute(f"SELECT to_jsonb(found) FROM passage.{call} AS found")]
    # The server embeds no query, as SQL does not.
    with serving(library, "serve", "--no-embed", "--listen", "127.0.0.1:0") as address:
        status, answer = request(address + path, body)
    assert status == 200 and answer["results"] == rows and rows


def test_ratings_need_the_option_of_the_server(library, server):
    with psycopg.connect(library) as connection:
        chunk = str(connection.execute("SELECT id FROM rag.chunks LIMIT 1").fetchone()[0])
    rating = {"query": "How do I rotate a log?", "chunk_id": chunk, "rating": 0.5}
    status, answer = request(f"{server}/rate", rating)
    assert status == 403 and "--allow-ratings" in answer["error"]["hint"]
    assert "/rate" not in request(f"{server}/openapi.json")[1]["paths"]
    with serving(library, "serve", "--allow-ratings", "--listen", "127.0.0.1:0") as address:
        assert "/rate" in request(f"{address}/openapi.json")[1]["paths"]
        assert request(f"{address}/rate", rating)[0] == 200
        assert request(f"{address}/rate", {**rating, "rated_by": "a"})[0] == 200
        for wrong in [{"rating": "much"}, {"rating": 1.5}, {"query": ""}, {"chunk_id": "00000000-0000-0000-0000-000000000000"}]:
            status, answer = request(f"{address}/rate", {**rating, **wrong})
            assert status == 400 and answer["error"]["hint"], answer
    with psycopg.connect(library) as connection:
        rows = connection.execute("DELETE FROM rag.ratings RETURNING rated_by = current_user, rating, embedding IS NOT NULL").fetchall()
    # The server has embedded the question.
    assert sorted(rows) == [(False, 0.5, True), (True, 0.5, True)]


def test_no_request_that_the_description_allows_makes_the_server_fail(server, tmp_path):
    checks = "not_a_server_error,status_code_conformance,content_type_conformance,response_schema_conformance"
    command = [sys.executable, "-m", "schemathesis.cli", "run", f"{server}/openapi.json", "--checks", checks]
    options = ["--max-examples", "8", "--phases", "examples,coverage,fuzzing", "--generation-database", "none", "--no-color"]
    done = subprocess.run([*command, *options], capture_output=True, text=True, env={**os.environ, "COLUMNS": "150"}, cwd=tmp_path)
    assert done.returncode == 0, done.stdout[-6000:] + done.stderr[-2000:]


def test_callers_need_the_token_for_everything_but_health(library):
    with serving(library, "serve", "--listen", "127.0.0.1:0", PASSAGE_TOKEN=TOKEN) as address:
        assert request(f"{address}/health") == (200, {"status": "ok"})
        assert request(f"{address}/ready") == (200, {"status": "ready"})
        status, answer = request(f"{address}/search", {"query": "x"})
        assert status == 401 and answer["error"]["message"] == "authentication failed"
        assert request(f"{address}/search", {"query": "x"}, Authorization=f"Bearer {TOKEN}")[0] == 200
        assert request(f"{address}/search", {"query": "x"}, Authorization=f"Bearer {TOKEN}x")[0] == 401


def test_every_request_of_the_documentation_succeeds(library, server):
    run(library, "ingest", "--quiet", "tests/fixtures/handbook")
    text = (ROOT / "docs/guides/http.md").read_text()
    blocks = re.findall(r"^```http\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    assert len(blocks) >= 6
    for block in blocks:
        head, _, body = block.partition("\n\n")
        method, path = head.splitlines()[0].split()
        assert method == ("POST" if body else "GET")
        status, answer = request(server + path, json.loads(body) if body else None)
        assert status == 200, (path, answer)
        assert answer.get("results", True) or answer.get("data"), path
    (python,) = re.findall(r"^```python\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    names = {"openai": openai}
    exec(python.replace("http://127.0.0.1:8642", server), names)
    assert len(names["embedding"]) == 384


def test_a_request_under_a_foreign_name_is_rejected_without_a_token(server):
    status, answer = request(f"{server}/search", {"query": "x"}, Host="attacker.example")
    assert status == 403 and "Host" in answer["error"]["message"]
    assert request(f"{server}/health", Host="127.0.0.1.attacker.example")[0] == 403
    assert request(f"{server}/health", Host="localhost")[0] == 200
    assert request(f"{server}/search", {"query": "x"}, Origin="http://attacker.example")[0] == 403
    assert request(f"{server}/search", {"query": "x"}, Origin=server)[0] == 200


def test_a_page_of_another_site_can_only_link_to_the_page(server):
    def of_site(site, mode, dest):
        return {"Sec-Fetch-Site": site, "Sec-Fetch-Mode": mode, "Sec-Fetch-Dest": dest}

    for headers in [of_site("cross-site", "no-cors", "script"), of_site("cross-site", "navigate", "iframe")]:
        status, answer = request(f"{server}/store", **headers)
        assert status == 403 and "Sec-Fetch-Site" in answer["error"]["message"]
    for headers in [of_site("same-origin", "cors", "empty"), of_site("cross-site", "navigate", "document")]:
        with urllib.request.urlopen(urllib.request.Request(server, headers=headers)) as response:
            assert response.status == 200 and response.headers["Cross-Origin-Resource-Policy"] == "same-origin"


def test_other_addresses_than_loopback_need_a_token(library):
    for variables, message in [({}, "is not a loopback address"), ({"PASSAGE_TOKEN": "short"}, "fewer than 16")]:
        command = [CLIENT, "serve", "--listen", "0.0.0.0:0"]
        environment = {**os.environ, "DATABASE_URL": library, **variables}
        done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=60)
        assert done.returncode == 2 and message in done.stderr and "PASSAGE_TOKEN" in done.stderr


def test_a_body_that_is_no_json_or_too_long_is_rejected(server):
    assert request(f"{server}/search", {"query": "x"}, **{"Content-Type": "text/plain"})[0] == 415
    status, answer = request(f"{server}/search", {"query": "x" * 2_000_000})
    assert status == 413 and "1048576 bytes" in answer["error"]["hint"]
    assert request(f"{server}/search", ["query"])[0] == 400
    assert request(f"{server}/search", {"query": "x", "max_tokens": "many; DROP TABLE"})[0] == 400
    status, answer = request(f"{server}/search", {"query": "x", "store": "other"})
    assert status == 400 and "one store" in answer["error"]["message"]
    status, answer = request(f"{server}/documents?limit=5000")
    assert status == 400 and answer["error"]["hint"] == "Use 1 to 1000."
    assert request(f"{server}/chunks?document_id=x")[0] == 400
    assert request(f"{server}/document?document_id={'0' * 32}")[0] == 404
    assert request(f"{server}/nope")[0] == 404
    assert request(f"{server}/search")[0] == 405


def test_pages_of_chunks_have_each_chunk_once_also_without_ordinals(database):
    with psycopg.connect(database, autocommit=True) as connection:
        connection.execute(
            """CREATE SCHEMA unordered;
            CREATE TABLE pieces (id uuid PRIMARY KEY, document_id uuid, place integer, text text);
            INSERT INTO pieces SELECT md5(n::text)::uuid, md5('document')::uuid, CASE WHEN n > 7 THEN n / 3 END, 'piece ' || n
            FROM generate_series(1, 20) AS n;
            CREATE VIEW unordered.chunks AS SELECT id, document_id, place AS ordinal, text AS content FROM pieces"""
        )
        order = "SELECT id::text FROM unordered.chunks ORDER BY ordinal NULLS FIRST, id"
        expected = [chunk for (chunk,) in connection.execute(order)]
        document = connection.execute("SELECT md5('document')::uuid").fetchone()[0]
        with serving(database, "serve", "--store", "unordered", "--no-embed", "--listen", "127.0.0.1:0") as address:
            for limit in [1, 3, 7, 20]:
                pages, after = [], ""
                while after is not None:
                    status, page = request(f"{address}/chunks?document_id={document}&limit={limit}{after}")
                    assert status == 200
                    pages += [row["id"] for row in page["results"]]
                    after = page["next"] and f"&after={urllib.parse.quote(page['next'])}"
                assert pages == expected
            status, answer = request(f"{address}/chunks?document_id={document}&after=7")
            assert status == 400 and answer["error"]["message"] == '"after" is not a value of "next"'


def test_a_page_of_documents_reads_few_rows(database):
    run(database, "init", "--no-embed")
    with psycopg.connect(database, autocommit=True) as connection:
        documents = "SELECT 'd' || lpad((n % 10000)::text, 5, '0') || '.md', 'c' || n / 10000 FROM generate_series(0, 19999) AS n"
        connection.execute(f"INSERT INTO rag.documents (uri, collection) {documents}")
        connection.execute("VACUUM ANALYZE rag.documents")
        rows = "SELECT seq_tup_read + idx_tup_fetch FROM pg_stat_user_tables WHERE relid = 'rag.documents'::regclass"
        connection.execute("SELECT pg_stat_force_next_flush()")
        before = connection.execute(rows).fetchone()[0]
        with serving(database, "serve", "--no-embed", "--listen", "127.0.0.1:0") as address:
            listed, after = [], ""
            for _ in range(5):
                status, page = request(f"{address}/documents?limit=20{after}")
                assert status == 200
                listed += [(row["uri"], row["collection"]) for row in page["results"]]
                after = f"&after={urllib.parse.quote(page['next'])}"
            middle = json.dumps(["d05000.md", "c1", "", "f" * 32])
            status, page = request(f"{address}/documents?limit=20&collection=c1&after={urllib.parse.quote(middle)}")
        # The server has ended its session, which reports what it has read.
        assert listed == [(f"d{number:05}.md", f"c{half}") for number in range(50) for half in range(2)]
        assert [row["uri"] for row in page["results"]] == [f"d{number:05}.md" for number in range(5001, 5021)]
        until(lambda: count(database, "backend_type = 'client backend'") == 1)
        assert before < connection.execute(rows).fetchone()[0] < before + 2000


def test_metadata_that_only_jsonb_accepts_is_returned(library, server):
    deep = "[" * 200 + "]" * 200
    with psycopg.connect(library, autocommit=True) as connection:
        document = connection.execute("SELECT id FROM rag.documents WHERE uri = 'docs/faq.md'").fetchone()[0]
        before = connection.execute("SELECT metadata::text FROM rag.documents WHERE id = %s", [document]).fetchone()[0]
        try:
            for value in ['{"n": 1e400}', f'{{"deep": {deep}}}']:
                connection.execute("UPDATE rag.documents SET metadata = %s::jsonb WHERE id = %s", [value, document])
                for path in [f"/document?document_id={document}", "/documents?uri=docs/faq.md", f"/documents?uri={document}"]:
                    status, answer = request(server + path)
                    assert status == 200 and answer["results"][0]["metadata"].keys() == json.loads(value).keys()
        finally:
            connection.execute("UPDATE rag.documents SET metadata = %s::jsonb WHERE id = %s", [before, document])


def test_embeddings_of_a_model_that_the_store_does_not_have_are_refused_at_once(library):
    with serving(library, "serve", "--listen", "127.0.0.1:0") as address, psycopg.connect(library, autocommit=True) as connection:
        assert request(f"{address}/v1/embeddings", {"input": "x"})[0] == 200
        model = connection.execute("SELECT value::text FROM rag.settings WHERE key = 'model'").fetchone()[0]
        try:
            connection.execute("UPDATE rag.settings SET value = '\"other\"' WHERE key = 'model'")
            status, answer = request(f"{address}/v1/embeddings", {"input": "x"})
            assert status == 409 and "embeddings of other" in answer["error"]["message"]
            answer = request(f"{address}/search", {"query": "store"})[1]
            assert "searching by words only" in answer["notes"][0]["message"]
        finally:
            connection.execute("UPDATE rag.settings SET value = %s::jsonb WHERE key = 'model'", [model])
        assert request(f"{address}/v1/embeddings", {"input": "x"})[0] == 200


def test_the_database_role_decides_what_callers_read(library):
    with psycopg.connect(library, autocommit=True) as connection:
        name = f"reader_{os.getpid()}"
        admin = psycopg.connect(os.environ["SUPERUSER_URL"], autocommit=True)
        admin.execute(f"CREATE ROLE {name} LOGIN")
        connection.execute(f"GRANT USAGE ON SCHEMA rag TO {name}; GRANT SELECT ON ALL TABLES IN SCHEMA rag TO {name}")
        connection.execute("CREATE TABLE rag.visible AS SELECT id FROM rag.documents WHERE uri = 'docs/faq.md'")
        connection.execute(f"GRANT SELECT ON rag.visible TO {name}")
        for table, column in [("documents", "id"), ("chunks", "document_id"), ("embeddings", "document_id")]:
            connection.execute(f"ALTER TABLE rag.{table} ENABLE ROW LEVEL SECURITY")
            connection.execute(f"CREATE POLICY few ON rag.{table} USING ({column} IN (SELECT id FROM rag.visible))")
        try:
            role = re.sub(r"user=\w+", f"user={name}", library)
            assert name in role
            with serving(role, "serve", "--listen", "127.0.0.1:0") as address:
                rows = request(f"{address}/search", {"query": "store", "max_passages": 20})[1]["results"]
                assert {row["uri"] for row in rows} == {"docs/faq.md"}
                assert [row["uri"] for row in request(f"{address}/documents")[1]["results"]] == ["docs/faq.md"]
                hidden = connection.execute("SELECT id FROM rag.chunks WHERE document_id NOT IN (SELECT id FROM rag.visible) LIMIT 1")
                chunk = str(hidden.fetchone()[0])
                assert request(f"{address}/context", {"chunk_id": chunk})[1]["results"] == []
                document = connection.execute("SELECT document_id FROM rag.chunks WHERE id = %s", [chunk]).fetchone()[0]
                assert request(f"{address}/chunks?document_id={document}")[1]["results"] == []
        finally:
            connection.execute("DROP TABLE rag.visible CASCADE")
            for table in ["documents", "chunks", "embeddings"]:
                connection.execute(f"ALTER TABLE rag.{table} DISABLE ROW LEVEL SECURITY")
            admin.close()
