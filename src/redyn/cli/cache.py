"""redyn cache: the compiled kernels on disk, and the pictures of the studio's gallery."""

from __future__ import annotations

from typing import Annotated

import typer

from redyn.words import counted


def cache(clear: Annotated[bool, typer.Option("--clear", help="Remove all kernels and pictures.")] = False) -> None:
    """Show the folders and sizes of the cache: compiled kernels, and pictures of robots that the studio has drawn.

    The environment variable REDYN_CACHE sets another folder. Both are made again when needed, so clearing is safe.

    Example: redyn cache --clear
    """
    from redyn.kernels import cache as kept

    if clear:
        print(f"removed {counted(kept.clear(), 'kernel')} from {kept.folder()}")
        if pictures := kept.clear(kept.PICTURES):
            print(f"removed {counted(pictures, 'picture')} from {kept.folder(kept.PICTURES)}")
        return
    found = kept.summary()
    if found is None:
        print("no kernels are cached: the folder cannot be created, or is accessible to other users")
    else:
        print(f"{kept.folder()}: {counted(found[0], 'kernel')}, {found[1] / 1e6:.1f} MB")
    drawn = kept.summary(kept.PICTURES)
    if drawn is not None and drawn[0]:
        print(f"{kept.folder(kept.PICTURES)}: {counted(drawn[0], 'picture')}, {drawn[1] / 1e6:.1f} MB")
