# --- who may come in --------------------------------------------------------------------------------------------


def visit(guard, path="/", query="", cookie="", host="localhost:8080", kind="http", origin=""):
    """The status and headers that a visitor gets; 200 if the application was reached."""
    sent = []

    async def application(scope, receive, send):
        await send({"type": "http.response.start", "status": 200, "headers": []})

    async def receive():
        return {"type": f"{kind}.connect"}

    async def send(message):
        sent.append(message)

    headers = [(b"host", host.encode()), (b"cookie", cookie.encode())]
    headers += [(b"origin", origin.encode())] if origin else []
    scope = {"type": kind, "path": path, "query_string": query.encode(), "headers": headers}
    asyncio.run(guard.middleware(application)(scope, receive, send))
    return sent[0].get("status", sent[0]["type"]), dict(sent[0].get("headers", [])), sent[-1].get("body", b"")


def test_loopback_needs_no_token_but_its_own_name():
    guard = access.Access("127.0.0.1")
    assert guard.address(8080) == "http://127.0.0.1:8080/"
    for host in ("localhost:8080", "127.0.0.1:8080", "[::1]:8080", "localhost"):
        assert visit(guard, host=host)[0] == 200
    for host in ("evil.example:8080", "127.0.0.1.evil.example", "", "192.168.0.7"):
        assert visit(guard, host=host)[0] == 400
        assert visit(guard, host=host, kind="websocket")[0] == "websocket.close"


def test_pages_of_others_are_not_answered():
    guard = access.Access("127.0.0.1")
    assert visit(guard, origin="http://localhost:8080")[0] == 200
    for origin in ("http://evil.example", "http://localhost:9999", "null"):
        assert visit(guard, origin=origin)[0] == 403
        assert visit(guard, origin=origin, kind="websocket")[0] == "websocket.close"


def test_other_hosts_ask_for_the_token():
    guard = access.Access("0.0.0.0")
    assert guard.token in guard.address(9000)
    assert len(guard.token) > 20
    assert access.Access("0.0.0.0").token != guard.token
    for path in ("/", "/redyn-upload/x/robot", "/_nicegui/x.js"):
        status, _, body = visit(guard, path=path, host="lab:9000")
        assert status == 401
        assert b"Token" in body
    assert visit(guard, kind="websocket")[0] == "websocket.close"
    assert visit(guard, query="token=guess")[0] == 401
    assert b"not the token" in visit(guard, query="token=guess")[2]
    assert visit(guard, cookie="redyn-token=guess")[0] == 401
    status, headers, _ = visit(guard, query=f"token={guard.token}")
    assert (status, headers[b"location"]) == (303, b"/")
    assert b"HttpOnly" in headers[b"set-cookie"]
    cookie = headers[b"set-cookie"].decode().split(";")[0]
    assert visit(guard, cookie=cookie)[0] == 200
    assert visit(guard, cookie=cookie, kind="websocket")[0] == 200


# --- the command ------------------------------------------------------------------------------------------------


def command(*arguments):
    environment = {key: value for key, value in os.environ.items() if not key.startswith("PYTEST")}
    line = [sys.executable, "-m", "redyn", "studio", "--no-browser", *arguments]
    return subprocess.run(line, capture_output=True, text=True, timeout=60, env=environment, check=False)


def test_the_command_names_mistakes():
    done = command("no-such-robot")
    assert done.returncode == 2
    assert done.stderr.startswith("redyn: no-such-robot: neither a robot of the library nor a file")
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        done = command("two-link", "--port", str(taken.getsockname()[1]))
    assert done.returncode == 2
    assert "choose another with --port" in done.stderr
    assert done.stderr.count("\n") == 1
