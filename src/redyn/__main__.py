"""python -m redyn: the same as the command redyn."""

from redyn.cli.main import run

if __name__ == "__main__":
    run()
