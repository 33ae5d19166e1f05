"""The command redyn, also as python -m redyn. Ctrl-C is handled during its imports too, which take a moment."""

import sys


def run() -> None:
    try:
        from redyn.cli.main import run as command
    except KeyboardInterrupt:
        print("redyn: interrupted; nothing was written", file=sys.stderr)
        raise SystemExit(130) from None
    command()


if __name__ == "__main__":
    run()
