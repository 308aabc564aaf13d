"""Requests over HTTP, whole or in parts."""

import json
import socket
import urllib.error
import urllib.parse
import urllib.request


def request(address, body=None, **headers):
    """Sends a request, and returns status and JSON."""
    data = None if body is None else json.dumps(body).encode()
    headers = {"Content-Type": "application/json", **headers}
    try:
        with urllib.request.urlopen(urllib.request.Request(address, data, headers), timeout=60) as response:
            return response.status, json.load(response)
    except urllib.error.HTTPError as error:
        return error.code, json.load(error)


def connect(address):
    """Opens a connection."""
    parts = urllib.parse.urlsplit(address)
    return socket.create_connection((parts.hostname, parts.port), timeout=60)


def send(connection, path, body, length=None, **headers):
    """Sends the head and the given part of the body of a request."""
    fields = {"Host": "localhost", "Content-Type": "application/json", "Content-Length": length or len(body), **headers}
    head = "".join(f"{name}: {value}\r\n" for name, value in fields.items())
    connection.sendall(f"POST {path} HTTP/1.1\r\n{head}\r\n".encode() + body)


def answer(connection):
    """Returns the bytes that the server sends until it closes the connection."""
    received = b""
    while part := connection.recv(65536):
        received += part
    return received
