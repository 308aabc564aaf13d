"""Embeddings by `passage serve`, each computed once for a target folder, so every method gets the same vector of a text."""

import base64
import concurrent.futures
import hashlib
import json
import sqlite3
import struct
import urllib.request

# A request has at most 128 KiB of text, and the server must embed it within its time limit.
MAX_TEXTS = 48
MAX_BYTES = 100_000


class Cache:
    """The embeddings of a model, in memory and in a file."""

    def __init__(self, address, path):
        self.address = address
        # LangChain calls from other threads, one at a time.
        self.file = sqlite3.connect(path, check_same_thread=False)
        self.file.execute("CREATE TABLE IF NOT EXISTS embeddings (text BLOB PRIMARY KEY, vector BLOB NOT NULL)")
        self.known = dict(self.file.execute("SELECT text, vector FROM embeddings"))
        with urllib.request.urlopen(f"{address}/v1/models") as response:
            self.model = json.load(response)["data"][0]["id"]

    def embed(self, texts):
        """Returns the embedding of each text."""
        keys = [hashlib.sha256(f"{self.model}\0{text}".encode()).digest() for text in texts]
        missing = {key: text for key, text in zip(keys, texts) if key not in self.known}
        # Texts of similar length take similar time.
        ordered = sorted(missing.items(), key=lambda pair: len(pair[1]))
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            for pairs, vectors in pool.map(self.request, batches(ordered)):
                rows = [(key, vector) for (key, _), vector in zip(pairs, vectors, strict=True)]
                self.file.executemany("INSERT OR IGNORE INTO embeddings VALUES (?, ?)", rows)
                self.file.commit()
                self.known.update(rows)
        vectors = (self.known[key] for key in keys)
        return [list(struct.unpack(f"<{len(vector) // 4}f", vector)) for vector in vectors]

    def request(self, pairs):
        body = json.dumps({"input": [text for _, text in pairs], "encoding_format": "base64"}).encode()
        headers = {"Content-Type": "application/json"}
        request = urllib.request.Request(f"{self.address}/v1/embeddings", body, headers)
        with urllib.request.urlopen(request) as response:
            return pairs, [base64.b64decode(one["embedding"]) for one in json.load(response)["data"]]


def batches(pairs):
    """Splits pairs of a key and a text into those of one request."""
    batch, size = [], 0
    for pair in pairs:
        length = len(pair[1].encode())
        if batch and (len(batch) == MAX_TEXTS or size + length > MAX_BYTES):
            yield batch
            batch, size = [], 0
        batch.append(pair)
        size += length
    if batch:
        yield batch
