"""The login page: for the token that is printed at start, or for a password that a teacher gives to a class.

Wrong passwords are limited per browser and per address, so that nobody guesses one, and nobody locks out others: a
class behind one address (NAT, proxy) has tries for everybody, other addresses are not affected, and those who are
logged in are not asked again.
"""

from __future__ import annotations

import html
import ipaddress
import math
import os
import socket
import time
import unicodedata
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from redyn.errors import RedynError

VARIABLE = "REDYN_STUDIO_PASSWORD"
SHORTEST, LONGEST = 8, 200  # characters of a password
TRIES, EVERY = 5, 5.0  # wrong passwords of one browser at once, and s until it has another one;
TRIES_OF_ADDRESS, EVERY_OF_ADDRESS = 60, 1.0  # of all browsers at one address
MOST_KNOWN = 10_000  # browsers and addresses whose wrong passwords are remembered

PAGE = """<!doctype html><html lang="en"><meta charset="utf-8"><title>redyn studio</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<style>body{{font:16px system-ui,sans-serif;display:grid;place-items:center;min-height:90vh;margin:0 16px;color:#1f2933;
background:#fff}}input,button{{font:inherit;padding:6px 10px}}p.wrong{{color:#b3131f}}</style>
<form method="{method}" action="/" data-testid="{name}-form"><h1>redyn studio</h1>{wrong}
<p><label>{label}:<br><input name="{name}" type="password" autofocus required autocomplete="{complete}"
autocapitalize="off" spellcheck="false"></label>
<input name="exercise" type="hidden" value="{exercise}"><button>Enter</button></p>
<p><label><input type="checkbox" data-testid="show"> show it</label></p>
<p>Work that was open in this tab is kept by the browser and restored once you are logged in.</p></form>
<script>
const form = document.forms[0];
form.querySelector('[data-testid=show]').onchange = (event) => {{
    form.elements[0].type = event.target.checked ? 'text' : 'password';
}};
form.onsubmit = () => {{ form.action = '/' + location.hash; }};
</script></html>"""


def page(password: bool, exercise: str = "", wrong: str = "") -> str:
    """`exercise`: what the address asked for. Work in the address (#work=...) is passed on by the browser."""
    error = f'<p class="wrong" data-testid="error-message">{html.escape(wrong)}</p>' if wrong else ""
    name, method, complete = ("password", "post", "current-password") if password else ("token", "get", "off")
    label = "Password of the class" if password else "Token, as printed where the studio was started"
    return PAGE.format(
        name=name, method=method, complete=complete, label=label, wrong=error, exercise=html.escape(exercise)
    )


# --- passwords ---------------------------------------------------------------------------------------------------


def typed(password: str) -> str:
    """A password as it is compared: keyboards add spaces, and differ in how they compose letters."""
    return unicodedata.normalize("NFKC", password).strip()


def check(password: str, where: str) -> str:
    """The password, if it is long enough."""
    password = typed(password)
    if not SHORTEST <= len(password) <= LONGEST:
        raise RedynError(
            f"{where}: expected {SHORTEST} to {LONGEST} characters, got {len(password)}; three words are easy to type"
        )
    return password


def chosen(ask: bool, file: Path | None, prompt: Callable[[], str]) -> str:
    """The password of a file, of the environment, or typed at the prompt; empty if none is wanted."""
    if file is not None:
        try:
            lines = file.read_text("utf-8").splitlines()
        except (OSError, UnicodeDecodeError) as error:
            reason = error.strerror if isinstance(error, OSError) else "it is not text"
            raise RedynError(f"--password-file: cannot read {file}: {reason}") from None
        return check(lines[0] if lines else "", f"--password-file: first line of {file}")
    if not ask:
        return ""
    given = os.environ.pop(VARIABLE, "")  # so that no other process inherits it
    return check(given, VARIABLE) if given else check(prompt(), "--password")


class Guesses:
    """Wrong passwords so far. Of each browser and each address, some are allowed at once, and then one now and then."""

    def __init__(self) -> None:
        self._until: dict[str, float] = {}  # time at which all tries are available again

    def wait(self, browser: str, address: str) -> float:
        """Seconds until the next try; 0 if it is allowed."""
        now = time.monotonic()
        waits = (
            self._until.get(key, now) - now - (tries - 1) * every for key, tries, every in _limits(browser, address)
        )
        return max(0.0, *waits)

    def wrong(self, browser: str, address: str) -> None:
        now = time.monotonic()
        for key, _, every in _limits(browser, address):
            self._until[key] = max(now, self._until.pop(key, now)) + every
        if len(self._until) > MOST_KNOWN:
            latest = sorted(self._until.items(), key=lambda item: item[1])[-MOST_KNOWN // 2 :]
            self._until = {key: until for key, until in latest if until > now}


def _limits(browser: str, address: str) -> list[tuple[str, int, float]]:
    return [
        (f"browser {browser}", TRIES, EVERY),
        (f"address {address}", TRIES_OF_ADDRESS, EVERY_OF_ADDRESS),
    ]


def later(seconds: float) -> str:
    return f"Too many wrong passwords. Try again in {math.ceil(seconds)} s."


# --- addresses ---------------------------------------------------------------------------------------------------


def network(address: str) -> str:
    """What is counted as one address: of IPv6 the first half, as the rest is chosen by the machine itself.

    >>> network("192.168.1.7"), network("2001:db8::1:2"), network("::ffff:10.0.0.1")
    ('192.168.1.7', '2001:db8::', '10.0.0.1')
    """
    try:
        found = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return address
    if isinstance(found, ipaddress.IPv4Address):
        return str(found)
    if found.ipv4_mapped is not None:
        return str(found.ipv4_mapped)
    return str(ipaddress.IPv6Network((found, 64), strict=False).network_address)


def own_names() -> list[str]:
    """Addresses of this machine in its network, most useful first, and its name if others may know it."""
    found: list[str] = []
    with suppress(OSError), socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.connect(("192.0.2.1", 9))  # sends nothing: finds the address from which others would be reached
        found.append(str(probe.getsockname()[0]))
    name = socket.gethostname()
    with suppress(OSError):
        own = [str(entry[4][0]) for entry in socket.getaddrinfo(name, None, socket.AF_INET)]
        found += [*own, *([name] if any(_usable(address) for address in own) else [])]
    return [name for name in dict.fromkeys(found) if _usable(name)]


def _usable(name: str) -> bool:
    try:
        address = ipaddress.ip_address(name)
    except ValueError:
        return name not in ("", "localhost")
    return not (address.is_loopback or address.is_link_local or address.is_unspecified)
