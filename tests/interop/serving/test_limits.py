"""The limits of the HTTP servers: connections, requests, and the time and size of heads and bodies."""

import concurrent.futures
import contextlib
import json
import select
import urllib.parse

import pytest

from http_calls import answer, connect, request, send
from servers import serving
from statements import until

SERVE = ["serve", "--no-embed", "--listen", "127.0.0.1:0"]
SEARCH = {"query": "log", "ranking": {"mode": "text"}}


def test_at_most_512_connections_are_open(handbook):
    with serving(handbook, *SERVE) as address, contextlib.ExitStack() as stack:
        clients = [stack.enter_context(connect(address)) for _ in range(512)]
        with connect(address) as excess:
            with contextlib.suppress(ConnectionResetError):
                assert excess.recv(1) == b""
        send(clients[-1], "/search", json.dumps(SEARCH).encode(), Connection="close")
        assert answer(clients[-1]).startswith(b"HTTP/1.1 200")

        def is_answered():
            with contextlib.suppress(OSError):
                return request(f"{address}/health")[0] == 200

        until(is_answered)


def test_at_most_256_requests_are_answered_at_the_same_time(handbook):
    with serving(handbook, *SERVE) as address, contextlib.ExitStack() as stack:
        body = json.dumps(SEARCH).encode()
        clients = [stack.enter_context(connect(address)) for _ in range(300)]
        for client in clients:
            send(client, "/search", b"", length=len(body), Connection="close")
        rejected = []

        def all_are_rejected_or_admitted():
            rejected[:] = select.select(clients, [], [], 0)[0]
            return len(rejected) == 44

        until(all_are_rejected_or_admitted)
        assert all(b"too many requests are being answered" in answer(client) for client in rejected)
        assert request(f"{address}/collections")[0] == 503
        assert request(f"{address}/health")[0] == 200
        admitted = [client for client in clients if client not in rejected]
        for client in admitted:
            client.sendall(body)
        assert all(answer(client).startswith(b"HTTP/1.1 200") for client in admitted)
        assert request(f"{address}/search", SEARCH)[0] == 200


@pytest.mark.parametrize("command", [SERVE, ["mcp", "--no-embed", "--http", "127.0.0.1:0"]])
def test_a_client_that_sends_no_more_is_disconnected(handbook, command):
    with serving(handbook, *command) as address:
        path = urllib.parse.urlsplit(address).path or "/search"

        def head():
            with connect(address) as client:
                client.sendall(f"POST {path} HTTP/1.1\r\nHost: localhost\r\n".encode())
                return answer(client)

        def body():
            with connect(address) as client:
                send(client, path, b"{", length=100)
                return answer(client)

        def idle():
            with connect(address) as client:
                return answer(client)

        with concurrent.futures.ThreadPoolExecutor() as pool:
            head, body, idle = [pool.submit(client) for client in [head, body, idle]]
            assert head.result() == b"" or head.result().startswith(b"HTTP/1.1 408")
            assert body.result().split(b" ")[1] in (b"408", b"504")
            assert idle.result() == b""


def test_a_long_head_is_rejected(handbook):
    with serving(handbook, *SERVE) as address, connect(address) as client:
        with contextlib.suppress(ConnectionError):
            send(client, "/search", b"{}", Padding="x" * 400_000)
            assert answer(client).startswith(b"HTTP/1.1 431")
