"""redyn cache: the compiled kernels on disk."""

from __future__ import annotations

from typing import Annotated

import typer

from redyn.words import counted


def cache(clear: Annotated[bool, typer.Option("--clear", help="Remove all kernels.")] = False) -> None:
    """Show the folder and size of the cache of compiled kernels.

    The environment variable REDYN_CACHE sets another folder. Kernels are rebuilt when needed, so clearing is safe.

    Example: redyn cache --clear
    """
    from redyn.kernels import cache as kept

    if clear:
        print(f"removed {counted(kept.clear(), 'kernel')} from {kept.folder()}")
        return
    found = kept.summary()
    if found is None:
        print("no kernels are cached: the folder cannot be created, or is accessible to other users")
    else:
        print(f"{kept.folder()}: {counted(found[0], 'kernel')}, {found[1] / 1e6:.1f} MB")
