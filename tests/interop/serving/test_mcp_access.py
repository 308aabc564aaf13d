"""Access to the MCP server over HTTP, and the limit of its sessions."""

import concurrent.futures
import http.client
import json
import os
import subprocess
import urllib.parse

import pytest

from servers import CLIENT, TOKEN, serving

INITIALIZE = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}


def post(address, method, parameters, **headers):
    """Sends a message, and returns the status, the headers and the body."""
    parts = urllib.parse.urlsplit(address)
    connection = http.client.HTTPConnection(parts.hostname, parts.port, timeout=60)
    message = {"jsonrpc": "2.0", "id": 1, "method": method, "params": parameters}
    fields = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
    fields.update({name.replace("_", "-"): value for name, value in headers.items()})
    connection.request("POST", parts.path, json.dumps(message), fields)
    response = connection.getresponse()
    body = response.read().decode(errors="replace")
    connection.close()
    return response.status, response.headers, body


def initialize(address, **headers):
    return post(address, "initialize", INITIALIZE, **headers)


@pytest.fixture
def address(handbook):
    with serving(handbook, "mcp", "--no-embed", "--http", "127.0.0.1:0") as address:
        yield address


def test_callers_need_the_token(handbook):
    with serving(handbook, "mcp", "--no-embed", "--http", "127.0.0.1:0", PASSAGE_TOKEN=TOKEN) as address:
        for headers in [{}, {"Authorization": f"Bearer {TOKEN}x"}, {"Authorization": f"Basic {TOKEN}"}]:
            status, fields, body = initialize(address, **headers)
            assert status == 401 and fields["WWW-Authenticate"] == "Bearer" and "authentication failed" in body
            assert fields["mcp-session-id"] is None
        status, fields, body = initialize(address, Authorization=f"Bearer {TOKEN}", Host="search.example", Origin="https://search.example")
        assert status == 200 and fields["mcp-session-id"] and "pg_passage" in body
        assert post(address, "tools/list", {}, mcp_session_id=fields["mcp-session-id"])[0] == 401


def test_requests_of_other_sites_are_rejected_without_a_token(address):
    for headers in [
        {"Host": "attacker.example"},
        {"Host": "127.0.0.1.attacker.example"},
        {"Origin": "http://attacker.example"},
        {"Origin": "null"},
        {"Sec-Fetch-Site": "cross-site"},
    ]:
        status, fields, body = initialize(address, **headers)
        assert status == 403 and "this machine" in body and fields["mcp-session-id"] is None, headers
    for headers in [{}, {"Host": "localhost:1"}, {"Origin": "http://localhost:1"}, {"Sec-Fetch-Site": "same-origin"}]:
        assert initialize(address, **headers)[0] == 200, headers
    status, fields, _ = post(address.removesuffix("/mcp") + "/other", "initialize", INITIALIZE)
    assert status == 404 and fields["Cross-Origin-Resource-Policy"] == "same-origin"


def test_at_most_256_sessions_are_open_and_requests_without_a_session_are_answered(address):
    with concurrent.futures.ThreadPoolExecutor(32) as pool:
        opened = list(pool.map(lambda _: initialize(address), range(300)))
    statuses = [status for status, _, _ in opened]
    assert sorted(statuses) == [200] * 256 + [503] * 44
    assert "too many sessions are open" in next(body for status, _, body in opened if status == 503)
    session = next(fields["mcp-session-id"] for status, fields, _ in opened if status == 200)
    assert post(address, "tools/list", {}, mcp_session_id=session)[0] == 200

    # A client of the protocol's version 2026-07-28 has no session.
    version = "2026-07-28"
    meta = {"io.modelcontextprotocol/protocolVersion": version, "io.modelcontextprotocol/clientCapabilities": {}}
    status, fields, body = post(address, "tools/list", {"_meta": meta}, MCP_Protocol_Version=version, Mcp_Method="tools/list")
    assert (status, fields["mcp-session-id"]) == (200, None) and "read_passage" in body

    parts = urllib.parse.urlsplit(address)
    connection = http.client.HTTPConnection(parts.hostname, parts.port, timeout=60)
    connection.request("DELETE", parts.path, headers={"mcp-session-id": session})
    assert connection.getresponse().status in (200, 202, 204)
    assert initialize(address)[0] == 200


@pytest.mark.parametrize("token", ["gehört-mir-0123456789", "0123456789 abcdef", b"\xff123456789abcdef"])
def test_a_token_that_no_header_can_have_is_refused_at_the_start(handbook, token):
    for command in [["serve", "--listen", "127.0.0.1:0"], ["mcp", "--http", "127.0.0.1:0"]]:
        environment = {**os.environb, b"DATABASE_URL": handbook.encode(), b"PASSAGE_TOKEN": token if isinstance(token, bytes) else token.encode()}
        refused = subprocess.run([CLIENT, *command, "--no-embed"], env=environment, capture_output=True, text=True, timeout=60)
        assert refused.returncode == 2 and "visible ASCII" in refused.stderr and "openssl rand -hex 16" in refused.stderr
