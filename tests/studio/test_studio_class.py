"""A class on one server: a password, and shares of workers, memory, threads, tabs and disk: nobody stops others."""

import asyncio
import os
import pickle
import re
import sys
import threading
from types import SimpleNamespace

import httpx
import pytest
from starlette.applications import Starlette
from starlette.responses import PlainTextResponse
from starlette.routing import Route

import redyn
from commands import printed
from redyn.studio import access, app, door, jobs, sessions
from redyn.studio.jobs import Job, Limits, Pool
from redyn.studio.opening import open_source
from redyn.studio.panels.jog import JogPanel
from redyn.studio.sessions import Sessions
from redyn.studio.threads import Threads
from studio_files import URDF
from studio_jobs import finished, until
from studio_server import classroom

PASSWORD = "gears and cams"

# --- the password -----------------------------------------------------------------------------------------------


class Browser:
    """A browser, without pages, at an address."""

    def __init__(self, guard, address="10.0.0.1", cookies=None):
        page = Starlette(routes=[Route("/", lambda request: PlainTextResponse("the studio"))])
        self._transport = httpx.ASGITransport(guard.middleware(page), client=(address, 1234))
        self.cookies = httpx.Cookies(cookies)

    def ask(self, method, url="/", **options):
        async def go():
            base = "http://studio.example:9000"
            async with httpx.AsyncClient(transport=self._transport, base_url=base, cookies=self.cookies) as client:
                answer = await client.request(method, url, **options)
                self.cookies = client.cookies
                return answer

        return asyncio.run(go())

    def log_in(self, password, exercise="", **options):
        return self.ask("POST", data={"password": password, "exercise": exercise}, **options)


@pytest.fixture
def guard():
    return access.Access("0.0.0.0", 9000, "a-private-key", PASSWORD)


@pytest.fixture
def clock(monkeypatch):
    """The time of those who count wrong passwords."""

    class Clock:
        now = 1000.0

        def monotonic(self):
            return self.now

    made = Clock()
    monkeypatch.setattr(door, "time", made)
    return made


def test_a_password_opens_the_door(guard):
    browser = Browser(guard)
    answer = browser.ask("GET", "/?exercise=9.7")
    assert answer.status_code == 401
    assert 'name="password"' in answer.text
    assert 'value="9.7"' in answer.text
    answer = browser.log_in("gears and cam", "9.7")
    assert answer.status_code == 401
    assert "That is not the password." in answer.text
    assert 'value="9.7"' in answer.text  # for the next try
    answer = browser.log_in(f"{PASSWORD} ", "9.7")  # keyboards of phones add a space
    assert (answer.status_code, answer.headers["location"]) == (303, "/?exercise=9.7")
    assert browser.ask("GET").text == "the studio"
    assert browser.log_in(PASSWORD).status_code == 303  # twice, by a double click
    assert Browser(guard).log_in("").status_code == 401


def test_letters_of_a_password_may_be_composed_in_any_way():
    composed, apart = "schrägstrich", "schra\N{COMBINING DIAERESIS}gstrich"
    assert Browser(access.Access("0.0.0.0", 9000, "key", composed)).log_in(apart).status_code == 303
    assert Browser(access.Access("0.0.0.0", 9000, "key", apart)).log_in(composed).status_code == 303


def test_the_cookie_does_not_tell_the_password_and_another_one_makes_it_void(guard):
    browser = Browser(guard)
    browser.log_in(PASSWORD)
    kept = dict(browser.cookies)
    assert not any(PASSWORD in value or "a-private-key" in value for value in kept.values())
    assert Browser(guard, cookies=kept).ask("GET").status_code == 200
    same = access.Access("0.0.0.0", 9000, "a-private-key", PASSWORD)  # the server was started again
    assert Browser(same, cookies=kept).ask("GET").status_code == 200
    for key, password in (("a-private-key", "another password"), ("another-key", PASSWORD)):
        other = access.Access("0.0.0.0", 9000, key, password)
        assert Browser(other, cookies=kept).ask("GET").status_code == 401


def test_the_password_is_taken_from_the_form_of_the_own_page_only(guard):
    assert Browser(guard).ask("GET", "/", params={"password": PASSWORD}).status_code == 401  # it would be remembered
    answer = Browser(guard).log_in(PASSWORD, headers={"origin": "http://evil.example"})
    assert answer.status_code == 403
    assert Browser(guard).ask("POST", content=b"x" * 100_000).status_code == 401
    assert Browser(guard, cookies={"redyn-token-9000": PASSWORD}).ask("GET").status_code == 401


def test_those_who_guess_wait_and_nobody_else_does(guard, clock):
    inside = Browser(guard)
    inside.log_in(PASSWORD)
    guesser = Browser(guard)
    assert [guesser.log_in(f"guess {k}").status_code for k in range(door.TRIES)] == [401] * door.TRIES
    answer = guesser.log_in(PASSWORD, "9.7")  # right or wrong, it is not told now
    assert answer.status_code == 429
    assert "Too many wrong passwords. Try again in 5 s." in answer.text
    assert answer.headers["retry-after"] == "5"
    assert 'value="9.7"' in answer.text
    assert inside.ask("GET").status_code == 200
    assert Browser(guard).log_in(PASSWORD).status_code == 303  # at the same address, as a class is
    clock.now += door.EVERY
    assert guesser.log_in("one more guess").status_code == 401
    assert guesser.log_in("and one more").status_code == 429
    clock.now += door.EVERY
    assert guesser.log_in(PASSWORD).status_code == 303


def test_those_who_guess_as_many_browsers_wait_too(guard, clock):
    for _ in range(door.TRIES_OF_ADDRESS):
        assert Browser(guard).log_in("guess").status_code == 401
    assert Browser(guard).log_in(PASSWORD).status_code == 429
    assert Browser(guard, "10.0.0.2").log_in(PASSWORD).status_code == 303
    clock.now += door.EVERY_OF_ADDRESS
    assert Browser(guard).log_in(PASSWORD).status_code == 303
    for k in range(door.TRIES_OF_ADDRESS):  # a machine chooses the second half of an address of IPv6 itself
        Browser(guard, f"2001:db8::{k + 1:x}").log_in("guess")
    assert Browser(guard, "2001:db8::ffff").log_in(PASSWORD).status_code == 429
    assert Browser(guard, "2001:db8:0:1::1").log_in(PASSWORD).status_code == 303


def test_wrong_passwords_take_little_room(clock, monkeypatch):
    monkeypatch.setattr(door, "MOST_KNOWN", 50)
    guesses = door.Guesses()
    for k in range(200):
        guesses.wrong(f"browser {k}", f"address {k}")
    assert len(guesses._until) <= 50
    for _ in range(door.TRIES):
        guesses.wrong("browser", "address")
    assert guesses.wait("browser", "address") == door.EVERY


def test_where_the_password_comes_from(monkeypatch, tmp_path):
    def typed():
        return "typed by hand"

    def nobody():
        pytest.fail("asked")

    file = tmp_path / "password.txt"
    file.write_text("written down \nnot this\n")
    monkeypatch.delenv(door.VARIABLE, raising=False)
    assert door.chosen(False, None, nobody) == ""
    assert door.chosen(True, None, typed) == "typed by hand"
    assert door.chosen(False, file, nobody) == "written down"
    monkeypatch.setenv(door.VARIABLE, "of the environment")
    assert door.chosen(False, None, nobody) == ""
    assert door.chosen(True, None, nobody) == "of the environment"
    assert door.VARIABLE not in os.environ  # other processes need not know it


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--password-file", "S"), "redyn: --password-file: first line of S: expected 8 to 200 characters, got 5;"),
        (("--password-file", "E"), "redyn: --password-file: first line of E: expected 8 to 200 characters, got 0;"),
        (("--password-file", "NONE"), "redyn: --password-file: cannot read NONE: No such file"),
        (("--password-file", "BYTES"), "redyn: --password-file: cannot read BYTES: it is not text"),
        (("--password",), "redyn: REDYN_STUDIO_PASSWORD: expected 8 to 200 characters, got 3; three words"),
        (("--password-file", "GOOD", "--no-token"), "redyn: --no-token: not with a password, which replaces the token"),
        (("--memory", "5"), "redyn: --memory: expected 100 MB or more, got 5"),
        (("--jobs", "0"), "redyn: --jobs: expected a number from 1 to 300, got 0"),
        (("--workers", "0"), "redyn: --workers: expected a number from 1 to 64, got 0"),
    ],
)  # fmt: skip
def test_the_command_names_mistakes(arguments, message, monkeypatch, tmp_path):
    monkeypatch.setattr(app, "_serve_modules", lambda: pytest.fail("it starts to serve"))
    monkeypatch.setenv(door.VARIABLE, "abc")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "S").write_text("gears\n")
    (tmp_path / "E").write_text("")
    (tmp_path / "BYTES").write_bytes(b"\xff\xfe\xfa")
    (tmp_path / "GOOD").write_text(PASSWORD)
    error = printed("studio", "--no-browser", "two-link", *arguments, code=2)
    assert error.startswith(message)
    assert error.count("\n") == 1


def test_the_addresses_for_a_class(guard, monkeypatch):
    monkeypatch.setattr(door, "own_names", lambda: ["192.168.1.7", "lab3"])
    assert guard.addresses == ["http://192.168.1.7:9000/", "http://lab3:9000/"]
    with_token = access.Access("0.0.0.0", 9000, "a-token")
    assert with_token.addresses[0] == "http://192.168.1.7:9000/?token=a-token"
    monkeypatch.setattr(door, "own_names", list)
    assert guard.addresses == ["http://localhost:9000/"]
    assert access.Access("192.168.1.7", 9000, "key", PASSWORD).addresses == ["http://192.168.1.7:9000/"]
    assert access.Access("::1", 9000, "", "").addresses == ["http://[::1]:9000/"]


def test_own_names_can_be_reached_by_others():
    for name in door.own_names():
        assert not access.is_loopback(name)
        assert name not in ("0.0.0.0", "::")


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    with classroom(tmp_path_factory.mktemp("class"), PASSWORD) as started:
        yield started


@pytest.mark.slow
def test_a_server_with_a_password(server):
    assert "token" not in server.url
    assert PASSWORD not in "".join(server.log)
    assert any("password to the class" in line for line in server.log)
    with httpx.Client(base_url=server.origin, timeout=120) as client:
        assert client.get("/").status_code == 401
        assert client.post("/", data={"password": "gears and"}).status_code == 401
        assert client.post("/", data={"password": PASSWORD, "exercise": "9.7"}).headers["location"] == "/?exercise=9.7"
        assert client.get("/").status_code == 200


# --- workers ----------------------------------------------------------------------------------------------------


@pytest.fixture
def pool(monkeypatch, request):
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(sys.path))
    made = Pool(getattr(request, "param", Limits(seconds=300.0)))
    yield made
    made.close()


@pytest.mark.slow
@pytest.mark.parametrize("pool", [Limits(memory=300_000_000)], indirect=True)
@pytest.mark.parametrize("step", [20_000_000, 4_000_000_000])
def test_a_job_that_needs_too_much_memory_is_stopped_alone(pool, step):
    neighbour = pool.submit("studio_jobs:nap", 300.0, person="ben")
    until(lambda: neighbour.state == "running")
    hoarder = finished(pool.submit("studio_jobs:hoard", step, 10_000_000_000, person="ann"))
    assert (hoarder.state, hoarder.result) == ("failed", None)
    assert hoarder.error == "it needs more than 300 MB of memory, the limit of this server"
    assert finished(pool.submit("studio_jobs:hoard", 1_000_000, 50_000_000, person="ann")).state == "done"
    assert neighbour.state == "running"
    neighbour.cancel()
    assert finished(neighbour).state == "cancelled"


@pytest.mark.slow
def test_a_job_whose_process_is_killed_says_what_may_be_the_reason(pool):
    assert "maybe because it needs more than 2,000 MB" in finished(pool.submit("studio_jobs:killed")).error
    assert "try again" in finished(pool.submit("studio_jobs:dies")).error


@pytest.mark.slow
@pytest.mark.parametrize("pool", [Limits(workers=2, spare=1)], indirect=True)
def test_many_jobs_of_one_do_not_delay_the_first_of_another(pool):
    """One worker stays free for others, however long those of the first take."""
    many = [pool.submit("studio_jobs:nap", 300.0, person="ann") for _ in range(4)]
    until(lambda: any(job.state == "running" for job in many))
    assert finished(pool.submit("studio_jobs:nap", 0.05, person="ben")).state == "done"
    assert sum(job.state == "running" for job in many) == 1
    for job in many:
        job.cancel()
    for job in many:
        finished(job)


def ready(pool, *people):
    """Jobs that wait, of (person, address), in the order of their turns."""
    waiting = [Job("x", (), *person) for person in people]
    pool._waiting[:] = waiting
    order = sorted(waiting, key=pool.ahead_of)
    pool._waiting.clear()
    return [job.person for job in order]


@pytest.fixture
def no_workers():
    made = Pool(Limits(workers=0))
    yield made
    made.close()


def used(pool, person, address, seconds, ago=0.0):
    pool._past.append((jobs.time.monotonic() - ago, jobs._Use(person, address, seconds)))


def test_who_has_used_least_goes_first(no_workers):
    used(no_workers, "old", "home", 900.0, jobs.WINDOW + 1)  # long ago
    used(no_workers, "ann", "home", 10.0)
    used(no_workers, "ben", "hall", 3.0)
    people = [("ann", "home"), ("ben", "hall"), ("carl", "cafe"), ("old", "garden")]
    assert ready(no_workers, *people) == ["carl", "old", "ben", "ann"]


def test_deleting_cookies_does_not_help(no_workers):
    """A new browser counts as one of its address; in a class behind one address it still comes before who used much."""
    used(no_workers, "ann", "home", 100.0)
    people = [("ann", "home"), ("ann again", "home"), ("ben", "hall")]
    assert ready(no_workers, *people) == ["ben", "ann again", "ann"]
    used(no_workers, "ben", "hall", 40.0)
    assert ready(no_workers, *people) == ["ben", "ann again", "ann"]


def test_jobs_of_an_address_are_limited_too(no_workers, monkeypatch):
    monkeypatch.setattr(jobs, "MOST", 9)
    for k in range(6):
        no_workers.submit("x", person=f"browser {k}", address="home")
    with pytest.raises(redyn.RedynError, match="too many simulations or derivations wait"):
        no_workers.submit("x", person="browser 6", address="home")
    no_workers.submit("x", person="ben", address="hall")
    no_workers._waiting.clear()


def test_results_that_would_fill_the_server_are_refused(monkeypatch):
    monkeypatch.setattr(jobs, "LARGEST_RESULT", 1_000_000)
    assert pickle.loads(jobs._packed(("done", "small"))) == ("done", "small")
    kind, result, error = pickle.loads(jobs._packed(("done", b"x" * 3_000_000)))
    assert (kind, result) == ("failed", None)
    assert error == "the result has 3 MB, more than the 1 MB that this server takes"


# --- threads, tabs and the disk ---------------------------------------------------------------------------------


def test_threads_of_one_do_not_stop_another():
    async def go():
        threads, done = Threads(3, 2), threading.Event()
        many = [asyncio.create_task(threads.run("ann", done.wait, 300)) for _ in range(8)]
        gone = [asyncio.create_task(threads.run("carl", done.wait, 300)) for _ in range(2)]
        await asyncio.sleep(0)
        for task in gone:  # one has a thread, the other waits for it
            task.cancel()
        await asyncio.gather(*gone, return_exceptions=True)
        waiting = asyncio.create_task(threads.run("ben", lambda: "done"))
        await asyncio.sleep(0)
        assert not waiting.done()  # the thread of a page that is gone still works
        done.set()
        assert await waiting == "done"
        assert all(await asyncio.gather(*many))
        while threads._running:  # carl's page is gone: nobody waits for his thread
            await asyncio.sleep(0.01)
        done.clear()
        many = [asyncio.create_task(threads.run("ann", done.wait, 300)) for _ in range(8)]
        assert await threads.run("ben", lambda: "done") == "done"
        with pytest.raises(ZeroDivisionError):
            await threads.run("ben", lambda: 1 / 0)
        done.set()
        await asyncio.gather(*many)
        threads.close()

    asyncio.run(go())


@pytest.fixture
def many():
    made = Sessions(open_source("two-link"))
    yield made
    made.close()


def test_tabs_of_an_address_leave_room_for_others(many, monkeypatch):
    monkeypatch.setattr(sessions, "MOST", 9)
    for k in range(6):
        many.of(f"tab {k}", f"browser {k}", "home").came()
    with pytest.raises(redyn.RedynError, match="too many people"):
        many.of("one more", "another browser", "home")
    many.of("elsewhere", "ben", "hall").came()
    many.of("tab 0", "browser 0", "home").went()
    many.of("one more", "another browser", "home")


def stored(session, size):
    (session.state.folder / "robot.zip").write_bytes(b"x" * size)


def test_uploads_of_one_browser_take_some_of_the_disk_only(many, monkeypatch):
    monkeypatch.setattr(sessions, "MOST_STORED", 1000)
    tabs = [many.of(f"tab {k}", "ann") for k in range(4)]
    for k, tab in enumerate(tabs):
        tab.left -= 10 - k
        stored(tab, 400)
    tabs[0].came()
    stored(many.of("another", "ben"), 5000)
    many.make_room("ann")
    assert [many.by_key(tab.key) is tab for tab in tabs] == [True, False, False, True]  # those closed longest ago go
    stored(tabs[0], 3000)
    with pytest.raises(redyn.RedynError, match="your uploads take 0 MB of 0 MB already; close tabs"):
        many.make_room("ann")
    assert many.by_key(tabs[0].key) is tabs[0]


def test_uploads_leave_some_of_the_disk_free(many, monkeypatch):
    monkeypatch.setattr(sessions, "LEAST_FREE", 10**18)
    with pytest.raises(redyn.RedynError, match="the disk of the server is nearly full"):
        many.make_room("ann")


def test_an_upload_without_room_is_refused(monkeypatch):
    studio = app.Studio("two-link")
    try:
        session = studio.sessions.of("tab", "ann")
        session.came()
        monkeypatch.setattr(sessions, "MOST_STORED", 100)
        stored(session, 200)
        routes = [Route("/redyn-upload/{key}/{kind}", studio.upload, methods=["POST"])]

        async def post():
            transport = httpx.ASGITransport(Starlette(routes=routes))
            async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as client:
                return await client.post(f"/redyn-upload/{session.key}/robot", content=URDF)

        answer = asyncio.run(post())
        assert answer.status_code == 400
        assert re.match("your uploads take", answer.json()["error"])
    finally:
        studio.close()


def test_the_server_is_there_before_its_first_robot_is_compiled(monkeypatch):
    """Which may take a while on a new machine: pages wait for it, with a note."""
    begun, done = threading.Event(), threading.Event()

    def compiles(robot):
        begun.set()
        assert done.wait(300)

    monkeypatch.setattr(app, "warm_up", compiles)
    studio = app.Studio("two-link")  # compiles nothing
    assert not begun.is_set()
    idle = SimpleNamespace(submit=lambda task: None, warm_up=lambda: None, close=lambda: None)
    studio.pool.close()
    studio.pool = studio.readers = idle

    async def go():
        beginning = asyncio.create_task(studio.begin())
        while not begun.is_set():
            await asyncio.sleep(0.01)  # the server answers meanwhile
        assert not studio._compiled.is_set()
        done.set()
        await beginning
        assert studio._compiled.is_set()
        studio.close()

    asyncio.run(go())


# --- jogging ----------------------------------------------------------------------------------------------------


def test_of_many_jogs_the_latest_of_each_joint_counts():
    """While others are served, a page may send more of them."""
    moved, shown = [], []

    async def go():
        ready = asyncio.Event()

        async def attempt(cause, work):
            await ready.wait()
            work()
            return True

        panel = JogPanel.__new__(JogPanel)
        state = SimpleNamespace(
            robot=SimpleNamespace(model=SimpleNamespace(tangent=2)), jog=lambda *jog: moved.append(jog) or ""
        )
        panel._desk = SimpleNamespace(state=state, attempt=attempt, show_pose=lambda: shown.append(panel._heard))
        panel._wanted, panel._taker, panel._heard = {}, None, 0.0
        jogs = [panel._jog({"joint": k % 2, "value": 0.1 * k, "number": k}) for k in range(20)]
        tasks = [asyncio.create_task(jog) for jog in jogs]
        await asyncio.sleep(0)
        pressed = asyncio.create_task(panel.taken())  # a button, before the values that were sent count
        await asyncio.sleep(0.01)
        assert not pressed.done()
        assert not moved
        ready.set()
        await pressed
        assert len(moved) == 2
        await asyncio.gather(*tasks)

    asyncio.run(go())
    assert sorted(moved) == [(0, pytest.approx(1.8)), (1, pytest.approx(1.9))]
    assert shown == [19]
