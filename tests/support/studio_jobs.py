"""Jobs for the studio's pool of processes: some work, some fail, some do not listen."""

import os
import signal
import time

import redyn


def slow(tell, seconds):
    """Works in small pieces and says so."""
    for k in range(round(seconds / 0.02)):
        tell(k * 0.02 / seconds, "slowly")
        time.sleep(0.02)
    return "done"


def chatty(tell, seconds):
    """News faster than they are read."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        tell(0.5, f"{time.monotonic()}")
    raise redyn.RedynError("nobody stopped it")


def deaf(tell, seconds):
    """Does not listen."""
    tell(0.5, "deaf")
    while True:
        try:
            time.sleep(seconds)
            return "done"
        except KeyboardInterrupt:
            continue


def wrong(tell):
    raise redyn.RedynError("so it is")


def broken(tell):
    raise ZeroDivisionError("oh")


def dies(tell):
    os._exit(3)


def killed(tell):
    """As by a machine that has run out of memory."""
    os.kill(os.getpid(), signal.SIGKILL)
    time.sleep(300)


def hoard(tell, step, most):
    """Takes more and more memory."""
    held = []
    while len(held) * step < most:
        held.append(bytes(step))
        tell(0.5, "hoarding")
    return len(held)


def nap(tell, seconds):
    """Works until it is stopped."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        tell(0.5, "napping")
        time.sleep(0.02)
    return "done"


def finished(job):
    assert job.over.wait(300), job.state
    return job


def until(condition, seconds=300.0):
    """Waits for it; only what hangs takes so long."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.02)
