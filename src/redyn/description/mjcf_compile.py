"""Runs MuJoCo's own compiler (the optional package mujoco) on the parts of a model that redyn needs."""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Any

from redyn.errors import DescriptionError, MissingExtraError


def compiled(path: Path) -> Any:
    """The compiled model of an MJCF file that has been checked (see mjcf_files and mjcf_amounts)."""
    try:
        mujoco: Any = importlib.import_module("mujoco")
    except ImportError:
        raise MissingExtraError("mujoco", "mujoco", "reading an MJCF file") from None
    said: list[str] = []
    earlier = mujoco.get_mju_user_warning()
    mujoco.set_mju_user_warning(said.append)  # or it writes MUJOCO_LOG.TXT to the current folder
    try:
        spec = mujoco.MjSpec.from_file(str(path))
        _lighten(mujoco, spec)
        model = spec.compile()
    except (ValueError, RuntimeError, MemoryError, mujoco.FatalError) as error:
        reason = " ".join(str(error).split())[:300]
        raise DescriptionError(path.name, f"MuJoCo does not accept it: {reason}") from None
    finally:
        mujoco.set_mju_user_warning(earlier)
    if any("NaN" in message for message in said):
        raise DescriptionError(path.name, "a number is NaN; expected finite numbers")
    return model


def _lighten(mujoco: Any, spec: Any) -> None:
    """Replaces textures, height fields and the like, which take memory and time but affect no joint or moving body.

    Their names are kept for references to them.
    """
    spec.memory = -1  # a file may request any amount; nothing is simulated here
    spec.nuserdata = spec.nkey = 0
    spec.compiler.LRopt.mode = int(mujoco.mjtLRMode.mjLRMODE_NONE)  # ranges of muscles need a simulation
    for texture in spec.textures:
        texture.file, texture.cubefiles = "", [""] * 6
        texture.builtin, texture.nchannel = mujoco.mjtBuiltin.mjBUILTIN_FLAT, 3
        texture.width = texture.height = 1
    for field in spec.hfields:
        field.file, field.nrow, field.ncol, field.userdata = "", 2, 2, [0.0] * 4
