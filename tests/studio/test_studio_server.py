"""The server of the studio: who may come in, whose turn it is, what it does with messages and requests of any shape."""

import asyncio
import contextlib
import errno
import html
import io
import json
import os
import re
import socket
import stat
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import httpx
import pytest
import uvicorn
import websockets.sync.client
from starlette.applications import Starlette
from starlette.responses import PlainTextResponse
from starlette.routing import Route

import redyn
from commands import printed
from redyn.studio import access, app, inbox, sessions, timely, uploads
from redyn.studio.jobs import Job, Limits, Pool
from redyn.studio.opening import open_source
from redyn.studio.sessions import Sessions
from studio_files import URDF, Here, zipped
from studio_jobs import finished, until
from studio_server import running

# --- who may come in --------------------------------------------------------------------------------------------


def visit(guard, path="/", query="", cookie="", host="localhost:8080", kind="http", origin=""):
    """The status, headers and body that a visitor gets; 200 if the application was reached."""
    sent = []

    async def application(scope, receive, send):
        await send({"type": "http.response.start", "status": 200, "headers": []})

    async def receive():
        return {"type": f"{kind}.connect"}

    async def send(message):
        sent.append(message)

    headers = [(b"host", host.encode()), (b"cookie", cookie.encode())]
    headers += [(b"origin", origin.encode())] if origin else []
    scope = {"type": kind, "method": "GET", "path": path, "query_string": query.encode(), "headers": headers}
    asyncio.run(guard.middleware(application)(scope, receive, send))
    return sent[0].get("status", sent[0]["type"]), list(sent[0].get("headers", [])), sent[-1].get("body", b"")


def cookies(headers):
    return [value.decode() for key, value in headers if key == b"set-cookie"]


def test_this_machine_answers_to_its_own_names_only():
    guard = access.Access("127.0.0.1", 8080, "")
    assert guard.address == "http://127.0.0.1:8080/"
    for host in ("localhost:8080", "127.0.0.1:8080", "[::1]:8080", "localhost"):
        assert visit(guard, host=host)[0] == 200
    for host in ("evil.example:8080", "127.0.0.1.evil.example", "", "192.168.0.7"):
        assert visit(guard, host=host)[0] == 400
        assert visit(guard, host=host, kind="websocket")[0] == "websocket.close"


def test_pages_of_others_are_not_answered():
    guard = access.Access("127.0.0.1", 8080, "")
    assert visit(guard, origin="http://localhost:8080")[0] == 200
    for origin in ("http://evil.example", "http://localhost:9999", "null", "http://[::1"):
        assert visit(guard, origin=origin)[0] == 403
        assert visit(guard, origin=origin, kind="websocket")[0] == "websocket.close"


@pytest.mark.parametrize("host", ["127.0.0.1", "0.0.0.0"])
def test_everybody_is_asked_for_the_token(host):
    """On this machine too: others may use it as well."""
    guard = access.Access(host, 9000, "a-secret-token")
    assert guard.address.endswith(":9000/?token=a-secret-token")
    for path in ("/", "/redyn-upload/x/robot", "/_nicegui/x.js"):
        status, _, body = visit(guard, path=path)
        assert status == 401
        assert b"Token" in body
    assert visit(guard, kind="websocket")[0] == "websocket.close"
    assert visit(guard, query="token=guess")[0] == 401
    assert b"not the token" in visit(guard, query="token=guess")[2]
    assert visit(guard, cookie="redyn-token-9000=guess")[0] == 401
    status, headers, _ = visit(guard, query="token=a-secret-token")
    assert (status, dict(headers)[b"location"]) == (303, b"/")
    own = next(cookie for cookie in cookies(headers) if "a-secret-token" in cookie)
    assert "HttpOnly" in own
    assert "SameSite" in own
    name = own.split(";")[0]
    assert visit(guard, cookie=name)[0] == 200
    assert visit(guard, cookie=name, kind="websocket")[0] == 200
    other = access.Access(host, 9001, "a-secret-token")
    assert visit(other, cookie=name)[0] == 401  # cookies of one port are not those of another


def test_no_page_may_frame_it_and_everybody_has_a_name():
    guard = access.Access("127.0.0.1", 8080, "")
    _, headers, _ = visit(guard)
    found = {key.decode(): value.decode() for key, value in headers}
    assert "frame-ancestors 'none'" in found["content-security-policy"]
    assert found["x-frame-options"] == "DENY"
    (visitor,) = cookies(headers)
    assert visitor.startswith("redyn-visitor-8080=")
    assert cookies(visit(guard, cookie=visitor.split(";")[0])[1]) == []  # it stays


def test_tokens_are_private_and_survive_a_restart(monkeypatch, tmp_path):
    monkeypatch.setenv("REDYN_CACHE", str(tmp_path / "cache"))
    first = access.token_of(9000)
    assert len(first) > 20
    assert access.token_of(9000) == first
    assert access.token_of(9001) != first
    (folder,) = (tmp_path / "cache").iterdir()
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert {stat.S_IMODE(path.stat().st_mode) for path in folder.iterdir()} == {0o600}
    long_ago = time.time() - access.LIFE - 1
    os.utime(folder / "token-9000", (long_ago, long_ago))
    assert access.token_of(9000) != first
    (folder / "token-9000").write_text("short")
    assert len(access.token_of(9000)) == len(first)
    (folder / "token-9000").write_bytes(b"\0&" * (len(first) // 2))  # damaged
    again = access.token_of(9000)
    assert re.fullmatch(r"[A-Za-z0-9_-]+", again)
    assert access.token_of(9000) == again
    folder.chmod(0o755)  # others could look: nothing is kept
    assert access.token_of(9000) != access.token_of(9000)
    assert access.opener(access.Access("127.0.0.1", 9000, first)) is None


@pytest.mark.slow
def test_the_token_is_on_no_command_line(tmp_path):
    """The browser is opened at a private page that leads to the studio, as others can read what was started how."""
    told, browser = tmp_path / "told", tmp_path / "browser.sh"
    browser.write_text(f'#!/bin/sh\necho "$@" > {told}.part; mv {told}.part {told}\n')
    browser.chmod(0o755)
    environment = {"BROWSER": f"{browser} %s", "REDYN_CACHE": str(tmp_path / "cache")}
    with running("two-link", "--browser", environment=environment) as server:
        token = server.url.partition("token=")[2]
        until(told.exists)
        page = told.read_text().strip()
        assert token not in page
        assert page.startswith("file://")
        path = tmp_path / page.removeprefix("file://")
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
        assert server.url in html.unescape(path.read_text())
        lines = subprocess.run(["ps", "-eo", "args"], capture_output=True, text=True, check=True).stdout
        assert "redyn" in lines
        assert token not in lines
    assert not path.exists()


# --- requests that never end ------------------------------------------------------------------------------------


@pytest.fixture
def timely_server(monkeypatch):
    monkeypatch.setattr(timely, "SECONDS", 2.0)  # enough for this side to speak, on a busy machine too
    page = Starlette(routes=[Route("/", lambda request: PlainTextResponse("hello"))])
    config = uvicorn.Config(page, port=0, http=timely.TimelyProtocol, log_level="warning", timeout_keep_alive=3)
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started:
        time.sleep(0.01)
    yield server.servers[0].sockets[0].getsockname()[1]
    server.should_exit = True
    thread.join()


REQUEST = b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"


@pytest.mark.parametrize("said", [b"", b"GET / HT", REQUEST[:-2], REQUEST + b"GET / HTTP/1.1\r\nHost"])
@pytest.mark.slow
def test_half_sent_headers_time_out(timely_server, said):
    with socket.create_connection(("127.0.0.1", timely_server), timeout=120) as line:
        line.sendall(said)
        answer = b"".join(iter(lambda: line.recv(4096), b""))  # until the server closes it
    assert answer.count(b"hello") == said.count(b"\r\n\r\n")


@pytest.mark.slow
def test_requests_in_time_are_answered(timely_server):
    """On a line that stays open for longer than a request may take."""
    with socket.create_connection(("127.0.0.1", timely_server), timeout=120) as line:
        for _ in range(4):
            line.sendall(REQUEST)
            answer = b""
            while not answer.endswith(b"hello"):  # in one piece or in several
                piece = line.recv(4096)
                assert piece, answer
                answer += piece
            time.sleep(timely.SECONDS / 3)


@pytest.mark.parametrize("pieces", [[], [b"half"]])
def test_half_sent_bodies_time_out(monkeypatch, pieces):
    monkeypatch.setattr(access, "PAUSE", 0.05)
    heard, sent, left = [], [], list(pieces)

    async def application(scope, receive, send):
        while True:
            message = await receive()
            heard.append(message["type"])
            if message["type"] == "http.disconnect":
                return

    async def receive():
        if left:
            return {"type": "http.request", "body": left.pop(), "more_body": True}
        return await asyncio.Event().wait()

    async def send(message):
        sent.append(message)

    scope = {"type": "http", "method": "GET", "path": "/", "query_string": b"", "headers": [(b"host", b"localhost")]}
    asyncio.run(access.Access("127.0.0.1", 80, "").middleware(application)(scope, receive, send))
    assert heard == ["http.request"] * len(pieces) + ["http.disconnect"]
    assert sent[0]["status"] == 408


def test_a_request_that_is_given_up_is_answered():
    """Otherwise the middleware around it raises an error, which the log would show at every page closed too soon."""
    sent = []

    async def application(scope, receive, send):
        assert (await receive())["type"] == "http.disconnect"

    async def receive():
        return {"type": "http.disconnect"}

    async def send(message):
        sent.append(message)

    scope = {"type": "http", "method": "GET", "path": "/", "query_string": b"", "headers": [(b"host", b"localhost")]}
    asyncio.run(access.Access("127.0.0.1", 80, "").middleware(application)(scope, receive, send))
    assert sent[0]["status"] == 400


# --- messages of any shape --------------------------------------------------------------------------------------


class Page:
    """A page without a browser: the socket that a real one has."""

    def __init__(self, server, more="tab_id=t&document_id=d&next_message_id=0&implicit_handshake=true"):
        self.http = httpx.Client(follow_redirects=True, timeout=120)
        text = self.http.get(server.url).text
        self.client = re.search(r"'client_id': '([^']+)'", text)[1]
        jar = "; ".join(f"{name}={value}" for name, value in self.http.cookies.items())
        query = f"EIO=4&transport=websocket&client_id={self.client}&{more}"
        url = f"ws://127.0.0.1:{server.port}/_nicegui_ws/socket.io/?{query}"
        # Whatever comes is taken: a line that is full of what nobody read could not be closed.
        connection = websockets.sync.client.connect(
            url, additional_headers={"Cookie": jar}, max_size=None, max_queue=None
        )
        self._open = contextlib.ExitStack()
        self.line = self._open.enter_context(connection)
        assert self.line.recv().startswith("0")
        self.line.send("40")
        assert self.line.recv().startswith("40")

    def say(self, name, *content):
        self.line.send("42" + json.dumps([name, *content]))

    def hear(self):
        """The next message. It has nothing to tell that the server asks for, such as the work that a browser keeps."""
        said = self.line.recv(timeout=120)
        if said.startswith('42["run_javascript"') and (question := json.loads(said[2:])[1]).get("request_id"):
            answer = {"client_id": self.client, "request_id": question["request_id"], "result": None}
            self.say("javascript_response", answer)
        return said

    def close(self):
        self._open.close()
        self.http.close()


MALFORMED = [
    *((name, content) for name in ("event", "handshake", "javascript_response", "ack", "log") for content in (
        None, 7, "x", [], {}, [1, 2], {"client_id": 3}, {"client_id": {}}, {"client_id": "CLIENT"},
    )),
    ("event", {"client_id": "CLIENT", "id": "x", "listener_id": 1, "args": []}),
    ("event", {"client_id": "CLIENT", "id": 4, "listener_id": "nobody", "args": ["{"]}),
    ("event", {"client_id": "CLIENT", "id": [], "listener_id": {}, "args": 7}),
    ("ack", {"client_id": "CLIENT", "next_message_id": "many"}),
    ("log", {"client_id": "CLIENT", "level": "error", "message": "two\nlines \x1b[31m"}),
    ("log", {"client_id": "CLIENT", "level": "nothing", "message": {}}),
    ("javascript_response", {"client_id": "CLIENT", "request_id": []}),
    ("nothing of the kind", {"client_id": "CLIENT"}),
]  # fmt: skip
RAW = ["42", "42[", "42{}", '42["event"', "4", "9", "43", "451-", '42[{"a":1},2]', "x", "", "42[]", "42[7]", "6"]


@pytest.fixture(scope="module")
def server():
    with running("two-link") as started:
        yield started
    assert "Traceback" not in "".join(started.log)


def heard(server, page):
    """Once the server has read all that a page has said before."""
    mark = f"mark-{time.monotonic_ns()}"
    page.line.send(f"4{mark}")  # which is no packet either, so that there is a line about it
    until(lambda: any(mark in line for line in server.log))


def lines_about(server, talk):
    """What the server writes while somebody talks to it; it answers others as before then."""
    before = len(server.log)
    talk()
    page = Page(server)
    heard(server, page)
    page.close()
    return [line for line in server.log[before:] if "mark-" not in line]


@pytest.mark.slow
def test_malformed_messages_are_one_line_each(server):
    page = Page(server)

    def say():
        for name, content in MALFORMED:
            page.say(
                name, *([] if content is None else [json.loads(json.dumps(content).replace("CLIENT", page.client))])
            )
        heard(server, page)

    lines = lines_about(server, say)
    page.close()
    assert 10 < len(lines) <= len(MALFORMED), "".join(lines)
    assert {line[:40] for line in lines} == {"a message from a page was not understood"}


@pytest.mark.slow
def test_malformed_events_of_controls_are_one_line_each(server):
    """Sent to those who listen: a table, a selection, a part of the page."""
    page = Page(server, "tab_id=controls&document_id=d&next_message_id=0&implicit_handshake=true")
    listeners: list[tuple[str, str]] = []
    while not listeners:
        said = page.hear()
        if said.startswith('42["update"') and "cellFocused" in said:
            elements = json.loads(said[2:])[1]
            listeners = [
                (int(number), event["listener_id"])
                for number, element in elements.items()
                if isinstance(element, dict)
                for event in element.get("events", [])
                if event["type"] in ("cellValueChanged", "cellFocused", "part", "update:model-value")
            ]

    def say():
        for number, listener in listeners:
            for content in ("7", "[]", '{"value": "x"}'):
                message = {"client_id": page.client, "id": number, "listener_id": listener, "args": [content]}
                page.say("event", message)
        heard(server, page)

    lines = lines_about(server, say)
    page.close()
    assert len(listeners) < len(lines) <= 3 * len(listeners)
    assert {line[:40] for line in lines} == {"a message from a page was not understood"}


@pytest.mark.slow
def test_malformed_packets_are_one_line_each(server):
    def send():
        for raw in RAW:
            page = Page(server)
            with contextlib.suppress(websockets.exceptions.ConnectionClosed, TimeoutError):
                page.line.send(raw)
                while True:  # until it is silent, or gone
                    page.line.recv(timeout=0.1)
            page.close()

    lines = lines_about(server, send)
    assert len(lines) <= len(RAW), "".join(lines)
    assert not [line for line in lines if line.startswith((" ", "Traceback"))], "".join(lines)


@pytest.mark.slow
@pytest.mark.parametrize("query", ["implicit_handshake=true", "implicit_handshake=true&next_message_id=x&tab_id=1"])
def test_malformed_greetings_are_one_line_each(server, query):
    def greet():
        with contextlib.suppress(AssertionError):
            Page(server, query).close()

    assert len(lines_about(server, greet)) <= 1


@pytest.mark.slow
def test_a_jog_is_answered_in_one_message(server):
    """Poses, values and where the tip is: a class that jogs would keep the server busy with more."""
    page = Page(server, "tab_id=jogging&document_id=d&next_message_id=0&implicit_handshake=true")
    target = None
    while target is None:
        said = page.hear()
        if said.startswith('42["update"'):
            for number, element in json.loads(said[2:])[1].items():
                if isinstance(element, dict) and str(element.get("props", {}).get("source")).endswith("/jog.js"):
                    target = {"id": int(number), "listener_id": element["events"][0]["listener_id"]}

    def jog(number, value):
        content = {"name": "jog", "value": {"joint": 0, "value": value, "number": number}}
        page.say("event", {"client_id": page.client, **target, "args": [json.dumps(content)]})
        answer = ""
        while not re.search(rf'"setValues",\[{value},0.0\],{number}', answer):
            heard.append(answer := page.hear().replace("\\", ""))

    heard: list[str] = []
    jog(1, 0.25)  # once it is answered, the page is complete but for its first motion
    jog(2, 0.5)
    calls = heard[-1]
    assert calls.count("runMethod(") == 3
    assert '["setPoses",[[' in calls
    assert "return" not in calls  # which would be parsed twice
    assert len(calls) < 600
    assert "Sec-WebSocket-Extensions" not in page.line.response.headers  # compressed, on one machine, for nothing
    page.close()


@pytest.mark.slow
def test_malformed_uploads_and_paths(server):
    with httpx.Client(follow_redirects=True, timeout=120) as client:
        client.get(server.url)
        assert client.post(f"{server.origin}redyn-upload/guess/robot", content=b"x").status_code == 404
        assert client.post(f"{server.origin}redyn-upload/%00/..%2f", content=b"x").status_code == 404
        assert client.get(f"{server.origin}nothing").status_code == 404
        lines = lines_about(server, lambda: client.get(f"{server.origin}not%0ASigned: the admin%1b[2J"))
    assert len(lines) == 1
    assert lines[0].strip().isprintable()


# --- uploads over HTTP ------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def studio():
    made = app.Studio("two-link")
    made.readers = Here()
    yield made
    made.pool.close()
    made.sessions.close()


def posted(studio, *requests):
    """The answers to requests that are made at the same time, each (path, name, content)."""
    routes = [Route("/redyn-upload/{key}/{kind}", studio.upload, methods=["POST"])]

    async def all_of_them():
        transport = httpx.ASGITransport(Starlette(routes=routes))
        async with httpx.AsyncClient(transport=transport, base_url="http://localhost", timeout=120) as client:
            posts = [client.post(f"/redyn-upload/{path}", params={"name": n}, content=c) for path, n, c in requests]
            return await asyncio.gather(*posts)

    return asyncio.run(all_of_them())


def test_uploads_at_the_same_time_do_not_collide(studio):
    session = studio.sessions.of("parallel", "ann")
    arms = [URDF.replace(b"pendulum", b"arm%d" % k) for k in range(4)]
    wrong = [("bad.urdf", b"<robot"), ("worse.urdf", b"<robot><link/></robot>")]
    files = [(f"arm{k}.urdf", arm) for k, arm in enumerate(arms)] + wrong
    answers = posted(studio, *((f"{session.key}/robot", name, content) for name, content in files))
    assert [answer.status_code for answer in answers] == [200] * 4 + [400] * 2
    assert session.state.robot.name == "arm3"  # the last one that was right
    assert list(session.troubles.messages) == ["upload bad.urdf", "upload worse.urdf"]  # no message is lost
    assert len(list(session.state.folder.iterdir())) <= 4
    (answer,) = posted(studio, (f"{session.key}/robot", "arm.urdf", URDF))
    assert answer.json() == {"taken": "arm.urdf"}
    assert session.troubles.messages == {}


@pytest.mark.parametrize(
    ("kind", "name", "content", "status", "message"),
    [
        ("robot", "arm.urdf", b"", 400, "the file is empty"),
        ("robot", "/etc/../big.urdf", b" " * (uploads.LARGEST + 1), 400, "big.urdf: larger than 50 MB"),
        ("robot", "a.zip", zipped({"../evil.urdf": URDF}), 400, "leads out of the archive"),
        ("motion", "m.csv", b"t,x\n0,0\n1,1\n", 400, "m.csv: no column q_joint1"),
        ("torque", "m.txt", b"t,x\n0,0\n1,1\n", 400, "m.txt: expected a .csv file"),
        ("nothing", "a", b"x", 404, "unknown kind of upload"),
        ("work", "w", b"{", 400, "it is not JSON"),
        ("work", "w", b"[1, 2]", 400, "cannot be read"),
    ],
)
def test_refusals(studio, kind, name, content, status, message):
    session = studio.sessions.of(f"{kind} {message}", "ann")
    (answer,) = posted(studio, (f"{session.key}/{kind}", name, content))
    assert answer.status_code == status
    assert message in answer.json()["error"]
    assert str(session.state.folder) not in answer.text
    assert list(session.state.folder.iterdir()) == []
    assert session.state.robot.name == "two-link"


@pytest.mark.parametrize("when", ["at the start", "on the way"])
def test_an_upload_to_a_full_disk(studio, monkeypatch, when):
    """It is said in words, nothing of it stays, and the next one is taken."""
    session = studio.sessions.of(f"full {when}", "ann")
    folder = session.state.folder
    full = OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    class Full(io.BytesIO):
        def write(self, data):
            raise full

    def no_room(*arguments, **options):
        raise full

    with monkeypatch.context() as patch:
        if when == "at the start":
            patch.setattr(tempfile, "mkdtemp", no_room)
        else:
            patch.setattr(Path, "open", lambda self, mode="r", **options: Full())
        (answer,) = posted(studio, (f"{session.key}/robot", "arm.urdf", URDF))
    assert answer.status_code == 507
    assert answer.json()["error"] == "arm.urdf: cannot be stored on the server: No space left on device"
    assert list(session.troubles.messages) == ["upload arm.urdf"]
    assert list(folder.iterdir()) == []
    (answer,) = posted(studio, (f"{session.key}/robot", "arm.urdf", URDF))
    assert answer.json() == {"taken": "arm.urdf"}


def test_one_persons_uploads_do_not_hold_up_anothers(studio, monkeypatch):
    """Large files in many tabs of one person take their time; a small one of another is taken before."""
    slow, quick = [studio.sessions.of(f"tab {k}", "slow") for k in range(6)], studio.sessions.of("quick", "quick")
    done = threading.Event()

    class Reader(Here):
        def read(self, kind, folder, name, choice=None):
            assert "slow" not in name or done.wait(300)
            found = super().read(kind, folder, name, choice)
            if "quick" in name:
                done.set()
            return found

    monkeypatch.setattr(studio, "readers", Reader())
    requests = [(f"{session.key}/robot", "slow.urdf", URDF) for session in slow]
    answers = posted(studio, *requests, (f"{quick.key}/robot", "quick.urdf", URDF))
    assert {answer.status_code for answer in answers} == {200}


# --- whose turn it is -------------------------------------------------------------------------------------------


@pytest.fixture
def pool(monkeypatch):
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(sys.path))
    made = Pool(Limits(seconds=60.0, workers=1))
    yield made
    made.close()


@pytest.mark.slow
def test_people_take_turns(pool):
    def submit(person, seconds=0.05):
        return pool.submit("studio_jobs:nap", seconds, person=person)

    first, second, third = submit("ann", 60.0), submit("ann"), submit("ann")
    until(lambda: first.state == "running")
    ben = submit("ben")
    assert pool.ahead_of(ben) == 0  # before those of ann that wait
    assert pool.ahead_of(second) == 1
    first.cancel()
    jobs = [finished(job) for job in (first, ben, second, third)]
    began = [job.began for job in jobs]
    assert began == sorted(began)


def test_a_person_has_some_jobs_only_and_everybody_some_time(pool, monkeypatch):
    mine = [pool.submit("studio_jobs:nap", 60.0, person="ann") for _ in range(pool.limits.jobs)]
    with pytest.raises(redyn.RedynError, match="cancel one first"):
        pool.submit("studio_jobs:nap", 1.0, person="ann")
    other = pool.submit("studio_jobs:nap", 0.05, person="ben")
    for job in mine:
        job.cancel()
    assert finished(other).result == "done"
    assert all(finished(job).state == "cancelled" for job in mine)
    pool.limits = Limits(seconds=0.3)
    job = finished(pool.submit("studio_jobs:nap", 60.0, person="ann"))
    assert job.state == "cancelled"
    assert job.reason == "stopped after 0.3 s, the time limit of this server"


# --- tabs -------------------------------------------------------------------------------------------------------


@pytest.fixture
def many():
    made = Sessions(open_source("two-link"))
    yield made
    made.close()


def test_tabs_that_were_opened_and_closed_lock_nobody_out(many, monkeypatch):
    monkeypatch.setattr(sessions, "MOST", 20)
    first = many.of("tab 0", "ann")
    first.came()
    for k in range(1, 60):
        session = many.of(f"tab {k}", "ann")
        session.came()
        session.went()
    assert len(many) == 20
    assert many.of("tab 0", "ann") is first  # its page is open
    for k in range(100, 119):
        many.of(f"tab {k}", f"person {k}", f"address {k}").came()
    with pytest.raises(redyn.RedynError, match="too many people"):
        many.of("one more", "ben")
    first.went()
    many.of("one more", "ben")
    assert many.by_key(first.key) is None  # the one that was left first made room


def test_tabs_of_one_person_lock_nobody_out(many, monkeypatch):
    monkeypatch.setattr(sessions, "MOST_EACH", 3)
    for k in range(3):
        many.of(f"tab {k}", "ann").came()
    with pytest.raises(redyn.RedynError, match="3 tabs of this browser are open already"):
        many.of("one more", "ann")
    many.of("tab of another", "ben")
    many.of("tab 0", "ann").went()
    many.of("one more", "ann")


def test_uploads_of_one_person_are_counted_together(studio):
    """Whatever tab they come from: their bodies lie on the disk until they are read."""
    tabs = [studio.sessions.of(f"arriving {k}", "carl") for k in range(3)]
    for tab in tabs[:2]:
        tab.arriving.update(Path(f"/{tab.key}/{k}") for k in range(4))
    (answer,) = posted(studio, (f"{tabs[2].key}/robot", "arm.urdf", URDF))
    assert answer.status_code == 429
    assert "8 files are being read already" in answer.json()["error"]
    other = studio.sessions.of("another", "dora")
    assert posted(studio, (f"{other.key}/robot", "arm.urdf", URDF))[0].status_code == 200
    tabs[0].arriving.clear()
    assert posted(studio, (f"{tabs[2].key}/robot", "arm.urdf", URDF))[0].status_code == 200
    tabs[1].arriving.clear()


def test_closing_a_tab_frees_its_worker(many):
    """At once if it was closed, after a while if the connection was lost; a page that is loaded again keeps its job."""
    session = many.of("tab", "ann")
    for closing, seconds in ((True, sessions.CLOSED), (False, sessions.AWAY)):
        session.state.job, session.state.derivation = jobs = [Job("x", ()), Job("y", ())]
        session.came()
        session.closing = closing
        session.went()
        session.look_after(session.left + seconds - 0.1)
        assert not any(job.asked_to_stop.is_set() for job in jobs)
        session.look_after(session.left + seconds + 0.1)
        assert all("closed or away" in job.reason for job in jobs)
    session.state.job = job = Job("x", ())
    session.closing = True
    session.went()
    session.came()
    session.came()
    session.look_after(session.left + 1000)
    assert not job.asked_to_stop.is_set()


def test_a_page_that_is_loaded_again_slowly_keeps_its_job(many):
    """Its browser has asked for the page, and may take its time with it; those of others are gone."""
    tabs = [many.of("tab", "ann"), many.of("tab of another", "ben")]
    jobs = [Job("x", ()), Job("y", ())]
    for session, session.state.job in zip(tabs, jobs, strict=True):
        session.closing = True
        session.left -= sessions.CLOSED + 1
    with many.expected("ann"), many.expected("ann"):
        many.look_after()
    assert [job.asked_to_stop.is_set() for job in jobs] == [False, True]
    many.look_after()  # it never came
    assert jobs[0].asked_to_stop.is_set()


def test_tabs_that_are_left_take_little_room(many, monkeypatch):
    """Their motions are computed again when they come back; simulations of the last few are kept."""
    monkeypatch.setattr(sessions, "MOST_RESULTS", 2)
    left = [many.of(f"tab {k}", "ann") for k in range(4)]
    open_one = many.of("open", "ann")
    open_one.came()
    for k, session in enumerate((*left, open_one)):
        session.state.inverse, session.state.forward = object(), object()
        session.left -= sessions.AWAY + 10 - k
    many.look_after()
    assert [session.state.inverse is None for session in (*left, open_one)] == [True] * 4 + [False]
    assert [session.state.forward is None for session in (*left, open_one)] == [True, True, False, False, False]


def test_forgotten_tabs_leave_nothing(many):
    session = many.of("tab", "ann")
    folder = session.state.folder
    session.left -= sessions.FORGET + 1
    many.look_after()
    assert len(many) == 0
    assert not folder.exists()


def test_folders_of_killed_servers_go(many, monkeypatch, tmp_path):
    """Not those of servers that live, which touch them, nor anything else."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    session = many.of("tab", "ann")
    own = session.state.folder
    assert own.parent == tmp_path
    killed, other, target = tmp_path / f"{inbox.FOLDER}killed", tmp_path / "other", tmp_path / "target"
    (killed / "upload").mkdir(parents=True)
    other.mkdir()
    target.mkdir()
    link = tmp_path / f"{inbox.FOLDER}link"
    link.symlink_to(target)
    long_ago = time.time() - inbox.ABANDONED - 100
    for path in (own, killed, other, target):
        os.utime(path, (long_ago, long_ago))
    os.utime(link, (long_ago, long_ago), follow_symlinks=False)
    many.look_after()
    inbox.remove_abandoned()
    assert not killed.exists()
    assert own.is_dir()
    assert other.is_dir()
    assert target.is_dir()


# --- the command ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("two-link", "--host", ""), "redyn: --host: expected an address such as 127.0.0.1"),
        (("two-link", "--port", "-1"), "redyn: --port: expected a number from 0 to 65535, got -1"),
        (("two-link", "--port", "70000"), "redyn: --port: expected a number from 0 to 65535, got 70000"),
        (("two-link", "--host", "0.0.0.0", "--no-token"), "redyn: --no-token: only allowed on a loopback address"),
        (("two-link", "--limit", "0"), "redyn: --limit: expected seconds above 0, got 0"),
    ],
)
def test_the_command_names_mistakes(arguments, message, monkeypatch):
    monkeypatch.setattr(app, "_serve_modules", lambda: pytest.fail("it starts to serve"))
    error = printed("studio", "--no-browser", *arguments, code=2)
    assert error.startswith(message)
    assert error.count("\n") == 1


def test_the_command_names_mistakes_as_a_process():
    environment = {key: value for key, value in os.environ.items() if not key.startswith("PYTEST")}
    line = [sys.executable, "-m", "redyn", "studio", "--no-browser", "no-such-robot"]
    done = subprocess.run(line, capture_output=True, text=True, timeout=300, env=environment, check=False)
    assert done.returncode == 2
    assert done.stderr.startswith("redyn: no-such-robot: neither a robot of the library nor a file")
    assert done.stderr.count("\n") == 1


def test_ports_that_are_none_or_taken():
    assert "Invalid value for '--port'" in printed("studio", "--no-browser", "two-link", "--port", "abc", code=2)
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with pytest.raises(redyn.RedynError, match=rf"port {port}: .*; choose another with --port"):
            app.free_port("127.0.0.1", port)
    assert app.free_port("127.0.0.1", 0) > 0
    assert app.free_port("127.0.0.1", None) >= 8080
