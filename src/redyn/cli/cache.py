"""redyn cache: the compiled kernels on disk."""

from __future__ import annotations

from typing import Annotated

import typer

from redyn.words import counted


def cache(clear: Annotated[bool, typer.Option("--clear", help="Remove them all.")] = False) -> None:
    """Where compiled kernels are kept, and how much room they take.

    The variable REDYN_CACHE names another folder. Kernels are rebuilt when needed; clearing loses nothing but time.

    Example: redyn cache --clear
    """
    from redyn.kernels import cache as kept

    if clear:
        print(f"removed {counted(kept.clear(), 'kernel')} from {kept.folder()}")
        return
    found = kept.summary()
    if found is None:
        print("no kernels are kept: the cache folder cannot be made, or is open to other users")
    else:
        print(f"{kept.folder()}: {counted(found[0], 'kernel')}, {found[1] / 1e6:.1f} MB")
