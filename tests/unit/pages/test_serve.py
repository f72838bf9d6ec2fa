"""The server of pages: answers this machine, by its own name, to whoever has the token - and nothing else."""

import http.client
import json
import socket
import threading
import zlib

import pytest

from striate.pages.show import serve
from unit.pages.runs import busy, small


@pytest.fixture(scope="module")
def server():
    server = serve(busy(400), small())
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield server
    server.shutdown()
    thread.join()
    server.server_close()


def ask(server, path, *, method="GET", headers=None):
    connection = http.client.HTTPConnection("127.0.0.1", server.server_port, timeout=30)
    connection.putrequest(method, path, skip_host=headers is not None)
    for name, value in headers or ():
        connection.putheader(name, value)
    connection.endheaders()
    answer = connection.getresponse()
    content = answer.read()
    connection.close()
    return answer, content


def test_the_page_is_behind_its_token(server):
    answer, content = ask(server, f"/{server.token}/")

    assert answer.status == 200
    assert content == server.page
    assert b"connect-src 'self'" in content
    assert answer.headers["Referrer-Policy"] == "no-referrer"
    assert answer.headers["X-Frame-Options"] == "DENY"
    assert server.address == f"http://127.0.0.1:{server.server_port}/{server.token}/"


def test_it_listens_on_this_machine_alone(server):
    assert server.socket.getsockname()[0] == "127.0.0.1"


def test_every_server_has_a_token_of_its_own(server):
    other = serve(small())
    other.server_close()

    assert other.token != server.token
    assert len(other.token) >= 32


@pytest.mark.parametrize(
    "path", ["/", "/favicon.ico", "/x/", "//", "/tile?run=0&from=0&to=1", "/..%2f..%2fetc/passwd"]
)
def test_a_request_without_the_token_is_refused(server, path):
    answer, content = ask(server, path)

    assert answer.status == 403
    assert content == b"403 Forbidden\n"


@pytest.mark.parametrize(
    "rest",
    ["../../etc/passwd", "..%2f..%2fetc/passwd", "/etc/passwd", "page.js", "tile/../x", "tile%00", "."],
)
def test_paths_outside_are_not_found(server, rest):
    answer, content = ask(server, f"/{server.token}/{rest}")

    assert answer.status == 404
    assert content == b"404 Not Found\n"


@pytest.mark.parametrize(
    "hosts",
    [[], ["evil.example"], ["127.0.0.1"], ["127.0.0.1:1"], ["evil.example:{port}"], ["127.0.0.1:{port}"] * 2],
)
def test_another_host_is_refused(server, hosts):
    headers = [("Host", host.format(port=server.server_port)) for host in hosts]

    assert ask(server, f"/{server.token}/", headers=headers)[0].status == 403


def test_another_origin_is_refused(server):
    own = ("Host", f"127.0.0.1:{server.server_port}")

    assert ask(server, f"/{server.token}/", headers=[own])[0].status == 200
    assert ask(server, f"/{server.token}/", headers=[own, ("Origin", "http://evil.example")])[0].status == 403


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "OPTIONS"])
def test_nothing_can_be_sent_to_it(server, method):
    assert ask(server, f"/{server.token}/", method=method)[0].status == 501


def test_a_tile_holds_the_bars_of_its_part(server):
    answer, content = ask(server, f"/{server.token}/tile?run=1&from=0.069&to=0.095")
    length = int.from_bytes(content[:4], "little")
    head = json.loads(content[4 : 4 + length])
    raw = zlib.decompress(content[4 + length :], -15)

    assert answer.status == 200
    assert head["whole"] is True
    rows = {column["name"]: column["rows"] for column in head["columns"]}
    assert rows["state"] == 2  # the two reads
    assert len(raw) == sum(column["bytes"] for column in head["columns"])


@pytest.mark.parametrize(
    "query",
    ["", "run=0", "run=2&from=0&to=1", "run=-1&from=0&to=1", "run=0&from=1&to=0", "run=0&from=nan&to=1",
     "run=0&from=0&to=inf", "run=0&from=x&to=1", "run=0&from=-1e300&to=1e300", "run=1_0&from=0&to=1"],
)  # fmt: skip
def test_a_question_that_makes_no_sense_is_not_found(server, query):
    assert ask(server, f"/{server.token}/tile?{query}")[0].status == 404


def test_a_client_that_says_nothing_does_not_hold_up_others(server):
    with socket.create_connection(("127.0.0.1", server.server_port), timeout=30):
        assert ask(server, f"/{server.token}/")[0].status == 200


def raw(server, content):
    """What the server answers to bytes that are sent as they are."""
    with socket.create_connection(("127.0.0.1", server.server_port), timeout=30) as connection:
        connection.sendall(content)
        connection.shutdown(socket.SHUT_WR)
        answer = b""
        while part := connection.recv(65536):
            answer += part
    return answer


@pytest.mark.parametrize(
    "content",
    [b"GET\r\n\r\n", b"GET / HTTP/9.9\r\n\r\n", b"GET / HTTP/one\r\n\r\n", b"\x16\x03\x01\x02\x00\r\n\r\n",
     b"GET http://[::1 HTTP/1.0\r\nHost: 127.0.0.1\r\n\r\n", b"GET / HTTP/1.1\r\n" + b"a: b\r\n" * 200 + b"\r\n",
     b"GET /" + b"a" * 70_000 + b" HTTP/1.1\r\n\r\n", b"GET / HTTP/1.1\r\nHost: " + b"h" * 70_000 + b"\r\n\r\n",
     b"BREW /pot HTTP/1.0\r\n\r\n", b"GET /\xff\xfe%00 HTTP/1.0\r\n\r\n"],
    ids=["one word", "version 9.9", "version one", "TLS", "half an address", "200 headers", "long path", "long header",
         "unknown method", "odd bytes"],
)  # fmt: skip
def test_a_malformed_request_is_answered_with_an_error(server, content):
    answer = raw(server, content)

    assert b"Error code: 4" in answer or b"Error code: 5" in answer or answer.split()[1][:1] in (b"4", b"5")
    assert server.token.encode() not in answer
    assert ask(server, f"/{server.token}/")[0].status == 200


def test_a_hundred_connections_at_once_are_taken(server):
    """More than the five of the standard library's default wait until they are served."""
    connections = [
        socket.create_connection(("127.0.0.1", server.server_port), timeout=30) for _ in range(100)
    ]
    for connection in connections:
        connection.sendall(
            f"GET /{server.token}/ HTTP/1.0\r\nHost: 127.0.0.1:{server.server_port}\r\n\r\n".encode()
        )
    first = [connection.recv(64) for connection in connections]
    for connection in connections:
        connection.close()

    assert all(answer.startswith(b"HTTP/1.0 200") for answer in first)
