"""The destination table of a vectorizer of pgai, which its worker fills."""

import asyncio
import http.server
import json
import logging
import threading

import pgai
import psycopg
import structlog
from pgai.vectorizer import Worker

import documents


structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.ERROR))


class EmbeddingService(http.server.BaseHTTPRequestHandler):
    """`documents.embed` as an embedding service that pgai can call: two requests of Ollama's interface."""

    def do_POST(self):
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        texts = request.get("input", [])
        answer = json.dumps(
            {"model_info": {}, "prompt_eval_count": 0, "embeddings": [documents.embed(text) for text in texts]}
        ).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def log_message(self, *arguments):
        pass


class Pgai:
    """A source table, and the table and view of its vectorizer."""

    source = "pages_embedding_store"
    key = "embedding_uuid"
    content = "chunk"

    def __init__(self, url):
        self.url = url
        self.service = http.server.ThreadingHTTPServer(("127.0.0.1", 0), EmbeddingService)
        threading.Thread(target=self.service.serve_forever, daemon=True).start()

    def create(self, overwrite=False):
        """Creates the source table and the vectorizer; or drops the vectorizer with its table and creates it again."""
        with psycopg.connect(self.url) as connection:
            if overwrite:
                connection.execute("SELECT ai.drop_vectorizer(%s, drop_all => true)", (self.vectorizer,))
            else:
                pgai.install(self.url)
                connection.execute(
                    "CREATE TABLE pages (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, url text UNIQUE, contents text)"
                )
            statement = """
                SELECT ai.create_vectorizer('pages'::regclass,
                    loading => ai.loading_column('contents'),
                    embedding => ai.embedding_ollama('words', %s, base_url => %s),
                    chunking => ai.chunking_recursive_character_text_splitter(600, 80),
                    destination => ai.destination_table('pages_embedding'))
            """
            url = f"http://127.0.0.1:{self.service.server_port}"
            self.vectorizer = connection.execute(statement, (documents.DIMENSIONS, url)).fetchone()[0]
        if overwrite:
            self.work()

    def work(self):
        """Runs the worker until its queue is empty."""
        error = asyncio.run(Worker(self.url, once=True).run())
        if error is not None:
            raise error

    def add(self, uri, text):
        """Adds or changes a row of the source table, lets the worker embed it, and returns its uri."""
        with psycopg.connect(self.url) as connection:
            connection.execute(
                "INSERT INTO pages (url, contents) VALUES (%s, %s)"
                " ON CONFLICT (url) DO UPDATE SET contents = EXCLUDED.contents",
                (uri, text),
            )
        self.work()
        return [uri]

    def delete(self, ids):
        """Deletes rows of the source table by the uris that `add` returned."""
        with psycopg.connect(self.url) as connection:
            connection.execute("DELETE FROM pages WHERE url = ANY (%s)", (ids,))

    def close(self):
        self.service.shutdown()


LAYOUTS = {"destination table": Pgai}
