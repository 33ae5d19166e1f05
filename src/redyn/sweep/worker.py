"""A process that computes shards: `python -m redyn.sweep.worker`, started by `processes`.

It reads one line of JSON that says which sweep, then the number of a shard per line, and answers each with a line. When
nobody is at the other end any more, it stops after the shard at hand: a killed parent leaves no processes behind.
"""

from __future__ import annotations

import json
import os
import signal
import sys
from typing import TextIO

from redyn.errors import RedynError
from redyn.sweep.shard import run_shard
from redyn.sweep.store import Folder, encoded


def serve(requests: TextIO, answers: TextIO) -> None:
    """Until the requests end."""
    first = json.loads(requests.readline())
    sys.path[:] = first["path"]
    folder = Folder.opened(first["folder"])
    for line in requests:
        k = int(line)
        try:
            folder.write(k, encoded(run_shard(folder.plan, k, first["trust"])))
            answer = {"shard": k}
        except RedynError as error:
            answer = {"shard": k, "error": str(error)}
        answers.write(json.dumps(answer) + "\n")
        answers.flush()


def main() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the parent, which then ends this process
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # whatever a function prints does not get among the answers
    try:
        serve(sys.stdin, answers)
    except BrokenPipeError:
        os._exit(1)


if __name__ == "__main__":
    main()
